package import DestinationModel
import Foundation
package import HTTPTransport
import JSONText
package import LongTexts
import NIOHTTP1
package import Profiles
package import Records
import S3Media
package import UploadPlanning

/// A destination that is spoken to over HTTP with JSON, as a profile's `api` section says.
///
/// Every call is one attempt. Two refusals have a request sent a second time, and never a third: 401,
/// after signing in once more, and 428, with the condition that is demanded.
package final class RESTDestination: Destination {
  package let traits: DestinationTraits
  /// Where the destination is, with what a caller may want to know about the way there.
  package let origin: Origin

  let api: Api
  let http: HTTPExchanger
  let session: Session
  /// The items that go alone the next time.
  let unsettled = UnsettledItems()
  /// The entities whose rows are known to get the identities that are asked for.
  let provenRows = ProvenEntities()
  /// The tickets for files that are under way.
  let tickets = Tickets()
  let serverLimits = ServerLimits()
  /// The batch routes that the destination refused.
  let refusedBatches = RefusedBatches()
  /// Where files go when the destination itself takes none.
  private let bucket: S3MediaStore?

  /// - Parameters:
  ///   - api: What the profile says.
  ///   - address: The destination's address, from the profile or the command line.
  ///   - credentials: Asked when the first request needs them, and again when the token expired.
  ///   - transport: Stays the caller's to shut down.
  ///   - now: The seconds since 1970.
  /// - Throws: `DestinationError.misconfigured(reason:cure:)` for an address that cannot be used,
  ///   and for a profile that uses a route it forbids.
  package init(
    api: Api,
    address: String,
    credentials: any CredentialSource,
    transport: HTTPTransport,
    now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
  ) throws(DestinationError) {
    let origin = try Origin(address)
    let forbidden = ForbiddenRoutes(api.forbidden)
    try forbidden.check(api)
    self.api = api
    self.origin = origin
    http = HTTPExchanger(
      origin: origin,
      transport: transport,
      forbidden: forbidden,
      timeout: api.timeout,
      meanings: api.meanings,
      now: now
    )
    session = Session(api: api, http: http, source: credentials)
    traits = DestinationTraits(api, origin: origin)
    guard case .bucket(let bucket) = api.media?.way else {
      self.bucket = nil
      return
    }
    let accounts = AccountReader(api: api, http: http, session: session)
    self.bucket = try S3MediaStore(
      bucket,
      transport: transport,
      credentials: credentials,
      timeout: api.timeout,
      now: now
    ) { () async throws(DestinationError) in
      try await accounts.account()
    }
  }

  package func account() async throws(DestinationError) -> String {
    try await AccountReader(api: api, http: http, session: session).account()
  }

  package func accountNames() async throws(DestinationError) -> [String] {
    try await AccountReader(api: api, http: http, session: session).names()
  }

  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    switch batch.verb {
    case .uploadMedia, .removeMedia:
      guard let media = api.media, media.isEnabled else {
        return .refused("the profile has media files switched off")
      }
      return await oneByOne(batch.items) { item in
        await carryOut(batch.verb, item, media)
      }
    case .create, .update, .delete:
      guard let entity = api.entity(batch.entity) else {
        return .refused("the destination has no place for \(batch.entity)")
      }
      return await sendGrouped(batch, entity)
    }
  }

  /// Sends records with values in the destination's form.
  func sendEncoded(_ batch: OutgoingBatch, _ entity: EntityApi) async -> BatchAnswer {
    do throws(DestinationError) {
      let encoded = try await encoded(batch, entity)
      if batch.verb == .update, let route = entity.update,
        batch.items.contains(where: { $0.bringsFile(to: entity) })
      {
        return await oneByOne(encoded.items) { item in await update(item, route, entity) }
      }
      if let answer = await sendWrites(encoded, entity) { return answer }
      return await sendAlone(encoded, entity)
    } catch {
      return Self.waiting(for: error)
    }
  }

  private func sendAlone(_ batch: OutgoingBatch, _ entity: EntityApi) async -> BatchAnswer {
    switch batch.verb {
    case .create:
      switch entity.create {
      case nil: return .refused("the profile has no route that makes a \(batch.entity)")
      case .batch(let create): return await self.create(batch.items, create, entity)
      case .requests(let create, _):
        return await send(batch.items, .create(create), of: entity)
      case .rows(let create): return await self.create(batch.items, create, entity)
      case .writes: preconditionFailure("writes go in a form of their own")
      case .single(let create):
        return await oneByOne(batch.items) { item in await self.create(item, create, entity) }
      }
    case .update:
      guard let route = entity.update else {
        return .refused("the destination cannot change a \(batch.entity)")
      }
      if let many = route.many { return await update(batch.items, route, many, entity) }
      return await send(batch.items, .update(route), of: entity)
    case .delete:
      guard let route = entity.delete else {
        return .refused("the destination cannot remove a \(batch.entity)")
      }
      if let many = route.many {
        return await delete(batch.items, route, many, entity)
      }
      return await send(batch.items, .delete(route), of: entity)
    case .uploadMedia, .removeMedia:
      preconditionFailure("media files do not go through an entity's routes")
    }
  }

  private func carryOut(
    _ verb: OutgoingBatch.Verb,
    _ item: OutgoingBatch.Item,
    _ media: MediaApi
  ) async -> ItemResult {
    let isUpload = verb == .uploadMedia
    if let bucket { return await isUpload ? bucket.upload(item) : bucket.remove(item) }
    switch media.way {
    case .tickets(let tickets):
      return await isUpload ? upload(item, tickets) : removeMedia(item, tickets)
    case .routes(let files):
      return await isUpload ? upload(item, files) : removeMedia(item, files)
    case .bucket, .assets, .copies: preconditionFailure("a profile with a bucket has a bucket")
    }
  }

  package func media(_ file: MediaReference) async throws(DestinationError) -> MediaState {
    if case .routes(let files) = api.media?.way { return try await state(of: file, files) }
    guard let bucket else { return .unknowable }
    return try await bucket.state(of: file)
  }

  package func mediaPage(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage? {
    try await bucket?.page(of: entity, after: mark)
  }

  package func preflight() async -> [DestinationCheck] {
    var checks = await limitChecks() + batchChecks()
    if let bucket { checks.append(await bucket.check()) }
    return checks
  }

  /// Where the long texts are of what goes and comes; `nil` where it goes and comes whole.
  package var texts: LongTexts? { http.texts.value }

  /// Every form of a request is JSON with the values of records in it as they are.
  package func standIn(_ texts: LongTexts) -> Bool {
    http.texts.use(texts)
    return true
  }

  package func giveUpWaiting() { http.transport.turns.giveUpWaiting() }

  package func accountFault() async -> DestinationError? { await session.accountFault }

  /// Sends a call as the account, whose name it may need; after a 401, once more with a new token.
  package func exchange(_ call: Call) async -> Exchange {
    guard call.route.names("account") else { return await session.exchange(call) }
    var call = call
    do throws(DestinationError) {
      call.values["account"] = try await heldAccount()
    } catch {
      return Exchange(meaning: Meaning(withoutAuthorization: error))
    }
    return await session.exchange(call)
  }
}

