import Checkpoint
import DestinationModel
import JSONText
import Profiles
import Reconciliation
import Records
import RequestMapping
import StageSupport
import SyncReading
import UploadPlanning

extension OperationContext {
  /// Finds out which of the operations arrived, by what is at the destination now.
  ///
  /// - Throws: What is the matter on this machine, which ends the run.
  func lookUp(
    _ operations: [Operation],
    flight: FlightID
  ) async throws -> EngineEvent {
    do {
      return .lookedUp(flight, try await results(for: operations))
    } catch {
      return try readingFailed(flight, error)
    }
  }

  private func results(
    for operations: [Operation]
  ) async throws -> [Int64: LookUpResult] {
    let requests = try await lostRequests(of: operations)
    var results: [Int64: LookUpResult] = [:]
    for operation in operations {
      let request = requests[operation.number]
      guard let serverID = place(of: operation), isCarriedOut(operation, request) else { continue }
      results[operation.number] = .found(serverID: serverID, version: request?.revision)
    }
    let operations = operations.filter { results[$0.number] == nil }
    let alone = try await lookUpEach(operations.filter(isLookedUpAlone), requests)
    results.merge(alone) { known, _ in known }
    let together = operations.filter { !isLookedUpAlone($0) }
    for (entity, creations) in Dictionary(grouping: together, by: \.record.entity) {
      switch reader.traits.replay[entity] {
      case .id: try await lookUpByID(creations, of: entity, requests, into: &results)
      case .lookUp, .key, nil:
        try await lookUpByContent(creations, of: entity, requests, into: &results)
      }
    }
    let absent = operations.filter { $0.action == .create && results[$0.number] == .notThere }
    for (entity, creations) in Dictionary(grouping: absent, by: \.record.entity) {
      try await lookUpDisplaced(creations, of: entity, into: &results)
      try keepUntraced(creations, of: entity, in: &results)
    }
    return results
  }

  /// Where an operation's record is; `nil` for one that the destination gives its identity.
  private func place(of operation: Operation) -> String? {
    let isChosen = reader.isChosen(operation.record.entity)
    return operation.serverID ?? (isChosen ? mappings.clientID(of: operation.record) : nil)
  }

  /// How many may fail, where none can be informed of, before it is the destination that fails.
  private static var mostFailing: Int { 16 }

  /// Whether the destination is asked about an operation by itself.
  private func isLookedUpAlone(_ operation: Operation) -> Bool {
    guard operation.action == .create else { return true }
    let traits = reader.traits
    let entity = operation.record.entity
    return traits.replay[entity] == .id && !traits.readsTogether(entity)
  }

  /// Looks operations up one after the other.
  ///
  /// Where the destination says that it failed at one, that says nothing of the others, as long as it is
  /// at work: it reports another, or lists records. Where a run is paused, neither does an answer that
  /// the profile does not describe: a rollback has to be possible for all that is known.
  private func lookUpEach(
    _ operations: [Operation],
    _ requests: [Int64: LostRequest]
  ) async throws -> [Int64: LookUpResult] {
    var results: [Int64: LookUpResult] = [:]
    var failures: [(operation: Operation, error: any Error)] = []
    for operation in operations {
      do {
        let request = requests[operation.number]
        results[operation.number] = try await lookUp(operation, request)
      } catch {
        guard error.isAnswered || (givesUp && error.isUnexpected),
          !results.isEmpty || failures.count < Self.mostFailing
        else {
          throw error
        }
        failures.append((operation, error))
      }
    }
    if results.isEmpty, let first = failures.first {
      guard await isListed(first.operation.record.entity) else { throw first.error }
    }
    for (operation, error) in failures {
      let reason = "the record at the destination cannot be read: \(operation.record): \(error)"
      results[operation.number] =
        error.isUnexpected ? .different(reason: reason) : .failed(reason: reason)
    }
    return results
  }

  private func lookUp(
    _ operation: Operation,
    _ request: LostRequest?
  ) async throws -> LookUpResult {
    switch operation.action {
    case .create: try await lookUpByID(operation, request)
    case .upload: try await lookUpFile(operation)
    case .complete, .update, .delete, .uncreate, .restore, .unupload, .discard:
      try await lookUpChange(operation, request)
    }
  }

