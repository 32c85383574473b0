import ProfileSettings
import StageSupport
import JSONText
import Profiles
import Records
import RequestBodies
import Testing

/// The layers of an `api`: preset, `with`, `defaults`, an entity's own block, and the body that is made of
/// the record.
@Suite struct LayeredProfileTests {
  private static let head = """
    ferry-profile: 1
    app: notes
    entities:
      Folder: { identity: { attribute: id }, carry: listed, fields: { id: id, name: name } }
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, URLString: URLString, folder: { reference: folder } }
    api:

    """
  private static let routes = """
        replay: id
        list: { request: "GET /{collection}", items: items, limit: { name: size, value: 100 } }
        read: { request: "GET /{collection}/{id}" }
        create: { request: "PUT /{collection}/{id}" }
        delete: { request: "DELETE /{collection}/{id}" }
    """

  static func profile(
    _ api: String,
    files: [String: String] = [:]
  ) throws(ProfileError) -> Profile {
    try Profile(yaml: head + api, path: "notes.yaml") { files[$0].map { Array($0.utf8) } }
  }

  /// A profile with routes in `defaults`; `note` is the rest of the block of Note.
  private func profile(note: String = "", api: String = "") throws(ProfileError) -> Profile {
    try Self.profile(
      """
      \(api)
        defaults:
      \(Self.routes)
        entities:
          Folder: { collection: folders }
          Note:
            collection: notes
      \(note)
      """
    )
  }

  private func faults(_ body: () throws(ProfileError) -> Profile) throws -> [ProfileFault] {
    try #require(throws: ProfileError.self) { _ = try body() }.faults
  }

  private func note(_ profile: Profile) throws -> JSONValue {
    try #require(profile.meaning["api"]?["entities"]?["Note"])
  }

  private func fields(_ profile: Profile) throws -> [String] {
    try #require(note(profile)["body"]?.object).names.sorted()
  }

  // MARK: - The body

  @Test func `an entity without a body sends each member under its own name`() throws {
    let profile = try profile()
    #expect(try fields(profile) == ["URLString", "folder", "id"])
    #expect(try note(profile)["body"]?["folder"]?["reference"] == "folder")
  }

  @Test func `a member with dots in its name is sent whole, under that name`() throws {
    let text = Self.head.replacing("URLString: URLString", with: "\"app.url.text\": URLString")
    let profile = try Profile(
      yaml: text + """
          defaults:
        \(Self.routes)
          entities:
            Folder: { collection: folders }
            Note: { collection: notes }
        """,
      path: "notes.yaml"
    )
    let rules = try #require(profile.api?.entity("Note")?.body)
    let rule = try #require(rules.first { $0.name == "app.url.text" })
    #expect(rule.uses.map(\.path.names) == [["app.url.text"]])
  }

  @Test func `snake_case makes words with underscores of the names`() throws {
    let profile = try profile(api: "  names: snake_case")
    #expect(try fields(profile) == ["folder", "id", "url_string"])
  }

  @Test(arguments: [
    ("isAIEnhanced", "is_ai_enhanced"), ("createdAt", "created_at"), ("HTML5Text", "html5_text"),
    ("a b-c", "a_b_c"), ("name", "name"), ("UUID", "uuid"),
  ])
  func `a name of words and capitals becomes snake_case`(name: String, cased: String) throws {
    let text = Self.head.replacing("URLString: URLString", with: "\"\(name)\": URLString")
    let profile = try Profile(
      yaml: text + """
          names: snake_case
          defaults:
        \(Self.routes)
          entities:
            Folder: { collection: folders, unmapped: [id, name] }
            Note: { collection: notes, unmapped: [id, folder] }
        """,
      path: "notes.yaml"
    )
    #expect(try fields(profile) == [cased])
  }

  @Test func `records that several members identify have routes of their own`() throws {
    let compound = """
        names: as-is
        compound:
          parts: { key: { each: "{member}=eq.{value}", between: "&" } }
          replay: look-up
          read: { request: "GET /{collection}?{key}", item: "0" }
          create: { request: POST /links }
          delete: { request: "DELETE /{collection}?{key}" }
      """
    let profile = try profile(note: "      id: [folder, URLString]", api: compound)
    let meaning = try note(profile)
    let key = "/notes?folder=eq.{id.folder}&URLString=eq.{id.URLString}"
    #expect(meaning["read"]?["request"]?.text == "GET \(key)")
    #expect(meaning["delete"]?["request"]?.text == "DELETE \(key)")
    let entities = profile.meaning["api"]?["entities"]
    #expect(entities?["Folder"]?["read"]?["request"]?.text == "GET /folders/{id}")
    #expect(profile.api?.entity("Note")?.naturalKey == ["folder", "URLString"])
  }

