import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import REST
import Records
import Synchronization
import Testing
import UploadPlanning

/// An interface with one entity of each kind: `Hero` in batches, `Note` under its own identity,
/// `Event` one by one with an idempotency key.
enum Sample {
  static let password = "correct-horse"
  static let token = "token-of-the-session"

  static let credentials = GivenCredentials([
    "email": Secret("demo@example.com"), "password": Secret(password),
  ])

  static func api(
    settings: String = "",
    media: Bool = false,
    forbidden: String = "[POST /api/v1/stories]"
  ) throws -> Api {
    try api(text(settings: settings, media: media, forbidden: forbidden))
  }

  /// The interface of a profile with these entities and this API.
  static func api(_ yaml: String) throws -> Api {
    let profile = try Profile(yaml: "ferry-profile: 1\napp: sample\n\(yaml)", path: "sample.yaml")
    return try #require(profile.api)
  }

  /// How a destination is signed in to.
  enum Access {
    /// By a route that gives a token.
    case signIn
    case basic

    fileprivate var lines: [String] {
      switch self {
      case .signIn:
        [
          "sign-in:", "  request: POST /api/auth/sign-in/email",
          "  body: { email: \"{email}\", password: \"{password}\" }",
          "  token: { header: set-auth-token }",
        ]
      case .basic: ["basic: { user: \"{email}\", password: \"{password}\" }"]
      }
    }
  }

  /// An interface with one entity, whose entry has these lines.
  static func api(
    of entity: String,
    fields: [String] = ["name"],
    by access: Access = .basic,
    _ entry: String
  ) throws -> Api {
    let lines =
      [
        "entities:", "  \(entity):",
        "    fields: { \(fields.map { "\($0): \($0)" }.joined(separator: ", ")) }",
        "api:", "  kind: rest", "  credentials: [email, password]",
      ] + access.lines.map { "  \($0)" } + ["  entities:", "    \(entity):"]
      + entry.split(separator: "\n").map { "      \($0)" }
    return try api(lines.joined(separator: "\n"))
  }

  private static func text(settings: String, media: Bool, forbidden: String) -> String {
    """
    entities:
      Hero: { fields: { name: name } }
      Event: { fields: { title: title } }
      Note: { fields: { text: text } }
    api:
      kind: rest
      credentials: [email, password]
      sign-in:
        request: POST /api/auth/sign-in/email
        body: { email: "{email}", password: "{password}" }
        token: { header: set-auth-token }
      account: { request: GET /api/auth/get-session, member: user.id }
      forbidden: \(forbidden)
      timeout: 5s
      \(settings)
      media:
        enabled: \(media)
        ticket:
          request: POST /api/files/upload
          body: { fileName: name, mimeType: media-type, fileSize: size, category: category }
          upload: data.uploadUrl
          key: data.storageKey
          url: data.publicUrl
        confirm: { request: POST /api/files/confirm, body: { storageKey: key } }
        remove: DELETE /api/files/{key}
      entities:
        Hero:
          replay: look-up
          list:
            request: GET /api/v1/heroes
            items: data.heroes
            limit: { name: limit, value: 2 }
            offset: offset
            more: data.pagination.hasMore
            since: updatedAfter
          read: { request: "GET /api/v1/heroes/{id}", item: data }
          version: updatedAt
          create:
            request: POST /api/batch
            batch:
              items: heroes
              limit: 3
              local-id: id
              answered-as: localId
              created: results.created
              failed: results.failed
              id: serverId
          update: { request: "PATCH /api/v1/heroes/{id}", item: data }
          delete: { request: "DELETE /api/v1/heroes/{id}" }
          body: { name: name }
          natural-key: [name]
        Event:
          replay: key
          create:
            request: POST /api/v1/custom-events
            item: data
            key-header: Idempotency-Key
          body: { title: title }
        Note:
          replay: id
          list:
            request: GET /collections/notes/records
            items: records
            limit: { name: limit, value: 2 }
            cursor: { name: after, member: next }
          read: { request: "GET /collections/notes/records/{id}" }
          version: version
          content: data
          create: { request: "PUT /collections/notes/records/{id}", if-none-match: true }
          update: { request: "PUT /collections/notes/records/{id}", if-match: true }
          delete: { request: "DELETE /collections/notes/records/{id}", if-match: true }
          body: { text: text }
    """
  }
}

/// Lends a transport, and closes its connections afterwards.
func withTransport(_ body: (HTTPTransport) async throws -> Void) async throws {
  let transport = HTTPTransport()
  do {
    try await body(transport)
  } catch {
    await transport.shutdown()
    throw error
  }
  await transport.shutdown()
}

/// Gives a destination at an address, and closes its connections afterwards.
func withDestination(
  at address: String,
  api: Api? = nil,
  credentials: any CredentialSource = Sample.credentials,
  now: Double = 1_800_000_000,
  body: (RESTDestination) async throws -> Void
) async throws {
  try await withTransport { transport in
    let destination = try RESTDestination(
      api: api ?? Sample.api(),
      address: address,
      credentials: credentials,
      transport: transport,
      now: { now }
    )
    try await body(destination)
  }
}

/// A scripted server that lets everybody in, and a destination that speaks to it.
func withScript(
  api: Api? = nil,
  now: Double = 1_800_000_000,
  _ script: @escaping ScriptedServer.Script,
  body: (RESTDestination, ScriptedServer) async throws -> Void
) async throws {
  let whole: ScriptedServer.Script = { request in
    guard request.line == "POST /api/auth/sign-in/email" else { return script(request) }
    return .json(["token": "t"], headers: [("set-auth-token", Sample.token)])
  }
  try await ScriptedServer.run(whole) { server in
    try await withDestination(at: server.address, api: api, now: now) { destination in
      try await body(destination, server)
    }
  }
}

extension Destination {
  /// The identities of an entity's records, from the first page to the last.
  func ids(of entity: EntityName = "Note", since: String? = nil) async throws -> [String] {
    var ids: [String] = []
    var cursor: String?
    repeat {
      let page = try await self.page(of: entity, after: cursor, since: since)
      ids += page.records.map(\.serverID)
      cursor = page.next
    } while cursor != nil
    return ids
  }
}

extension Mutex<Int> {
  /// Counts one more, and gives the count.
  func next() -> Int {
    withLock { count in
      count += 1
      return count
    }
  }
}
