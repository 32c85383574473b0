import FerryKit
import Foundation
import TestSupport
import Testing

/// Media that records name by address, for an app that wants it fetched.
@Suite(.timeLimit(.minutes(3))) struct MediaFetchingTests {
  @Test func `media named by an address is fetched if the app asks for it`() async throws {
    try await withPictures(["/pictures/one.png", "/pictures/two.png"]) { wizard, asked in
      let outcome = try await (try await wizard.start()).outcome
      #expect(outcome.ending == .done, "\(outcome.findings)")
      #expect(try asked().sorted() == ["/pictures/one.png", "/pictures/two.png"])
      #expect(try mediaCount(in: outcome.package) >= 2)
    }
  }

  @Test func `no question is asked unless the app wants it`() async throws {
    try await withPictures(["/pictures/one.png"], fetching: nil) { wizard, asked in
      let outcome = try await (try await wizard.start()).outcome
      #expect(outcome.ending == .done)
      #expect(try asked().isEmpty)
    }
  }

  @Test func `an address without a file is a finding, and sets the exit status`() async throws {
    try await withPictures(["/missing/one.png", "/pictures/two.png"]) { wizard, _ in
      let outcome = try await (try await wizard.start()).outcome
      #expect(outcome.ending == .doneWithRejects)
      let found = outcome.findings.filter { $0.code == "media.fetch-refused" }
      #expect(found.count == 1 && found.allSatisfy { $0.entity == "Hero" })
      #expect(try wizard.rowCount() == 200)
    }
  }

  @Test func `a fetch limit of zero is refused before the store is read`() async throws {
    try await withPictures([], fetching: MigrationOptions.MediaFetching(count: 0)) { wizard, _ in
      let run = try await wizard.start()
      let error = await #expect(throws: FerryError.self) { try await run.outcome }
      #expect(error?.kind == .misuse)
      #expect(error?.message.contains("mediaFetching") == true)
    }
  }

  private func mediaCount(in package: String) throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: "\(package)/media/sha256")
      .count { $0.split(separator: "/").last?.count == 64 }
  }

  /// Names this machine in a profile, without which no file is asked of it.
  private static func allowThisMachine(in profile: String) {
    let line = "        category: avatar\n"
    let text = try? String(contentsOfFile: profile, encoding: .utf8)
    try? text?.replacing(line, with: line + "        hosts: [127.0.0.1]\n")
      .write(toFile: profile, atomically: true, encoding: .utf8)
  }

  /// Lends a wizard whose first heroes name pictures of a server, and what the server was asked for.
  private func withPictures(
    _ paths: [String],
    fetching: MigrationOptions.MediaFetching? = MigrationOptions.MediaFetching(),
    _ body: (WizardSteps, () throws -> [String]) async throws -> Void
  ) async throws {
    try await withWizard({ options in
      options.mediaFetching = fetching
      Self.allowThisMachine(in: options.profile)
    }) { wizard in
      let log = "\(wizard.folder)/asked"
      let script = ServerScript.path("media_server.py")
      let server = try RealServer(
        "/usr/bin/env",
        ["python3", script, "{port}", log],
        in: wizard.folder,
        answersAt: "/ready"
      )
      // No one of these tests asks a host elsewhere.
      let statements =
        [
          "UPDATE ZHERO SET ZAVATARIMAGEPATH = NULL WHERE ZAVATARIMAGEPATH LIKE 'http%'",
          "UPDATE ZSTORY SET ZAUDIOFILENAME = NULL WHERE ZAUDIOFILENAME LIKE 'http%'",
          "UPDATE ZSTORYILLUSTRATION SET ZIMAGEPATH = NULL WHERE ZIMAGEPATH LIKE 'http%'",
          "UPDATE ZCUSTOMSTORYEVENT SET ZPICTOGRAMPATH = NULL WHERE ZPICTOGRAMPATH LIKE 'http%'",
        ]
        + paths.enumerated().map { index, path in
          "UPDATE ZHERO SET ZAVATARIMAGEPATH = '\(server.origin)\(path)' WHERE Z_PK = "
            + "(SELECT Z_PK FROM ZHERO ORDER BY Z_PK LIMIT 1 OFFSET \(index))"
        }
      _ = try RealServer.output(
        "/usr/bin/env",
        [
          "python3", "-c",
          "import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            + "for statement in sys.argv[2:]: db.execute(statement)",
          "\(wizard.folder)/infinite-stories/default.store",
        ] + statements
      )
      try await body(wizard) {
        try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
          .compactMap { $0.split(separator: " ").first.map(String.init) }
      }
      withExtendedLifetime(server) {}
    }
  }
}
