import JSONText
import ProfileSettings
import Profiles
import RequestMapping
import Records
import StageSupport
import Testing

/// Names in braces that a person fills in, with `with` and `--set`, and the account that the destination names.
@Suite struct VariableTests {
  private static func yaml(_ api: String, entity: String = "") -> String {
    """
    ferry-profile: 1
    app: notes
    entities:
      Note: { identity: { attribute: id }, carry: listed, fields: { id: id, title: title } }
    destinations:
      north: { url: "https://{tenant}.example.com/{tenant}" }
    api:
      credentials: [key]
      with: { tenant: north, size: 50, isWhole: true }
    \(api)
      entities:
        Note:
          replay: id
          create: { request: "PUT /{tenant}/notes/{id}?of={tenant}" }
          read: { request: "GET /{tenant}/notes/{id}" }
          list: { request: "GET /{tenant}/notes", limit: { name: size, value: "{size}" } }
          body: { id: id, title: title, tenant: { constant: { of: "{tenant}", name: "a {tenant}" } } }
    \(entity)
    """
  }

  private func profile(
    _ values: [String: String] = [:],
    api: String = "",
    entity: String = ""
  ) throws(ProfileError) -> Profile {
    try Profile(
      yaml: Self.yaml(api, entity: entity),
      path: "notes.yaml",
      given: GivenValues(values)
    )
  }

  private func note(_ profile: Profile) throws -> JSONValue {
    try #require(profile.meaning["api"]?["entities"]?["Note"])
  }

  private func faults(
    _ values: [String: String] = [:],
    api: String = "",
    entity: String = ""
  ) throws -> [ProfileFault] {
    try #require(throws: ProfileError.self) {
      _ = try profile(values, api: api, entity: entity)
    }.faults
  }

  @Test func `a given value wins over that of the profile`() throws {
    #expect(try profile().destinations[0].url == "https://north.example.com/north")
    #expect(
      try profile(["tenant": "south"]).destinations[0].url == "https://south.example.com/south"
    )
  }

  @Test func `a value in a route is escaped for a path and a query`() throws {
    let note = try note(profile(["tenant": "a b/&?#{é"]))
    let escaped = "a%20b%2F%26%3F%23%7B%C3%A9"
    #expect(
      note["create"]?["request"] == .string("PUT /\(escaped)/notes/{id}?of=\(escaped)")
    )
  }

  @Test func `a value in a constant is a text of its JSON`() throws {
    let value = "\"},{\"x\\"
    let constant = try note(profile(["tenant": value]))["body"]?["tenant"]?["constant"]
    #expect(constant == ["of": .string(value), "name": .string("a \(value)")])
  }

  @Test func `a value in JSON within a text is escaped for JSON`() throws {
    let yaml = Self.yaml("").replacing(
      "name: \"a {tenant}\"",
      with: #"name: '{"a": "{tenant}"}'"#
    )
    let profile = try Profile(yaml: yaml, path: "n", given: GivenValues(["tenant": "a\"b"]))
    let constant = try note(profile)["body"]?["tenant"]?["constant"]
    #expect(constant?["name"] == .string(#"{"a": "a\"b"}"#))
  }

  @Test func `a given number takes the place of a number`() throws {
    #expect(try note(profile(["size": "7"]))["list"]?["limit"]?["value"] == 7)
  }

  @Test(arguments: [("size", "many", "a number"), ("isWhole", "perhaps", "a boolean")])
  func `a value of another kind is refused where it was given`(
    name: String,
    value: String,
    kind: String
  ) throws {
    let fault = try #require(try faults([name: value]).first)
    #expect(fault.file == "--set \(name)")
    #expect(fault.cause.contains("found “\(value)”"))
    #expect(fault.cause.contains(kind))
  }

  @Test func `a name without a value is refused with its place and the flag that gives one`() throws
  {
    let fault = try #require(
      try faults(entity: "      delete: { request: \"DELETE /{team}/notes/{id}\" }").first
    )
    #expect(fault.pointer == "/api/entities/Note/delete/request")
    #expect(fault.line == 18)
    #expect(fault.cause == "“{team}” is not known")
    #expect(fault.cure.hasSuffix("or give --set team=…"))
  }

  @Test func `the same name is taken with a value beside the profile`() throws {
    let profile = try profile(
      ["team": "red"],
      entity: "      delete: { request: \"DELETE /{team}/notes/{id}\" }"
    )
    #expect(try note(profile)["delete"]?["request"] == "DELETE /red/notes/{id}")
  }

  @Test func `a value that nothing asks for is refused, with the name that was meant`() throws {
    let fault = try #require(try faults(["tennant": "north"]).first)
    #expect(fault.file == "--set tennant")
    #expect(fault.cure.contains("“tenant”"))
  }

  @Test(arguments: ["id", "account", "since"])
  func `a name that requests fill in takes no value`(name: String) throws {
    let fault = try #require(
      try faults([name: "x"], entity: "      delete: { request: \"DELETE /n/{id}?a={\(name)}\" }")
        .first
    )
    #expect(fault.cause.contains("filled in when a request is made"))
  }

  @Test func `a credential is no variable`() throws {
    let fault = try #require(
      try faults(["key": "secret"], api: "  headers: { Authorization: \"{key}\" }").first
    )
    #expect(fault.cure.contains("--credential key="))
  }

  @Test func `a declared name without a value has to be given`() throws {
    let yaml = Self.yaml("").replacing("tenant: north", with: "tenant: ")
    let error = try #require(throws: ProfileError.self) {
      _ = try Profile(yaml: yaml, path: "notes.yaml")
    }
    #expect(error.faults.first?.cause == "“tenant” has no value")
    #expect(error.faults.first?.cure.contains("--set tenant=…") == true)
    let given = try Profile(yaml: yaml, path: "notes.yaml", given: GivenValues(["tenant": "x"]))
    #expect(given.destinations[0].url == "https://x.example.com/x")
  }

  @Test func `two names that a value makes the same are refused`() throws {
    let yaml = Self.yaml("").replacing("name: \"a {tenant}\"", with: "\"{tenant}\": 1, x: 2")
    let error = try #require(throws: ProfileError.self) {
      _ = try Profile(yaml: yaml, path: "notes.yaml", given: GivenValues(["tenant": "x"]))
    }
    #expect(error.faults.first?.cause == "the name “x” is there twice, once by a variable")
  }

  @Test func `a run keeps the values, so that its profile needs none`() throws {
    let profile = try profile(["tenant": "south"])
    let kept = try Profile(yaml: profile.expandedText, path: "run")
    #expect(kept.digest == profile.digest)
    #expect(kept.destinations == profile.destinations)
  }

  @Test func `another value is another profile`() throws {
    let profile = try profile(["tenant": "south"])
    #expect(try profile.digest != self.profile().digest)
  }

  @Test func `a header cannot get a second line by a value`() throws {
    let fault = try #require(
      try faults(["tenant": "a\nb"], api: "  headers: { Team: \"{tenant}\" }").first
    )
    #expect(fault.pointer == "/api/headers/Team")
    #expect(fault.cause.contains("control character"))
  }
}

