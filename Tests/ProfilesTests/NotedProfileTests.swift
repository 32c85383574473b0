import Foundation
import JSONText
import Profiles
import Records
import Testing

/// What Noted's server answers of a member that it holds as it was sent.
struct NotedProfileTests {
  private static func entity(_ name: EntityName) throws -> EntityApi {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let path = root.appending(path: "Samples/noted/profile.yaml").path()
    let profile = try Profile(yaml: String(contentsOfFile: path, encoding: .utf8), path: path)
    return try #require(profile.api?.entity(name))
  }

  @Test func `a text that is empty is not answered`() throws {
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
