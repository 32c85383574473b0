import Changeset
import CloudKitWeb
import Crypto
import DestinationModel
import DevelopmentBackend
import Foundation
import HTTPTransport
import JSONText
import Profiles
import Records
import REST
import Testing
import TestSupport
import UploadPlanning

/// The kinds of destinations that the contract is held against.
enum Kind: String, CaseIterable, Sendable {
  case collections, cloudPrivate, cloudPublic, changeset, folder
  /// Servers that are not ours: `FERRY_KINTO` and `FERRY_DATASETTE` name their programs.
  case kinto, datasette
  /// A database; `FERRY_POSTGRES` names the folder of its programs.
  case postgresql

  /// Those that this machine has; of the others a test says that it is skipped.
  static let present = allCases.filter { kind in
    kind.variable.map { ProcessInfo.processInfo.environment[$0] != nil } ?? true
  }

  /// Those over the development backend, which can be asked to misbehave.
  static let faulty: [Kind] = [.collections, .cloudPrivate, .cloudPublic, .changeset]

  /// Those that is not ours.
  static let foreign = present.filter { $0 == .kinto || $0 == .datasette }

  /// Those whose records have versions.
  static let versioned = present.filter { $0 != .datasette }

  fileprivate var variable: String? {
    switch self {
    case .kinto: "FERRY_KINTO"
    case .datasette: "FERRY_DATASETTE"
    case .postgresql: "FERRY_POSTGRES"
    default: nil
    }
  }

  /// The route that changes records, in the words of a fault plan.
  var writes: String {
    switch self {
    case .collections: "PUT /collections"
    case .cloudPrivate: "POST /database/1/iCloud.contract/development/private/records/modify"
    case .cloudPublic: "POST /database/1/iCloud.contract/development/public/records/modify"
    case .changeset: "POST /api/sync"
    case .folder, .kinto, .datasette, .postgresql: preconditionFailure("it has no fault plan")
    }
  }

  fileprivate var api: String {
    switch self {
    case .collections:
      """
        kind: rest
        credentials: [email, password]
        sign-in:
          request: POST /api/auth/sign-in/email
          body: { email: "{email}", password: "{password}" }
          token: { header: set-auth-token }
        entities:
          Note:
            replay: id
            list:
              request: GET /collections/notes/records
              items: records
              cursor: { name: after, member: next }
              since: since
              deleted: deleted
            read: { request: "GET /collections/notes/records/{id}" }
            version: version
            content: data
            create: { request: "PUT /collections/notes/records/{id}", if-none-match: true }
            update: { request: "PUT /collections/notes/records/{id}", if-match: true }
            delete: { request: "DELETE /collections/notes/records/{id}", if-match: true }
            body: { text: text }
      """
    case .cloudPrivate, .cloudPublic:
      """
        kind: cloudkit
        container: iCloud.contract
        database: \(self == .cloudPrivate ? "private" : "public")
      \(self == .cloudPrivate ? "  zone: Notes\n  create-zone: true" : "")
        entities:
          Note: { record-type: Note, types: { text: string }, body: { text: text } }
      """
    case .changeset:
      """
        kind: changeset
        credentials: [email, password]
        sign-in:
          request: POST /api/auth/sign-in/email
          body: { email: "{email}", password: "{password}" }
          token: { header: set-auth-token }
        account: { request: GET /api/auth/get-session, member: user.id }
        sync: { pull: GET /api/sync, push: POST /api/sync }
        entities:
          Note:
            rows: notes
            deleted: deleted_at
            changed: updated_at
            owner: user_id
            version: version
            body: { text: text }
      """
    case .folder:
      """
        kind: folder
        entities:
          Note: { body: { text: text } }
      """
    case .postgresql:
      """
        kind: postgresql
        credentials: [user]
        entities:
          Note: { table: notes, body: { text: text } }
      """
    case .kinto:
      """
        kind: rest
        credentials: [user, password]
        basic: { user: "{user}", password: "{password}" }
        account: { request: GET /, member: user.id }
        entities:
          Note:
            replay: id
            list:
              request: GET /buckets/default/collections/notes/records
              items: data
              limit: { name: _limit, value: 100 }
              next: { header: Next-Page }
              since: _since
              changes-cursor: { header: ETag }
              deleted: deleted
            version: last_modified
            read: { request: "GET /buckets/default/collections/notes/records/{id}", item: data }
            create:
              request: PUT /buckets/default/collections/notes/records/{id}
              if-none-match: true
              wrap: data
              item: data
              batch: { request: POST /batch, requests: requests, responses: responses, limit: 25 }
            update: { request: "PATCH /buckets/default/collections/notes/records/{id}", if-match: true, wrap: data, item: data }
            delete: { request: "DELETE /buckets/default/collections/notes/records/{id}", if-match: true }
            body: { text: text }
      """
    case .datasette:
      """
        kind: rest
        credentials: [token]
        headers: { Authorization: "Bearer {token}" }
        entities:
          Note:
            replay: id
            list:
              request: GET /notes.json?_shape=objects
              items: rows
              limit: { name: _size, value: 100 }
              cursor: { name: _next, member: next }
            read: { request: "GET /notes/{id}.json?_shape=objects", item: rows.0 }
            create:
              request: POST /notes/-/insert
              exists: { status: 400, words: UNIQUE constraint failed }
              batch: { rows: rows, limit: 100 }
            update: { request: "POST /notes/{id}/-/update", wrap: update }
            delete: { request: "POST /notes/{id}/-/delete" }
            body: { text: text }
      """
    }
  }
}

