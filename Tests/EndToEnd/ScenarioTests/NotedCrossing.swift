import Foundation
import JSONText
import TestSupport
import Testing

/// Lends a copy of Noted's sample store and a server that answers as the app's does.
///
/// The server is a fresh one, which has nothing of what some rows say: unless `isAsShipped`, those are as the
/// client mostly leaves them, without the server's version.
func withNoted(
  isAsShipped: Bool = false,
  _ body: (MigrationScenario) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    var sample = try Sample(folder: "\(Samples.folder)/noted").copied(into: folder)
    sample.storeName = "Noted.sqlite"
    if !isAsShipped {
      try Python.edit(sample.store, "UPDATE ZNOTEENTITY SET ZSERVERVERSION = 0")
    }
    try await withSyncServer(sample, profile: sample.profile, in: folder, body)
  }
}

/// Lends a store of Noted's Mac app, with a picture beside it, and a server that answers as the app's does.
func withMac(
  keepingSentPictures: Bool = false,
  _ body: (MigrationScenario) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let home = "\(folder)/home"
    try makeFolder(home)
    try Python.run(["\(Samples.folder)/noted/make-mac-store.py", "--folder", home])
    let sample = Sample(folder: home)
    // The server does not have what the store says was sent.
    try Python.edit(sample.store, "UPDATE ZLOCALNOTE SET ZSERVERVERSION = 0")
    if !keepingSentPictures {
      try Python.edit(sample.store, "DELETE FROM ZLOCALNOTEIMAGE WHERE ZSYNCSTATUSRAW = 0")
    }
    let profile = "\(Samples.folder)/noted/mac.profile.yaml"
    try await withSyncServer(sample, profile: profile, in: folder, body)
  }
}

private func withSyncServer(
  _ sample: Sample,
  profile: String,
  in folder: String,
  _ body: (MigrationScenario) async throws -> Void
) async throws {
  try await withBackend(in: "\(folder)/server") { backend in
    try await body(
      MigrationScenario(
        folder: folder,
        backend: backend,
        program: try FerryProgram(),
        sample: sample,
        profile: profile
      )
    )
  }
}

extension MigrationScenario {
  /// Migrates, then again after the app deleted a notebook alone, as its server does.
  func migrateDeletingNotebook() async throws -> Answer {
    try await migrate().exits(0)
    try Python.edit(
      sample.store,
      "UPDATE ZNOTEBOOKENTITY SET ZSYNCSTATUS = 1, ZDELETEDAT = 790000000 WHERE Z_PK = 1"
    )
    let second = try await migrate(["--max-delete", "1"]).exits(0)
    return second
  }
}
