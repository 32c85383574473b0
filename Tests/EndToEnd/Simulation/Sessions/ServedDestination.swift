import DestinationModel
import Records
import UploadPlanning

/// A destination of the program's own, as one process comes to it until it is killed.
///
/// What happens on the way to the server happens to its requests; here it only ends with the process.
final class ServedDestination: Destination {
  private let inner: any Destination
  private let backend: ServedBackend
  private let way: SessionWay
  private let time: SessionTime

  init(_ inner: any Destination, of backend: ServedBackend, by way: SessionWay, time: SessionTime) {
    self.inner = inner
    self.backend = backend
    self.way = way
    self.time = time
  }

  var traits: DestinationTraits { inner.traits }

  private func read<Value: Sendable>(
    _ body: () async throws(DestinationError) -> Value
  ) async throws(DestinationError) -> Value {
    guard way.deathNote == nil else { throw SessionDestination.isGone }
    await backend.deliver(by: time.now)
    let result: Result<Value, DestinationError>
    do throws(DestinationError) { result = .success(try await body()) } catch {
      result = .failure(error)
    }
    guard way.deathNote == nil else { throw SessionDestination.isGone }
    return try result.get()
  }

  func account() async throws(DestinationError) -> String {
    try await read { () async throws(DestinationError) in try await inner.account() }
  }

  func accountNames() async throws(DestinationError) -> [String] {
    try await read { () async throws(DestinationError) in try await inner.accountNames() }
  }

  func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    guard way.deathNote == nil else { return SessionDestination.killed }
    await backend.deliver(by: time.now)
    way.log("\(batch.verb) \(batch.items.map { "\($0.record)" })")
    let answer = await inner.send(batch)
    guard way.deathNote == nil else { return SessionDestination.killed }
    way.log("\(answer)")
    return answer
  }

  func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    try await read { () async throws(DestinationError) in
      try await inner.page(of: entity, after: mark, since: since)
    }
  }

  func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    try await read { () async throws(DestinationError) in
      try await inner.record(of: entity, serverID: serverID)
    }
  }

  func records(
    of entity: EntityName,
    serverIDs: [String]
  ) async throws(DestinationError) -> RemoteRecords {
    try await read { () async throws(DestinationError) in
      try await inner.records(of: entity, serverIDs: serverIDs)
    }
  }

  func media(_ file: MediaReference) async throws(DestinationError) -> MediaState {
    try await read { () async throws(DestinationError) in try await inner.media(file) }
  }

  func mediaPage(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage? {
    try await read { () async throws(DestinationError) in
      try await inner.mediaPage(of: entity, after: mark)
    }
  }
}
