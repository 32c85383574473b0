package import Records
package import UploadPlanning

/// A destination for rehearsals: it is read as it is, and nothing is ever sent to it.
package struct RehearsingDestination<Base: Destination>: Destination {
  private let base: Base

  package init(_ base: Base) {
    self.base = base
  }

  package var traits: DestinationTraits { base.traits }

  package func account() async throws(DestinationError) -> String {
    try await base.account()
  }

  package func accountNames() async throws(DestinationError) -> [String] {
    try await base.accountNames()
  }

  /// Refuses; a rehearsal that comes here has a fault, and must not change anything by it.
  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    BatchAnswer(whole: .refused(reason: "this is a rehearsal, and nothing is sent"))
  }

  package func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    try await base.page(of: entity, after: mark, since: since)
  }

  package func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    try await base.record(of: entity, serverID: serverID)
  }

  package func media(_ file: MediaReference) async throws(DestinationError) -> MediaState {
    try await base.media(file)
  }

  package func mediaPage(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage? {
    try await base.mediaPage(of: entity, after: mark)
  }

  package func records(
    of entity: EntityName,
    serverIDs: [String]
  ) async throws(DestinationError) -> [String: RemoteRecord] {
    try await base.records(of: entity, serverIDs: serverIDs)
  }

  package func preflight() async -> [DestinationCheck] {
    await base.preflight()
  }
}
