import Crypto
import DestinationModel
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
import S3Media
import TextCodecs

/// What lets the requests of one account in: its headers, got by signing in where that is needed.
///
/// However many requests wait for it, only one sign-in is under way. The credentials come from places
/// that may hold others by the time of the next sign-in, so nothing goes out under that before the
/// destination has said that the account is the same, or, where it cannot, the first credential is.
actor Session {
  /// What a request carries to be let in.
  struct Authorization: Sendable {
    /// Counts the sign-ins, so that a refusal can be distinguished from one of an older token.
    let generation: Int
    let fields: [SecretField]
    /// Query parameters, in which credentials may be.
    let query: [SecretField]
    /// What signs the request; `nil` for nothing.
    let signature: SignatureV4?
    /// All secrets that the request and its answer may hold.
    let redaction: Redaction
    /// The account as the credentials state it; `nil` if there are no such values, and where the destination
    /// gives it.
    let principal: String?
    /// When to sign in again, in seconds since 1970; `nil` where only a refusal shows that.
    var renewal: Double?
  }

  private let api: Api
  private nonisolated let http: HTTPExchanger
  nonisolated let source: any CredentialSource
  private var current: Authorization?
  private var generation = 0
  private var signingIn: Task<Result<Authorization, DestinationError>, Never>?
  /// Whose data the destination serves, once it has said so, or a person was let in.
  private var account: String?
  /// That it last said that it serves another account than at first; `nil` where it did not.
  private(set) var accountFault: DestinationError?

  init(api: Api, http: HTTPExchanger, source: any CredentialSource) {
    self.api = api
    self.http = http
    self.source = source
  }

  /// The authorization in force; signs in when it is missing, or when it is about to end.
  func authorization() async throws(DestinationError) -> Authorization {
    if let current, current.renewal.map({ http.now() < $0 }) ?? true { return current }
    if let signingIn { return try await signingIn.value.get() }
    generation += 1
    let next = generation
    let task = Task { await self.open(generation: next) }
    signingIn = task
    let result = await task.value
    signingIn = nil
    current = try result.get()
    return try result.get()
  }

  /// Another authorization than the one that was refused, or `nil` where signing in is no way.
  func authorization(
    after refused: Authorization
  ) async throws(DestinationError) -> Authorization? {
    guard api.signIn != nil else { return nil }
    if current?.generation == refused.generation { current = nil }
    return try await authorization()
  }

  /// Signs in again after an answer that refused the sign-in inside; gives whether that was a way.
  func renews(after exchange: Exchange) async -> Bool {
    guard api.signIn != nil, let generation = exchange.generation else { return false }
    if current?.generation == generation { current = nil }
    do throws(DestinationError) {
      _ = try await authorization()
      return true
    } catch {
      return false
    }
  }

  /// Distinguishes accounts where the destination cannot: by what it said at the sign-in, else by its
  /// address with a digest of the first credential.
  private func principal(
    of secrets: [String: Secret],
    signedInAs account: String?
  ) throws(DestinationError) -> String? {
    guard api.account == nil, api.statedAccount == nil else { return nil }
    if let account { return account }
    guard let name = api.credentials.first else { return nil }
    guard let secret = secrets[name] else { throw .missingCredential(name) }
    let digits = SHA256.hash(data: Array(secret.exposed.utf8)).prefix(8).hexadecimal
    return "\(http.origin)#\(digits)"
  }

  /// Whose data the destination serves, as far as it has said so; `nil` before.
  var heldAccount: String? { account }

  /// Takes in whose data the destination serves; what was said first holds from then on.
  ///
  /// - Throws: `DestinationError.otherAccount(first:now:)` where it says another now.
  func hold(account name: String) throws(DestinationError) {
    guard let first = account, first != name else {
      account = name
      accountFault = nil
      return
    }
    let fault = DestinationError.otherAccount(first: first, now: name)
    accountFault = fault
    throw fault
  }

  /// Holds whose data the destination serves under a new sign-in against what it was before: by the
  /// credentials, or by its word where it was asked before.
  private func checkAccount(under authorization: Authorization) async throws(DestinationError) {
    if let principal = authorization.principal { try hold(account: principal) }
    guard let route = api.account, account != nil else { return }
    let exchange = await http.send(Call(route: route.route), as: authorization)
    try hold(account: try route.name(in: exchange, of: http.origin))
  }

  private func open(generation: Int) async -> Result<Authorization, DestinationError> {
    do throws(DestinationError) {
      let secrets = try await source.credentials(named: api.credentials)
      var redaction = Redaction()
      for secret in secrets.values { redaction.add(secret) }
      let values = secrets.mapValues(\.exposed)
      var fields: [SecretField] = []
      if let basic = api.basic {
        let pair = "\(try Self.fill(basic.user, values)):\(try Self.fill(basic.password, values))"
        let encoded = Base64.text(Array(pair.utf8))
        redaction.add(Secret(encoded))
        fields.append(SecretField(name: "Authorization", value: Secret("Basic \(encoded)")))
      }
      for member in api.headers { fields.append(try Self.field(member, values)) }
      var query: [SecretField] = []
      for member in api.query { query.append(try Self.field(member, values)) }
      var renewal: Double?
      var account: String?
      if let signIn = api.signIn {
        let (token, life, name) = try await token(signIn, values, fields, query, redaction)
        account = name
        redaction.add(token)
        renewal = life.map { TokenLife.renewal(after: $0, now: http.now(), margin: signIn.renew) }
        let carried = ["token": token.exposed]
        if let member = signIn.authorization { fields.append(try Self.field(member, carried)) }
        for member in signIn.query { query.append(try Self.field(member, carried)) }
      }
      let authorization = Authorization(
        generation: generation,
        fields: fields,
        query: query,
        signature: signature(secrets),
        redaction: redaction,
        principal: try principal(of: secrets, signedInAs: account),
        renewal: renewal
      )
      try await checkAccount(under: authorization)
      return .success(authorization)
    } catch {
      return .failure(error)
    }
  }

  private func signature(_ secrets: [String: Secret]) -> SignatureV4? {
    guard let rule = api.signing, let accessKey = secrets[rule.accessKey],
      let secretKey = secrets[rule.secretKey]
    else { return nil }
    return SignatureV4(
      accessKey: accessKey.exposed,
      secretKey: secretKey,
      sessionToken: rule.sessionToken.flatMap { secrets[$0] },
      region: rule.region,
      service: rule.service
    )
  }

  private func token(
    _ signIn: SignIn,
    _ values: [String: String],
    _ fields: [SecretField],
    _ query: [SecretField],
    _ redaction: Redaction
  ) async throws(DestinationError) -> (Secret, life: Double?, account: String?) {
    if let name = signIn.rotation?.credential, !source.canReplace(name) {
      throw .irreplaceable(name)
    }
    let place = try signIn.server.map { server throws(DestinationError) in
      try Self.server(server)
    }
    // What opens the destination goes to no other server.
    let (fields, query) = place == nil ? (fields, query) : ([], [])
    let http = place.map { self.http.at($0) } ?? self.http
    var values = values
    var redaction = redaction
    var issuer: String?
    if let rule = signIn.assertion {
      let key = try await source.document(named: rule.key)
      let assertion = try SignedAssertion(rule, key: key, now: http.now())
      values["assertion"] = assertion.text.exposed
      redaction.add(assertion.text)
      issuer = assertion.issuer
    }
    var members: [(name: String, value: String)] = []
    for member in signIn.body { members.append((member.name, try Self.fill(member, values))) }
    let body = signIn.body(members)
    let form = "application/x-www-form-urlencoded"
    let call = Call(
      route: signIn.route,
      body: signIn.isForm ? .bytes(body, mediaType: form) : .json(body)
    )
    let exchange = await http.send(call, adding: fields, query, redaction: redaction)
    switch exchange.meaning {
    case .done(let answer):
      let token = try Self.token(at: signIn.token, exchange.headers, answer?.value, signIn.route)
      if let rotation = signIn.rotation { try await keep(rotation, answer?.value, signIn.route) }
      let ending: JSONValue? =
        switch signIn.expires {
        case .member(let path): answer?.value.value(at: path)
        case .claim(let name): TokenLife.claim(name, of: token)
        case nil: nil
        }
      let moment = PauseHint.time(exchange.headers, else: http.now())
      return (
        token, ending.flatMap { TokenLife.life($0, at: moment) },
        try Self.account(signIn, token, answer?.value) ?? issuer
      )
    case .faulty(let status, _, let reason) where status != 404 && status != 405:
      throw .unauthorized(reason: reason)
    case .unfit, .faulty, .refused, .neverSent, .later, .unknown:
      throw exchange.error(request: signIn.route, origin: http.origin)
    }
  }

  /// Keeps the credential of the next sign-in: the one that was sent is used up.
  private func keep(
    _ rotation: SignIn.Rotation,
    _ answer: JSONValue?,
    _ route: Route
  ) async throws(DestinationError) {
    let next = try Self.token(at: .member(rotation.next), [:], answer, route)
    try await source.replace(rotation.credential, with: next)
  }

  /// The server that signs in, if that is not the destination: credentials go there encrypted, or within
  /// this machine.
  private static func server(_ address: String) throws(DestinationError) -> Origin {
    let server = try Origin(address)
    guard server.isProtected else {
      throw .misconfigured(
        reason: "the connection to \(server), which signs in, is not encrypted (http)",
        cure: "write its https address under “server” of “sign-in” in the profile"
      )
    }
    return server
  }

  /// Whose data the token opens, where the answer says that.
  private static func account(
    _ signIn: SignIn,
    _ token: Secret,
    _ answer: JSONValue?
  ) throws(DestinationError) -> String? {
    let account: String?
    let name: String
    switch signIn.account {
    case nil: return nil
    case .member(let path):
      (account, name) = (answer?.value(at: path)?.shortText, "\(path)")
    case .claim(let claim):
      (account, name) = (TokenLife.claim(claim, of: token)?.shortText, "claim \(claim)")
    }
    guard let account else {
      throw .unexpected(
        request: "\(signIn.route)",
        reason: "the answer has no account at “\(name)”"
      )
    }
    return account
  }

  private static func token(
    at place: SignIn.TokenPlace,
    _ headers: HTTPHeaders,
    _ answer: JSONValue?,
    _ route: Route
  ) throws(DestinationError) -> Secret {
    let text =
      switch place {
      case .header(let name): headers.first(name: name)
      case .member(let path): answer?.value(at: path)?.text
      }
    guard let text, !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .unexpected(request: "\(route)", reason: "the answer holds no usable token")
    }
    return Secret(text)
  }

  /// A header with a secret in it, which must not be able to become two.
  static func field(
    _ member: TemplateMember,
    _ values: [String: String]
  ) throws(DestinationError) -> SecretField {
    let text = try fill(member, values)
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw .misconfigured(
        reason: "the credential in the header “\(member.name)” holds a line break or another "
          + "control character",
        cure: "give the bare secret, in one line"
      )
    }
    return SecretField(name: member.name, value: Secret(text))
  }

  private static func fill(
    _ member: TemplateMember,
    _ values: [String: String]
  ) throws(DestinationError) -> String {
    guard let text = member.filled(values) else {
      throw .misconfigured(
        reason: "“\(member.name)” needs a credential that the profile does not declare",
        cure: "list it under api.credentials"
      )
    }
    return text
  }
}