extension VariableTests {
  private static let account = "  account: { request: GET /me, member: id }"

  /// The fields of a new record of an entity with these settings, in a session of an account.
  private func created(
    _ entity: String,
    api: String = account,
    as account: String? = "ann"
  ) throws -> JSONObject {
    let profile = try profile(api: api, entity: entity)
    let mappings = try #require(
      RequestMappings(
        profile: profile,
        references: [:],
        keyMembers: ["Note": "id"],
        queue: .none,
        account: account
      )
    )
    let mapping = mappings["Note"]
    let record = try mapping.record(Array(#"{"id":"1","title":"a {account}"}"#.utf8))
    let members = try record.form(.planning).create
    return try #require(JSONValue(parsing: mapping.body(of: members)).object)
  }

  @Test func `a field is filled with the account`() throws {
    #expect(try created("      owner: user")["user"] == "ann")
  }

  @Test func `the field of the owner is not compared`() throws {
    let profile = try profile(api: Self.account, entity: "      owner: user")
    #expect(profile.api?.entities[0].compare["user"] == .ignored)
  }

  @Test func `the account that the profile names is the owner`() throws {
    let api = "  account: { constant: \"of {tenant}\" }"
    #expect(try created("      owner: user", api: api)["user"] == "of north")
  }

  @Test func `an owner without an account is refused`() throws {
    let fault = try #require(try faults(entity: "      owner: user").first)
    #expect(fault.pointer == "/api/entities/Note/owner")
    #expect(fault.cure.contains("{ constant: … }"))
  }

  @Test func `a constant may have the account in texts and names`() throws {
    let yaml = Self.yaml(Self.account).replacing(
      "name: \"a {tenant}\"",
      with: "\"{account}\": { read: true }, by: \"users/{account}\""
    )
    let profile = try Profile(yaml: yaml, path: "notes.yaml")
    let mappings = RequestMappings(
      profile: profile,
      references: [:],
      keyMembers: ["Note": "id"],
      queue: .none,
      account: "ann"
    )
    let mapping = try #require(mappings)["Note"]
    let record = try mapping.record(Array(#"{"id":"1","title":"a {account}"}"#.utf8))
    let body = try JSONValue(parsing: mapping.body(of: record.form(.planning).create))
    #expect(body["tenant"] == ["of": "north", "ann": ["read": true], "by": "users/ann"])
    // What the app's user wrote is no template.
    #expect(body["title"] == "a {account}")
  }

  @Test func `the account of CloudKit is the user without the container`() throws {
    let profile = try Profile(
      yaml: """
        ferry-profile: 1
        app: notes
        entities:
          Note: { identity: { attribute: id }, carry: listed, fields: { id: id, title: title } }
        api:
          kind: cloudkit
          container: iCloud.notes
          entities:
            Note:
              record-type: Note
              owner: user
              types: { id: string, title: string, user: string }
              body: { id: id, title: title }
        """,
      path: "notes.yaml"
    )
    let name = "_abc in iCloud.notes, development, private"
    #expect(profile.api?.name(ofAccount: name) == "_abc")
  }
}
