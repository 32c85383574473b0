import Checkpoint
import DestinationModel
import Profiles
import Records
import RequestMapping
import SyncReading
import UploadPlanning
import ScratchFiles

extension EntityPass {
  /// Counts a record that is exported and not sent.
  mutating func leave(_ key: String, _ reason: SkipReason) {
    step.tallies[entity, default: [:]][.skipped, default: 0] += 1
    noteLeft(key, reason.wordsOfOne)
    left[reason, default: 0] += 1
    hasLeft = true
  }

  /// Has the write-back name a record that is not sent.
  mutating func noteLeft(_ key: String, _ reason: String) {
    step.leftRecords.append(LeftRecord(RecordID(entity: entity, key: key), reason: reason))
  }

  /// Says what was left and why, and what goes in part, once the entity is through.
  mutating func reportLeftRecords() {
    for reason in SkipReason.allCases {
      guard let count = left[reason] else { continue }
      step.findings.append(.left(entity, reason, count: count))
    }
    if remoteNewer > 0 { step.findings.append(.remoteNewer(entity, count: remoteNewer)) }
    if unreadOlder > 0 { step.findings.append(.unreadOlder(entity, count: unreadOlder)) }
    if returned > 0 { step.findings.append(.returned(entity, count: returned)) }
    if madeAgain > 0 { step.findings.append(.madeAgain(entity, count: madeAgain)) }
    for (state, count) in unlisted.sorted(by: { $0.key < $1.key }) {
      step.findings.append(.unlisted(entity, state: state, count: count))
    }
    for (member, count) in shortened.sorted(by: { $0.key < $1.key }) {
      step.findings.append(.shortened(entity, member: member, count: count))
    }
  }
}

extension UploadPlanner {
  /// The claim with the server's identity, where the record's own key is that identity.
  ///
  /// A record that the app had a version of existed; any other may be, and is looked for.
  func located(_ claim: SourceClaim, _ id: RecordID) throws -> SourceClaim {
    guard claim != .none, claim.serverID == nil,
      case .id = reader.traits.replay[id.entity]
    else { return claim }
    let serverID = reader.mappings.clientID(of: id)
    let isThere = try snapshot.record(serverID, of: id.entity) != nil
    return isThere || claim.base != nil ? claim.with(serverID: serverID) : claim
  }

  /// Whether another record of the package has the place that the app says is this one's.
  func isShared(_ claim: SourceClaim, _ id: RecordID) throws -> Bool {
    guard let serverID = claim.serverID else { return false }
    let taker = try snapshot.taker(of: serverID, entity: id.entity)
    return taker.map { RecordID(entity: id.entity, key: $0) != id } ?? false
  }

  func canDelete(_ entity: EntityName) -> Bool {
    reader.traits.carriesOut(.delete, on: entity)
  }

  /// Makes a conflict of a change for which the destination has no route.
  func expectRoute(_ settled: inout SettledDecision, of entity: EntityName) {
    guard case .update = settled.decision,
      !reader.traits.carriesOut(.update, on: entity)
    else { return }
    settled.decision = .conflict(reason: "the destination has no route that changes it")
  }

  /// Whether a record names another that neither is at the destination nor will be.
  func dependsOnSkipped(
    _ record: LocalRecord,
    in pass: EntityPass
  ) throws -> Bool {
    let resolver = ReferenceResolver(
      reference: { entity, key in
        willBeThere(RecordID(entity: entity, key: key), pass) ? key : nil
      },
      media: { category, key in "\(category)/\(key)" }
    )
    return record.read.isBlocked(resolver.leavingOpen())
  }