// MARK: - Calls as the account

extension Session {
  /// Sends a call as the account; after a 401, once more with a new token.
  nonisolated func exchange(_ call: Call) async -> Exchange {
    do throws(DestinationError) {
      let authorization = try await authorization()
      let first = await send(call, as: authorization)
      guard case .refused(.unauthorized) = first.meaning,
        let renewed = try await self.authorization(after: authorization)
      else { return first }
      return await send(call, as: renewed)
    } catch {
      return Exchange(meaning: Meaning(withoutAuthorization: error))
    }
  }

  private nonisolated func send(_ call: Call, as authorization: Authorization) async -> Exchange {
    var exchange = await http.send(call, as: authorization)
    exchange.generation = authorization.generation
    return exchange
  }
}

extension Meaning {
  /// What a failed sign-in means for the request that waited for it and was never sent.
  init(withoutAuthorization error: DestinationError) {
    switch error {
    case .unreachable(_, let reason, _), .page(_, let reason):
      self = .neverSent(reason: "signing in: \(reason)")
    case .busy(let pause, let reason): self = .later(pause: pause, reason: "signing in: \(reason)")
    case .unauthorized, .forbidden, .quota, .unexpected, .elsewhere, .misconfigured,
      .otherAccount:
      self = .refused(error)
    }
  }
}

