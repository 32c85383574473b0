import Checkpoint
import DestinationModel
import JSONText
import Reconciliation
import Records
import RequestMapping
import Retrying
import StageSupport
import SyncReading
import UploadPlanning

extension OperationContext {
  /// Reads the content at the destination for operations that change what is there.
  ///
  /// - Throws: What is the matter on this machine, which ends the run.
  func read(
    _ operations: [Operation],
    flight: FlightID
  ) async throws -> EngineEvent {
    let found: ReadTogether?
    let requests: [Int64: LostRequest]
    do {
      // What was carried out shows as well in what is read after that.
      requests = try await lostRequests(of: operations.filter { $0.state != .planned })
      found = try await readTogether(operations)
    } catch {
      return try readingFailed(flight, error)
    }
    // After a long wait what was read before is read again: no more is read that another wait would outdate.
    let begun = found?.readAt ?? clock.now()
    let results = await sideBySide(
      operations,
      width: concurrency,
      goesOn: { $0.failure == nil && !isOutdated(begun, by: $0.readAt) },
      { await attempt(on: $0, found, requests[$0.number]) }
    )
    var readings: [Int64: Reading] = [:]
    let failures = results.compactMap(\.failure)
    if let other = failures.first(where: { !$0.isOfOneRecord }) {
      return try readingFailed(flight, other)
    }
    if results.count < operations.count {
      for operation in operations { readings[operation.number] = .unasked }
    }
    let areListed = await areListed(operations, besides: results)
    let now = clock.now()
    for result in results {
      readings[result.operation] =
        if let failure = result.failure {
          failure.reading(areListed: areListed)
        } else if let readAt = result.readAt, isOutdated(readAt, by: now) {
          .unasked
        } else {
          result.reading
        }
    }
    return .read(flight, readings)
  }

  /// Whether what was read at one instant is too old at another, as the destination was waited for since;
  /// never where nothing was read.
  private func isOutdated(
    _ readAt: Duration,
    by instant: Duration?
  ) -> Bool {
    instant.map { gate.outdates(readAt, at: $0) } ?? false
  }

  /// Whether the destination lists the records of a flight, of which it showed none and failed to show some:
  /// it is at work then.
  ///
  /// What may have failed at records that depend on these says nothing of them.
  private func areListed(_ operations: [Operation], besides results: [Attempt]) async -> Bool {
    guard let first = operations.first, !first.action.asksForChildren,
      results.contains(where: { $0.failure?.isAnswered == true }),
      !results.contains(where: { $0.reading != nil })
    else { return false }
    return await isListed(first.record.entity)
  }

  /// Whether the destination lists records of a kind, whatever becomes of one that is read alone.
  func isListed(_ entity: EntityName) async -> Bool {
    let page = try? await destination.page(of: entity, after: nil, since: nil)
    return page != nil
  }

  /// What the engine is informed of a reading that came to nothing at the destination.
  func readingFailed(
    _ flight: FlightID,
    _ error: any Error
  ) throws -> EngineEvent {
    guard let refusal = error as? DestinationError else { throw error }
    return .readingFailed(
      flight,
      reason: refusal.description,
      isPassing: refusal.isPassing,
      pause: refusal.askedPause
    )
  }

  /// Whether a change whose answer was lost arrived: whether the record is as the change makes it.
  ///
  /// A run that goes on decides by reading anew. One that is paused has to know what it
  /// did, or taking it back would leave that there. What others made of a record since may lie on top of
  /// the change; of one that the run made itself, its removal decides.
  func lookUpChange(
    _ operation: Operation,
    _ request: LostRequest?
  ) async throws -> LookUpResult {
    guard operation.action.needsReading, let serverID = try serverID(of: operation) else {
      return .notThere
    }
    let isChange = try isLeft(operation)
    switch try await reading(for: operation, nil, request) {
    // Another client made the same change: it is not this operation's to roll back.
    case .alreadyDone where request.receipt == .notCarriedOut: return .notThere
    case .alreadyDone(let version): return .found(serverID: serverID, version: version)
    case .conflicted(let reason) where isChange: return .different(reason: reason)
    case .refused(_, let reason) where isChange: return .different(reason: reason)
    case .ready, .conflicted, .refused: return .notThere
    case .failed, .unasked, nil:
      let reason = "what it knows of \(operation.record) does not come"
      throw CheckpointError.unreadable(path: checkpoint.path, reason: reason)
    }
  }

  /// Whether what an operation changed stays at the destination unless that is rolled back by itself.
  private func isLeft(_ operation: Operation) throws -> Bool {
    guard operation.action == .update || operation.action == .complete else { return false }
    return try !checkpoint.isCreated(operation.record, inRunOf: operation.number)
  }

  /// What reading the destination for one operation came to.
  private struct Attempt: Sendable {
    let operation: Int64
    var reading: Reading?
    var failure: (any Error)?
    /// When that was, where a change to be based on it.
    var readAt: Duration?
  }

  /// The content at the destination for all operations of a flight, read in one go.
  private struct ReadTogether: Sendable {
    /// The identities that were asked for: any other that is missing below says nothing.
    let asked: Set<JSONName>
    let records: RemoteRecords
    let readAt: Duration
  }

