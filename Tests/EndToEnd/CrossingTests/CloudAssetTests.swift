import Foundation
import JSONText
import TestSupport
import Testing

/// Media files as assets of CloudKit: an address, the bytes, a receipt, the record.
@Suite(.timeLimit(.minutes(4))) struct CloudAssetTests {
  @Test func `a picture becomes an asset of its record, again none, and goes with it`()
    async throws
  {
    try await withAssets { voyage in
      // Two records with one picture: each has an asset of its own.
      try Python.edit(
        voyage.store,
        "UPDATE ZHERO SET ZAVATARIMAGEPATH = (SELECT ZAVATARIMAGEPATH FROM ZHERO WHERE Z_PK = 1)"
          + " WHERE Z_PK = 2"
      )
      let first = try await voyage.ferry(["migrate", voyage.store])
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(first.value("verification")?["clean"] == true)
      let wanted = try await voyage.pictures()
      #expect(wanted.count > 3)
      #expect(try voyage.assets() == wanted)
      #expect(try voyage.uploads() == wanted.count)

      let writes = try voyage.backend.writeCount()
      let second = try await voyage.ferry(["migrate", voyage.store])
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(try voyage.backend.writeCount() == writes)
      #expect(second.count("updated") == 0)

      let back = try await voyage.ferry(["rollback", try first.run()])
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try voyage.names().isEmpty)
    }
  }

  @Test func `the picture of a record that somebody changed is kept with it, and told as kept`()
    async throws
  {
    try await withAssets { voyage in
      let first = try await voyage.ferry(["migrate", voyage.store])
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      // Another machine changes a record that has a picture.
      try Python.edit(
        voyage.store,
        "UPDATE ZHERO SET ZNAME = 'Elsewhere' WHERE Z_PK = "
          + "(SELECT min(Z_PK) FROM ZHERO WHERE ZAVATARIMAGEPATH IS NOT NULL)"
      )
      let other = try await voyage.ferry(
        ["migrate", voyage.store, "--on-conflict", "local"],
        state: "elsewhere"
      )
      #expect(other.status == 0, "\(other.standardOutput)\(other.standardError)")
      let back = try await voyage.ferry(["rollback", try first.run()])
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.count("conflicted", of: "Hero", in: "rollback") == 1)
      let media = back.value("rollback")?["media"]?.array ?? []
      #expect(media.reduce(0) { $0 + ($1["conflicted"]?.integer ?? 0) } == 1)
      #expect(try voyage.names().count == 1)
    }
  }

  @Test func `the picture that a change replaced cannot be put back, and that is told`()
    async throws
  {
    try await withAssets { voyage in
      let first = try await voyage.ferry(["migrate", voyage.store])
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      try Python.edit(
        voyage.store,
        "UPDATE ZHERO SET ZAVATARIMAGEPATH = (SELECT ZAVATARIMAGEPATH FROM ZHERO WHERE Z_PK = 1)"
          + " WHERE Z_PK = 2"
      )
      let second = try await voyage.ferry(["migrate", voyage.store])
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(second.count("updated") == 1)
      let back = try await voyage.ferry(["rollback", try second.run()])
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.count("rejected", of: "Hero", in: "rollback") == 1)
      #expect(back.standardOutput.contains("CloudKit takes none back"), "\(back.standardOutput)")
    }
  }

  @Test func `killed between the picture and its record, the receipt is used`() async throws {
    try await withAssets(isPublic: true) { voyage in
      // The files arrive; the records are put off again and again, for longer than the program lives.
      try voyage.backend.setFaults("status:1:503:retry-after=1@POST \(voyage.modify)")
      let killed = try await voyage.program.run(
        ["migrate", voyage.store, "--progress", "plain", "--retries", "20"] + voyage.flags,
        state: "\(voyage.folder)/state",
        stop: .kill(after: .seconds(8), line: "upload …")
      )
      #expect(killed.wasKilled, "\(killed.standardError)")
      let sent = try voyage.uploads()
      #expect(sent > 3)
      #expect(try voyage.assets().isEmpty)

      try voyage.backend.setFaults("")
      let rest = try await voyage.ferry(["migrate", voyage.store])
      #expect(rest.status == 0, "\(rest.standardOutput)\(rest.standardError)")
      let wanted = try await voyage.pictures()
      #expect(try voyage.assets() == wanted)
      #expect(try voyage.uploads() == sent)
    }
  }

  @Test func `a receipt that expired is redone from the start`() async throws {
    try await withAssets { voyage in
      try voyage.backend.setFaults("status:1:503@POST \(voyage.modify)")
      let stopped = try await voyage.ferry(["migrate", voyage.store, "--retries", "0"])
      #expect(stopped.status == 5, "\(stopped.standardOutput)\(stopped.standardError)")
      let sent = try voyage.uploads()
      #expect(sent > 3)
      _ = try voyage.backend.request("POST", "/__dev/cloudkit/expire-assets", [:])
      try voyage.backend.setFaults("")
      let rest = try await voyage.ferry(["migrate", voyage.store])
      #expect(rest.status == 0, "\(rest.standardOutput)\(rest.standardError)")
      let wanted = try await voyage.pictures()
      #expect(try voyage.assets() == wanted)
      #expect(try voyage.uploads() == sent + wanted.count)
    }
  }

  @Test func `an address or an answer that is lost costs another upload and no record`()
    async throws
  {
    try await withAssets(isPublic: true) { voyage in
      try voyage.backend.setFaults("drop-after:n=2@POST /assets/; status:n=3:500@POST /assets/")
      let answer = try await voyage.ferry(["migrate", voyage.store])
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      let wanted = try await voyage.pictures()
      #expect(try voyage.assets() == wanted)
    }
  }

  @Test func `a file that is too large for an asset is refused by name, and the rest arrives`()
    async throws
  {
    try await withAssets { voyage in
      let folder = "\(voyage.folder)/store/container/Documents/Avatars"
      try Data(count: (50 << 20) + 1).write(to: URL(filePath: "\(folder)/large.png"))
      try Python.edit(
        voyage.store,
        "UPDATE ZHERO SET ZAVATARIMAGEPATH = 'large.png' WHERE Z_PK = 1"
      )
      let answer = try await voyage.ferry(["migrate", voyage.store])
      #expect(answer.status == 3, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.findings("media.too-large").count == 1)
      #expect(try voyage.names().count == voyage.recordCount)
    }
  }
}