/// Finds out whose data a destination serves.
struct AccountReader: Sendable {
  let api: Api
  let http: HTTPExchanger
  let session: Session

  /// What the destination says, else its address with a digest of the first credential.
  func account() async throws(DestinationError) -> String {
    if let stated = api.statedAccount { return stated }
    guard let account = api.account else {
      return try await session.authorization().principal ?? http.origin.text
    }
    let exchange = await session.exchange(Call(route: account.route))
    let name = try account.name(in: exchange, of: http.origin)
    try await session.hold(account: name)
    return name
  }

  /// The same, asked for once.
  func heldAccount() async throws(DestinationError) -> String {
    if let held = await session.heldAccount { return held }
    return try await account()
  }

  /// The further names in the same answer that an app's store may know the account by.
  func names() async throws(DestinationError) -> [String] {
    guard let account = api.account, !account.names.isEmpty else { return [] }
    let exchange = await session.exchange(Call(route: account.route))
    let answer = try account.answer(in: exchange, of: http.origin)
    return account.names.compactMap { answer.value(at: $0)?.shortText }
  }
}

extension AccountRoute {
  /// What the destination answered.
  fileprivate func answer(
    in exchange: Exchange,
    of origin: Origin
  ) throws(DestinationError) -> JSONValue {
    guard case .done(let answer?) = exchange.meaning else {
      throw exchange.error(request: route, origin: origin)
    }
    return answer.value
  }

  /// Whose data it says it serves.
  fileprivate func name(
    in exchange: Exchange,
    of origin: Origin
  ) throws(DestinationError) -> String {
    guard let name = try answer(in: exchange, of: origin).value(at: member)?.shortText else {
      throw .unexpected(
        request: "\(route)",
        reason: "the answer has no account at “\(member)”"
      )
    }
    return name
  }
}
