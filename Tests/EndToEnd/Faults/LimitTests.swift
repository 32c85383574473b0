import Foundation
import TestSupport
import Testing

extension Faults {
  /// The system gives the program little: few open files, small files.
  @Suite(.serialized) struct Limits {}
}

extension Faults.Limits {
  @Test(arguments: ["-n 4", "-n 5", "-n 24", "-f 8", "-f 64", "-f 200"])
  func `a run with too few resources reports that, and ends as usual when repeated`(
    limit: String
  ) async throws {
    try await migrate(under: limit) { limited, goal in
      let story = Comment(rawValue: "\(limit): \(limited.status)\n\(limited.standardError)")
      #expect([goal.finished.status, 1, 5, 7, 10].contains(limited.status), story)
      #expect(limited.standardError.contains("ferry: "), story)
    }
  }

  @Test(arguments: ["-v 300000", "-v 400000", "-v 450000", "-v 600000", "-v 1000000"])
  func `a run with too little memory ends, and ends as usual when repeated`(
    limit: String
  ) async throws {
    try await migrate(under: limit) { limited, goal in
      let story = Comment(rawValue: "\(limit): \(limited.status)\n\(limited.standardError)")
      #expect(!limited.wasKilled, "\(limit): it does not end")
      #expect([goal.finished.status, 1].contains(limited.status), story)
    }
  }

  @Test(arguments: ["-v 170000", "-v 200000"])
  func `a program without memory for its threads reports that`(limit: String) async throws {
    try await migrate(under: limit) { limited, _ in
      let story = Comment(rawValue: "\(limit): \(limited.status)\n\(limited.standardError)")
      #expect(limited.status == 1, story)
      #expect(limited.standardError.contains("ulimit -v"), story)
    }
  }

  private func migrate(
    under limit: String,
    judge: (Finished, Undisturbed) -> Void
  ) async throws {
    try await withLane { lane in
      let goal = try await Undisturbed.later()
      let trip = try lane.freshTrip()
      let script = "\(lane.folder)/limited"
      try "#!/bin/sh\nulimit \(limit)\nexec '\(lane.program.path)' \"$@\"\n"
        .write(toFile: script, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
      let limited = try await FerryProgram(at: script).run(
        ["migrate", lane.sample.store, "--profile", lane.profile, "--to", lane.backend.origin]
          + DemoAccount.flags,
        environment: DemoAccount.environment,
        state: trip.state,
        stop: .kill(after: .seconds(60))
      )
      judge(limited, goal)
      let story = Comment(rawValue: "\(limit): \(limited.status)\n\(limited.standardError)")
      let finished = try await trip.migrateToTheEnd()
      #expect(finished.status == goal.finished.status, "\(finished.standardError)")
      #expect(try lane.content().differences(from: goal.content).isEmpty, story)
      #expect(try trip.package() == goal.package)
    }
  }
}
