import Checkpoint
import Records
import RequestMapping
import SyncReading
import UploadPlanning

/// One entity, while it is being planned.
struct EntityPass {
  let entity: EntityName
  let layout: PhaseLayout
  /// Whether all that the account holds was read.
  var isWhole: Bool
  /// Whether a list was read to its end that does not show all that is there.
  var isDoubted = false
  var stage = Stage.all
  /// Whether nothing was read, and whether the destination named records that are gone.
  var isEmpty = false
  var hasGone = false
  /// Whether nothing that was read waits to be held against the records of the package.
  var isMatched = true
  /// How many records wait until the whole destination was read.
  var deferredCount = 0
  /// Whether an earlier plan noted content of the destination that the app does not have.
  var hasRemoteContent = false
  /// Whether something is at the destination that a later run has to be informed of again.
  var holdsCursor = false
  /// Whether a record that is known could not be planned as it is.
  var isTroubled = false
  var step = PlanStep()
  /// How many records hold something in a member that has no place at the destination.
  var unmapped: [String: Int] = [:]
  /// How many records have more of a text than the destination takes, by the member of a request.
  var shortened: [String: Int] = [:]
  /// How many records the destination has no place for, by the member they lack.
  var homeless: [String: Int] = [:]
  /// How many of these a run sent, when they did not lack it.
  var sentHomeless: [String: Int] = [:]
  let rule: SkipRule
  /// How many records are not sent, by the reason.
  var left: [SkipReason: Int] = [:]
  /// How many records the destination has a newer state of, which stays.
  var remoteNewer = 0
  /// How many records have earlier content again that the app calls synced, and are not read.
  var unreadOlder = 0
  /// How many records that runs deleted, as the user had, are there again.
  var returned = 0
  /// How many records that no run knows are made where the destination says that one was removed.
  var madeAgain = 0
  /// Whether the record that was decided about last is made again.
  var isRemaking = false
  /// How many addresses of files are left to records that were found with them.
  var leftAddresses = 0
  /// How many files of records that are made again are not sent again, as nothing says whether they
  /// are there.
  var uncheckedFiles = 0
  /// How many records have a state that the profile does not list, by the state.
  var unlisted: [String: Int] = [:]
  /// Whether any record of the package so far is not sent.
  var hasLeft: Bool
  /// Which priority is planned now; `nil` where the order of the records counts.
  var turn: Int64?
  /// Whether all records were found once before, in an earlier turn.
  var isLaterTurn = false
  /// The records of the package that a queued change speaks of, and what becomes of it.
  var queued: [RecordID: QueuedChanges.Fate] = [:]
  /// The records that are read alone before they are decided about.
  var unread: [UnreadRecord] = []
  /// Which records that earlier runs sent to the destination are here.
  var matches = MatchedRecords()

  /// Which records are planned.
  enum Stage {
    case all
    /// Those that the checkpoint knows where they are; the others are put off.
    case known
    /// Those that were put off.
    case deferred
  }

  init(
    entity: EntityName,
    layout: PhaseLayout,
    isWhole: Bool,
    rule: SkipRule,
    hasLeft: Bool
  ) {
    self.entity = entity
    self.layout = layout
    self.isWhole = isWhole
    self.rule = rule
    self.hasLeft = hasLeft
  }
}

extension EntityPass {
  /// Counts records that are what was last agreed on.
  mutating func keep(_ count: Int) {
    guard count > 0 else { return }
    step.tallies[entity, default: [:]][.unchanged, default: 0] += count
    matches.matchedCount += count
  }

  /// Counts a record that cannot be sent.
  mutating func reject(_ key: String?, _ refusal: MappingError) {
    guard stage != .deferred, key != nil || !isLaterTurn else { return }
    if key == nil { matches.unnamedCount += 1 }
    step.reject(entity, key: key, code: refusal.code, reason: refusal.reason)
  }

  /// Counts a record that cannot be sent, which shows only once it is its turn to be decided about.
  mutating func refuse(_ key: String, _ refusal: MappingError) {
    step.reject(entity, key: key, code: refusal.code, reason: refusal.reason)
  }

  /// Counts a record that lacks what the destination needs.
  mutating func leaveOut(_ key: String, without missing: [String], isSent: Bool) {
    guard stage != .deferred else { return }
    step.tallies[entity, default: [:]][.unmapped, default: 0] += 1
    let members = missing.joined(separator: " and ")
    noteLeft(key, "the destination has no place for a \(entity) without \(members)")
    for member in missing {
      homeless[member, default: 0] += 1
      if isSent { sentHomeless[member, default: 0] += 1 }
    }
  }

  /// Counts the members of a record that have no place at the destination, and those of its requests that
  /// have less of a text than it.
  mutating func note(_ members: [String], shortened names: [String]) {
    for member in members { unmapped[member, default: 0] += 1 }
    for name in names { shortened[name, default: 0] += 1 }
  }

  /// Keeps the destination's old mark, so that the next run is reported again, where what a plan has to
  /// know of a record is written down nowhere: that it is gone, or was changed there.
  mutating func remember(_ counterpart: Counterpart, _ known: SyncState?, differs: Bool) {
    guard let known, known.serverID != nil else { return }
    switch counterpart {
    case .absent, .unlisted:
      holdsCursor = true
      isTroubled = true
    case .there(_, let version):
      if differs, version == nil || version != known.version { holdsCursor = true }
    case .notAsked: break
    }
  }
}
