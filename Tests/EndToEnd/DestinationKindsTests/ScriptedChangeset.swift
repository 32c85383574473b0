import Changeset
import DestinationModel
import HTTPTransport
import JSONText
import Profiles

extension ScriptedServer {
  /// Runs a server whose rows travel together, which answers for its account by itself and else as the
  /// script says, with the destination that speaks to it.
  static func runChangeset(
    _ api: Api,
    _ script: @escaping Script,
    body: (ChangesetDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let whole: Script = { request in
      request.line == "GET /me" ? .json(["id": "u1"]) : script(request)
    }
    try await run(whole) { server in
      try await withTransport { transport in
        let destination = try ChangesetDestination(
          api: api,
          address: server.address,
          credentials: GivenCredentials([:]),
          transport: transport
        )
        try await body(destination, server)
      }
    }
  }
}