  /// Reads all at once where the destination can; `nil` where each is read by itself.
  private func readTogether(
    _ operations: [Operation]
  ) async throws -> ReadTogether? {
    guard let entity = operations.first?.record.entity, reader.traits.readsTogether(entity),
      operations.allSatisfy({ $0.record.entity == entity })
    else { return nil }
    var ids: [String] = []
    for operation in operations {
      if let id = try serverID(of: operation) { ids.append(id) }
    }
    let asked = ids
    let records = try await reader.readingDestination { () async throws(DestinationError) in
      try await destination.records(of: entity, serverIDs: asked)
    }
    return ReadTogether(
      asked: Set(ids.map { JSONName($0) }),
      records: records,
      readAt: clock.now()
    )
  }

  /// Where the record of an operation is, as far as anybody knows.
  private func serverID(of operation: Operation) throws -> String? {
    if let serverID = operation.serverID { return serverID }
    return try checkpoint.known(operation.record)?.serverID
  }

  private func attempt(
    on operation: Operation,
    _ found: ReadTogether?,
    _ request: LostRequest?
  ) async -> Attempt {
    var attempt = Attempt(operation: operation.number)
    do {
      attempt.reading = try await reading(for: operation, found, request)
      if case .ready = attempt.reading { attempt.readAt = found?.readAt ?? clock.now() }
    } catch {
      attempt.failure = error
    }
    return attempt
  }

  /// What is there for one operation; `nil` where that cannot be said just now.
  private func reading(
    for operation: Operation,
    _ found: ReadTogether?,
    _ request: LostRequest?
  ) async throws -> Reading? {
    if isCarriedOut(operation, request) { return .alreadyDone(version: request?.revision) }
    let entity = operation.record.entity
    let known = try checkpoint.known(operation.record)
    guard let serverID = operation.serverID ?? known?.serverID else {
      return .conflicted(reason: "its ID at the destination is unknown")
    }
    if leadsToRemoval(operation), let reason = reasonToKeepForOthers(serverID, of: entity) {
      return .conflicted(reason: reason)
    }
    if let reason = obstacle(toUndoing: operation) { return .conflicted(reason: reason) }
    if operation.action == .discard, try !isCopyOfOurs(operation) {
      return .conflicted(
        reason: "it is the same as a record of this run, and it is unknown who made it"
      )
    }
    let read =
      if let found, found.asked.contains(JSONName(serverID)) {
        found.records[serverID]
      } else {
        try await reader.readingDestination { () async throws(DestinationError) in
          try await destination.record(of: entity, serverID: serverID)
        }
      }
    let current: RemoteRecord?
    do throws(MappingError) {
      current = try own(read, of: operation.record, at: serverID)
    } catch {
      return nil
    }
    if current != nil, operation.action.asksForChildren,
      let reason = try await childrenReason(serverID, operation)
    {
      return .conflicted(reason: reason)
    }
    do throws(MappingError) {
      if operation.action.isUndo { return try reading(ofUndo: operation, known, current) }
      guard let current else {
        return operation.action.removes
          ? .alreadyDone(version: nil)
          : .conflicted(reason: "the record is no longer at the destination")
      }
      if let denial = current.denial { return .conflicted(reason: .unreadable(denial)) }
      return try reading(for: operation, known: known, current: current, request)
    } catch {
      if error.isPassing { return nil }
      // A package that cannot be read says nothing of what is there: the run stops, and goes on
      // when it can be.
      if let fault = error.package { throw fault }
      return operation.action.isUndo || error.isConflict
        ? .conflicted(reason: error.reason) : .refused(code: error.code, reason: error.reason)
    }
  }

  /// Decides by the current content there.
  private func reading(
    for operation: Operation,
    known: SyncState?,
    current: RemoteRecord,
    _ request: LostRequest?
  ) throws(MappingError) -> Reading {
    switch operation.action {
    case .update, .complete, .delete: try checked(operation, known, current, request.receipt)
    case .create, .upload, .unupload, .uncreate, .restore, .discard:
      .ready(before: try kept(current.body), version: operation.expecting(current.version))
    }
  }

  /// Why a record must stay for the sake of others that name it, or `nil`.
  private func childrenReason(
    _ serverID: String,
    _ operation: Operation
  ) async throws -> String? {
    let isNamed = try await remainingChildren.hasDependents(
      on: serverID,
      of: operation,
      reader: reader
    )
    return isNamed ? Self.dependents : nil
  }
}

extension Error {
  /// Whether it may have to do with one record alone.
  fileprivate var isOfOneRecord: Bool {
    switch self as? DestinationError {
    case .unreachable?, .page?: true
    default: false
    }
  }

  /// Whether the destination answered in a way that the profile does not describe.
  var isUnexpected: Bool {
    if case .unexpected? = self as? DestinationError { true } else { false }
  }

  /// What it is to the reading of the record that it may have to do with.
  fileprivate func reading(areListed: Bool) -> Reading {
    .failed(reason: "\(self)", isUnanswered: !isAnswered, areListed: areListed)
  }
}

extension Operation.Action {
  /// Whether what depends on a record is looked for before the record is.
  fileprivate var asksForChildren: Bool { removes && self != .unupload }
}
