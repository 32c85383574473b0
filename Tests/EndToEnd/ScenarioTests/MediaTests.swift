import Foundation
import JSONText
import TestSupport
import Testing

/// Media files through the upload tickets of the app's design.
@Suite(.timeLimit(.minutes(3))) struct MediaTests {
  // 000-59, 000-60, 000-61, 001-42, 001-43, 001-44.
  @Test func `files arrive whole, linked to their records, and once`() async throws {
    try await withScenario(takesMedia: true) { scenario in
      let first = try await scenario.migrate().exits(0)
      let wanted = try await digestsByRecord(scenario)
      #expect(wanted.count > 5)
      let files = try scenario.backend.rows("files")
      #expect(files.values.allSatisfy { $0["isConfirmed"] == true })
      #expect(files.count == Set(wanted.values).count)
      #expect(Set(files.values.compactMap { $0["sha256"]?.text }) == Set(wanted.values))
      #expect(try linkedDigests(scenario, files) == wanted)

      let writes = try scenario.backend.writeCount()
      try await scenario.migrate().exits(0)
      #expect(try scenario.backend.writeCount() == writes)

      try await scenario.rollback(try first.run()).exits(0)
      #expect(try scenario.backend.userRows() == Self.nothing)
    }
  }

  private static let nothing: JSONValue = [
    "customEvents": [], "files": [], "heroes": [], "records": [], "stories": [],
  ]

  /// What the package says: the digest of each file that a record names, by the record's words.
  func digestsByRecord(_ scenario: MigrationScenario) async throws -> [String: String] {
    let package = "\(scenario.folder)/media.ferry"
    _ = try await scenario.export(to: package)
    var digests: [String: String] = [:]
    for record in try PackageLines(package).records("Hero") {
      guard let digest = record["avatarImagePath"]?["sha256"]?.text else { continue }
      digests[Self.words(record["name"], record["specialAbility"])] = digest
    }
    for record in try PackageLines(package).records("Story")
    where record["hero"]?.isNull == false {
      guard let digest = record["audioFileName"]?["sha256"]?.text else { continue }
      digests[Self.words(record["title"], record["content"])] = digest
    }
    return digests
  }

  /// What the server says.
  func linkedDigests(
    _ scenario: MigrationScenario,
    _ files: [String: JSONValue]
  ) throws -> [String: String] {
    var linked: [String: String] = [:]
    func link(_ words: String, _ address: JSONValue?) {
      guard let address = address?.text,
        let file = files.first(where: { address.hasSuffix($0.key) })
      else { return }
      linked[words] = file.value["sha256"]?.text
    }
    for hero in try scenario.backend.rows("heroes").values {
      link(Self.words(hero["name"], hero["specialAbilities"]?[0]), hero["avatarUrl"])
    }
    for story in try scenario.backend.rows("stories").values {
      link(Self.words(story["title"], story["content"]), story["audioUrl"])
    }
    return linked
  }

  static func words(_ values: JSONValue?...) -> String {
    values.map { $0?.canonicalText ?? "-" }.joined(separator: " ")
  }
}
