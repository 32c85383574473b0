import Foundation
import TestSupport

/// Lends a scenario whose server a script beside these tests plays, by its name without `_server.py`.
///
/// `ready` is the address that answers once the server runs. `prepare` makes the store, and gives the profile
/// that sends it to the server at an origin. With `editsAll` the test edits every record at once, which a
/// store without an identity has to be allowed.
func withServer(
  _ script: String,
  answersAt ready: String = "/state",
  editsAll: Bool = false,
  prepare: (_ sample: Sample, _ origin: String) throws -> String,
  _ body: (_ scenario: MigrationScenario, _ origin: String) async throws -> Void
) async throws {
  try await withScenario { scenario in
    let server = try RealServer(
      "/usr/bin/env",
      ["python3", ServerScript.path("\(script)_server.py"), "{port}"],
      in: scenario.folder,
      answersAt: ready
    )
    let folder = "\(scenario.folder)/\(script)"
    try makeFolder(folder)
    let sample = Sample(folder: folder)
    try prepare(sample, server.origin).save(to: sample.profile)
    var copy = scenario.with(sample)
    copy.profile = sample.profile
    copy.credentials = []
    copy.origin = server.origin
    if editsAll { copy.environment["FERRY_ACCEPT_CHANGE"] = "store" }
    try await body(copy, server.origin)
    withExtendedLifetime(server) {}
  }
}
