import Foundation
import JSONText
import Profiles
import RecordMapping
import Records
import RequestBodies
import RequestMapping
import Testing

/// What the profile of Noted makes of the app's stores, and of its server's answers.
struct NotedProfileTests {
  private static func profile() throws -> Profile {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let path = root.appending(path: "Samples/noted/profile.yaml").path()
    return try Profile(yaml: String(contentsOfFile: path, encoding: .utf8), path: path)
  }

  private static func entity(_ name: EntityName) throws -> EntityApi {
    try #require(try profile().api?.entity(name))
  }

  /// The app's model: the first, or the one with stars.
  private static func model(hasStars: Bool) -> StoreModel {
    typealias Kinds = [(String, StoreAttribute.Kind)]
    func entity(
      _ name: EntityName,
      _ own: Kinds,
      _ shared: Kinds = [],
      toOne: [(String, EntityName)] = [],
      toMany: [(String, EntityName)] = []
    ) -> StoreEntity {
      StoreEntity(
        name: name,
        attributes: (own + shared).map { StoreAttribute(name: $0.0, kind: $0.1) },
        relationships: toOne.map { StoreRelationship(name: $0.0, destination: $0.1, inverse: "x") }
          + toMany.map {
            StoreRelationship(name: $0.0, destination: $0.1, inverse: "note", isToMany: true)
          }
      )
    }
    let dates: Kinds = [("createdAt", .date), ("updatedAt", .date)]
    let sync: Kinds = [
      ("syncStatus", .integer16), ("locallyModifiedAt", .date), ("serverVersion", .integer64),
    ]
    var note: Kinds = [
      ("id", .uuid), ("notebookId", .uuid), ("content", .binary), ("plainText", .string),
      ("isTodo", .boolean), ("isDone", .boolean), ("reminderAt", .date), ("version", .integer32),
      ("deletedAt", .date),
    ]
    if hasStars { note.append(("isStarred", .boolean)) }
    return StoreModel(
      origin: .store,
      entities: [
        entity("UserEntity", [("id", .uuid), ("email", .string)], dates),
        entity(
          "NotebookEntity",
          [("id", .uuid), ("title", .string), ("sortOrder", .integer32), ("deletedAt", .date)],
          dates + sync,
          toOne: [("user", "UserEntity")]
        ),
        entity(
          "TagEntity",
          [("id", .uuid), ("name", .string), ("color", .string)],
          sync,
          toOne: [("user", "UserEntity")]
        ),
        entity(
          "NoteEntity",
          note,
          dates + sync,
          toOne: [("notebook", "NotebookEntity")],
          toMany: [("tags", "NoteTagEntity")]
        ),
        entity("NoteTagEntity", [], toOne: [("note", "NoteEntity"), ("tag", "TagEntity")]),
      ]
    )
  }

  @Test(arguments: [false, true])
  func `a store of either model version of the app is exported without unmapped fields`(
    hasStars: Bool
  ) throws {
    let export = try CompiledExport(profile: Self.profile(), model: Self.model(hasStars: hasStars))
    let note = try #require(export.program(for: "NoteEntity"))
    #expect(note.members.contains("isStarred") == hasStars)
    #expect(export.unacceptedUnmapped.isEmpty)
  }

  // The app never sets the relationship.
  @Test func `a note is assigned to the notebook with its identity`() throws {
    let export = try CompiledExport(profile: Self.profile(), model: Self.model(hasStars: true))
    let note = try #require(export.program(for: "NoteEntity"))
    #expect(
      note.references.contains(
        RecordReference(member: "notebookId", targets: ["NotebookEntity"], isToMany: false)
      )
    )
  }

  @Test func `a note names the tags that rows between lead to`() throws {
    let export = try CompiledExport(profile: Self.profile(), model: Self.model(hasStars: true))
    let note = try #require(export.program(for: "NoteEntity"))
    #expect(
      note.references.contains(
        RecordReference(member: "tags", targets: ["TagEntity"], isToMany: true)
      )
    )
    #expect(
      note.request.fields.contains(
        .references(relationship: "tags.tag", identity: .attribute("id"))
      )
    )
  }

  @Test func `tags are the same in whatever order, and whole or by identity alone`() throws {
    let note = try Self.entity("NoteEntity")
    let answered: JSONValue = [["id": "t2", "name": "b"], ["id": "t1", "name": "a"]]
    #expect(note.agree(["t1", "t2"], answered, of: "tags"))
    #expect(!note.agree(["t1"], answered, of: "tags"))
    #expect(note.agree([], .null, of: "tags"))
  }

  @Test func `a star is sent, although the server's answer leaves it out`() throws {
    let note = try Self.entity("NoteEntity")
    #expect(note.body.contains { $0.name == "is_starred" })
    #expect(note.agree(false, .null, of: "is_starred"))
    #expect(!note.agree(true, .null, of: "is_starred"))
  }

  @Test func `an empty text is left out of the answer`() throws {
    let note = try Self.entity("NoteEntity")
    #expect(note.agree("", .null, of: "plain_text"))
    let tag = try Self.entity("TagEntity")
    #expect(tag.agree("", .null, of: "color"))
  }

  @Test(arguments: [
    ("NotebookEntity", "created_at"), ("NoteEntity", "created_at"), ("NoteEntity", "reminder_at"),
  ])
  func `a date is answered in the server's time zone`(entity: String, member: String) throws {
    let name = try #require(EntityName(entity))
    let api = try Self.entity(name)
    #expect(api.agree("2026-11-26T10:00:00Z", "2026-11-26T11:00:00+01:00", of: member))
  }
}