  @Test func `an unmapped member is not in the body that is made`() throws {
    #expect(try fields(profile(note: "      unmapped: [folder]")) == ["URLString", "id"])
  }

  @Test func `under names, a body says only what is otherwise`() throws {
    let profile = try profile(
      note: "      body: { link: URLString, kind: { constant: note } }",
      api: "  names: as-is"
    )
    #expect(try fields(profile) == ["folder", "id", "kind", "link"])
  }

  @Test func `a field that a body names follows the conventions of what it sends`() throws {
    let profile = try profile(
      note: "      body: { link: URLString, parent: { reference: folder } }",
      api: """
          names: as-is
          conventions: { any: { compare: trim, case: lower }, reference: { compare: case } }
        """
    )
    let note = try note(profile)
    #expect(note["body"]?["link"]?["case"] == "lower")
    #expect(note["compare"]?["link"] == ["trim"] && note["compare"]?["parent"] == ["case"])
  }

  @Test func `without names, a body is whole`() throws {
    let faults = try faults { () throws(ProfileError) in
      try profile(note: "      body: { id: id, URLString: URLString }")
    }
    #expect(faults.map(\.cause) == ["“folder” of the record goes nowhere"])
  }

  @Test func `two members that would have one name are refused`() throws {
    let text = Self.head.replacing("URLString: URLString", with: "aB: one, a_b: two")
    let error = try #require(throws: ProfileError.self) {
      try Profile(
        yaml: text + "  names: snake_case\n  defaults:\n\(Self.routes)\n  entities:\n"
          + "    Note: { collection: notes }\n",
        path: "notes.yaml"
      )
    }
    #expect(error.faults.first?.cause == "“aB” and “a_b” would both be sent as “a_b”")
  }

  @Test func `an entity that carries all attributes takes its members from its schema`() throws {
    let schema = """
      {"properties": {"id": {"type": "string"}, "done": {"type": ["boolean", "null"]},
       "due": {"anyOf": [{"$ref": "#/$defs/instant"}, {"type": "null"}]},
       "twin": {"type": ["string", "null"], "format": "uuid"},
       "parent": {"type": ["string", "null"], "x-references": ["Note"]}},
       "$defs": {"instant": {"x-holds": "date", "type": "string"}}}
      """
    let text = Self.head.replacing(
      "carry: listed\n    fields: { id: id, URLString: URLString, folder: { reference: folder } }",
      with: "schema: note.json"
    )
    let api = """
        conventions:
          date: { compare: instant }
          uuid: { compare: case }
          boolean: { map: { "true": 1, "false": 0 } }
          reference: { name: "{name}Id" }
        defaults:
      \(Self.routes)
        entities: { Folder: { collection: folders }, Note: { collection: notes } }
      """
    let profile = try Profile(yaml: text + api, path: "notes.yaml") { name in
      name == "note.json" ? Array(schema.utf8) : nil
    }
    let note = try note(profile)
    #expect(try fields(profile) == ["done", "due", "id", "parentId", "twin"])
    #expect(note["compare"]?["due"] == ["instant"] && note["compare"]?["twin"] == ["case"])
    #expect(note["body"]?["done"]?["map"]?["true"] == 1)
    // A record of its own entity can be named once all are there.
    #expect(note["body"]?["parentId"]?["on"] == "complete")
    let error = try #require(throws: ProfileError.self) {
      try Profile(yaml: text + api, path: "notes.yaml")
    }
    #expect(error.faults.map(\.pointer) == ["/api/entities/Note"])
    #expect(error.faults.first?.cause.contains("“note.json” cannot be read") == true)
  }

  @Test func `the digits of a decimal go into PostgreSQL as a number`() throws {
    let schema = """
      {"properties": {"id": {"type": "string"},
       "price": {"type": ["string", "null"], "x-holds": "decimal"}}}
      """
    let text = Self.head.replacing(
      "carry: listed\n    fields: { id: id, URLString: URLString, folder: { reference: folder } }",
      with: "schema: note.json"
    )
    let api = """
        preset: postgresql
        entities: { Folder: { collection: folders }, Note: { collection: notes } }
      """
    let profile = try Profile(yaml: text + api, path: "notes.yaml") { name in
      name == "note.json" ? Array(schema.utf8) : nil
    }
    #expect(try note(profile)["body"]?["price"]?["as"] == "number")
  }

  @Test func `a reference that a body names gets the collection that requests state beside it`()
    throws
  {
    let schema = """
      {"properties": {"id": {"type": "string"},
       "folder": {"type": ["string", "null"], "x-references": ["Folder"]}}}
      """
    let text = Self.head.replacing(
      "carry: listed\n    fields: { id: id, URLString: URLString, folder: { reference: folder } }",
      with: "schema: note.json"
    )
    let api = """
        preset: json-api
        entities:
          Folder: { collection: folders }
          Note: { collection: notes, body: { parent: { reference: folder } } }
      """
    let profile = try Profile(yaml: text + api, path: "notes.yaml") { name in
      name == "note.json" ? Array(schema.utf8) : nil
    }
    #expect(try note(profile)["body"]?["parent"]?["type"] == "folders")
  }

  // MARK: - Layers

  @Test func `an entity's block merges with the defaults by name`() throws {
    let list = try #require(
      note(try profile(note: "      list: { limit: { value: 7 }, page: page }"))["list"]
    )
    #expect(list["request"] == "GET /notes")
    #expect(list["limit"]?["name"] == "size" && list["limit"]?["value"] == 7)
    #expect(list["page"]?["name"] == "page")
  }

  @Test func `null removes what a lower layer says`() throws {
    #expect(try note(profile(note: "      delete: null"))["delete"] == nil)
    #expect(try note(profile())["delete"] != nil)
  }

  @Test func `a list replaces the list below it`() throws {
    let profile = try Self.profile(
      """
        defaults:
          unmapped: [id, name, URLString]
      \(Self.routes)
        entities:
          Folder: { collection: folders }
          Note: { collection: notes, unmapped: [id] }
      """
    )
    #expect(try fields(profile) == ["URLString", "folder"])
  }

  @Test func `an expanded profile reads back as the same`() throws {
    let profile = try profile(api: "  names: snake_case\n  with: { size: 5 }")
    let again = try Profile(yaml: profile.expandedText, path: "again.yaml")
    #expect(again.digest == profile.digest)
    #expect(again.api == profile.api)
  }

  // MARK: - Variables

  @Test func `a variable is encoded in a route, and is itself elsewhere`() throws {
    let profile = try Self.profile(
      """
        with: { base: "my notes/é", size: 5 }
        headers: { X-Base: "{base}" }
        defaults:
          replay: id
          list: { request: "GET /{base}/{collection}?in={base}", limit: { name: n, value: "{size}" } }
          create: { request: "PUT /{collection}/{id}" }
        entities:
          Folder: { collection: folders }
          Note: { collection: a/b, natural-key: [id], body: { id: id, folder: { reference: folder },
            URLString: URLString, json: { constant: '{"in": "{base}\\"{collection}"}' } } }
      """
    )
    let note = try note(profile)
    #expect(
      note["list"]?["request"] == "GET /my%20notes%2F%C3%A9/a%2Fb?in=my%20notes%2F%C3%A9"
    )
    #expect(note["list"]?["limit"]?["value"] == 5)
    #expect(note["create"]?["request"] == "PUT /a%2Fb/{id}")
    #expect(profile.meaning["api"]?["headers"]?["X-Base"] == "my notes/é")
  }

  @Test func `a variable in a JSON text is escaped for it`() throws {
    let profile = try Self.profile(
      """
        with: { word: 'say "so"' }
        defaults:
      \(Self.routes)
        entities:
          Folder: { collection: folders }
          Note:
            collection: notes
            body: { id: id, URLString: URLString, folder: { reference: folder },
              query: { constant: '{"q": "{word}"}' } }
      """
    )
    #expect(try note(profile)["body"]?["query"]?["constant"] == #"{"q": "say \"so\""}"#)
  }

  @Test func `a missing collection is named with the entity's line`() throws {
    let faults = try faults { () throws(ProfileError) in
      try Self.profile("  defaults:\n\(Self.routes)\n  entities:\n    Note: {}\n")
    }
    #expect(faults.map(\.description).first?.hasPrefix("notes.yaml:17: /api/entities/Note") == true)
    #expect(faults.first?.cause == "“collection” is missing")
  }

  @Test func `a misspelt variable is refused with the name that was meant`() throws {
    let faults = try faults { () throws(ProfileError) in
      try profile(note: "      read: { request: \"GET /{colection}/{id}\" }")
    }
    #expect(faults.first?.cause == "“{colection}” is not known")
    #expect(faults.first?.cure.hasPrefix("write “{collection}”") == true)
  }

  // MARK: - Presets

  @Test func `a misspelt preset is refused with the nearest name`() throws {
    let faults = try faults { () throws(ProfileError) in
      try Self.profile("  preset: pocketbas\n  entities: { Note: { collection: notes } }\n")
    }
    #expect(faults.count == 1)
    #expect(faults.first?.line == 10)
    #expect(faults.first?.cause == "there is no preset “pocketbas”")
    #expect(faults.first?.cure.hasPrefix("write “pocketbase”, or see “ferry preset list”") == true)
  }

  @Test func `what a preset needs, and what it does not know, is named`() throws {
    let faults = try faults { () throws(ProfileError) in
      try Self.profile(
        "  preset: cloudkit\n  with: { contaner: x }\n  entities: { Note: {} }\n"
      )
    }
    #expect(
      faults.map(\.cause) == [
        "the preset “cloudkit” has no “contaner”", "the preset “cloudkit” needs “container”",
      ]
    )
    #expect(faults.first?.cure.hasPrefix("write “container”") == true)
    #expect(faults.allSatisfy { $0.line == 11 })
  }

  @Test func `columns are the fields of a body, in each request that names them`() throws {
    let note = try note(
      profile(
        note: #"""
                body: { title: URLString }
                list:
                  request: POST /graphql
                  body: { query: "{ rows: {collection} { id {columns} } }" }
          """#,
        api: "  names: snake_case"
      )
    )
    let query = try #require(note["list"]?["body"]?["query"]?.text)
    #expect(query.hasPrefix("{ rows: notes { id ") && query.hasSuffix(" } }"))
    let columns = query.dropFirst(19).dropLast(4).split(separator: ",").map(String.init)
    #expect(columns.sorted() == ["folder", "id", "title"])
  }

  @Test func `a point that is part of a name has a backslash before it`() {
    #expect(MemberPath("data.next").names == ["data", "next"])
    let path = MemberPath(#"@odata\.nextLink"#)
    #expect(path.names == ["@odata.nextLink"])
    #expect(MemberPath(path.description) == path)
    #expect(MemberPath(#"a\.b\.c.d"#).names == ["a.b.c", "d"])
    #expect(MemberPath("").names.isEmpty)
  }

  private static let mine = """
    ferry-preset: 1
    with: { size: 100 }
    api:
      defaults:
        replay: id
        list: { request: "GET /{collection}", limit: { name: n, value: "{size}" } }
        create: { request: "PUT /{collection}/{id}" }
    """

  @Test func `a key in a field of its own is sent as any value of its kind`() throws {
    let schema = #"{"properties": {"id": {"type": "integer"}, "size": {"type": "integer"}}}"#
    let profile = try Profile(
      yaml: """
        ferry-profile: 1
        app: notes
        entities:
          Note: { identity: { attribute: id }, schema: note.json }
        api:
          preset: pocketbase
          entities: { Note: { collection: notes, body: { id: id, local_id: id } } }
        """,
      path: "notes.yaml"
    ) { $0 == "note.json" ? Array(schema.utf8) : nil }
    let body = try #require(note(profile)["body"])
    #expect(body["local_id"]?["as"] == "double")
    #expect(try #require(body["id"])["as"] != "double")
    #expect(body["size"]?["as"] == "double")
  }

  @Test(arguments: [("folder", "folder_id"), ("folder_id", "folder_id"), ("folderID", "folder_id")])
  func `a name that a pattern ends already gets no second end`(name: String, field: String) {
    #expect(NameForm.snakeCase.applied(to: name, in: "{name}_id") == field)
  }

  @Test func `a pattern's end is found in either spelling`() {
    #expect(NameForm.asIs.applied(to: "folder_id", in: "{name}Id") == "folder_id")
    #expect(NameForm.asIs.applied(to: "folder", in: "{name}Id") == "folderId")
    #expect(NameForm.asIs.applied(to: "id", in: "{name}Id") == "idId")
    #expect(NameForm.asIs.applied(to: "folder", in: nil) == "folder")
  }

  @Test func `a preset of one's own lies beside the profile`() throws {
    let api = """
        preset: ./mine.yaml
        with: { size: 9 }
        entities: { Folder: { collection: folders }, Note: { collection: notes } }
      """
    let profile = try Self.profile(api, files: ["mine.yaml": Self.mine])
    #expect(try note(profile)["list"]?["limit"]?["value"] == 9)
    let faults = try faults { () throws(ProfileError) in try Self.profile(api) }
    #expect(faults.first?.cause == "the preset “./mine.yaml” cannot be read beside the profile")
  }

  @Test func `a fault of a preset names the preset and its line, and one of the profile its own`()
    throws
  {
    let mine = Self.mine.replacing("replay: id", with: "replay: sometimes")
    let faults = try faults { () throws(ProfileError) in
      try Self.profile(
        """
          preset: ./mine.yaml
          entities:
            Folder: { collection: folders }
            Note:
              collection: notes
              lists: { offset: from }
        """,
        files: ["mine.yaml": mine]
      )
    }
    let places = faults.map { "\($0.file):\($0.line ?? 0): \($0.pointer)" }
    #expect(places.contains("mine.yaml:5: /api/entities/Note/replay"))
    #expect(places.contains("notes.yaml:15: /api/entities/Note/lists"))
  }

  @Test func `a fault of a preset does not hide the other faults of a profile`() throws {
    let error = try #require(throws: ProfileError.self) {
      try Profile(
        yaml: Self.head.replacing("app: notes", with: "app: My Notes") + "  preset: nothing\n",
        path: "notes.yaml"
      )
    }
    #expect(error.faults.count == 2)
  }

  @Test(arguments: [
    "couchdb", "datasette", "directus", "django-rest-framework", "folder", "kinto", "laravel",
    "odata",
    "parse", "pocketbase", "postgresql", "rails", "strapi", "supabase",
  ])
  func `a profile of a preset and collections is whole`(name: String) throws {
    try checkRoundTrip(of: "{ collection: notes }", preset: name)
  }

  @Test func `a profile of JSON API says what the records of a reference are called`() throws {
    let folder = "body: { folder: { reference: folder, type: folders } }"
    try checkRoundTrip(of: "{ collection: notes, \(folder) }", preset: "json-api")
    let error = try #require(throws: ProfileError.self) {
      try checkRoundTrip(of: "{ collection: notes }", preset: "json-api")
    }
    #expect(error.faults.contains { $0.cause.contains("the records that “folder” names") })
  }

  private func checkRoundTrip(of note: String, preset: String) throws {
    let profile = try Self.profile(
      """
        preset: \(preset)
        entities: { Folder: { collection: folders }, Note: \(note) }
      """
    )
    #expect(profile.api?.entities.count == 2)
    let again = try Profile(yaml: profile.expandedText, path: "again.yaml")
    #expect(again.digest == profile.digest)
  }

  @Test func `what each preset can is worked out from a profile that uses it`() throws {
    let can = try Dictionary(
      uniqueKeysWithValues: PresetSummary.shipped().map { ($0.name, $0.capabilities) }
    )
    #expect(
      can == [
        "appwrite": [.bulk, .delete, .files, .schema],
        "cloudkit": [.bulk, .delete, .files, .revisions],
        "couchdb": [.bulk, .changes, .delete, .revisions], "datasette": [.bulk, .delete, .schema],
        "directus": [.bulk, .delete, .files, .schema],
        "django-rest-framework": [.delete], "dynamodb": [.bulk, .delete],
        "firestore": [.bulk, .delete, .revisions],
        "folder": [.bulk, .delete, .files, .revisions],
        "hasura": [.bulk, .delete, .schema],
        "json-api": [.delete],
        "kinto": [.bulk, .changes, .delete, .revisions],
        "laravel": [.delete],
        "odata": [.delete, .revisions, .schema],
        "parse": [.bulk, .delete, .revisions, .schema],
        "pocketbase": [.bulk, .delete, .files, .revisions, .schema],
        "postgresql": [.bulk, .delete, .revisions],
        "rails": [.delete],
        "strapi": [.delete, .files, .schema],
        "supabase": [.bulk, .delete, .files, .schema],
      ]
    )
  }

  @Test(arguments: [
    ("Note", "notes"), ("StoryEntry", "story_entries"), ("Box", "boxes"),
    ("Status", "statuses"), ("folders", "folders"), ("address", "addresses"), ("note", "notes"),
    ("gr%C3%B6%C3%9Fe%20%C3%9C", "größe_üs"),
  ])
  func `a collection is mostly called by the plural of its entity`(name: String, plural: String)
    throws
  {
    #expect(try #require(EntityName(name)).usualCollection == plural)
  }
}
