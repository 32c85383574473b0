import Crypto
import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// What a route of CloudKit does with a body, in one database.
  private typealias CloudWork = @Sendable (JSONObject, CloudPlace, Transaction) throws -> Answer

  /// CloudKit Web Services, as far as a migration needs them.
  func addCloudKit(to router: Router<RouteContext>) {
    addCloud(.post, "records/modify", to: router, modifyCloudRecords)
    addCloud(.post, "records/lookup", to: router, lookUpCloudRecords)
    addCloud(.post, "records/query", to: router, queryCloudRecords)
    addCloud(.post, "assets/upload", to: router, giveCloudAddresses)
    addCloudAssets(to: router)
    addCloud(.post, "zones/modify", to: router, modifyCloudZones)
    addCloud(.get, "zones/list", to: router, listCloudZones)
    addCloud(.post, "changes/zone", to: router, cloudZoneChanges)
    addCloud(.get, "users/current", to: router) { _, place, _ in
      guard !place.isPrivate else {
        throw CloudRefusal.badRequest("endpoint not applicable in the database type 'privatedb'")
      }
      return .json(["userRecordName": .string(place.userRecordName)])
    }
    add(.post, "/__dev/cloudkit/token", to: router, for: .anybody, work: newCloudToken)
    add(.post, "/__dev/cloudkit/key", to: router, for: .anybody, work: addCloudKey)
    add(.post, "/__dev/cloudkit/expire", to: router, for: .anybody) { _, transaction in
      try transaction.run("UPDATE cloudZones SET epoch = epoch + 1")
      return .json(["success": true])
    }
  }

  private func addCloud(
    _ method: HTTPRequest.Method,
    _ path: String,
    to router: Router<RouteContext>,
    _ work: @escaping CloudWork
  ) {
    let whole = RouterPath("/database/1/:container/:environment/:database/\(path)")
    add(method, whole, to: router, for: .anybody) { call, transaction in
      try cloudAnswer(to: call, transaction, work)
    }
  }

  /// Answers in the words of CloudKit; a used web token stays used whatever becomes of the rest.
  private func cloudAnswer(
    to call: Call,
    _ transaction: Transaction,
    _ work: CloudWork
  ) throws -> Answer {
    var nextToken: String?
    var answer: Answer
    do {
      let (environment, database) = (
        try call.parameter("environment"), try call.parameter("database")
      )
      guard ["development", "production"].contains(environment),
        ["public", "private"].contains(database)
      else { throw CloudRefusal.badRequest("The environment or the database is not known") }
      try admitCloud(call)
      let caller = try CloudAuthentication(
        call: call,
        transaction: transaction,
        settings: configuration.cloudKit
      ).caller(isPrivate: database == "private")
      nextToken = caller.nextToken
      let place = CloudPlace(
        container: try call.parameter("container"),
        environment: environment,
        database: database,
        origin: call.origin,
        userID: caller.userID
      )
      answer = try work(call.method == .get ? [:] : try cloudBody(call), place, transaction)
    } catch let refusal as CloudRefusal {
      answer = refusal.answer
    }
    if let nextToken, let name = CloudAuthentication.tokenHeader {
      answer.headers[name] = nextToken
    }
    return answer
  }

  private func cloudBody(_ call: Call) throws(CloudRefusal) -> JSONObject {
    guard let body = call.json?.object else { throw .badRequest("The body is not JSON") }
    return body
  }

  private func admitCloud(_ call: Call) throws(CloudRefusal) {
    let settings = configuration.cloudKit
    guard call.body.readableBytes <= settings.largestRequest else {
      throw CloudRefusal(.contentTooLarge, "BAD_REQUEST", "The request is too large")
    }
    let isAdmitted = observation.admitsCloudRequest(
      at: Instant.now.milliseconds,
      limit: settings.requestLimit,
      window: settings.requestWindow
    )
    guard isAdmitted else {
      var refusal = CloudRefusal(.tooManyRequests, "THROTTLED", "Database throttled, retry later")
      refusal.retryAfter = settings.requestWindow
      throw refusal
    }
  }

  // MARK: - What only a server for development has

  private func account(_ call: Call, _ transaction: Transaction) throws -> Transaction.Account {
    let email = call.json?["account"]?.text ?? configuration.accounts.first?.email ?? ""
    guard let account = try transaction.account(email: email) else {
      throw Refusal.notFound("account: no such e-mail address")
    }
    return account
  }

  /// A fresh web token, as a person gets it by signing in.
  @Sendable
  private func newCloudToken(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let account = try account(call, transaction)
    let settings = configuration.cloudKit
    return .json([
      "apiToken": .string(settings.apiToken),
      "webToken": .string(
        try transaction.newCloudToken(for: account.id, lifetime: settings.tokenLifetime)
      ),
    ])
  }

  /// Takes the public half of a server-to-server key in, as the console does.
  @Sendable
  private func addCloudKey(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let account = try account(call, transaction)
    guard let body = call.json, let keyID = body["keyID"]?.text,
      let publicKey = body["publicKey"]?.text
    else { throw Refusal.validation("keyID and publicKey are required") }
    do {
      _ = try P256.Signing.PublicKey(pemRepresentation: publicKey)
    } catch {
      throw Refusal.validation("publicKey: not a P-256 key in PEM")
    }
    try transaction.run(
      "INSERT OR REPLACE INTO cloudKeys (id, userId, publicKey) VALUES (?, ?, ?)",
      [keyID, account.id, publicKey]
    )
    return .json(["success": true])
  }
}
