package import Records
package import UploadPlanning

/// A destination that is not spoken to more often than so many times a second.
///
/// Calls take turns at even distances; unused turns are not saved up. A call that is cancelled
/// while it waits goes ahead at once, and finds itself cancelled there.
package struct PacedDestination<Base: Destination>: Destination {
  private let base: Base
  private let pace: Pace

  /// Paces a destination to at most `rate` calls a second, which must be more than none.
  package init(_ base: Base, rate: Double) {
    precondition(rate > 0, "a rate of nothing would wait for ever")
    self.base = base
    pace = Pace(distance: .seconds(1 / rate))
  }

  package var traits: DestinationTraits { base.traits }

  package func account() async throws(DestinationError) -> String {
    await pace.wait()
    return try await base.account()
  }

  package func accountNames() async throws(DestinationError) -> [String] {
    await pace.wait()
    return try await base.accountNames()
  }

  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    await pace.wait()
    return await base.send(batch)
  }

  package func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    await pace.wait()
    return try await base.page(of: entity, after: mark, since: since)
  }

  package func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    await pace.wait()
    return try await base.record(of: entity, serverID: serverID)
  }

  package func media(_ file: MediaReference) async throws(DestinationError) -> MediaState {
    await pace.wait()
    return try await base.media(file)
  }

  package func mediaPage(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage? {
    await pace.wait()
    return try await base.mediaPage(of: entity, after: mark)
  }

  package func records(
    of entity: EntityName,
    serverIDs: [String]
  ) async throws(DestinationError) -> [String: RemoteRecord] {
    // Where each is a request of its own, each takes a turn of its own.
    guard traits.batchesChanges else {
      var found: [String: RemoteRecord] = [:]
      for serverID in serverIDs {
        found[serverID] = try await record(of: entity, serverID: serverID)
      }
      return found
    }
    await pace.wait()
    return try await base.records(of: entity, serverIDs: serverIDs)
  }

  package func preflight() async -> [DestinationCheck] {
    await pace.wait()
    return await base.preflight()
  }
}

/// Gives out turns at even distances.
private actor Pace {
  private let distance: Duration
  private var nextTurn: ContinuousClock.Instant?

  init(distance: Duration) {
    self.distance = distance
  }

  func wait() async {
    let now = ContinuousClock.now
    let turn = max(nextTurn ?? now, now)
    nextTurn = turn + distance
    guard turn > now else { return }
    do {
      try await Task.sleep(until: turn, clock: .continuous)
    } catch {
      // Cancelled: the call itself will notice.
    }
  }
}