extension RESTDestination: DestinationKind {
  package static let kind: any ApiKind.Type = RESTApi.self

  package convenience init(_ place: DestinationPlace) throws(DestinationError) {
    try self.init(
      api: place.api,
      address: place.address,
      credentials: place.credentials,
      transport: place.transport
    )
  }
}

/// Shows its address and nothing else: what lies further inside holds tokens and sent bytes.
extension RESTDestination: CustomStringConvertible, CustomReflectable {
  package var description: String { "the destination at \(origin)" }
  package var customMirror: Mirror { Mirror(self, children: ["origin": origin.text]) }
}

extension DestinationTraits {
  fileprivate convenience init(_ api: Api, origin: Origin) {
    var replay: [EntityName: Replay] = [:]
    var batchLimit: [EntityName: Int] = [:]
    var listsChangesSince: [EntityName: Bool] = [:]
    var missing: [EntityName: Set<OutgoingBatch.Verb>] = [:]
    var mayBeDisplaced: Set<EntityName> = []
    var together: [EntityName: Set<OutgoingBatch.Verb>] = [:]
    var readTogether: Set<EntityName> = []
    var mayRefuseBatches: Set<EntityName> = []
    for entity in api.entities {
      if entity.create?.requestBatch != nil { mayRefuseBatches.insert(entity.entity) }
      // A write names its record, so that no answer has to.
      if entity.replay == .id, entity.create?.isSilent != true, entity.create?.writeBatch == nil {
        mayBeDisplaced.insert(entity.entity)
      }
      var limit = max(entity.create?.limit ?? 1, 1)
      switch entity.replay {
      // The key of many records in one request is good for these very records alone, which a repeat
      // after a kill, or with another limit, need not have: they are looked for, or go one by one.
      case .key where limit > 1 && entity.list != nil:
        replay[entity.entity] = .lookUp(settle: api.settle)
      case .key:
        let isSeen = entity.list != nil && !entity.naturalKey.isEmpty
        let settle = isSeen ? api.settle : nil
        replay[entity.entity] = .key(life: api.keyLife, settle: settle)
        limit = 1
      case .id: replay[entity.entity] = .id
      case .lookUp: replay[entity.entity] = .lookUp(settle: api.settle)
      }
      batchLimit[entity.entity] = limit
      listsChangesSince[entity.entity] = entity.list?.since != nil
      if entity.update == nil { missing[entity.entity, default: []].insert(.update) }
      if entity.delete == nil { missing[entity.entity, default: []].insert(.delete) }
      if let route = entity.update, route.isBatched || route.write != nil || route.many != nil {
        together[entity.entity, default: []].insert(.update)
      }
      if let route = entity.delete, route.isBatched || route.write != nil || route.many != nil {
        together[entity.entity, default: []].insert(.delete)
      }
      if entity.read?.isOfSeveral == true { readTogether.insert(entity.entity) }
    }
    self.init(
      origin: origin.address,
      replay: replay,
      batchLimit: batchLimit,
      concurrency: max(api.concurrency, 1),
      listsChangesSince: listsChangesSince,
      takesMedia: api.sendsFiles,
      together: together,
      readTogether: readTogether,
      mayRefuseBatches: mayRefuseBatches,
      requestsOfFile: api.media?.way.requestsOfFile ?? 1,
      keepsAddresses: api.media?.way.keepsAddresses ?? true,
      missing: missing,
      mayBeDisplaced: mayBeDisplaced,
      removesFiles: api.media?.way.removesFiles ?? true
    )
  }
}

extension ReadRoute {
  /// Whether one request reads several records.
  var isOfSeveral: Bool { filter != nil || lookup != nil }
}

extension MediaApi.Way {
  /// Whether there is a route that removes a file, where it takes one.
  fileprivate var removesFiles: Bool {
    switch self {
    case .tickets(let tickets): tickets.remove != nil
    case .routes(let files): files.remove != nil
    case .bucket, .assets, .copies: true
    }
  }

  /// A ticket, the file and its confirmation; or a look, where the service overwrites, and the file.
  fileprivate var requestsOfFile: Int {
    switch self {
    case .tickets(let tickets): tickets.confirm == nil ? 2 : 3
    case .routes: 1
    case .bucket(let bucket): bucket.isCreateOnly ? 1 : 2
    case .assets: 2
    case .copies: 1
    }
  }
}

extension MediaApi.Way {
  /// A ticket gives each file an address of its own.
  package var keepsAddresses: Bool {
    switch self {
    case .tickets: false
    case .routes(let files): if case .made = files.address { true } else { false }
    case .bucket, .assets, .copies: true
    }
  }
}