extension Kind {
  /// What a profile says of it.
  func described() throws -> Api {
    let yaml = """
      ferry-profile: 1
      app: contract
      entities:
        Note: { fields: { text: text } }
      api:
      \(api)
      """
    return try #require(try Profile(yaml: yaml, path: "contract.yaml").api)
  }
}

/// A destination of a kind, over a server of its own.
struct ContractPlace: Sendable {
  let kind: Kind
  let destination: any Destination
  let address: String
  let keeper: TokenKeeper
  let secrets: [String]
  /// The same at another address, of a server that is not ours.
  var elsewhere: (@Sendable (_ address: String) throws -> any Destination)?

  var listsChanges: Bool { destination.traits.listsChangesSince["Note"] == true }

  func item(
    _ number: Int64,
    _ text: String,
    of serverID: String? = nil,
    version: String? = nil
  ) -> OutgoingBatch.Item {
    .number(
      number,
      id: "n\(number)",
      serverID: serverID,
      version: version,
      body: ["text": .string(text)]
    )
  }

  /// Sends each item as the engine does: together where the destination takes them so, and again
  /// when nothing was done but to make the zone.
  func send(
    _ verb: OutgoingBatch.Verb,
    _ items: [OutgoingBatch.Item]
  ) async throws -> BatchAnswer {
    let answer = await destination.send(.notes(verb, items))
    guard answer.pause == .milliseconds(1) else { return answer }
    return await destination.send(.notes(verb, items))
  }

  func page(since: String?) async throws -> RemotePage {
    try await destination.page(of: "Note", after: nil, since: since)
  }

  func record(_ id: String) async throws -> RemoteRecord? {
    try await destination.record(of: "Note", serverID: id)
  }

  /// All notes that are there.
  func texts() async throws -> [String: String] {
    var texts: [String: String] = [:]
    var mark: String?
    repeat {
      let page = try await destination.page(of: "Note", after: mark, since: nil)
      for record in page.records {
        texts[record.serverID] = try JSONValue(parsing: record.body)["text"]?.text
      }
      mark = page.next
    } while mark != nil
    return texts
  }

  func setFaults(_ text: String) async throws {
    let transport = HTTPTransport()
    let request = HTTPRequest(
      method: "PUT",
      url: "\(address)/__dev/faults",
      body: .json(Array(text.utf8))
    )
    let answer = try await transport.perform(request)
    await transport.shutdown()
    #expect(answer.status == 200)
  }

  /// A lost answer took the web token along.
  func signInAgain() async throws {
    guard kind == .cloudPrivate else { return }
    let token = try await ask(address, "/__dev/cloudkit/token")["webToken"]?.text
    keeper.put(try #require(token))
    // The destination notices at its next request that the old one is not good any more.
    _ = try? await destination.account()
  }
}

/// Lends a destination of a kind.
func withPlace(
  _ kind: Kind,
  body: @escaping @Sendable (ContractPlace) async throws -> Void
) async throws {
  let api = try kind.described()
  if !Kind.faulty.contains(kind) { return try await withForeignPlace(kind, api, body: body) }
  let key = P256.Signing.PrivateKey()
  var configuration = DevelopmentBackend.Configuration()
  configuration.takesAnySyncRows = true
  try await withDevelopmentBackend(configuration) { address in
    let token = try await ask(address, "/__dev/cloudkit/token")["webToken"]?.text ?? ""
    let added: JSONValue = [
      "keyID": "k", "publicKey": .string(key.publicKey.pemRepresentation),
    ]
    _ = try await ask(address, "/__dev/cloudkit/key", added)
    let keeper = TokenKeeper(web: token)
    let given = GivenCredentials([
      "email": Secret("demo@example.com"), "password": Secret(Sample.password),
      "key-id": Secret("k"), "private-key": Secret(key.pemRepresentation),
    ])
    let transport = HTTPTransport()
    let destination: any Destination =
      switch kind {
      case .collections:
        try RESTDestination(api: api, address: address, credentials: given, transport: transport)
      case .cloudPrivate:
        try CloudKitDestination(
          api: api,
          address: address,
          credentials: keeper,
          transport: transport
        )
      case .cloudPublic:
        try CloudKitDestination(
          api: api,
          address: address,
          credentials: given,
          transport: transport
        )
      case .changeset:
        try ChangesetDestination(
          api: api,
          address: address,
          credentials: given,
          transport: transport
        )
      case .folder, .kinto, .datasette, .postgresql:
        preconditionFailure("it is not a server of ours")
      }
    let place = ContractPlace(
      kind: kind,
      destination: destination,
      address: address,
      keeper: keeper,
      secrets: [Sample.password, token, key.pemRepresentation]
    )
    if kind == .cloudPrivate {
      // The zone is there before anything is counted; the change itself finds no record.
      let nothing = place.item(0, "", of: "nothing", version: "t")
      _ = await destination.send(.notes(.update, [nothing]))
    }
    do { try await body(place) } catch {
      await transport.shutdown()
      throw error
    }
    await transport.shutdown()
  }
}
