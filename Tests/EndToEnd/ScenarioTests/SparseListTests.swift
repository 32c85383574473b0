import Foundation
import JSONText
import TestSupport
import Testing

/// A server whose list shows less of a record, and in another form, than a reading of that alone.
@Suite(.timeLimit(.minutes(3))) struct SparseListTests {
  /// One note, and the server that it was sent to.
  struct Notes {
    let scenario: MigrationScenario
    let origin: String

    func sql(_ statement: String) throws { try scenario.sql(statement) }

    /// The note as the server has it.
    func note() throws -> JSONValue? { try RealServer.get("\(origin)/state")["n1"] }

    /// How often the server did something; see its script.
    func count(_ name: String) throws -> Int64? {
      try RealServer.get("\(origin)/counts")[name]?.integer
    }

    /// Changes the note at the server, as another device does.
    func change(_ members: JSONObject) throws {
      try send("PATCH", "notes/n1", .object(members))
    }

    /// The same, right before the notes are listed for the `count`th time from now.
    func change(_ members: JSONObject, beforeList count: Int64) throws {
      try send("POST", "later", ["list": .number(JSONNumber(count)), "members": .object(members)])
    }

    /// Has the server fail whenever one of these notes is read alone.
    func breakReading(of ids: [String]) throws {
      try send("POST", "broken", .array(ids.map { .string($0) }))
    }

    /// Has the server not answer the next of these requests about a note, which it carries out.
    func loseAnswers(to methods: [String]) throws {
      try send("POST", "lose", .array(methods.map { .string($0) }))
    }

    private func send(_ method: String, _ path: String, _ body: JSONValue) throws {
      _ = try RealServer.get("\(origin)/\(path)", ["-X", method, "-d", body.canonicalText])
    }
  }

  func withNote(
    conflict: String = "fail",
    listsRevisions: Bool = false,
    version: String = "v",
    listsChanges: Bool = false,
    mood: String = "calm",
    text: String? = "a long text",
    picture rule: String = "address",
    readsOne: Bool = true,
    updates: Bool = true,
    by method: String = "PATCH",
    takesPhoto: Bool = false,
    _ body: (Notes) async throws -> Void
  ) async throws {
    func prepare(_ sample: Sample, _ origin: String) throws -> String {
      let literal = text.map { "'\($0)'" } ?? "NULL"
      try Python.edit(
        sample.store,
        "CREATE TABLE Note (id TEXT PRIMARY KEY, title TEXT, text TEXT, mood TEXT, picture TEXT)",
        "INSERT INTO Note VALUES ('n1', 'a title', \(literal), '\(mood)', 'https://e.org/p.png')"
      )
      var profile = Self.profile.replacing("CONFLICT", with: conflict)
        .replacing("      version: v\n", with: listsRevisions ? "      version: \(version)\n" : "")
        .replacing("picture: address", with: "picture: \(rule)")
      if listsChanges {
        profile = profile.replacing("items: items }", with: "items: items, since: since }")
      }
      if !readsOne { profile = profile.replacing(Self.readRoute, with: "") }
      if !updates { profile = profile.replacing(Self.updateRoute, with: "") }
      profile = profile.replacing("request: \"PATCH ", with: "request: \"\(method) ")
      if takesPhoto { profile = try Self.addPhoto(to: sample, profile) }
      return profile
    }
    try await withServer("sparse", editsAll: true, prepare: prepare) { scenario, origin in
      let first = try await scenario.migrate()
      #expect(first.count("created") == 1, "\(first)")
      try await body(Notes(scenario: scenario, origin: origin))
    }
  }

  private static let profile = """
    ferry-profile: 1
    app: sparse
    accept-unmapped: [Note.id]
    entities:
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, title: title, text: text, mood: mood, picture: picture }
    api:
      account: { request: GET /me, member: id }
      settle: 1s
      entities:
        Note:
          replay: id
          list: { request: GET /notes, items: items }
          read: { request: "GET /notes/{id}" }
          version: v
          create: { request: "PUT /notes/{id}", if-none-match: true }
          update: { request: "PATCH /notes/{id}" }
          delete: { request: "DELETE /notes/{id}" }
          conflict: CONFLICT
          body: { title: title, text: text, mood: mood, picture: picture }
          compare: { picture: address }
          unmapped: [id]
    """

  private static let updateRoute = "      update: { request: \"PATCH /notes/{id}\" }\n"
  private static let readRoute = "      read: { request: \"GET /notes/{id}\" }\n"

  /// Gives the note a photo; gives the profile that sends it.
  private static func addPhoto(to sample: Sample, _ profile: String) throws -> String {
    try Python.edit(
      sample.store,
      "ALTER TABLE Note ADD COLUMN photo TEXT",
      "UPDATE Note SET photo = 'p.png'"
    )
    let photos = "\(sample.folder)/Photos"
    try makeFolder(photos)
    try Data("a photo".utf8).write(to: URL(filePath: "\(photos)/p.png"))
    let rule = "{ from: photo, folder: [Photos], category: photo, types: { png: image/png } }"
    let ticket = "{ request: POST /tickets, body: { size: size }, upload: to, key: key, url: url }"
    return profile.replacing(
      "    carry: listed\n",
      with: "    carry: listed\n    media: { photo: \(rule) }\n"
    )
    .replacing("api:\n", with: "api:\n  media: { enabled: true, ticket: \(ticket) }\n")
    .replacing(
      "picture: picture }\n      compare",
      with: "picture: picture, photo: { media: photo } }\n      compare"
    )
  }

  @Test func `an unlisted field stays when another field is changed`() async throws {
    try await withNote { notes in
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.scenario.migrate()
      #expect(try notes.note()?["title"] == "mine", "\(answer)")
      #expect(try notes.note()?["text"] == "a long text")
    }
  }
}
