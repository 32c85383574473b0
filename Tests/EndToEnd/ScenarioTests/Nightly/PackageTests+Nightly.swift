import Foundation
import JSONText
import TestSupport
import Testing

extension PackageTests {
  @Test func `a package altered after it was validated is refused when migrate goes on`()
    async throws
  {
    try await withScenario { scenario in
      // It ends while the destination is read, when the package has been validated.
      try scenario.backend.setFaults("status:1:503@GET /api/v1/custom-events")
      let line = ["migrate", scenario.sample.store, "--retries", "0"] + scenario.destination
      try await scenario.ferry(line).exits(5)
      let packages = "\(scenario.state)/packages"
      let name = try #require(
        FileManager.default.contentsOfDirectory(atPath: packages).first { $0.hasSuffix(".ferry") }
      )
      try alter("\(packages)/\(name)/data/Story-00001.jsonl")
      let again = try await scenario.ferry(line).exits(12)
      #expect(again.standardError.contains("data/Story-00001.jsonl"))
    }
  }

  @Test func `a store that is read with another model is another source`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/Store.xml"
      let profile = "\(folder)/profile.yaml"
      try write(Self.notes, to: store)
      try write(Self.notesProfile, to: profile)
      for name in ["theTitle", "TheTitle"] {
        let model = "\(folder)/\(name).xcdatamodel"
        try makeFolder(model)
        try write(Self.model(title: name), to: "\(model)/contents")
      }
      let exporting = Exporting(folder: folder, sample: Samples.infiniteStories)
      func export(_ name: String, model: String? = nil) async throws -> Answer {
        let given = model.map { ["--model", "\(folder)/\($0).xcdatamodel"] } ?? []
        return try await exporting.ferry(
          ["export", store, "--profile", profile, "-o", "\(folder)/\(name)"] + given
        )
      }
      try await export("plain.ferry").exits(0)
      try await export("plain.ferry").exits(0)
      try await export("plain.ferry", model: "theTitle").exits(12)
      for _ in 0..<2 {
        try await export("given.ferry", model: "theTitle").exits(0)
      }
      try await export("given.ferry", model: "TheTitle").exits(12)
      try await export("given.ferry").exits(12)
      let records = try PackageLines("\(folder)/given.ferry").records("Note")
      #expect(records.map { $0["theTitle"] } == ["one"])
      #expect(records.allSatisfy { $0["thetitle"] == nil })
    }
  }

  @Test func `without a model a to-many side of an XML store is in the records, in its order`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/Store.xml"
      let profile = "\(folder)/profile.yaml"
      try write(Self.team, to: store)
      try write(Self.teamProfile, to: profile)
      let exporting = Exporting(folder: folder, sample: Samples.infiniteStories)
      try await exporting.ferry(
        ["export", store, "--profile", profile, "-o", "\(folder)/team.ferry"]
      ).exits(0)
      let teams = try PackageLines("\(folder)/team.ferry").records("TEAM")
      let members = teams.first?["members"]?.array?.compactMap { $0.text }
      #expect(members == ["x-coredata://STORE-1/PLAYER/p104", "x-coredata://STORE-1/PLAYER/p103"])
    }
  }

  @Test func `preferences that are read with the system's keys are another source`() async throws {
    try await withTemporaryFolder { folder in
      let list = "\(folder)/com.example.notes.plist"
      let profile = "\(folder)/profile.yaml"
      try write(Self.preferences, to: list)
      try write(Self.preferencesProfile, to: profile)
      let exporting = Exporting(folder: folder, sample: Samples.infiniteStories)
      func export(_ name: String, _ more: String...) async throws -> Answer {
        try await exporting.ferry(
          ["export", list, "--profile", profile, "-o", "\(folder)/\(name)"] + more
        )
      }
      try await export("plain.ferry").exits(0)
      try await export("plain.ferry", "--system-keys").exits(12)
      for _ in 0..<2 {
        try await export("whole.ferry", "--system-keys").exits(0)
      }
      let records = try PackageLines("\(folder)/whole.ferry").records("Preferences")
      #expect(records.contains { $0["AppleLocale"] == "de_DE" })
    }
  }

  private static let preferences = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>theme</key><string>dark</string><key>AppleLocale</key><string>de_DE</string>
    </dict></plist>
    """

  private static let preferencesProfile = """
    ferry-profile: 1
    app: notes
    entities:
      Preferences:
        identity: object-uri

    """

  private static let notes = """
    <?xml version="1.0"?>
    <database><databaseInfo><UUID>STORE-1</UUID><metadata><plist version="1.0"><dict>
    <key>NSStoreModelVersionHashes</key><dict><key>Note</key><data>AAEC</data></dict>
    </dict></plist></metadata></databaseInfo>
    <object type="NOTE" id="z1"><attribute name="thetitle" type="string">one</attribute></object>
    </database>
    """

  private static let notesProfile = """
    ferry-profile: 1
    app: notes
    entities:
      Note:
        identity: object-uri

    """

  private static let team = """
    <?xml version="1.0"?>
    <database><databaseInfo><UUID>STORE-1</UUID><metadata></metadata></databaseInfo>
    <object type="TEAM" id="z102">
    <relationship name="members" type="0/0" destination="PLAYER" idrefs="z104 z103"/></object>
    <object type="PLAYER" id="z103">
    <relationship name="admires" type="0/1" destination="TEAM" idrefs="z102"/></object>
    <object type="PLAYER" id="z104">
    <relationship name="admires" type="0/1" destination="TEAM"/></object>
    </database>
    """

  private static let teamProfile = """
    ferry-profile: 1
    app: team
    entities:
      TEAM:
        identity: object-uri
      PLAYER:
        identity: object-uri

    """

  private static func model(title: String) -> String {
    """
    <?xml version="1.0"?><model><entity name="Note" representedClassName="Note">
    <attribute name="\(title)" optional="YES" attributeType="String"/></entity></model>
    """
  }
}
