import Foundation
import JSONText
import NIOHTTP1
package import Profiles
import Records
package import UploadPlanning

/// A destination that is spoken to over HTTP with JSON, as a profile's `api` section says.
///
/// Every call is one attempt. The only request that is sent a second time is one that was refused
/// with 401: after signing in once more, and never a third time.
package struct RESTDestination: Destination {
  package let traits: DestinationTraits
  /// Where the destination is, with what a caller may want to know about the way there.
  package let origin: Origin

  let api: Api
  let wire: Wire
  private let session: Session

  /// - Parameters:
  ///   - api: What the profile says.
  ///   - address: The destination's address, from the profile or the command line.
  ///   - credentials: Asked when the first request needs them, and again when the token expired.
  ///   - transport: Stays the caller's to shut down.
  ///   - now: The seconds since 1970.
  /// - Throws: ``DestinationError/misconfigured(reason:cure:)`` for an address that cannot be used,
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
    wire = Wire(
      origin: origin,
      transport: transport,
      forbidden: forbidden,
      timeout: api.timeout,
      now: now
    )
    session = Session(api: api, wire: wire, source: credentials)
    traits = DestinationTraits(api, origin: origin)
  }

  package func account() async throws(DestinationError) -> String {
    guard let account = api.account else {
      _ = try await session.authorization()
      guard let principal = try await session.principal() else { return origin.text }
      return "\(origin)#\(principal)"
    }
    let exchange = await exchange(Call(route: account.route))
    guard case .done(let answer) = exchange.meaning else {
      throw exchange.error(request: account.route, origin: origin)
    }
    guard let name = answer?.value(at: account.member)?.shortText else {
      throw .unexpected(
        request: "\(account.route)",
        reason: "the answer has no account at “\(account.member)”"
      )
    }
    return name
  }

  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    switch batch.verb {
    case .uploadMedia, .removeMedia:
      guard let media = api.media, media.isEnabled else {
        return .refused("the profile has media files switched off")
      }
      return await oneByOne(batch.items) { item in
        batch.verb == .uploadMedia ? await upload(item, media) : await removeMedia(item, media)
      }
    case .create, .update, .delete:
      guard let entity = api.entity(batch.entity) else {
        return .refused("the destination has no place for \(batch.entity)")
      }
      return await send(batch, entity)
    }
  }

  private func send(_ batch: OutgoingBatch, _ entity: EntityApi) async -> BatchAnswer {
    switch batch.verb {
    case .create:
      switch entity.create {
      case nil: return .refused("the profile has no route that makes a \(batch.entity)")
      case .batch(let create): return await self.create(batch.items, create, entity)
      case .requests(let create, let requests):
        return await self.create(batch.items, create, requests, entity)
      case .rows(let create): return await self.create(batch.items, create, entity)
      case .single(let create):
        return await oneByOne(batch.items) { item in await self.create(item, create, entity) }
      }
    case .update:
      guard let route = entity.update else {
        return .refused("the destination cannot change a \(batch.entity)")
      }
      return await oneByOne(batch.items) { item in await update(item, route, entity) }
    case .delete:
      guard let route = entity.delete else {
        return .refused("the destination cannot remove a \(batch.entity)")
      }
      return await oneByOne(batch.items) { item in await delete(item, route) }
    case .uploadMedia, .removeMedia:
      preconditionFailure("media files do not go through an entity's routes")
    }
  }

  /// Sends a call as the account; after a 401, once more with a new token.
  func exchange(_ call: Call) async -> Exchange {
    do throws(DestinationError) {
      let authorization = try await session.authorization()
      let first = await send(call, as: authorization)
      guard case .refused(.unauthorized) = first.meaning,
        let renewed = try await session.authorization(after: authorization)
      else { return first }
      return await send(call, as: renewed)
    } catch {
      return Exchange(meaning: Meaning(withoutAuthorization: error))
    }
  }

  private func send(_ call: Call, as authorization: Session.Authorization) async -> Exchange {
    await wire.send(call, adding: authorization.fields, redaction: authorization.redaction)
  }
}

/// Shows its address and nothing else: what lies further inside holds tokens and sent bytes.
extension RESTDestination: CustomStringConvertible, CustomReflectable {
  package var description: String { "the destination at \(origin)" }
  package var customMirror: Mirror { Mirror(self, children: ["origin": origin.text]) }
}

extension Meaning {
  /// What a failed sign-in means for the request that waited for it and was never sent.
  fileprivate init(withoutAuthorization error: DestinationError) {
    switch error {
    case .unreachable: self = .neverSent(reason: "signing in: \(error)")
    case .busy(let pause, let reason): self = .later(pause: pause, reason: "signing in: \(reason)")
    case .unauthorized, .forbidden, .quota, .unexpected, .misconfigured: self = .refused(error)
    }
  }
}

extension DestinationTraits {
  fileprivate init(_ api: Api, origin: Origin) {
    var replay: [EntityName: Replay] = [:]
    var batchLimit: [EntityName: Int] = [:]
    var canTellChangesSince: [EntityName: Bool] = [:]
    for entity in api.entities {
      switch entity.replay {
      case .key: replay[entity.entity] = .key
      case .id: replay[entity.entity] = .id
      case .lookUp: replay[entity.entity] = .lookUp(settle: api.settle)
      }
      batchLimit[entity.entity] = max(entity.create?.limit ?? 1, 1)
      canTellChangesSince[entity.entity] = entity.list?.since != nil
    }
    self.init(
      origin: origin.text,
      replay: replay,
      batchLimit: batchLimit,
      concurrency: max(api.concurrency, 1),
      canTellChangesSince: canTellChangesSince,
      takesMedia: api.media?.isEnabled == true
    )
  }
}

extension BatchAnswer {
  static func refused(_ reason: String) -> BatchAnswer {
    BatchAnswer(whole: .refused(reason: reason))
  }
}
