import CSQLite
import DestinationModel
import Files
import ProfileDrafting
import Profiles
import StoreReading
import Testing

/// Drafts of databases that statements make.
enum SQLiteDraft {
  static func make(
    of statements: String,
    beside home: String? = nil,
    to destination: DraftedDestination? = nil
  ) throws -> ProfileDraft {
    let folder = try PrivateFolder()
    let path = folder.path + "/notes.sqlite"
    var opened: OpaquePointer?
    try #require(sqlite3_open(path, &opened) == SQLITE_OK)
    let code = sqlite3_exec(opened, statements, nil, nil, nil)
    sqlite3_close_v2(opened)
    try #require(code == SQLITE_OK, "\(statements)")
    let store = try Source(path, into: folder.path + "/private").store
    return try ProfileDraft(of: store, beside: home, app: "notes", to: destination)
  }

  static func profile(_ draft: ProfileDraft) throws -> Profile {
    try Profile(yaml: draft.yaml, path: "profile.yaml") { name in
      draft.schemas.first { $0.name == name }?.bytes
    }
  }
}