  /// Whether a record that is not changed, or not there, is one of those that the destination has under another,
  /// and its user deleted that: the destination loses, or has lost, both together.
  func goesWithDeleted(
    _ record: LocalRecord,
    _ decision: PlanDecision,
    _ counterpart: Counterpart,
    in pass: EntityPass
  ) throws -> Bool {
    switch decision {
    case .unchanged, .create: break
    case .conflict where counterpart == .absent: break
    case .conflict, .adopt, .update, .keptRemote, .remoteNewer, .delete, .skip:
      return false
    }
    guard !named.isEmpty, !record.claim.isDeleted,
      let parent = record.read.program.api.list?.each
    else { return false }
    let resolver = ReferenceResolver(
      reference: { entity, key in
        entity == parent && isRemoved(RecordID(entity: entity, key: key), pass) ? nil : key
      },
      media: { category, key in "\(category)/\(key)" }
    )
    return record.read.isBlocked(resolver.leavingOpen())
  }

  /// Whether a record that its user deleted, and that live ones name, is removed by this run or is gone.
  private func isRemoved(_ id: RecordID, _ pass: EntityPass) -> Bool {
    guard named.reason(for: id) != nil else { return false }
    if pass.step.operations.contains(where: { $0.record == id }) { return true }
    do throws(CheckpointError) {
      if try checkpoint.hasOperation(on: id, in: run) { return true }
      return try checkpoint.known(id).map { $0.serverID == nil } ?? false
    } catch {
      return false
    }
  }

  /// Whether a record is at the destination, or is planned to be; what cannot be read counts as
  /// there, and its turn to be sent shows that.
  private func willBeThere(_ id: RecordID, _ pass: EntityPass) -> Bool {
    if pass.step.operations.contains(where: { $0.record == id }) { return true }
    do throws(CheckpointError) {
      if try checkpoint.known(id)?.serverID != nil { return true }
      return try checkpoint.hasOperation(on: id, in: run)
    } catch {
      return true
    }
  }

  /// Counts an entity whose records a person left out as a whole.
  func leaveOut(
    _ entity: EntityName,
    _ reason: SkipReason,
    count: Int
  ) throws {
    guard count > 0 else { return }
    var step = PlanStep()
    step.tallies[entity, default: [:]][.skipped, default: 0] += count
    step.findings.append(.left(entity, reason, count: count))
    step.leftRecords.append(LeftRecord(every: entity, reason: reason.wordsOfOne, count: count))
    try flush(&step)
  }
}

extension SkipReason {
  /// The reason in words, behind “because”.
  fileprivate var words: String {
    switch self {
    case .ignored: "the app did not mean them for the server"
    case .neverSent: "the user deleted them before they were ever sent"
    case .alreadyGone: "the user deleted them, and they are gone from the destination"
    case .noDeletion: "the user deleted them, and the destination has no way to delete them"
    case .otherOwner: "they belong to another account"
    case .unowned: "they name no owner"
    case .notChosen: "this run was asked to leave them out"
    case .parentLeft: "they depend on records that are not sent"
    case .parentDeleted: "they are under records that the user deleted"
    }
  }

  /// The same of one record, for the app.
  fileprivate var wordsOfOne: String {
    switch self {
    case .ignored: "the app did not mean it for the server"
    case .neverSent: "the user deleted it before it was ever sent"
    case .alreadyGone: "the user deleted it, and it is gone from the destination"
    case .noDeletion: "the user deleted it, and the destination has no way to delete it"
    case .otherOwner: "it belongs to another account"
    case .unowned: "it names no owner"
    case .notChosen: "this run was asked to leave it out"
    case .parentLeft: "it depends on a record that is not sent"
    case .parentDeleted: "it is under a record that the user deleted"
    }
  }

  private var isWarning: Bool {
    switch self {
    case .noDeletion, .unowned, .parentLeft, .parentDeleted: true
    case .ignored, .neverSent, .alreadyGone, .otherOwner, .notChosen: false
    }
  }

  fileprivate var severity: Finding.Severity { isWarning ? .warning : .note }

