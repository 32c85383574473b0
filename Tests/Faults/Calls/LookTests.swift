import Files
import Foundation
import TestSupport
import Testing

extension Faults.Calls {
  /// What the disk does not answer: an entry of a folder, whether a file is there, a reading.
  enum Look: String, CaseIterable {
    case list, look, read

    /// Of how many of them one fails in turn.
    var step: Int {
      switch self {
      case .list: 8
      case .look: 23
      case .read: 17
      }
    }
  }

  @Test(arguments: [Look.list, .look])
  func `what the disk does not answer is an error, and never taken for what is not there`(
    kind: Look
  ) async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let two = try Self.twoStores(in: "\(folder)/two")
      let lines = [
        ["export", sample.store, "--profile", sample.profile, "-o"], ["export", two, "-o"],
      ]
      for (index, line) in lines.enumerated() {
        let whole = "\(folder)/whole-\(index)"
        let expected = try await FerryProgram().run(line + [whole], state: "\(folder)/state")
        #expect([0, 3].contains(expected.status), "\(expected.standardError)")
        let digests = try SourceDigests(of: whole).content
        var count = 0
        for number in stride(from: 0, to: .max, by: kind.step) {
          let package = "\(folder)/package-\(index)-\(number)"
          let answer = try await Self.run(line + [package], in: folder, failing: kind, number)
          guard answer.happened else { break }
          count += 1
          if answer.finished.status == expected.status {
            #expect(try SourceDigests(of: package).content == digests, "\(kind) \(number)")
          } else {
            #expect([1, 10, 12].contains(answer.finished.status), "\(kind) \(number)")
            #expect(!FileManager.default.fileExists(atPath: package))
          }
        }
        #expect(count > 3)
      }
    }
  }

  @Test func `a checkpoint that the disk does not give is not called damaged`() async throws {
    try await Stage.with { stage in
      let trip = stage.lane.trip()
      let first = try await trip.migrate()
      #expect([0, 3].contains(first.status), "\(first.standardError)")
      for line in [["checkpoint", "check"], ["history"]] {
        var count = 0
        for number in stride(from: 0, to: .max, by: Look.read.step) {
          let answer = try await Self.run(
            line,
            in: "\(trip.state)/checkpoints",
            failing: .read,
            number,
            state: trip.state
          )
          guard answer.happened else { break }
          count += 1
          let finished = answer.finished
          let said = finished.standardOutput + finished.standardError
          #expect([0, 1].contains(finished.status), "\(line) \(number): \(said)")
          #expect(!said.contains("move it away"))
        }
        #expect(count > 0)
      }
    }
  }

  /// A folder with two stores, each in a folder of its own.
  private static func twoStores(in folder: String) throws -> String {
    for (name, file) in [("a", "infinite-stories/default.store"), ("b", "noted/Noted.sqlite")] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(name)",
        withIntermediateDirectories: true
      )
      for ending in ["", "-wal"] {
        let source = "\(Samples.folder)/\(file)\(ending)"
        guard FileManager.default.fileExists(atPath: source) else { continue }
        try FileManager.default.copyItem(
          atPath: source,
          toPath: "\(folder)/\(name)/store.sqlite\(ending)"
        )
      }
    }
    return folder
  }

  /// Runs a line of which one look at what lies below `folder` fails; tells whether it came to that.
  private static func run(
    _ line: [String],
    in folder: String,
    failing kind: Look,
    _ number: Int,
    state: String? = nil
  ) async throws -> (finished: FerryProgram.Finished, happened: Bool) {
    let state = state ?? "\(folder)/state"
    let log = "\(state).looks"
    try Folder.remove(log)
    var environment = try Injector.shared().environment(watching: folder, log: log)
    environment["FAULT_LOOK"] = "\(kind.rawValue):\(number)"
    let finished = try await FerryProgram().run(line, environment: environment, state: state)
    let said = try String(contentsOfFile: log, encoding: .utf8)
    return (finished, said.split(separator: "\n").contains { $0.hasPrefix("!") })
  }
}

extension SourceDigests {
  /// The digest of every file, by its path; dates left out.
  fileprivate var content: [String: String] { entries.mapValues(\.sha256) }
}
