import Foundation
import JSONText
import TestSupport
import Testing

/// Media files as assets of CloudKit: an address, the bytes, a receipt, the record.
@Suite(.timeLimit(.minutes(4))) struct CloudAssetTests {
  @Test func `a picture is added to its record as an asset, removed, and deleted with the record`()
    async throws
  {
    try await withAssets { scenario in
      // Two records with one picture: each has an asset of its own.
      try Python.edit(
        scenario.store,
        "UPDATE ZHERO SET ZAVATARIMAGEPATH = (SELECT ZAVATARIMAGEPATH FROM ZHERO WHERE Z_PK = 1)"
          + " WHERE Z_PK = 2"
      )
      let first = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(first.value("verification")?["clean"] == true)
      let wanted = try await scenario.pictures()
      #expect(wanted.count > 3)
      #expect(try scenario.assets() == wanted)
      #expect(try scenario.uploads() == wanted.count)

      let writes = try scenario.backend.writeCount()
      let second = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(try scenario.backend.writeCount() == writes)
      #expect(second.count("updated") == 0)

      try await scenario.ferry(["rollback", try first.run()]).exits(0)
      #expect(try scenario.names().isEmpty)
    }
  }
}

extension CloudKitScenario {
  /// The checksums of the pictures that heroes have, by the heroes' names and abilities.
  func pictures() async throws -> [String: String] {
    let package = "\(folder)/\(UUID().uuidString).ferry"
    _ = try await program.run(
      ["export", store, "--profile", profile, "-o", package],
      state: "\(folder)/elsewhere"
    )
    var pictures: [String: String] = [:]
    for hero in try PackageLines(package).records("Hero") {
      guard let digest = hero["avatarImagePath"]?["sha256"]?.text else { continue }
      let bytes = try Data(
        contentsOf: URL(filePath: "\(package)/media/sha256/\(digest.prefix(2))/\(digest)")
      )
      pictures[Self.words(hero["name"], hero["specialAbility"])] = "\(digest) \(bytes.count)"
    }
    return pictures
  }

  /// What the server's records say of theirs.
  func assets() throws -> [String: String] {
    var assets: [String: String] = [:]
    for record in try backend.dump()["cloudRecords"]?.array ?? [] {
      guard let fields = record["fields"], let asset = fields["avatarImagePath"],
        asset["type"] == "ASSETID", let checksum = asset["value"]?["fileChecksum"]?.text,
        let size = asset["value"]?["size"]?.integer, let bytes = Data(base64Encoded: checksum)
      else { continue }
      let digest = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let key = Self.words(fields["name"]?["value"], fields["specialAbility"]?["value"])
      assets[key] = "\(digest) \(size)"
    }
    return assets
  }

  /// How many files arrived.
  func uploads() throws -> Int {
    try backend.dump()["cloudAssets"]?.array?.count ?? 0
  }

  static func words(_ values: JSONValue?...) -> String {
    values.map { $0?.canonicalText ?? "-" }.joined(separator: " ")
  }
}

func withAssets(
  isPublic: Bool = false,
  _ body: (CloudKitScenario) async throws -> Void
) async throws {
  try await withCloudKitScenario(isPublic: isPublic) { scenario in
    try scenario.editProfile("  defaults:\n", "  media: { enabled: true }\n  defaults:\n")
    // Heroes' pictures alone: lists of an entity replace those of the defaults.
    for (entity, file) in [("CustomStoryEvent", "pictogramPath"), ("Story", "audioFileName")] {
      try scenario.editProfile(
        "    \(entity): {}\n",
        """
            \(entity):
              unmapped: [backendId, customEventId, lastSyncedAt, pendingChanges, serverId, \
        serverSyncStatus, serverUpdatedAt, syncError, visualProfile, \(file)]

        """
      )
    }
    try await body(scenario)
  }
}
