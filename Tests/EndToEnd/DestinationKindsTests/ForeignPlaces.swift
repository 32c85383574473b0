import DestinationModel
import Folder
import Foundation
import HTTPTransport
import PostgreSQL
import Profiles
import REST
import Testing
import TestSupport

/// Lends a destination that is no server of ours: a folder, or a server that is not ours.
func withForeignPlace(
  _ kind: Kind,
  _ api: Api,
  body: @escaping @Sendable (ContractPlace) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let (server, address, given) = try foreignServer(kind, in: folder)
    try await lendPlace(kind, api, at: address, given, body)
    withExtendedLifetime(server) {}
  }
}

/// Lends a destination at an address, which lets in anyone who has what is given.
private func lendPlace(
  _ kind: Kind,
  _ api: Api,
  at address: String,
  _ given: [String: String],
  _ body: @escaping @Sendable (ContractPlace) async throws -> Void
) async throws {
  let transport = HTTPTransport()
  let credentials = GivenCredentials(given.mapValues { Secret($0) })
  let made: @Sendable (String) throws -> any Destination = { address in
    if kind == .folder { return try FolderDestination(api: api, address: address) }
    if kind == .postgresql {
      return try PostgreSQLDestination(api: api, address: address, credentials: credentials)
    }
    return try RESTDestination(
      api: api,
      address: address,
      credentials: credentials,
      transport: transport
    )
  }
  let place = ContractPlace(
    kind: kind,
    destination: try made(address),
    address: address,
    keeper: TokenKeeper(web: ""),
    secrets: ["password", "token"].compactMap { given[$0] },
    elsewhere: made
  )
  do { try await body(place) } catch {
    await transport.shutdown()
    throw error
  }
  await transport.shutdown()
}

extension ContractPlace {
  /// The same destination behind a proxy that keeps back the answer to whatever may change something.
  func losingAnswers(in folder: String) throws -> (destination: any Destination, RealServer) {
    guard let there = URLComponents(string: address), let make = elsewhere else {
      throw TestSupportError("\(address) is not a foreign server")
    }
    let origin = "http://127.0.0.1:\(there.port ?? 0)"
    let proxy = try RealServer.losing(1, before: origin, in: folder)
    return (try make(proxy.origin + there.path), proxy)
  }
}

/// Starts the server that a kind needs; gives its address and what opens it.
private func foreignServer(
  _ kind: Kind,
  in folder: String
) throws -> (server: (any Sendable)?, address: String, given: [String: String]) {
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
  case .postgresql:
    let server = try PostgreSQL(programs: try #require(environment["FERRY_POSTGRES"]), in: folder)
    try server.sql("CREATE TABLE notes (id text PRIMARY KEY, text text)")
    return (server, server.place, ["user": "postgres"])
  default: return (nil, "file:\(folder)/kept", [:])
  }
}

/// Kinto over a PostgreSQL server of its own, which takes seconds to start.
struct PostgreSQLPlaces: Sendable {
  /// Kinto's program and the folder of PostgreSQL's, where this machine has both.
  static let programs: (kinto: String, postgres: String)? = {
    let environment = ProcessInfo.processInfo.environment
    guard let kinto = environment["FERRY_KINTO"], let postgres = environment["FERRY_POSTGRES"]
    else { return nil }
    return (kinto, postgres)
  }()

  private let server: RealServer
  private let database: PostgreSQL

  init(in folder: String) throws {
    let programs = try #require(Self.programs)
    database = try PostgreSQL(programs: programs.postgres, in: folder)
    server = try RealServer.kinto(programs.kinto, in: folder, database: database.address)
  }

  /// Lends a destination with an account that has nothing yet.
  func lend(
    to name: String,
    _ body: @escaping @Sendable (ContractPlace) async throws -> Void
  ) async throws {
    try server.addKintoAccount(name, password: "s3cret-word")
    try await lendPlace(
      .kinto,
      try Kind.kinto.described(),
      at: "\(server.origin)/v1",
      ["user": name, "password": "s3cret-word"],
      body
    )
  }
}

/// Lends Kinto over PostgreSQL.
func withPostgreSQL(
  _ body: @escaping @Sendable (PostgreSQLPlaces) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let places = try PostgreSQLPlaces(in: folder)
    try await body(places)
    withExtendedLifetime(places) {}
  }
}
