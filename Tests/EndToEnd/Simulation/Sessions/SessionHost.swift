import Changeset
import CloudKitWeb
import Crypto
import DestinationModel
import DevelopmentBackend
import HTTPTransport
import JSONText
import Profiles
import REST
import Synchronization

/// A development backend in this process, to which the histories of one lane come one after the other.
package final class SessionHost: Sendable {
  /// What kept the server from doing what a history needs of it.
  package enum Fault: Error {
    case server(String)
  }

  let place: SessionPlace
  let address: String
  let transport = HTTPTransport(userAgent: "stranger")
  private let judge: Judge
  private let key: P256.Signing.PrivateKey

  /// Says what becomes of a request, as the history says whose process is at work.
  private final class Judge: Sendable {
    let word = Mutex<(@Sendable (ReceivedRequest) -> RequestFate)?>(nil)
  }

  private init(
    _ place: SessionPlace,
    at address: String,
    _ judge: Judge,
    _ key: P256.Signing.PrivateKey
  ) {
    self.place = place
    self.address = address
    self.judge = judge
    self.key = key
  }

  /// Lends a server of a kind.
  package static func lend<Value: Sendable>(
    _ place: SessionPlace,
    _ body: @escaping @Sendable (SessionHost) async throws -> Value
  ) async throws -> Value {
    let judge = Judge()
    var configuration = DevelopmentBackend.Configuration()
    configuration.uploadTickets = place == .stories
    configuration.publicMediaAddress = "https://files.test"
    configuration.takesAnySyncRows = true
    configuration.judge = { received in
      judge.word.withLock { $0 }.map { $0(received) } ?? .planned
    }
    let backend = try DevelopmentBackend(configuration: configuration)
    let (ports, said) = AsyncStream.makeStream(of: Int.self)
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask {
        defer { said.finish() }
        try await backend.run { said.yield($0) }
        return nil
      }
      group.addTask {
        for await port in ports {
          let key = P256.Signing.PrivateKey()
          let host = SessionHost(place, at: "http://127.0.0.1:\(port)", judge, key)
          do {
            let words: JSONValue = [
              "keyID": "k", "publicKey": .string(key.publicKey.pemRepresentation),
            ]
            _ = try await host.ask("POST", "/__dev/cloudkit/key", words)
            let value = try await body(host)
            await host.transport.shutdown()
            return value
          } catch {
            await host.transport.shutdown()
            throw error
          }
        }
        return nil
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() ?? nil else { throw Fault.server("it ended") }
      return value
    }
  }

  /// Has every request judged by `word` from now on, or by no one.
  func heed(_ word: (@Sendable (ReceivedRequest) -> RequestFate)?) {
    judge.word.withLock { $0 = word }
  }

  /// Asks the server for what only one for development has.
  func ask(_ method: String, _ path: String, _ body: JSONValue = [:]) async throws -> JSONValue {
    let answer = try await transport.perform(
      HTTPRequest(
        method: method,
        url: address + path,
        body: method == "GET" ? .nothing : .json(body.canonicalBytes)
      )
    )
    guard answer.status < 300 else { throw Fault.server("\(method) \(path): \(answer.status)") }
    return try JSONValue(parsing: answer.body)
  }

  /// Takes everything away that a history left.
  package func clear() async throws { _ = try await ask("POST", "/__dev/reset") }

  /// Signs in, as a person who uses the program does.
  func signIn() async throws -> SessionCredentials {
    var secrets = [
      "email": Secret(DevelopmentBackend.Account.example.email),
      "password": Secret(DevelopmentBackend.Account.example.password),
    ]
    switch place {
    case .collections, .contents, .stories, .changeset: break
    case .cloudPublic:
      secrets["key-id"] = Secret("k")
      secrets["private-key"] = Secret(key.pemRepresentation)
    case .cloudPrivate:
      let tokens = try await ask("POST", "/__dev/cloudkit/token")
      secrets["api-token"] = tokens["apiToken"]?.text.map { Secret($0) }
      secrets["web-token"] = tokens["webToken"]?.text.map { Secret($0) }
    }
    return SessionCredentials(secrets)
  }

  /// The destination, as one client comes to it, without the pace that the program keeps to CloudKit: a
  /// history has no time for that.
  func destination(
    _ api: Api,
    _ credentials: SessionCredentials,
    over transport: HTTPTransport
  ) throws -> any Destination {
    switch place {
    case .collections, .contents, .stories:
      try RESTDestination(
        api: api,
        address: address,
        credentials: credentials,
        transport: transport
      )
    case .changeset:
      try ChangesetDestination(
        api: api,
        address: address,
        credentials: credentials,
        transport: transport
      )
    case .cloudPublic, .cloudPrivate:
      try CloudKitDestination(
        api: api,
        address: address,
        credentials: credentials,
        transport: transport
      )
    }
  }
}

/// What one signs in with; a token that is good once is replaced by the next.
final class SessionCredentials: CredentialSource {
  private let secrets: Mutex<[String: Secret]>

  init(_ secrets: [String: Secret]) { self.secrets = Mutex(secrets) }

  func credentials(named names: [String]) async throws(DestinationError) -> [String: Secret] {
    secrets.withLock { secrets in secrets.filter { names.contains($0.key) } }
  }

  func canReplace(_ name: String) -> Bool { name == "web-token" }

  func replace(_ name: String, with secret: Secret) async throws(DestinationError) {
    secrets.withLock { $0[name] = secret }
  }
}
