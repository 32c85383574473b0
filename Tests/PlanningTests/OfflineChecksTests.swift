import DestinationModel
import Foundation
import Planning
import Profiles
import Records
import TestSupport
import Testing

/// What is found of a profile without a network.
struct OfflineChecksTests {
  @Test(arguments: [(#"{"type": "object"}"#, 0), (#"{"type": "objekt"}"#, 1), ("{", 1)])
  func `a file that is not a schema is found before anything is read`(schema: String, faults: Int)
    async throws
  {
    try await withTemporaryFolder { folder in
      try Data(schema.utf8).write(to: URL(filePath: "\(folder)/note.schema.json"))
      let yaml = """
        ferry-profile: 1
        app: sample
        entities:
          Note: { identity: { attribute: id }, fields: { id: id }, schema: note.schema.json }
        """
      let profile = try Profile(yaml: yaml, path: "\(folder)/profile.yaml")
      let found = OfflineChecks.of(profile).filter { $0.name == "schema" }
      #expect(found.count == faults)
      #expect(found.allSatisfy { $0.verdict == .unfit && $0.detail.contains("note.schema.json") })
    }
  }

  private func keys(
    _ form: String,
    _ body: String,
    accepted: String = "",
    create: String = #"request: "PUT /notes/{id}""#,
    at place: String = "id"
  ) throws -> [DestinationCheck] {
    let yaml = """
      ferry-profile: 1
      app: sample
      accept-unmapped: [\(accepted)]
      entities:
        Note: { identity: { attribute: id }, carry: listed, fields: { id: id, title: title } }
      api:
        kind: rest
        client-id: \(form)
        entities:
          Note: { replay: id, id: \(place), create: { \(create) }, body: \(body) }
      """
    let profile = try Profile(yaml: yaml, path: "profile.yaml")
    return OfflineChecks.of(profile).filter { $0.name == "members" }
  }

  @Test(arguments: ["sha256", "uuid5", "{ alphabet: base36, length: 15 }"])
  func `a key that a made identity does not show is lost unless a field has it`(form: String) throws
  {
    let lost = try keys(form, "{ id: id, title: title }")
    #expect(lost.map(\.verdict) == [.unmapped])
    #expect(lost.first?.entity == "Note")
    #expect(lost.first?.cure?.contains("“Note.id” under “accept-unmapped”") == true)
    #expect(try keys(form, "{ id: id, title: title, key: id }").isEmpty)
    #expect(try keys(form, "{ id: id, title: title }", accepted: "Note.id").isEmpty)
  }

  @Test(arguments: ["as-is", "lower"])
  func `a key that an identity shows is not lost`(form: String) throws {
    #expect(try keys(form, "{ id: id, title: title }").isEmpty)
  }

  @Test func `a key that may be no UUID is reported where only a UUID stays as it is`() throws {
    let open = try keys("uuid", "{ id: id, title: title }")
    #expect(open.map(\.verdict) == [.unknown])
    #expect(open.first?.detail.contains("a key in id that is no UUID") == true)
    #expect(try keys("uuid", "{ id: id, title: title, key: id }").isEmpty)
    #expect(try keys("uuid", "{ id: id, title: title }", accepted: "Note.id").isEmpty)
  }

  /// Of a batch of records, of writes, and of one write: each with the made identity where the body has the key.
  @Test(arguments: [
    "request: POST /notes, batch: { items: notes, local-id: id, created: made, failed: bad, limit: 9 }",
    #"request: POST /graph, batch: { writes: w, limit: 9, write: { row: { "...": "{body}", id: "{id}" } } }"#,
    #"request: POST /graph, body: { row: { "...": "{body}", id: "{id}" } }"#,
  ])
  func `a key that a request replaces by the made identity is lost`(create: String) throws {
    let lost = try keys("sha256", "{ id: id, title: title }", create: create, at: "row.id")
    #expect(lost.map(\.verdict) == [.unmapped], "\(create)")
    let kept = "{ id: id, title: title, key: id }"
    #expect(try keys("sha256", kept, create: create, at: "row.id").isEmpty)
  }
}