extension CloudVoyage {
  /// The checksums of the pictures that heroes have, by the heroes' names and abilities.
  fileprivate func pictures() async throws -> [String: String] {
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
  fileprivate func assets() throws -> [String: String] {
    var assets: [String: String] = [:]
    for record in try backend.dump()["cloudRecords"]?.array ?? [] {
      guard let fields = record["fields"], let asset = fields["avatar"],
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
  fileprivate func uploads() throws -> Int {
    try backend.dump()["cloudAssets"]?.array?.count ?? 0
  }

  private static func words(_ values: JSONValue?...) -> String {
    values.map { $0?.canonicalText ?? "-" }.joined(separator: " ")
  }
}

private func withAssets(
  isPublic: Bool = false,
  _ body: (CloudVoyage) async throws -> Void
) async throws {
  try await withCloudVoyage(isPublic: isPublic) { voyage in
    try voyage.editProfile(
      "  entities:\n    CustomStoryEvent:\n      record-type",
      """
        media: { enabled: true }
        entities:
          CustomStoryEvent:
            record-type
      """
    )
    try voyage.editProfile(
      "        avatarPrompt: string\n",
      "        avatarPrompt: string\n        avatar: asset\n"
    )
    try voyage.editProfile(
      "        avatarPrompt: avatarPrompt\n",
      "        avatarPrompt: avatarPrompt\n        avatar: { media: avatarImagePath }\n"
    )
    try voyage.editProfile(
      "        - visualProfile\n        - avatarImagePath\n",
      "        - visualProfile\n"
    )
    try voyage.editProfile("  - Hero.avatarImagePath\n", "")
    try await body(voyage)
  }
}
