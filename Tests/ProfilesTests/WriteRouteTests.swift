import ProfileSettings
import RequestBodies
import StageSupport
import JSONText
import Profiles
import Records
import Testing

/// Routes whose requests hold writes, and values that say what they are.
struct WriteRouteTests {
  private static let create = """
          create:
            request: POST /commit
            batch: { writes: writes, write: { name: "{collection}/{id}" }, results: results }
    """

  private static func profile(
    api: String = "",
    create: String = create,
    note: String = ""
  ) throws(ProfileError) -> Profile {
    try LayeredProfileTests.profile(
      """
        names: as-is
      \(api)
        defaults:
            replay: id
            list: { request: "GET /docs/{+collection}", items: items, whole: true }
            read: { request: "GET /docs/{+collection}/{id}" }
      \(create)
        entities:
          Folder: { collection: users/é/folders }
          Note:
            collection: "users/{account}/notes"
      \(note)
      """
    )
  }

  private static let values = """
      sign-in: { request: POST /in, token: { member: token }, account: uid }
      values: { text: S, number: N, boolean: B, list: L, object: M, reference: R }
      conventions: { reference: { type: { type: reference, name: "docs/{target}/{id}" } } }
    """

  private func causes(_ body: () throws(ProfileError) -> Profile) throws -> [String] {
    try #require(throws: ProfileError.self) { _ = try body() }.faults.map(\.cause)
  }

  @Test func `a variable with a plus keeps its slashes and the names in it`() throws {
    let profile = try Self.profile(api: Self.values)
    let entities = try #require(profile.meaning["api"]?["entities"])
    #expect(entities["Folder"]?["list"]?["request"] == "GET /docs/users/%C3%A9/folders")
    #expect(entities["Note"]?["read"]?["request"] == "GET /docs/users/{account}/notes/{id}")
    #expect(
      entities["Note"]?["create"]?["batch"]?["write"]?["name"] == "users/{account}/notes/{id}"
    )
  }

  @Test func `the type of a reference names the collection of its record`() throws {
    let note = "      types: { folder: { type: reference, name: \"docs/users/é/folders/{id}\" } }"
    let api = try #require(try Self.profile(api: Self.values, note: note).api)
    let form = try #require(api.entity("Note")?.types["folder"])
    #expect(form.kind == .reference)
    #expect(form.name(of: "f1", account: nil) == "docs/users/é/folders/f1")
    #expect(form.id(in: "docs/users/é/folders/f1") == "f1")
    #expect(form.id(in: "docs/users/é/notes/f1") == nil)
  }

  @Test func `a profile with writes reads back as the same`() throws {
    let profile = try Self.profile(api: Self.values)
    let again = try Profile(yaml: profile.expandedText, path: "again.yaml")
    #expect(again.digest == profile.digest)
    #expect(again.api == profile.api)
  }

  @Test func `a write that names no record is refused`() throws {
    let create = Self.create.replacing("{collection}/{id}", with: "notes")
    let found = try causes { () throws(ProfileError) in
      try Self.profile(api: Self.values, create: create)
    }
    #expect(found.contains("the write names no record"))
  }

  @Test func `a write without a batch of writes is refused`() throws {
    let found = try causes { () throws(ProfileError) in
      try Self.profile(
        api: Self.values,
        create: "      create: { request: \"PUT /docs/{+collection}/{id}\" }",
        note: "      delete: { request: POST /commit, write: { remove: \"{id}\" } }"
      )
    }
    #expect(found.contains("“create” has no “batch” of writes, in whose form this would go"))
  }

  @Test func `the account in an address is refused where nothing says it`() throws {
    let found = try causes { () throws(ProfileError) in try Self.profile() }
    #expect(found.contains { $0.hasPrefix("“{account}” ") })
  }

  @Test func `what a result has is refused where nothing says where results are`() throws {
    let create = Self.create.replacing(", results: results", with: ", id: id")
    let found = try causes { () throws(ProfileError) in
      try Self.profile(api: Self.values, create: create)
    }
    let cause = "“id” is what a result has, and nothing says where the answer has results"
    // Both entities have it from the defaults.
    #expect(found == [cause, cause])
  }

  @Test func `a field with a name that the destination keeps for itself is refused`() throws {
    let note = """
            reserved: [_*, createdAt]
            body: { _title: URLString, created: URLString, createdAt: URLString }
      """
    let found = try causes { () throws(ProfileError) in
      try Self.profile(api: Self.values, note: note)
    }
    #expect(
      found == [
        "the destination keeps the name “_title” for itself",
        "the destination keeps the name “createdAt” for itself",
      ]
    )
  }

  @Test func `a change that carries the fields of others is refused where values have types`()
    throws
  {
    let note = "      update: { request: POST /commit, sends: row, write: { name: \"{id}\" } }"
    let found = try causes { () throws(ProfileError) in
      try Self.profile(api: Self.values, note: note)
    }
    #expect(found == ["the fields of others would lose their types, which no “types” name"])
  }

  @Test func `the value of a query for changes may be JSON`() throws {
    let note = """
            list:
              request: GET /docs
              items: items
              whole: false
              offset: skip
              since: { name: where, value: '{"at":{"$gte":{"iso":"{since}"}}}' }
      """
    let api = try #require(try Self.profile(api: Self.values, note: note).api)
    let since = try #require(api.entity("Note")?.list?.since)
    #expect(since.value(of: "1\"2") == #"{"at":{"$gte":{"iso":"1\"2"}}}"#)
  }

  @Test func `types of fields are refused where values are plain`() throws {
    let api = "  account: { request: GET /me, member: id }"
    let found = try causes { () throws(ProfileError) in
      try Self.profile(api: api, note: "      types: { URLString: date }")
    }
    #expect(found == ["values are plain at this destination, and have no types"])
  }

  @Test func `a kind without a form is written as JSON has it`() throws {
    let profile = try Self.profile(api: Self.values.replacing("boolean: B, ", with: ""))
    #expect(profile.api?.values?.forms[.boolean] == nil)
    #expect(profile.api?.values?.forms[.text] != nil)
  }
}
