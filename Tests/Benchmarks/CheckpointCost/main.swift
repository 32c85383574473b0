import Checkpoint
import Files
import Foundation
import Records
import UploadPlanning

// Measures the processor time that the checkpoint takes for a record that is made: read from the plan,
// begun, and confirmed, in batches of 100, and the end of the run. Planning is not counted. The
// time that passes, which is that of the disk, is shown beside it.
//
//     swift run -c release checkpoint-cost [RECORDS]

/// The processor time of this process and of the system for it, in seconds.
func processorTime() -> Double {
  var time = timespec()
  precondition(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0, "the system has this clock")
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
let batch = 100
let folder = try PrivateFolder()
let checkpoint = try CheckpointFile(
  path: "\(folder.path)/checkpoint.sqlite",
  binding: CheckpointBinding(
    store: "store",
    origin: "https://api.example.com",
    account: "ada",
    profile: "stories"
  )
)
let run = try checkpoint.beginRun(
  id: "run-1",
  kind: .upload,
  package: "digest",
  packagePath: "/stories.ferry",
  undoes: nil,
  profile: StoredProfile(digest: "digest", yaml: ""),
  now: 0
)
let content = OperationKey.digest(of: Array("content".utf8))
let entity: EntityName = "Story"
for start in stride(from: 0, to: count, by: 1_000) {
  var step = PlanStep()
  for number in start..<min(start + 1_000, count) {
    let record = RecordID(entity: entity, key: UUID().uuidString)
    let key = OperationKey.key(
      destination: "https://api.example.com",
      record: record,
      action: .create,
      content: content,
      generation: 0
    )
    step.operations.append(
      OperationDraft(
        phase: 0,
        record: record,
        action: .create,
        content: content,
        requestDigest: content,
        key: key,
        source: RecordSource(file: "data/Story.jsonl", offset: Int64(number) * 700, length: 690)
      )
    )
  }
  try checkpoint.add(step, to: run, now: 0)
}

let before = processorTime()
let clock = ContinuousClock()
let began = clock.now
var last: Int64 = 0
var settled = 0
while true {
  let operations = try checkpoint.operations(of: run, phase: 0, after: last, limit: batch)
  guard let end = operations.last else { break }
  last = end.number
  try checkpoint.commit(
    operations.map { .begin($0.number, before: nil, version: nil) },
    now: 1
  )
  try checkpoint.commit(
    operations.map {
      .confirm(
        $0.number,
        serverID: "cm\($0.number)0123456789abcdefghij",
        version: "2026-01-01T00:00:00.000Z"
      )
    },
    now: 2
  )
  settled += operations.count
}
try checkpoint.setStage(.finished, of: run, now: 3)
let after = processorTime()
let wall = (clock.now - began) / .seconds(1)
precondition(settled == count, "every record is settled")
let processor = (after - before) / Double(count) * 1e6
print("| records | processor µs a record | passed µs a record |")
print("|---|---|---|")
print(
  String(format: "| %d | %.1f | %.1f |", count, processor, wall / Double(count) * 1e6)
)
