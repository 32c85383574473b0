import JSONText
import Profiles
import RecordMapping
import Records
import RequestMapping
import Testing

/// The way back from the destination's fields to the attributes of the store.
@Suite struct InverseMappingTests {
  private static let yaml = """
    ferry-profile: 1
    app: sample
    entities:
      Book: { identity: { attribute: id }, fields: { id: id, name: name } }
      Note:
        identity: { attribute: id }
        sync:
          state: state
          means: { new: create, done: synced, gone: delete }
          version: version
          unset: [0]
          deleted: deletedAt
        fields:
          id: id
          title: heading
          mood: mood
          tone: tone
          stars: stars
          trait: trait
          labels: { attribute: labels, as: json }
          book: { reference: shelf }
          others: { references: shelves }
          place: { composite: place }
          extra: { attribute: extra, as: json }
    api:
      entities:
        Book:
          replay: id
          read: { request: "GET /books/{id}" }
          create: { request: POST /books }
          body: { id: id, name: name }
        Note:
          replay: id
          read: { request: "GET /notes/{id}" }
          create: { request: POST /notes }
          server-id: serverId
          body:
            id: id
            title: { field: title, longest: 10 }
            mood: { field: mood, map: { Happy: 1, Sad: 2 } }
            tone: { field: tone, map: { Calm: 1, Quiet: 1 } }
            stars: { field: stars, scale: [{ below: 3, to: 0 }, { to: 1 }] }
            trait: { field: trait, case: lower }
            labels: { list: labels }
            both: { list: [title, mood] }
            book: { reference: book }
            others: { reference: others }
            town: place.town
            part: extra.part
            done: { field: done, as: boolean }
            kind: { constant: note }
    """

  private func mapping() throws -> EntityMapping {
    let profile = try Profile(yaml: Self.yaml, path: "sample.yaml")
    let references = [
      RecordReference(member: "book", targets: ["Book"], isToMany: false),
      RecordReference(member: "others", targets: ["Book"], isToMany: true),
    ]
    let mappings = try #require(
      RequestMappings(
        profile: profile,
        references: ["Note": references],
        keyMembers: ["Book": "id", "Note": "id"],
        queue: .none
      )
    )
    return mappings["Note"]
  }

  /// The values for one field; the book `b1` is `s1` at the destination.
  private func values(_ name: String, _ value: JSONValue) throws -> StoreValues {
    try mapping().storeValues(of: JSONObject(dictionaryLiteral: (name, value))) {
      entity,
      serverID in
      entity == "Book" && serverID == "s1" ? "b1" : nil
    }
  }

  @Test(
    arguments: [
      ("title", "short", "heading", "short"), ("title", nil, "heading", nil),
      ("mood", 2, "mood", "Sad"), ("mood", 7, "mood", 7),
      ("labels", ["b", "a"], "labels", ["b", "a"]), ("book", "s1", "shelf", "b1"),
      ("book", nil, "shelf", nil), ("others", ["s1"], "shelves", ["b1"]),
      ("others", nil, "shelves", []), ("town", "Oslo", "place.town", "Oslo"),
      ("done", true, "done", true),
    ] as [(String, JSONValue?, String, JSONValue?)]
  )
  func `a field with one way back becomes the value of its attribute`(
    field: String,
    value: JSONValue?,
    attribute: String,
    expected: JSONValue?
  ) throws {
    let found = try values(field, value ?? .null)
    #expect(found.attributes == JSONObject(dictionaryLiteral: (attribute, expected ?? .null)))
    #expect(found.unmapped.isEmpty)
  }

  @Test(
    arguments: [
      ("title", "more than ten"), ("tone", 1), ("stars", 1), ("trait", "brave"),
      ("both", ["a"]), ("book", "s9"), ("part", 1), ("kind", "other"),
    ] as [(String, JSONValue)]
  )
  func `a field without an exact way back is named`(field: String, value: JSONValue) throws {
    let found = try values(field, value)
    #expect(found.attributes.isEmpty)
    #expect(found.unmapped == [field])
  }

  @Test(arguments: [("id", "N1"), ("kind", "note")])
  func `the key of the record and a constant are no content of the app's`(
    field: String,
    value: String
  ) throws {
    #expect(try values(field, .string(value)) == StoreValues())
  }

  @Test func `what the app keeps of the destination is set once both sides agree`() throws {
    let program = try mapping().program
    let found = StoreBookkeeping(program.profile, program.api)
      .settled(serverID: "s9", revision: "3", syncedAt: nil)
    #expect(found == ["serverId": "s9", "version": 3, "state": "done"])
  }

  @Test func `a record that was rolled back is as one that was never sent`() throws {
    let program = try mapping().program
    let found = StoreBookkeeping(program.profile, program.api).withdrawn
    #expect(found == ["serverId": .null, "version": 0, "state": "new"])
  }

  @Test func `an attribute and its member name each other`() throws {
    let profile = try mapping().program.profile
    for (member, attribute) in [
      ("title", "heading"), ("place.town", "place.town"), ("book", "shelf"),
    ] {
      let path = MemberPath(member)
      #expect(profile.attribute(of: path) == attribute)
      #expect(profile.member(ofAttribute: attribute) == path)
    }
  }
}
