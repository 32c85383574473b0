import JSONText
import ProfileSettings
import Profiles
import Records
import RequestMapping
import Testing

/// The member of a body with the identity that a destination is to give a record.
@Suite struct ChosenIdentityTests {
  private static func yaml(
    clientID: String,
    create: String = "{ request: POST /notes }",
    content: String = "",
    body: String = "{ id: id, text: text }"
  ) -> String {
    """
    ferry-profile: 1
    app: sample
    entities:
      Note: { identity: { attribute: id }, fields: { id: id, text: text } }
    api:
      account: { request: GET /me, member: id }
      client-id: \(clientID)
      entities:
        Note:
          replay: id
          \(content)
          read: { request: "GET /notes/{id}" }
          create: \(create)
          body: \(body)
    """
  }

  private func members(_ yaml: String) throws -> (
    sent: JSONValue, id: String, program: RequestProgram
  ) {
    let profile = try Profile(yaml: yaml, path: "sample.yaml")
    let api = try #require(CompiledApi(profile: profile, references: [:]))
    let program = try #require(api.program(for: "Note"))
    let document = JSONDocument()
    try document.parse(copying: (["id": "A1", "text": "one"] as JSONValue).canonicalBytes)
    var resolver = ReferenceResolver.planning
    let record = RecordID(entity: "Note", key: "A1")
    resolver.record = record
    let members = try program.members(for: .create, of: document.root, in: document, resolver)
    let forms = try program.forms(of: document.root, in: document, resolver)
    #expect(forms.create == members)
    return (
      try JSONValue(parsing: program.body(of: members)), api.clientID(for: record), program
    )
  }

  @Test(
    arguments: ["as-is", "lower", "uuid", "uuid5", "sha256", "{ alphabet: base36, length: 15 }"]
  )
  func `a body has the identity in the form by which the record is looked for`(form: String) throws
  {
    let (sent, id, _) = try members(Self.yaml(clientID: form))
    #expect(sent["id"]?.text == id)
    #expect(sent["text"]?.text == "one")
  }

  @Test func `a key is lost if the identity is made of it and no other field has it`() throws {
    func lost(_ form: String, _ body: String = "{ id: id, text: text }") throws -> [String?] {
      let program = try members(Self.yaml(clientID: form, body: body)).program
      return ["A1", "0B4F5E6E-577A-4C1B-9D0A-2F60F311C86A"].map { program.lostMember(of: $0) }
    }
    #expect(try lost("sha256") == ["id", "id"])
    #expect(try lost("uuid") == ["id", nil])
    #expect(try lost("as-is") == [nil, nil])
    #expect(try lost("sha256", "{ id: id, text: text, key: id }") == [nil, nil])
  }

  @Test func `a digest has the digits and the length that the profile gives`() throws {
    // `int(hashlib.sha256(b"Note/A1").hexdigest(), 16) % 36**15` to the base 36.
    #expect(try identity("{ alphabet: base36, length: 15 }") == "rku2e0qhveivvwr")
    #expect(try identity("{ alphabet: hex, length: 24 }") == "cd71e7942f8431a67e8e68e1")
    #expect(try identity("sha256") == "cd71e7942f8431a67e8e68e1d7eb34cd")
  }

  @Test func `a UUID is kept in lower case, and another key becomes one`() throws {
    let key = "4F5E6E57-7A4C-4B1B-9D0A-2F60F311C86A"
    #expect(try identity("uuid", of: key) == key.lowercased())
    #expect(try identity("uuid") == identity("uuid5"))
  }

  @Test(arguments: ["uuid", "uuid5", "sha256", "{ alphabet: base36, length: 15 }"])
  func `rows of the same number are records of their own for each account`(form: String) throws {
    let ann = try identity(form, of: "1", account: "ann")
    #expect(try identity(form, of: "1", account: "ben") != ann)
    #expect(try identity(form, of: "1", account: "ann") == ann)
  }

  @Test func `without an account that is said, a renewed credential makes the same identity`()
    throws
  {
    let yaml = Self.yaml(clientID: "uuid5")
      .replacing("  account: { request: GET /me, member: id }\n", with: "")
    let profile = try Profile(yaml: yaml, path: "sample.yaml")
    let ids = try ["https://example.com#01", "https://example.com#02"].map { account in
      try #require(CompiledApi(profile: profile, references: [:], account: account))
        .clientID(for: RecordID(entity: "Note", key: "1"))
    }
    #expect(ids[0] == ids[1])
  }

  @Test func `a database has no accounts, so that each of its users makes the same identity`()
    throws
  {
    let yaml = """
      ferry-profile: 1
      app: sample
      entities: { Note: { identity: { attribute: id }, fields: { id: id } } }
      api:
        kind: postgresql
        client-id: uuid
        entities: { Note: { table: notes, body: { id: id } } }
      """
    let profile = try Profile(yaml: yaml, path: "sample.yaml")
    let ids = try ["ann", "ben"].map { account in
      try #require(CompiledApi(profile: profile, references: [:], account: account))
        .clientID(for: RecordID(entity: "Note", key: "1"))
    }
    #expect(ids[0] == ids[1])
  }

  @Test(arguments: ["{ alphabet: base36, length: 11 }", "{ alphabet: hex, length: 12 }"])
  func `a digest with too few digits to distinguish records is refused`(form: String) {
    #expect(throws: ProfileError.self) { try identity(form) }
  }

  private func identity(
    _ form: String,
    of key: String = "A1",
    account: String? = nil
  ) throws -> String {
    let profile = try Profile(yaml: Self.yaml(clientID: form), path: "sample.yaml")
    let api = try #require(CompiledApi(profile: profile, references: [:], account: account))
    return api.clientID(for: RecordID(entity: "Note", key: key))
  }

  @Test func `a field that is not the row's identity keeps the record's value`() throws {
    let yaml = Self.yaml(
      clientID: "lower",
      create: #"{ request: "PUT /notes/{id}" }"#,
      content: "content: data"
    )
    let (sent, id, _) = try members(yaml)
    #expect(sent["id"]?.text == "A1" && id == "a1")
  }

  @Test func `an identity in an answer matches in every spelling`() throws {
    let (_, _, program) = try members(Self.yaml(clientID: "as-is"))
    let remote = JSONDocument()
    let ours = [RequestField(name: "id", value: Array(#""Caf\u00e9""#.utf8))]
    for (spelled, isSame) in [("cafe\u{301}", true), (" CAF\u{C9} ", true), ("cafe", false)] {
      try remote.parse(copying: (["id": .string(spelled)] as JSONValue).canonicalBytes)
      #expect(program.isSame(ours, remote.root, in: remote) == isSame, "\(spelled)")
    }
  }

  @Test func `a body with another identity than the record's own is refused`() throws {
    let yaml = Self.yaml(clientID: "as-is", body: "{ id: text, text: text }")
    let error = try #require(throws: ProfileError.self) {
      try Profile(yaml: yaml, path: "sample.yaml")
    }
    #expect("\(error)".contains("write “id: id”"), "\(error)")
  }
}