  fileprivate var cure: String {
    switch self {
    case .noDeletion: "delete them at the destination, or add “delete” to the profile's “api”"
    case .unowned: "if they are the account's own, write “unowned: own” in the profile"
    case .parentLeft: "send what they depend on, in this run or a later one"
    case .parentDeleted: "delete them in the app too, or give them another parent there"
    case .notChosen: "the same command without --only and --skip sends them"
    case .otherOwner: "sign in as that account to send them"
    case .ignored, .neverSent, .alreadyGone: "no action is needed; they are in the package"
    }
  }
}

extension Finding {
  /// Records that are exported and not sent, by one reason.
  static func left(_ entity: EntityName, _ reason: SkipReason, count: Int) -> Finding {
    Finding(
      code: "plan.skipped",
      severity: reason.severity,
      entity: entity,
      cause: "not sent: \(count.counted("record")) of \(entity), because \(reason.words)",
      cure: reason.cure
    )
  }

  /// An entity that is not the user's own.
  static func notSent(_ entity: EntityName, role: EntityProfile.Role, count: Int) -> Finding {
    Finding(
      code: "plan.skipped",
      severity: .note,
      entity: entity,
      cause: "not sent: \(count.counted("record")) of \(entity), because "
        + (role == .derived ? "they follow from others" : "they are the server's own"),
      cure: "no action is needed; they are in the package"
    )
  }

  /// Records that the destination has a newer state of.
  static func remoteNewer(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.remote-newer",
      severity: .note,
      entity: entity,
      cause: "only the destination changed \(count.counted("record")) of \(entity); they stay "
        + "there as they are",
      cure: "`ferry write-back` gives the app the destination's content"
    )
  }

  /// Records of an older copy of the store, of which the destination may have a newer state.
  static func unreadOlder(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.older-copy",
      severity: .note,
      entity: entity,
      cause:
        "the store has \(count.counted("record")) of \(entity) again as an earlier run agreed on "
        + "them, and the app calls them synced. This run sends nothing of them, and did not read them at the "
        + "destination",
      cure:
        "a run with `--full` reads them, and a write-back gives the app the destination's content"
    )
  }

  /// Records that are made where the destination says that one was removed.
  static func madeAgain(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.made-again",
      severity: .warning,
      entity: entity,
      cause:
        "another device, or a rollback that this checkpoint does not know of, removed "
        + "\(count.counted("record")) of \(entity) at the destination; they are created again",
      cure: "delete in the app too what is to stay removed; `ferry rollback` rolls back what a run "
        + "made"
    )
  }

  /// A state of the app's that the profile does not explain.
  static func unlisted(_ entity: EntityName, state: String, count: Int) -> Finding {
    Finding(
      code: "plan.state",
      severity: .warning,
      entity: entity,
      cause: "the profile does not list the state “\(state)” of \(count.counted("record")) of "
        + "\(entity); they count as changed",
      cure: "give its meaning under `sync: means:`"
    )
  }

  /// Records that the destination has by earlier runs and the store no longer has.
  static func absent(_ entity: EntityName, count: Int, evicts: Bool) -> Finding {
    Finding(
      code: "plan.absent",
      severity: .note,
      entity: entity,
      cause: "the store lacks at least \(count.counted("record")) of \(entity) that a run sent; "
        + (evicts ? "the app throws them away by itself, so they stay" : "they stay"),
      cure: evicts ? "no action is needed" : "`--delete` deletes them at the destination too"
    )
  }

  /// Records that were sent, of an entity of which the store has rows that are in no record.
  static func unreportedAbsence(_ entity: EntityName) -> Finding {
    Finding(
      code: "plan.absent",
      severity: .warning,
      entity: entity,
      cause: "rows of the store could not be exported, so that it is unknown which \(entity) it "
        + "no longer has; no record is deleted for its absence",
      cure: "correct what the export names, and run again"
    )
  }

  /// Records that were sent, of an entity that the store does not have any more.
  static func withoutEntity(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.absent",
      severity: .note,
      entity: entity,
      cause: "the store has no \(entity) any more; the destination keeps "
        + "\(count.counted("record")) of it that a run sent",
      cure: "no action is needed where the app left them to its server"
    )
  }
}
