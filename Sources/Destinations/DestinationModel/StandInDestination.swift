import Files
package import LongTexts
package import Records
package import UploadPlanning

/// A destination to which records go whole, for anyone who has stand-ins for their long texts.
///
/// What is sent is held with its texts for as long as that takes; of what is read, the long texts are stored
/// apart.
package struct StandInDestination<Base: Destination>: WrappedDestination {
  package let base: Base
  private let texts: LongTexts

  package init(_ base: Base, _ texts: LongTexts) {
    self.base = base
    self.texts = texts
  }

  package func around<Value, Failure: Error>(
    _ kind: RequestMeter.Kind,
    _ call: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await call()
  }

  package func standIn(_ texts: LongTexts) -> Bool { true }

  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    var items: [OutgoingBatch.Item] = []
    var refused: [Int64: ItemOutcome] = [:]
    do throws(LongTextFault) {
      for item in batch.items {
        if LongText.mayBeIn(item.body),
          let reason = base.refusal(of: batch.entity, { item.body })
        {
          refused[item.operation] = .rejected(code: "record.large", reason: reason)
          continue
        }
        let body = try texts.whole(item.body)
        items.append(body.count == item.body.count ? item : item.holding(body: body))
      }
    } catch {
      return BatchAnswer(whole: .deferred(reason: error.description))
    }
    guard !items.isEmpty || refused.isEmpty else { return BatchAnswer(outcomes: refused) }
    let sent = OutgoingBatch(entity: batch.entity, verb: batch.verb, items: items)
    return await base.send(sent).adding(refused)
  }

  package func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    let page = try await base.page(of: entity, after: mark, since: since)
    var records: [RemoteRecord] = []
    records.reserveCapacity(page.records.count)
    for record in page.records { records.append(try standingIn(record)) }
    return RemotePage(
      records: records,
      removed: page.removed,
      next: page.next,
      mark: page.mark,
      hasMarkOfItsOwn: page.hasMarkOfItsOwn,
      isFromTheStart: page.isFromTheStart
    )
  }

  package func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    guard let record = try await base.record(of: entity, serverID: serverID) else { return nil }
    return try standingIn(record)
  }

  package func records(
    of entity: EntityName,
    serverIDs: [String]
  ) async throws(DestinationError) -> RemoteRecords {
    let found = try await base.records(of: entity, serverIDs: serverIDs)
    var records = RemoteRecords()
    for id in serverIDs {
      if let record = found[id] { records[id] = try standingIn(record) }
    }
    return records
  }

  private func standingIn(_ record: RemoteRecord) throws(DestinationError) -> RemoteRecord {
    let body: [UInt8]
    do throws(FileError) { body = try texts.standingIn(record.body) } catch {
      throw .misconfigured(
        reason: "a long text of a record could not be kept in a file: \(error)",
        cure: "free some space, or let TMPDIR name a folder on another disk"
      )
    }
    return RemoteRecord(
      serverID: record.serverID,
      version: record.version,
      body: body,
      denial: record.denial
    )
  }
}

extension Destination {
  /// The same, as records with stand-ins for their long texts come from it and go to it.
  package func standingIn(_ texts: LongTexts) -> any Destination {
    standIn(texts) ? self : StandInDestination(self, texts)
  }
}

extension OutgoingBatch.Item {
  /// The same with another body.
  package func holding(body: [UInt8]) -> OutgoingBatch.Item {
    OutgoingBatch.Item(
      operation: operation,
      record: record,
      clientID: clientID,
      serverID: serverID,
      version: version,
      key: key,
      body: body,
      media: media,
      parts: parts,
      since: since,
      note: note
    )
  }
}
