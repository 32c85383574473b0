import Dispatch

/// Where tasks run one after the other, on a thread of their own.
///
/// The threads that all other tasks share are as many as the processors, and none of them is
/// removed from a task that is at work. A commit would keep them from reading answers, and the next
/// request from leaving.
final class OwnThread: TaskExecutor {
  private let queue: DispatchQueue

  init(_ name: String) { queue = DispatchQueue(label: "ferry.\(name)") }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
