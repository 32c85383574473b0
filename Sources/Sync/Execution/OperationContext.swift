import Checkpoint
import DestinationModel
import ExportPackage
import Reconciliation
package import Records
import RequestMapping
import Retrying
package import StageSupport
package import SyncReading
import UploadPlanning

/// Turns operations into requests, and what the destination holds into readings.
///
/// The context knows the package, the profile's request fields and the checkpoint. It decides nothing
/// about order, patience or repetition: that is the engine's.
package struct OperationContext: Sendable {
  let reader: SyncReader
  let findings: FindingCollector
  /// Whether what was begun is only paused, and not gone on with.
  package var givesUp = false
  /// The entities of which nothing shows yet that the destination takes the identities that requests choose.
  package var unproven: Set<EntityName> = []
  let remainingChildren = RemainingChildren()
  let remainingLinks = RemainingLinks()
  /// Where the checkpoint is asked while requests are on their way.
  let disk = OwnThread("checkpoint")
  private let prepared = PreparedRequests()

  package init(reader: SyncReader, findings: FindingCollector) {
    self.reader = reader.withinRun
    self.findings = findings
  }

  var destination: any Destination { reader.destination }
  var checkpoint: CheckpointFile { reader.checkpoint }
  var mappings: RequestMappings { reader.mappings }
  var package: PackageReader? { reader.package }
  var siblings: [CheckpointView] { reader.siblings }
  /// Whether a checkpoint is there that cannot be read, and may be one of those.
  var mayBeHeldUnread: Bool { !reader.neighbours.unread.isEmpty }
  var clock: RunClock { reader.clock }
  var concurrency: Int { reader.concurrency }
  var gate: ConcurrencyLimiter { reader.gate }

  // MARK: - Sending

  /// Sends operations that belong together: one request where the destination takes batches, else
  /// one each, a few at a time.
  func send(_ operations: [Operation]) async -> BatchAnswer {
    guard let first = operations.first else { return BatchAnswer() }
    let request =
      if let prepared = await prepared.take(operations) { prepared } else {
        await formed(operations)
      }
    let (items, refused) = (request.items, request.refused)
    let entity = first.record.entity
    let verb = first.action.verb
    guard !items.isEmpty else { return BatchAnswer(outcomes: refused) }
    var answer: BatchAnswer
    if reader.traits.sendsTogether(verb, of: entity) {
      answer = await destination.send(OutgoingBatch(entity: entity, verb: verb, items: items))
    } else {
      answer = await sendEach(items, entity: entity, verb: verb)
    }
    answer = answer.redacted(about: items, reader.texts)
    let outcomes = verb == .create ? identified(answer.outcomes, of: items) : answer.outcomes
    return BatchAnswer(
      whole: answer.whole,
      outcomes: outcomes.merging(refused) { _, refusal in refusal },
      pause: answer.pause,
      mayLieInOne: answer.mayLieInOne,
      isUnanswered: answer.isUnanswered,
      singles: answer.singles
    )
  }

  /// Begins to form the request that will carry operations, while others are on their way.
  ///
  /// Only of records that are made: all else depends on what is read right before it is sent.
  func prepare(_ operations: [Operation]) {
    guard operations.allSatisfy({ $0.action == .create }) else { return }
    prepared.put(operations) { await formed(operations) }
  }

  /// Gives up what was prepared for requests that will not be sent.
  func giveUpPrepared() async { await prepared.clear() }

  /// What operations come to, as the destination takes them.
  private func formed(_ operations: [Operation]) async -> FormedRequest {
    var request = FormedRequest()
    let lines = linesTogether(operations.filter { $0.action == .create })
    let records = operations.map {
      $0.action == .create ? reader.record(of: $0, line: lines[$0.number]) : nil
    }
    let resolver = await resolver(for: records)
    let notes = notes(of: operations)
    for (operation, record) in zip(operations, records) {
      if let reason = await reasonToKeepFile(of: operation) {
        request.refused[operation.number] = reason
        continue
      }
      do throws(MappingError) {
        let note = try notes.get()[operation.number]
        request.items.append(try await item(for: operation, record?.get(), resolver, note: note))
      } catch {
        request.refused[operation.number] = error.outcome
      }
    }
    return request
  }

  /// Why a file that a run sent has to stay, or cannot be decided on; `nil` where it can go, and for all
  /// that removes no file.
  private func reasonToKeepFile(of operation: Operation) async -> ItemOutcome? {
    guard operation.action == .unupload, let serverID = operation.serverID else { return nil }
    if let reason = obstacle(toUndoing: operation) { return .conflicted(reason: reason) }
    if let reason = reasonToKeepForOthers(serverID, of: operation.record.entity) {
      return .conflicted(reason: reason)
    }
    // What is a part of its record goes with that, or stays.
    guard !reader.traits.keepsFilesInRecords else { return nil }
    do {
      return try await remainingLinks.name(fileOf: operation, reader: reader)
        ? .conflicted(reason: Self.nameIt) : nil
    } catch {
      if let error = error as? DestinationError, error.isPassing {
        return .deferred(reason: error.description)
      }
      return .rejected(code: "destination.unreadable", reason: "\(error)")
    }
  }

  /// Sends items one by one, side by side as far as the destination likes it.
  private func sendEach(
    _ items: [OutgoingBatch.Item],
    entity: EntityName,
    verb: OutgoingBatch.Verb
  ) async -> BatchAnswer {
    let answers = await sideBySide(
      items,
      width: concurrency,
      // After a pause or a refusal nothing more is sent; what is left was simply not carried out.
      goesOn: { $0.answer.pause == nil && !$0.answer.isRefusal },
      { item in
        let batch = OutgoingBatch(entity: entity, verb: verb, items: [item])
        return ItemAnswer(operation: item.operation, answer: await destination.send(batch))
      }
    )
    var outcomes: [Int64: ItemOutcome] = [:]
    var pause: Duration?
    var refusal: String?
    var singles: [Int64: BatchAnswer] = [:]
    for item in items { outcomes[item.operation] = .deferred(reason: "not sent") }
    for (number, answer) in answers.map({ ($0.operation, $0.answer) }) {
      outcomes[number] = answer.outcomes[number] ?? answer.whole.outcomeOfOne
      singles[number] = answer.singles[number] ?? (answer.mayLieInOne ? answer : nil)
      if let requestedPause = answer.pause { pause = max(pause ?? requestedPause, requestedPause) }
      if case .refused(let reason) = answer.whole { refusal = reason }
    }
    let whole: BatchAnswer.Whole = refusal.map { .refused(reason: $0) } ?? .answered
    return BatchAnswer(whole: whole, outcomes: outcomes, pause: pause, singles: singles)
  }

  private func item(
    for operation: Operation,
    _ record: MappedRecord?,
    _ resolver: ReferenceResolver,
    note: String?
  ) async throws(MappingError) -> OutgoingBatch.Item {
    let entity = operation.record.entity
    var body: [UInt8] = []
    var media: OutgoingMedia?
    var parts: [OutgoingMedia] = []
    switch operation.action {
    case .create:
      guard let record else { preconditionFailure("what is made has a record") }
      try record.expectFiles(for: .create, resolver)
      body = mappings[entity].body(of: try record.members(.create, resolver))
      parts = try self.parts(of: operation)
    case .complete, .update:
      let row = try reader.before(of: operation) ?? []
      let (sent, form) = try changes(of: operation, over: row)
      let kept = try carried(beside: sent, over: row, form.whole, of: operation.record)
      body = mappings[entity].body(of: sent + kept)
      parts = try self.parts(of: operation)
    case .restore: body = try await restoration(for: operation)
    case .upload: media = try outgoingMedia(for: operation)
    case .delete, .uncreate, .unupload, .discard: break
    }
    return OutgoingBatch.Item(
      operation: operation.number,
      record: operation.record,
      clientID: mappings.clientID(of: operation.record),
      serverID: try serverID(of: operation),
      version: operation.remoteVersion,
      key: try key(of: operation),
      body: body,
      media: media,
      parts: parts,
      since: try startOfUndoneRun(operation),
      note: note
    )
  }

  /// When the run began that sent a file which is to be removed; `nil` for all other operations.
  private func startOfUndoneRun(_ operation: Operation) throws(MappingError) -> Int64? {
    guard operation.action == .unupload, let undone = operation.undoes else { return nil }
    return try reader.ask { checkpoint throws(CheckpointError) in
      try checkpoint.startOfRun(ofOperation: undone)
    }
  }

  /// What completes a record: what the destination takes only once it is there, and for one that the run
  /// found, the addresses of files.
  func completion(_ form: RequestFieldSet, _ operation: Operation) throws(MappingError)
    -> [RequestField]
  {
    let links = mappings[operation.record.entity].program.fileLinks
    let later = form.update.filter { member in
      links.contains(member.name) && !form.complete.contains { $0.name == member.name }
    }
    if later.isEmpty { return form.complete }
    return try isMadeByRun(of: operation) ? form.complete : form.complete + later
  }

  /// Whether the run of an operation also made the record it is about.
  func isMadeByRun(of operation: Operation) throws(MappingError) -> Bool {
    try reader.isMade(operation.record, inRunOf: operation.number)
  }

  /// Makes sure that a change that would bring nothing was not there to bring a link to a file.
  func expectFiles(of operation: Operation) throws(MappingError) {
    let stage: RequestStage = operation.action == .complete ? .complete : .update
    try reader.record(of: operation).get().expectFiles(for: stage, reader.resolver)
  }

  /// The server's identity: that of the operation, or what became known since it was planned.
  private func serverID(of operation: Operation) throws(MappingError) -> String? {
    if let serverID = operation.serverID { return serverID }
    guard operation.action != .create, operation.action != .upload else { return nil }
    return try known(operation.record)?.serverID
  }

  /// The operation's own key; for the removal of a file, that of the operation that sent it.
  private func key(of operation: Operation) throws(MappingError) -> String {
    guard operation.action == .unupload, let undone = operation.undoes else { return operation.key }
    return try reader.ask { checkpoint throws(CheckpointError) in
      try checkpoint.key(ofOperation: undone) ?? operation.key
    }
  }

  private func known(_ record: RecordID) throws(MappingError) -> SyncState? {
    try reader.ask { checkpoint throws(CheckpointError) in try checkpoint.known(record) }
  }

  /// The body of the request that puts back the fields that a run overwrote, decided on what the
  /// destination has now.
  private func restoration(
    for operation: Operation
  ) async throws(MappingError) -> [UInt8] {
    let entity = operation.record.entity
    guard let serverID = operation.serverID else {
      throw MappingError(code: "restore.unknown", reason: "its place at the destination is unknown")
    }
    let current: RemoteRecord?
    do throws(DestinationError) {
      current = try await destination.record(of: entity, serverID: serverID)
    } catch {
      throw MappingError(
        code: "destination.unreadable",
        reason: error.description,
        isPassing: error.isPassing
      )
    }
    guard let current else {
      throw MappingError(code: "restore.gone", reason: "the record is no longer at the destination")
    }
    if let version = operation.remoteVersion, let now = current.version, version != now {
      throw MappingError(conflict: Conflict.remotelyChanged([]).words)
    }
    let sent = try restored(operation, try known(operation.record), current)
    let kept = try carried(beside: sent, over: current.body, [], of: operation.record)
    return mappings[entity].body(of: sent + kept)
  }

  /// The files that are parts of the record an operation is about.
  private func parts(of operation: Operation) throws(MappingError) -> [OutgoingMedia] {
    let mapping = mappings[operation.record.entity]
    let areAssets = reader.traits.keepsFilesInRecords
    guard areAssets || mapping.program.carriesFiles else { return [] }
    let (package, line) = try reader.line(of: operation)
    let record = try mapping.record(line)
    return areAssets
      ? mappings.parts(of: record, package: package)
      : try mappings.carriedParts(of: record, package: package)
  }

  /// A value as the checkpoint keeps it.
  func kept(_ value: [UInt8]) throws(MappingError) -> [UInt8] { try reader.kept(value) }

  private func outgoingMedia(for operation: Operation) throws(MappingError) -> OutgoingMedia {
    let (package, line) = try reader.line(of: operation)
    return try mappings.media(of: operation, in: line, package: package)
  }

  /// The lines of records that follow each other in the package, by their operations' numbers.
  ///
  /// Those that are missing are read one by one, which says why they cannot be sent.
  private func linesTogether(_ operations: [Operation]) -> [Int64: [UInt8]] {
    let sources = operations.compactMap(\.source)
    guard let package, operations.count > 1, sources.count == operations.count,
      let lines = try? package.lines(at: sources.map(RecordPlace.init))
    else { return [:] }
    var together: [Int64: [UInt8]] = [:]
    for (operation, line) in zip(operations, lines) where operation.isPlanned(with: line) {
      together[operation.number] = line
    }
    return together
  }
}

/// The answer to a request of one item.
private struct ItemAnswer: Sendable {
  let operation: Int64
  let answer: BatchAnswer
}

extension BatchAnswer {
  fileprivate var isRefusal: Bool {
    if case .refused = whole { true } else { false }
  }
}

extension Operation.Action {
  /// What is asked of the destination for this action.
  var verb: OutgoingBatch.Verb {
    switch self {
    case .create: .create
    case .complete, .update, .restore: .update
    case .delete, .uncreate, .discard: .delete
    case .upload: .uploadMedia
    case .unupload: .removeMedia
    }
  }
}

extension BatchAnswer.Whole {
  /// What the answer to a request of one item says about that item.
  var outcomeOfOne: ItemOutcome {
    switch self {
    case .answered: .unknown(reason: "the answer does not name it")
    case .deferred(let reason), .refused(let reason): .deferred(reason: reason)
    case .splittable(let reason): .rejected(code: "destination.refused", reason: reason)
    case .unknown(let reason): .unknown(reason: reason)
    }
  }
}
