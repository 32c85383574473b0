import Foundation
import JSONText
import TestSupport
import Testing

extension AndroidStoreTests {
  @Test func `an app's folder is inspected, with Room's tables named and its hash as the version`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let app = try makeApp(in: folder)
      let answer = try await run(["inspect", app], in: folder)
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      let container = try #require(answer.value("container"))
      #expect(container["form"] == "appContainer")
      let inspection = try #require(answer.value("inspection"))
      let entities = inspection["entities"]?.array?.compactMap { $0["entity"]?.text }
      #expect(entities == ["note", "Preferences"])
      let others = inspection["otherTables"]?.array?.compactMap(\.text)
      #expect(others == ["notes: android_metadata", "notes: room_master_table"])
      #expect(inspection["modelVersions"]?.array?.compactMap(\.text) == [Self.hash])
    }
  }

  @Test func `preferences by DataStore are named with status 3, and left out on request`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let app = try makeApp(in: folder)
      let data = Data([0x0A, 0x02, 0x0A, 0x00])
      let place = "\(app)/files/datastore"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      try data.write(to: URL(filePath: "\(place)/flags.preferences_pb"))
      let inspected = try await run(["inspect", app], in: folder)
      #expect(inspected.status == 3, "\(inspected.standardOutput)\(inspected.standardError)")
      let unread = inspected.findings("container.database-unread")
      #expect(unread.map { $0["file"]?.text } == ["files/datastore/flags.preferences_pb"])
      let known = try await run(["inspect", app, "--ignore", "*.preferences_pb"], in: folder)
      #expect(known.status == 0, "\(known.standardOutput)\(known.standardError)")
    }
  }

  @Test func `preferences alone are migrated, and unchanged when repeated`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(try makeApp(in: folder))/shared_prefs/settings.xml"
      let drafted = try await run(["init", store, "-o", "\(folder)/my"], in: folder)
      #expect(drafted.status == 0, "\(drafted.standardError)")
      let profile = "\(folder)/my/profile.yaml"
      let text = try String(contentsOfFile: profile, encoding: .utf8)
      let api = """
        api:
          kind: folder
          entities:
            Preferences:
              body: { launches: launches }
              unmapped: [isPro, lastSync, scale, tags, theme]

        """
      try (text + api).save(to: profile)
      let line = ["migrate", store, "--profile", profile, "--to", "file:\(folder)/kept"]
      let first = try await run(line, in: folder)
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(first.count("created") == 1)
      let again = try await run(line, in: folder)
      #expect(again.count("unchanged") == 1 && again.count("created") == 0)
    }
  }

  @Test func `preferences that are cut end with status 10 and the line`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/settings.xml"
      try String(Self.preferences.prefix(200)).save(to: store)
      let answer = try await run(["inspect", store], in: folder)
      #expect(answer.status == 10, "\(answer.standardOutput)")
      #expect(answer.standardError.contains("settings.xml, line"), "\(answer.standardError)")
    }
  }
}
