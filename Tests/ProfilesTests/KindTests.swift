import JSONText
import ProfileSettings
import Profiles
import Retrying
import Records
import RequestBodies
import Schemas
import Testing

/// The kinds of destinations that have no routes of their own for each entity.
struct KindTests {
  private static func cloud(
    settings: String = "",
    types: String = "score: int64, date: timestamp"
  ) -> String {
    """
    ferry-profile: 1
    app: kinds
    entities:
      Result: { fields: { score: score, date: date } }
    api:
      kind: cloudkit
      container: iCloud.kinds
      \(settings)
      entities:
        Result:
          record-type: GameResult
          types: { \(types) }
          body: { score: score, date: date }
          unmapped: [id]
    """
  }

  private static let changeset = """
    ferry-profile: 1
    app: kinds
    entities:
      Note: { fields: { text: text } }
    api:
      kind: changeset
      sync: { pull: GET /api/sync, push: POST /api/sync }
      entities:
        Note: { rows: notes, body: { text: text } }
    """

  @Test func `the published schema lists the kinds that are read`() throws {
    let bytes = try #require(PublishedSchemas.bytes(named: ProfileSchema.name))
    let kinds = try JSONValue(parsing: bytes).value(at: "/$defs/api/properties/kind/enum")?.array
    #expect(kinds?.compactMap(\.text) == Api.Kind.all.map { $0.name })
  }

  @Test func `a kind that knows records by one member refuses several`() throws {
    let several = Self.changeset.replacing("rows: notes,", with: "rows: notes, id: [folder, tag],")
    let error = #expect(throws: ProfileError.self) { try Profile(yaml: several, path: "p") }
    let causes = error?.faults.map(\.cause) ?? []
    #expect(causes.contains("this kind of destination knows a record by one member"))
  }

  @Test func `a folder needs no routes to take files`() throws {
    let yaml = """
      ferry-profile: 1
      app: kinds
      entities: { Note: { fields: { text: text } } }
      api:
        kind: folder
        media: { enabled: true }
        entities: { Note: { body: { text: text } } }
      """
    let api = try #require(try Profile(yaml: yaml, path: "p").api)
    #expect(api.sendsFiles && api.media?.way == .copies)
  }

  private static func database(_ body: String) throws -> Api? {
    let yaml = """
      ferry-profile: 1
      app: kinds
      entities:
        Note: { fields: { folder: folder, tag: tag } }
      api:
        kind: postgresql
        entities:
          Note: { id: [folder, tag], body: \(body) }
      """
    return try Profile(yaml: yaml, path: "p").api
  }

  @Test func `a row of a database that several columns identify is looked for by all of them`()
    throws
  {
    let note = try #require(try Self.database("{ folder: folder, tag: tag }")?.entity("Note"))
    #expect(note.replay == .lookUp && note.naturalKey == ["folder", "tag"])
    #expect(note.body.filter { $0.stage == .once }.map(\.name) == ["folder", "tag"])
    #expect(note.compare["folder"] == note.compare["tag"])
  }

