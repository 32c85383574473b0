package import LongTexts
package import Records
package import UploadPlanning

/// A destination that does something around each call to another one.
///
/// Every call goes to the base through ``around(_:_:)``, so that a wrapper can forget none of them.
package protocol WrappedDestination: Destination {
  associatedtype Base: Destination

  var base: Base { get }

  /// Makes one call, with what belongs before and after it.
  func around<Value, Failure: Error>(
    _ kind: RequestMeter.Kind,
    _ call: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value
}

extension WrappedDestination {
  package var traits: DestinationTraits { base.traits }

  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    await around(RequestMeter.Kind(batch.verb)) { () async throws(Never) in
      await base.send(batch)
    }
  }

  package func account() async throws(DestinationError) -> String {
    try await around(.account) { () async throws(DestinationError) in try await base.account() }
  }

  package func accountNames() async throws(DestinationError) -> [String] {
    try await around(.account) { () async throws(DestinationError) in
      try await base.accountNames()
    }
  }

  package func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    try await around(.page) { () async throws(DestinationError) in
      try await base.page(of: entity, after: mark, since: since)
    }
  }

  package func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    try await around(.read) { () async throws(DestinationError) in
      try await base.record(of: entity, serverID: serverID)
    }
  }

  package func media(_ file: MediaReference) async throws(DestinationError) -> MediaState {
    try await around(.media) { () async throws(DestinationError) in try await base.media(file) }
  }

  package func mediaPage(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage? {
    try await around(.media) { () async throws(DestinationError) in
      try await base.mediaPage(of: entity, after: mark)
    }
  }

  /// Reads several records; where each is a request of its own, each is a call of its own.
  package func records(
    of entity: EntityName,
    serverIDs: [String]
  ) async throws(DestinationError) -> RemoteRecords {
    guard traits.readsTogether(entity) else {
      var found = RemoteRecords()
      for serverID in serverIDs {
        found[serverID] = try await record(of: entity, serverID: serverID)
      }
      return found
    }
    return try await around(.read) { () async throws(DestinationError) in
      try await base.records(of: entity, serverIDs: serverIDs)
    }
  }

  package func noted(
    _ notes: [String],
    of entity: EntityName
  ) async throws(DestinationError) -> [String: NotedOperation] {
    try await around(.read) { () async throws(DestinationError) in
      try await base.noted(notes, of: entity)
    }
  }

  package func standIn(_ texts: LongTexts) -> Bool { base.standIn(texts) }

  package func refusal(of entity: EntityName, _ fields: () -> [UInt8]) -> String? {
    base.refusal(of: entity, fields)
  }

  package func remoteSchema() async throws(DestinationError) -> RemoteSchemaAnswer {
    try await around(.preflight) { () async throws(DestinationError) in
      try await base.remoteSchema()
    }
  }

  package func preflight() async -> [DestinationCheck] {
    await around(.preflight) { () async throws(Never) in await base.preflight() }
  }

  package func schemaChecks() async -> [DestinationCheck] {
    await around(.preflight) { () async throws(Never) in await base.schemaChecks() }
  }

  package func fileChecks() async -> [DestinationCheck] {
    await around(.preflight) { () async throws(Never) in await base.fileChecks() }
  }

  package func giveUpWaiting() { base.giveUpWaiting() }

  package func accountFault() async -> DestinationError? { await base.accountFault() }
}