  /// Looks for a file where the destination can know; else one that was not confirmed is no one's,
  /// and is sent again.
  private func lookUpFile(_ operation: Operation) async throws -> LookUpResult {
    let file = MediaReference(
      record: operation.record,
      serverID: operation.serverID,
      operation: operation.key,
      comparing: .replaced
    )
    switch try await reader.state(of: file).get() {
    case .unknowable:
      if givesUp, operation.serverID != nil { try await removeParts(of: operation) }
      return .notThere
    case .other: return .different(reason: "another file lies where it belongs")
    case .present(let serverID, let version, _, let isReplaced):
      return isReplaced
        ? .replaced(serverID: serverID, version: version)
        : .found(serverID: serverID, version: version)
    case .absent:
      if givesUp { try await removeParts(of: operation) }
      return .notThere
    }
  }

  /// Removes what arrived of a file that no one will go on sending.
  ///
  /// Without the moment at which the run began, the parts of every other run would count as its own.
  private func removeParts(of operation: Operation) async throws {
    let began = try checkpoint.startOfRun(ofOperation: operation.number)
    let item = OutgoingBatch.Item(
      operation: operation.number,
      record: operation.record,
      clientID: "",
      serverID: operation.serverID,
      key: operation.key,
      body: [],
      since: began
    )
    let batch = OutgoingBatch(entity: item.record.entity, verb: .removeMedia, items: [item])
    let answer = await destination.send(batch)
    switch answer.outcomes[operation.number] {
    case .removed, .missing: return
    case .stored, .displaced, .adopted, .staged, .rejected, .exists, .conflicted, .deferred,
      .unnamed,
      .unknown, nil:
      findings.add(.orphaned(operation.record))
    }
  }

  private func lookUpByID(
    _ operation: Operation,
    _ request: LostRequest?
  ) async throws -> LookUpResult {
    let clientID = mappings.clientID(of: operation.record)
    let entity = operation.record.entity
    let current = try await reader.readingDestination { () async throws(DestinationError) in
      try await destination.record(of: entity, serverID: clientID)
    }
    return try judge(operation, current, request)
  }

  private func lookUpByID(
    _ operations: [Operation],
    of entity: EntityName,
    _ requests: [Int64: LostRequest],
    into results: inout [Int64: LookUpResult]
  ) async throws {
    let ids = operations.map { mappings.clientID(of: $0.record) }
    let found = try await reader.readingDestination { () async throws(DestinationError) in
      try await destination.records(of: entity, serverIDs: ids)
    }
    for (operation, id) in zip(operations, ids) {
      let request = requests[operation.number]
      results[operation.number] = try judge(operation, found[id], request)
    }
  }

  private func judge(
    _ operation: Operation,
    _ current: RemoteRecord?,
    _ request: LostRequest?
  ) throws -> LookUpResult {
    guard let current else { return .notThere }
    if let denial = current.denial { return .different(reason: .unreadable(denial)) }
    do throws(MappingError) {
      let clientID = mappings.clientID(of: operation.record)
      if !current.serverID.hasSameScalars(as: clientID) {
        if let reason = try reasonNotToTake(current.serverID, for: operation.record) {
          return .different(reason: reason)
        }
        findings.addFirst(
          .spelledOtherwise(operation.record.entity, clientID, as: current.serverID)
        )
      }
      let form = try reader.form(of: operation)
      let mapping = mappings[operation.record.entity]
      let isAlone = mapping.program.api.read != nil || reader.traits.batchesChanges
      let remote = mapping.remoteCopy(of: current, isAlone: isAlone)
      let rules = mapping.comparisonRules(judgesIdentity: false)
      switch mapping.arrival(mapping.copy(of: form.create), as: remote, rules, request.receipt) {
      case .arrived: return .found(serverID: current.serverID, version: current.version)
      case .madeByOther: return .replaced(serverID: current.serverID, version: current.version)
      case .notArrived, .hidden: break
      }
      // In a list, another spelling of an identity may be that of another record.
      let isAsked = mapping.program.api.read != nil || current.serverID.hasSameScalars(as: clientID)
      let key = mapping.naturalKey(of: form.create)
      return isAsked || key != nil && key == mapping.naturalKey(ofRemote: current.body)
        ? .different(reason: "the record of this identity has other content") : .notThere
    } catch {
      if let fault = error.package { throw fault }
      return .different(reason: error.reason)
    }
  }

