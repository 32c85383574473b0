import Foundation
import TestSupport
import Testing

extension Faults.Source {
  @Test(arguments: [false, true], ["default.store", "later.store"])
  func `no verb changes a byte or a date of the source or adds a file beside it`(
    isReadOnly: Bool,
    store: String
  ) async throws {
    try await withTemporaryFolder { folder in
      var sample = try Samples.infiniteStories.copied(into: folder)
      sample.storeName = store
      if isReadOnly { try Self.makeReadOnly(sample.folder) }
      let before = try SourceDigests(of: sample.folder)
      try await withLane(sample) { lane in
        let trip = lane.trip()
        func unchanged(_ verb: String) throws {
          let after = try SourceDigests(of: sample.folder)
          #expect(after == before, "after \(verb)")
        }
        func ferry(_ arguments: [String], _ statuses: Set<Int32> = [0, 3]) async throws {
          let finished = try await lane.program.run(arguments, state: trip.state)
          #expect(statuses.contains(finished.status), "\(arguments): \(finished.standardError)")
          try unchanged(arguments.joined(separator: " "))
        }
        let package = "\(folder)/out.ferry"
        try await ferry(["inspect", sample.store])
        try await ferry(["inspect", sample.folder], [0, 10])
        try await ferry(["export", sample.store, "-o", package, "--profile", lane.profile])
        try await ferry(["validate", package])
        for verb in [
          ["plan", package], ["migrate", sample.store, "-n"], ["migrate", sample.store],
        ] {
          let finished = try await trip.run(verb)
          #expect([0, 3].contains(finished.status), "\(verb): \(finished.standardError)")
          try unchanged(verb.joined(separator: " "))
        }
        let run = try #require(try await trip.runs().last).id
        try await ferry(["status"])
        try await ferry(["write-back", run, "-o", "\(folder)/write-back.json"])
        for verb in [["upload", package], ["verify", package], ["rollback", run, "-n"]] {
          let finished = try await trip.run(verb)
          #expect(
            [0, 3, 6].contains(finished.status),
            "\(verb): \(finished.standardError)"
          )
          try unchanged(verb.joined(separator: " "))
        }
        #expect(try await trip.rollback(run).status == 0)
        try unchanged("rollback")
        for after in [50, 150, 300] {
          _ = try await trip.migrate(stop: .kill(after: .milliseconds(after)))
          try unchanged("a killed migrate")
        }
      }
      try Self.makeWritable(sample.folder)
    }
  }

  /// Takes the right to write from every folder and file; a superuser has it nevertheless, so the
  /// tests look at what is there and not at what was refused.
  private static func makeReadOnly(_ folder: String) throws {
    try setModes(of: folder, folders: 0o555, files: 0o444)
  }

  private static func makeWritable(_ folder: String) throws {
    try setModes(of: folder, folders: 0o755, files: 0o644)
  }

  private static func setModes(of folder: String, folders: Int, files: Int) throws {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    for path in [folder] + names.map({ "\(folder)/\($0)" }) {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      try FileManager.default.setAttributes(
        [.posixPermissions: isFolder ? folders : files],
        ofItemAtPath: path
      )
    }
  }
}
