import Foundation
import TestSupport

/// A plain database with three notes, and the folder that they go to.
struct NoteFolder {
  let folder: String

  var store: String { "\(folder)/notes.sqlite" }

  /// Makes the database; `rows` are its notes, as SQL has them.
  init(
    _ folder: String,
    _ rows: String = "('a', 'one'), ('b', 'two'), ('c', 'three')"
  ) throws {
    self.folder = folder
    try Self.profile.save(to: "\(folder)/profile.yaml")
    try Python.edit(
      store,
      "CREATE TABLE Note (id TEXT PRIMARY KEY NOT NULL, title TEXT)",
      "INSERT INTO Note VALUES \(rows)"
    )
  }

  func migrate(_ more: [String] = []) async throws -> Answer {
    try await FerryProgram().answer(
      ["migrate", store, "--profile", "\(folder)/profile.yaml", "--to", "file:\(folder)/kept"]
        + more,
      state: "\(folder)/state"
    )
  }

  /// The names of the documents that lie in the folder.
  func kept() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(folder)/kept/Note").sorted()
  }

  static let profile = """
    ferry-profile: 1
    app: notes
    entities:
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, title: title }
    api:
      kind: folder
      entities:
        Note: { body: { id: id, title: title } }
    """
}