  /// Matches what is new at the account against the operations, each new record once.
  ///
  /// A new record with the natural key of an operation and other content is taken for what the
  /// destination made of it: sent again it would be there twice. Where the destination notes operations, its
  /// note of one proves whose the record of this key is, whatever that holds by now.
  private func lookUpByContent(
    _ operations: [Operation],
    of entity: EntityName,
    _ requests: [Int64: LostRequest],
    into results: inout [Int64: LookUpResult]
  ) async throws {
    var wanted: [Digest?: [(number: Int64, made: RecordCopy)]] = [:]
    let mapping = mappings[entity]
    let rules = mapping.comparisonRules(judgesIdentity: false)
    for operation in operations.sorted(by: { $0.number < $1.number }) {
      results[operation.number] = .notThere
      do throws(MappingError) {
        let form = try reader.form(of: operation)
        wanted[mapping.naturalKey(of: form.create), default: []]
          .append((operation.number, mapping.copy(of: form.create)))
      } catch {
        if let fault = error.package { throw fault }
        results[operation.number] = .different(reason: error.reason)
      }
    }
    var duplicates = 0
    var changed: [Digest: Int] = [:]
    // A list that changes while it is read may give a record twice.
    var matches: Set<JSONName> = []
    try await reader.forEachPage(of: entity) { page in
      for row in page.records {
        let key = mapping.naturalKey(ofRemote: row.body)
        guard let candidates = wanted[key],
          try !checkpoint.isAccountedFor(row.serverID, of: entity),
          matches.insert(JSONName(row.serverID)).inserted
        else { continue }
        func arrivals(_ remote: RemoteRecord, isAlone: Bool) -> [EntityMapping.Arrival] {
          let copy = mapping.remoteCopy(of: remote, isAlone: isAlone)
          return candidates.map { number, made in
            // Without a key, a note does not say of which record it is.
            let receipt = key == nil ? .unknown : requests[number].receipt
            return mapping.arrival(made, as: copy, rules, receipt, isIdentified: key != nil)
          }
        }
        var remote = row
        var found = arrivals(row, isAlone: false)
        if found.contains(.hidden) {
          // The row leaves out what was sent.
          guard let alone = try await record(of: row, entity) else { continue }
          remote = alone
          found = arrivals(alone, isAlone: true)
        }
        func numbers(_ arrival: EntityMapping.Arrival) -> [Int64] {
          zip(candidates, found).filter { $0.1 == arrival }.map(\.0.number)
        }
        let (ours, theirs) = (numbers(.arrived), numbers(.madeByOther))
        if let match = ours.first(where: { results[$0] == .notThere }) {
          results[match] = .found(serverID: remote.serverID, version: remote.version)
        } else if ours.isEmpty, let match = theirs.first(where: { results[$0] == .notThere }) {
          results[match] = .replaced(serverID: remote.serverID, version: remote.version)
        } else if ours.isEmpty, theirs.isEmpty, let key {
          changed[key, default: 0] += 1
        } else {
          duplicates += 1
        }
      }
    }
    for (key, count) in changed {
      let left = (wanted[key] ?? []).filter { results[$0.number] == .notThere }.prefix(count)
      for (number, _) in left {
        results[number] = .different(reason: "the record of this key has other content")
      }
      duplicates += count - left.count
    }
    for operation in operations
    where results[operation.number] == .notThere
      && requests[operation.number].receipt == .carriedOut
    {
      results[operation.number] = .different(
        reason: "the destination carried it out, and the record was removed since"
      )
    }
    if duplicates > 0 { findings.add(.duplicates(entity, count: duplicates)) }
  }

  /// A record of a list as it is shown alone; `nil` where it is gone.
  private func record(
    of row: RemoteRecord,
    _ entity: EntityName
  ) async throws -> RemoteRecord? {
    try await reader.readingDestination { () async throws(DestinationError) in
      try await destination.record(of: entity, serverID: row.serverID)
    }
  }
}
