import FerryKit
import Foundation
import JSONText
import TestSupport

/// What a wizard has in its hands: a copy of the sample, a server, and the migration between them.
struct WizardSteps {
  let folder: String
  let backend: BackendProgram
  let migration: StoreMigration

  static let credentials = Credentials.values([
    "email": DemoAccount.email, "password": "correct-horse",
  ])

  /// Everything from the first screen to the button that starts.
  func start() async throws -> MigrationRun {
    let store = try await migration.detect()
    let signIn = try await migration.signIn(Self.credentials)
    return migration.start(store.consent(), as: signIn)
  }

  /// How many rows the server has in its tables of records.
  func rowCount() throws -> Int {
    let dump = try backend.dump()
    return ["heroes", "visualProfiles", "stories", "customEvents"].reduce(0) {
      $0 + (dump[$1]?.array?.count ?? 0)
    }
  }
}

/// Lends a wizard with its own server, which answers slowly when `isSlow`.
func withWizard(
  isSlow: Bool = false,
  _ change: (inout MigrationOptions) -> Void = { _ in },
  _ body: (WizardSteps) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let faults = isSlow ? ["delay:1:150ms@POST /api/v1/custom-events"] : []
    try await withBackend(in: "\(folder)/server", faults: faults) { backend in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let profiles = "\(folder)/profile"
      try FileManager.default.createDirectory(atPath: profiles, withIntermediateDirectories: true)
      var options = MigrationOptions(
        store: sample.store,
        profile: try sample.profile(into: profiles),
        stateFolder: "\(folder)/state"
      )
      options.destination = backend.origin
      change(&options)
      try await body(
        WizardSteps(folder: folder, backend: backend, migration: try StoreMigration(options))
      )
    }
  }
}
