import DestinationModel
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
import TextCodecs

/// The way to a CloudKit database, with what opens it.
///
/// With a web token requests go one after the other: each answer brings the token of the next
/// request, and that is written down before the next request leaves.
actor CloudKitGate {
  private let cloudKit: CloudKitApi
  private let origin: Origin
  private let timeout: Duration
  private let source: any CredentialSource
  private let transport: HTTPTransport
  private let now: @Sendable () -> Double

  private var key: Key?
  /// The token that could not be written down: nothing may be sent any more.
  private var failure: DestinationError?
  private var last: Task<Void, Never>?
  /// Every secret that an answer may hold.
  private(set) var redaction = Redaction()

  /// What opens the database.
  private enum Key {
    case signer(CloudKitSigner)
    case tokens(api: Secret, web: Secret)
  }

  private static let tokenHeader = "X-Apple-CloudKit-Web-Auth-Token"

  init(
    cloudKit: CloudKitApi,
    origin: Origin,
    timeout: Duration,
    source: any CredentialSource,
    transport: HTTPTransport,
    now: @escaping @Sendable () -> Double
  ) {
    self.cloudKit = cloudKit
    self.origin = origin
    self.timeout = timeout
    self.source = source
    self.transport = transport
    self.now = now
  }

  /// The identifier of the key that signs the requests; `nil` where tokens open the database.
  func keyID() async throws(DestinationError) -> String? {
    guard case .signer(let signer) = try await openingKey() else { return nil }
    return signer.keyID
  }

  /// Sends one request, once; without a body it only asks.
  ///
  /// It goes to the profile's database unless another is named, which the same key opens.
  func send(
    _ operation: String,
    _ body: JSONValue? = nil,
    to database: CloudKitApi.Database? = nil
  ) async -> CloudReply {
    let database = database ?? cloudKit.database
    guard cloudKit.database == .private else { return await attempt(operation, body, database) }
    let before = last
    let task = Task {
      await before?.value
      return await self.attempt(operation, body, database)
    }
    last = Task { _ = await task.value }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func attempt(
    _ operation: String,
    _ body: JSONValue?,
    _ database: CloudKitApi.Database
  ) async -> CloudReply {
    do throws(DestinationError) {
      if let failure { throw failure }
      let key = try await self.openingKey()
      return try await exchange(operation, body, database, key)
    } catch {
      switch error {
      case .unreachable, .page: return .other(.neverSent(reason: "\(error)"))
      case .busy, .unauthorized, .forbidden, .quota, .unexpected, .elsewhere, .misconfigured,
        .otherAccount:
        return .other(.refused(error))
      }
    }
  }

  private func exchange(
    _ operation: String,
    _ body: JSONValue?,
    _ database: CloudKitApi.Database,
    _ key: Key
  ) async throws(DestinationError) -> CloudReply {
    let path =
      "/database/1/\(cloudKit.container)/\(cloudKit.environment.rawValue)/"
      + "\(database.rawValue)/\(operation)"
    let bytes = body?.canonicalBytes
    var request = HTTPRequest(
      method: body == nil ? "GET" : "POST",
      url: origin.text + origin.path + path,
      body: bytes.map { .json($0) } ?? .nothing,
      timeout: timeout
    )
    request.headers.replaceOrAdd(name: "Accept", value: "application/json")
    let turn: HTTPTransport.Turn
    do throws(HTTPFailure) {
      turn = try await transport.turn()
    } catch {
      return .other(Meaning(of: error, origin: origin.text))
    }
    switch key {
    case .signer(let signer):
      for field in try signer.fields(path: path, body: bytes ?? [], now: now()) {
        request.headers.replaceOrAdd(name: field.name, value: field.value.exposed)
      }
    case .tokens(let api, let web):
      request.url += "?ckAPIToken=\(Self.escaped(api))&ckWebAuthToken=\(Self.escaped(web))"
    }
    let answer: HTTPAnswer
    do throws(HTTPFailure) {
      answer = try await transport.perform(request, in: turn)
    } catch {
      let reading = operation.hasSuffix("/modify") ? nil : operation
      return .other(Meaning(of: error.redacted(redaction), origin: origin.text, reading: reading))
    }
    await keepToken(of: answer)
    let reply = CloudReply(answer, to: operation, redaction: redaction, now: now())
    if case .failed(let failure) = reply, failure.code.hasPrefix("AUTHENTICATION") {
      // A person may have put a new one into the file by the next attempt.
      self.key = nil
    }
    return reply
  }

  /// Writes the token of an answer down; where that fails the answer counts, and nothing follows.
  private func keepToken(of answer: HTTPAnswer) async {
    guard case .tokens(let api, let web)? = key,
      let text = answer.headers.first(name: Self.tokenHeader), text != web.exposed, !text.isEmpty
    else { return }
    let token = Secret(text)
    redaction.add(token)
    redaction.add(Secret(Self.escaped(token)))
    key = .tokens(api: api, web: token)
    do throws(DestinationError) {
      try await source.replace("web-token", with: token)
    } catch {
      failure = error
    }
  }

  /// The key, read at the first request.
  private func openingKey() async throws(DestinationError) -> Key {
    if let key { return key }
    let names = cloudKit.credentials
    let opened: Key
    switch cloudKit.database {
    case .public:
      let keyID = try await source.credentials(named: [names[0]])[names[0]]
      guard let keyID else { throw .missingCredential(names[0]) }
      let document = try await source.document(named: names[1])
      redaction.add(document)
      opened = .signer(try CloudKitSigner(keyID: keyID.exposed, key: document))
    case .private:
      let secrets = try await source.credentials(named: names)
      guard let api = secrets[names[0]], let web = secrets[names[1]] else {
        throw .missingCredential(names[1])
      }
      guard source.canReplace(names[1]) else {
        throw .irreplaceable(names[1])
      }
      for secret in [api, web] {
        redaction.add(secret)
        redaction.add(Secret(Self.escaped(secret)))
      }
      opened = .tokens(api: api, web: web)
    }
    key = opened
    return opened
  }

  private static func escaped(_ secret: Secret) -> String {
    PercentCoding.encoded(secret.exposed)
  }
}

extension HTTPFailure {
  /// The same, with every secret replaced.
  func redacted(_ redaction: Redaction) -> HTTPFailure {
    switch self {
    case .neverSent(let reason): .neverSent(reason: redaction.redacted(reason))
    case .heldBack: self
    case .untrusted(let reason): .untrusted(reason: redaction.redacted(reason))
    case .unknown(let reason, let isTooLarge):
      .unknown(reason: redaction.redacted(reason), isTooLarge: isTooLarge)
    }
  }
}
