import Foundation
import Subprocess

/// The program a user runs, as it was built beside these tests.
///
/// Nothing of the user's own is seen by it: the state folder, the folder for temporary files, the
/// home folder and the environment are all the test's.
package struct FerryProgram: Sendable {
  /// The executable.
  package let path: String
  /// What is started in its place and becomes it.
  private var prefix: [String] = []

  /// Finds the program in the folder the tests were built into.
  ///
  /// `FERRY_PROGRAM` names another one: a release build, or one that was installed.
  package init() throws {
    path =
      ProcessInfo.processInfo.environment["FERRY_PROGRAM"]
      ?? Self.builtFolder.appending(path: "ferry").path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw TestSupportError("the program is not at \(path); build the product ferry first")
    }
  }

  /// Another program that was built beside these tests.
  package init(named name: String) throws {
    try self.init(at: Self.builtFolder.appending(path: name).path)
  }

  /// A script that becomes the program, or another build of it.
  package init(at path: String) throws {
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw TestSupportError("there is no program at \(path)")
    }
    self.path = path
  }

  /// The same program, started by another that becomes it: `nsenter --net=…`, say.
  package func started(by words: [String]) -> FerryProgram {
    var program = self
    program.prefix = words
    return program
  }

  /// The words of a line that starts it.
  func words(_ arguments: [String]) -> [String] { prefix + [path] + arguments }

  private static var builtFolder: URL {
    #if canImport(Darwin)
    for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
      return bundle.bundleURL.deletingLastPathComponent()
    }
    #endif
    return Bundle.main.bundleURL
  }

  /// How a run ended, and what it said.
  package struct Finished: Hashable, Sendable {
    /// The exit status; the negative number of the signal where one ended the program.
    package let status: Int32
    package let standardOutput: String
    /// What was said on standard error, with the time since the start.
    package let errorLines: [StandardErrorLine]

    /// A piece of standard error.
    package struct StandardErrorLine: Hashable, Sendable {
      package let text: String
      package let time: Duration
    }

    package var standardError: String { errorLines.map(\.text).joined() }

    /// Whether a signal that cannot be caught ended the program.
    package var wasKilled: Bool { status == -9 }
  }

  /// Signals that are sent to a run, one after the other.
  package struct Stop: Hashable, Sendable {
    /// What a line on standard error begins with that starts the clock; `nil` for the start itself.
    package var line: String?
    /// The signals, each with the time since the one before.
    package var signals: [Step]

    /// What is sent.
    package enum Kind: String, Sendable {
      /// Ctrl-C.
      case interrupt
      /// What a system sends that shuts down.
      case terminate
      /// What a terminal sends that is closed.
      case hangUp
      /// What no one can catch.
      case kill

      fileprivate var signal: Signal {
        switch self {
        case .interrupt: .interrupt
        case .terminate: .terminate
        case .hangUp: .terminalClosed
        case .kill: .kill
        }
      }
    }

    /// One signal.
    package struct Step: Hashable, Sendable {
      package let wait: Duration
      package let signal: Kind

      package init(_ signal: Kind, after wait: Duration = .zero) {
        self.signal = signal
        self.wait = wait
      }
    }

    package init(line: String? = nil, signals: [Step]) {
      self.line = line
      self.signals = signals
    }

    /// `SIGKILL`, this long after the start or after a line on standard error.
    package static func kill(after wait: Duration, line: String? = nil) -> Stop {
      Stop(line: line, signals: [Step(.kill, after: wait)])
    }
  }

  /// Runs the program to its end, or to the end that `stop` makes.
  ///
  /// `state` is the folder the program remembers in; its temporary files lie beside it.
  package func run(
    _ arguments: [String],
    environment: [String: String] = [:],
    state: String,
    stop: Stop? = nil
  ) async throws -> Finished {
    // `env` becomes the program, under the same process number.
    let result = try await Subprocess.run(
      .name("env"),
      arguments: Arguments(words(arguments)),
      environment: .custom(Self.keyed(try Self.plainEnvironment(environment, state: state))),
      input: .none,
      output: .string(limit: 1 << 24),
      error: .sequence
    ) { execution in
      try await Self.listen(to: execution.standardError, stop: stop) { signal in
        // The program may have come to its end by itself a moment ago.
        try? execution.send(signal: signal)
      }
    }
    let status: Int32 =
      switch result.terminationStatus {
      case .exited(let code): code
      case .signaled(let number): -number
      }
    return Finished(
      status: status,
      standardOutput: result.standardOutput,
      errorLines: result.closureResult
    )
  }

  /// Collects what is said on standard error, and sends the signals when their time has come.
  private static func listen(
    to standardError: SubprocessOutputSequence,
    stop: Stop?,
    send: @escaping @Sendable (Signal) -> Void
  ) async throws -> [Finished.StandardErrorLine] {
    let start = ContinuousClock.now
    return try await withThrowingTaskGroup(of: Void.self) { group in
      var text = ""
      var errorLines: [Finished.StandardErrorLine] = []
      var isWaiting = stop != nil
      for try await part in startThenParts(of: standardError) {
        text += part
        errorLines.append(Finished.StandardErrorLine(text: part, time: ContinuousClock.now - start))
        guard isWaiting, let stop, isReached(stop.line, in: text) else { continue }
        isWaiting = false
        group.addTask {
          for step in stop.signals {
            do { try await Task.sleep(for: step.wait) } catch { return }
            send(step.signal.signal)
          }
        }
      }
      group.cancelAll()
      return errorLines
    }
  }

  /// An empty part at once, then what arrives.
  private static func startThenParts(
    of standardError: SubprocessOutputSequence
  ) -> AsyncThrowingStream<String, any Error> {
    AsyncThrowingStream { continuation in
      continuation.yield("")
      let task = Task {
        do {
          for try await buffer in standardError {
            continuation.yield(
              buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            )
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private static func isReached(_ line: String?, in text: String) -> Bool {
    guard let line else { return true }
    return
      text
      .split(separator: "\n").contains { $0.hasPrefix(line) }
  }

  private static func keyed(_ values: [String: String]) -> [Environment.Key: String] {
    var keyed: [Environment.Key: String] = [:]
    for (name, value) in values { keyed[.init(stringLiteral: name)] = value }
    return keyed
  }

  /// Only what the program needs, and nothing that leads to the user's own folders.
  static func plainEnvironment(
    _ more: [String: String],
    state: String
  ) throws -> [String: String] {
    let temporary = state + ".temporary"
    let home = state + ".home"
    for folder in [temporary, home] {
      try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true
      )
    }
    var values = [
      "FERRY_STATE_DIR": state, "TMPDIR": temporary, "HOME": home,
      "SWIFT_BACKTRACE": "enable=no",
    ]
    let passed = [
      "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH",
      // Where a program that was built for it counts its lines.
      "LLVM_PROFILE_FILE",
      // Which fault a program that was built with many has, and where it notes those it comes by.
      "FERRY_MUTANT", "FERRY_MUTANTS_REACHED",
    ]
    for name in passed {
      if let value = ProcessInfo.processInfo.environment[name] { values[name] = value }
    }
    return values.merging(more) { _, new in new }
  }
}

/// Why a test could not be set up.
package struct TestSupportError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
