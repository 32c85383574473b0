package import DestinationModel
import Foundation
package import HTTPTransport
import JSONText
package import Profiles
import Records
import UploadPlanning

/// A database of CloudKit Web Services, as a profile's `api` section names it.
///
/// Every record has the identity that the client chose, so a repeat is safe. A batch is never
/// atomic: each record is answered by its own name, and what the answer does not name is unknown.
///
/// The private database is opened by a web token that is good for one request: requests go one by
/// one, and the token that an answer brings is on the disk before the next request leaves. A lost
/// answer can therefore cost the session, and then another device has to sign in again.
package struct CloudKitDestination: Destination {
  package let traits: DestinationTraits
  package let origin: Origin

  let api: Api
  let cloudKit: CloudKitApi
  let gate: CloudKitGate
  let transport: HTTPTransport
  let receipts = CloudReceipts()
  let denials = CloudDenials()
  let unreadable = CloudDenials()

  /// - Parameters:
  ///   - api: What the profile says.
  ///   - address: The service's address: `https://api.apple-cloudkit.com`.
  ///   - credentials: Asked at the first request; the web token is written back there.
  ///   - transport: Stays the caller's to shut down.
  ///   - now: The seconds since 1970.
  /// - Throws: `DestinationError.misconfigured(reason:cure:)` for an address or a profile that
  ///   cannot be used.
  package init(
    api: Api,
    address: String,
    credentials: any CredentialSource,
    transport: HTTPTransport,
    now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
  ) throws(DestinationError) {
    guard let cloudKit = api.kind.settings as? CloudKitApi else {
      throw .misconfigured(
        reason: "the profile's api is not of the kind cloudkit",
        cure: "name the container, the environment and the database in it"
      )
    }
    let origin = try Origin(address)
    self.api = api
    self.origin = origin
    self.cloudKit = cloudKit
    self.transport = transport
    gate = CloudKitGate(
      cloudKit: cloudKit,
      origin: origin,
      timeout: api.timeout,
      source: credentials,
      transport: transport,
      now: now
    )
    traits = DestinationTraits(api, cloudKit, origin: origin)
  }

  package func account() async throws(DestinationError) -> String {
    // Another container, environment or database is another account.
    let name = "\(try await userName()) in \(cloudKit.place)"
    return api.statedAccount.map { "\($0), \(name)" } ?? name
  }

  /// The user's record name, which the app itself sees too.
  package func accountNames() async throws(DestinationError) -> [String] { [try await userName()] }

  package func giveUpWaiting() { transport.turns.giveUpWaiting() }

  /// The service has this route in the public database alone, and a user's name is the same in all:
  /// <https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/GetCurrentUser.html>.
  ///
  ///
  /// An environment that no longer has it says so with 404, or calls it a bad request, and has
  /// `users/caller` instead.
  ///
  /// A key that opens the database and for which the service names no user is identified by its identifier.
  private func userName() async throws(DestinationError) -> String {
    var route = "users/current"
    var reply = await gate.send(route, to: .public)
    if case .failed(let failure) = reply, failure.isRouteUnknown {
      route = "users/caller"
      reply = await gate.send(route, to: .public)
    }
    if cloudKit.database == .public, case .failed(let failure) = reply, failure.namesNoUser,
      await opens(), let keyID = try await gate.keyID()
    {
      return "the key \(keyID)"
    }
    guard case .answered(let answer) = reply else { throw error(reply, to: route) }
    guard let name = (answer["users"]?[0] ?? answer)["userRecordName"]?.text else {
      throw .unexpected(request: route, reason: "the answer has no userRecordName")
    }
    return name
  }

  /// Whether the database answers to what is to open it.
  private func opens() async -> Bool {
    guard let type = api.entities.compactMap(\.recordType).first else { return false }
    let query: JSONValue = ["query": ["recordType": .string(type.name)], "resultsLimit": 1]
    return switch await gate.send("records/query", query) {
    case .answered: true
    case .failed(let failure): failure.isTypeUnknown || failure.isIndexMissing
    case .other: false
    }
  }

  /// The zone, as requests name it; the public database has only one.
  var zoneID: JSONValue? {
    cloudKit.database == .private ? ["zoneName": .string(cloudKit.zone)] : nil
  }

  /// A request's members with those that every request about records has.
  func request(_ members: JSONObject) -> JSONValue {
    var body = members
    body["zoneID"] = zoneID
    body["numbersAsStrings"] = true
    return .object(body)
  }

  /// Why a reply gives nothing to read.
  func error(_ reply: CloudReply, to request: String) -> DestinationError {
    switch reply {
    case .answered: .unexpected(request: request, reason: "the answer has another form")
    case .failed(let failure): failure.error(to: request, api: cloudKit)
    case .other(let meaning): Exchange(meaning: meaning).error(named: request, origin: origin)
    }
  }
}

extension CloudKitDestination: DestinationKind {
  package static let kind: any ApiKind.Type = CloudKitApi.self

  package init(_ place: DestinationPlace) throws(DestinationError) {
    try self.init(
      api: place.api,
      address: place.address,
      credentials: place.credentials,
      transport: place.transport
    )
  }
}

/// Shows its address and nothing else: what lies further inside holds tokens and sent bytes.
extension CloudKitDestination: CustomStringConvertible, CustomReflectable {
  package var description: String { "the CloudKit database at \(origin)" }
  package var customMirror: Mirror { Mirror(self, children: ["origin": origin.text]) }
}

extension DestinationTraits {
  fileprivate convenience init(_ api: Api, _ cloudKit: CloudKitApi, origin: Origin) {
    let names = api.entities.map(\.entity)
    func all<Value>(_ value: Value) -> [EntityName: Value] {
      Dictionary(names.map { ($0, value) }, uniquingKeysWith: { first, _ in first })
    }
    self.init(
      origin: origin.address,
      replay: all(.id),
      batchLimit: all(cloudKit.batchLimit),
      // A web token is good for one request, so there is never a second one in flight.
      concurrency: cloudKit.database == .private ? 1 : max(api.concurrency, 1),
      listsChangesSince: all(cloudKit.listsChanges),
      takesMedia: api.sendsFiles,
      batchesChanges: true,
      keepsFilesInRecords: api.media?.isEnabled == true,
      requestsOfFile: 2
    )
  }
}