  @Test func `a column of an identity that the body leaves out is named`() throws {
    let error = #expect(throws: ProfileError.self) {
      try Self.database("{ folder: folder, label: tag }")
    }
    let causes = error?.faults.map(\.cause) ?? []
    #expect(causes == ["“tag” is part of the identity, and “body” does not have it"])
  }

  private static func changeset(links: String) -> String {
    changeset.replacing("body: { text: text }", with: "body: { text: text }, links: { \(links) }")
  }

  @Test func `a record of CloudKit without fields needs no types, and each field needs one`() throws
  {
    let empty = Self.cloud().replacing(
      "{ fields: { score: score, date: date } }",
      with: "{ identity: object-uri }"
    )
    .replacing("      types: { score: int64, date: timestamp }\n", with: "")
    .replacing("body: { score: score, date: date }", with: "body: {}")
    .replacing("      unmapped: [id]", with: "")
    let type = try Profile(yaml: empty, path: "p").api?.entities.first?.recordType
    #expect(type?.fields.isEmpty == true, "\(empty)")
    let untyped = Self.cloud().replacing(
      "      types: { score: int64, date: timestamp }\n",
      with: ""
    )
    let error = try #require(throws: ProfileError.self) { try Profile(yaml: untyped, path: "p") }
    #expect(error.faults.map(\.cause) == ["“date” has no type", "“score” has no type"])
  }

  @Test func `fields that no push takes have a route, and names of their own in its request`()
    throws
  {
    let yaml = Self.changeset(links: "request: \"PUT /api/notes/{id}\", body: { said: text }")
    let links = try Profile(yaml: yaml, path: "p").api?.entities.first?.rows?.links
    #expect(links?.route.description == "PUT /api/notes/{id}")
    #expect(links?.names == ["text": "said"])
  }

  @Test(arguments: [
    ("request: PUT /api/notes, body: { said: text }", "names no record"),
    ("request: \"PUT /api/notes/{id}\", body: { said: words }", "is not a member of the body"),
    ("request: \"PUT /api/notes/{key}\", body: { said: text }", "“{key}” is not known"),
  ])
  func `a route of links that names no record, or no field, is refused`(
    links: String,
    cause: String
  ) throws {
    let error = try #require(throws: ProfileError.self) {
      try Profile(yaml: Self.changeset(links: links), path: "p")
    }
    #expect(error.faults.contains { $0.cause.contains(cause) }, "\(error)")
  }

  @Test func `a database of CloudKit is read with its credentials`() throws {
    let api = try #require(try Profile(yaml: Self.cloud(), path: "p").api)
    let cloudKit = try #require(api.kind.settings as? CloudKitApi)
    #expect(cloudKit.environment == .development)
    #expect(cloudKit.database == .private)
    #expect(api.credentials == ["api-token", "web-token"])
    #expect(api.entities.first?.replay == .id)
    #expect(api.entities.first?.compare == ["date": EntityApi.Comparison([.instant])])
    let open = try Profile(yaml: Self.cloud(settings: "database: public"), path: "p").api
    #expect(open?.credentials == ["key-id", "private-key"])
  }

  @Test(arguments: [("", 40.0), ("rate: 10", 10), ("rate: 400", 40)])
  func `CloudKit is asked at most forty times a second`(settings: String, rate: Double) throws {
    let api = try Profile(yaml: Self.cloud(settings: settings), path: "p").api
    #expect(api?.rate == rate)
  }

  @Test func `retry limits come from the profile, or from the destination kind`() throws {
    let own = try Profile(yaml: Self.cloud(), path: "p").api?.retry
    #expect(own == RetryPolicy(limit: 3, first: .seconds(2), longest: .seconds(8)))
    let text = Self.cloud(settings: "retry: { limit: 5, first: 60s, longest: 32m }")
    let chosen = try Profile(yaml: text, path: "p").api?.retry
    #expect(chosen == RetryPolicy(limit: 5, first: .seconds(60), longest: .seconds(1_920)))
  }

  @Test(arguments: [
    ("", "score: int64", "“date” has no type"),
    ("", "score: int64, date: timestamp, name: string", "“name” is not a member of the body"),
    ("", "score: number, date: timestamp", "“number” is not known at this place"),
    ("zone: A\n  database: public", "score: int64, date: timestamp", "no zone “A”"),
    ("batch: 201", "score: int64, date: timestamp", "from 1 to 200"),
  ])
  func `an invalid setting is named`(settings: String, types: String, words: String) throws {
    let error = try #require(throws: ProfileError.self) {
      try Profile(yaml: Self.cloud(settings: settings, types: types), path: "p")
    }
    #expect("\(error)".contains(words), "\(error)")
  }

  @Test func `the routes of a changeset are read`() throws {
    let api = try #require(try Profile(yaml: Self.changeset, path: "p").api)
    let changeset = try #require(api.kind.settings as? ChangesetApi)
    #expect(changeset.push.description == "POST /api/sync")
    #expect(changeset.since == "since")
    #expect(changeset.mark.description == "server_time")
    #expect(api.entities.first?.rows?.name == "notes")
  }

  @Test func `the date that Ferry gives a row is not a field of its body`() throws {
    let text = Self.changeset.replacing(
      "{ rows: notes, body: { text: text } }",
      with: "{ rows: notes, changed: updated_at, body: { updated_at: text } }"
    )
    let error = try #require(throws: ProfileError.self) { try Profile(yaml: text, path: "p") }
    #expect("\(error)".contains("by Ferry itself"), "\(error)")
  }

  @Test func `missing routes of a changeset are reported`() throws {
    let text = Self.changeset.replacing(
      "  sync: { pull: GET /api/sync, push: POST /api/sync }\n",
      with: ""
    )
    let error = try #require(throws: ProfileError.self) { try Profile(yaml: text, path: "p") }
    #expect("\(error)".contains("“sync” is missing"))
  }
}
