import Backends
import Foundation
import Profiles
import TestSupport
import Testing

/// Lends a destination that is no server of ours: a folder, or a server that nobody here wrote.
func withForeignPlace(
  _ kind: Kind,
  _ api: Api,
  body: @escaping @Sendable (ContractPlace) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let transport = HTTPTransport()
    let (server, address, given) = try foreignServer(kind, in: folder)
    let destination: any Destination =
      if kind == .folder {
        try FolderDestination(api: api, address: address)
      } else {
        try RESTDestination(
          api: api,
          address: address,
          credentials: GivenCredentials(given.mapValues { Secret($0) }),
          transport: transport
        )
      }
    let place = ContractPlace(
      kind: kind,
      destination: destination,
      address: address,
      keeper: TokenKeeper(web: ""),
      secrets: ["password", "token"].compactMap { given[$0] }
    )
    do { try await body(place) } catch {
      await transport.shutdown()
      throw error
    }
    await transport.shutdown()
    withExtendedLifetime(server) {}
  }
}

/// Starts the server that a kind needs; gives its address and what opens it.
private func foreignServer(
  _ kind: Kind,
  in folder: String
) throws -> (server: RealServer?, address: String, given: [String: String]) {
  let environment = ProcessInfo.processInfo.environment
  switch kind {
  case .kinto:
    let server = try RealServer.kinto(try #require(environment["FERRY_KINTO"]), in: folder)
    try server.addKintoAccount("demo", password: "s3cret-word")
    return (server, "\(server.origin)/v1", ["user": "demo", "password": "s3cret-word"])
  case .datasette:
    let program = try #require(environment["FERRY_DATASETTE"])
    let server = try RealServer.datasette(
      program,
      in: folder,
      tables: "CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT)"
    )
    let token = try RealServer.datasetteToken(program)
    return (server, "\(server.origin)/stories", ["token": token])
  default: return (nil, "file:\(folder)/kept", [:])
  }
}
