package import Records

/// One thing that a run does at the destination: the only kind of thing that changes anything.
///
/// Creating, updating and deleting, sending a media file and undoing each of these are all
/// operations. They differ in their action, and travel the same way.
package struct Operation: Hashable, Sendable {
  /// The place in the checkpoint, counted from one: the order of execution inside a phase.
  package let number: Int64
  private var plan: Plan
  package var state: State
  /// The server's identity of the record, once known.
  package var serverID: String?
  /// The server's version of the record that this operation expects to find, or left.
  package var version: String?
  /// What was at the server before an update or a removal, as the server gave it.
  package var before: [UInt8]?
  /// Whether it was ever begun, whatever became of that.
  package var wasBegun: Bool

  package init(
    number: Int64,
    phase: Int,
    record: RecordID,
    action: Action,
    content: Digest,
    key: String,
    state: State = .planned,
    serverID: String? = nil,
    version: String? = nil,
    before: [UInt8]? = nil,
    source: RecordSource? = nil,
    undoes: Int64? = nil,
    wasBegun: Bool = false
  ) {
    self.number = number
    self.wasBegun = wasBegun || state == .begun || state == .unknown
    self.state = state
    self.serverID = serverID
    self.version = version
    self.before = before
    plan = Plan(
      phase: phase,
      record: record,
      action: action,
      content: content,
      key: key,
      source: source,
      undoes: undoes
    )
  }

  /// The same under another key.
  package func keyed(_ key: String) -> Operation {
    var operation = self
    operation.plan = Plan(
      phase: phase,
      record: record,
      action: action,
      content: content,
      key: key,
      source: source,
      undoes: undoes
    )
    return operation
  }

  /// What was decided once, which all copies of an operation share: it is handed from one to the next
  /// many times on its way.
  private final class Plan: Sendable {
    let phase: Int
    let record: RecordID
    let action: Action
    let content: Digest
    let key: String
    let source: RecordSource?
    let undoes: Int64?

    init(
      phase: Int,
      record: RecordID,
      action: Action,
      content: Digest,
      key: String,
      source: RecordSource?,
      undoes: Int64?
    ) {
      self.phase = phase
      self.record = record
      self.action = action
      self.content = content
      self.key = key
      self.source = source
      self.undoes = undoes
    }

    func isSame(as other: Plan) -> Bool {
      self === other
        || phase == other.phase && record == other.record && action == other.action
          && content == other.content && key == other.key && source == other.source
          && undoes == other.undoes
    }
  }

  /// All operations of a phase settle before the next phase begins, parents before children.
  package var phase: Int { plan.phase }
  package var record: RecordID { plan.record }
  package var action: Action { plan.action }
  /// The digest of the record's line in the package; of the bytes, for a media file.
  package var content: Digest { plan.content }
  /// The key under which a repeat is known to be the same request; see ``OperationKey``.
  package var key: String { plan.key }
  /// Where the record's line lies in the package.
  package var source: RecordSource? { plan.source }
  /// The operation that this one rolls back.
  package var undoes: Int64? { plan.undoes }

  package static func == (left: Operation, right: Operation) -> Bool {
    left.number == right.number && left.plan.isSame(as: right.plan) && left.state == right.state
      && left.serverID == right.serverID && left.version == right.version
      && left.before == right.before && left.wasBegun == right.wasBegun
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(state)
  }

  /// What an operation does.
  ///
  /// The raw values are written into checkpoints and never change.
  package enum Action: String, Sendable, CaseIterable {
    /// Makes a record that the destination does not have.
    case create
    /// Sends the fields that the destination only takes once the record is there.
    case complete
    /// Sends the fields that changed.
    case update
    /// Removes a record that the user deleted.
    case delete
    /// Sends a media file.
    case upload
    /// Removes a record that a run created.
    case uncreate
    /// Puts back what a run overwrote.
    case restore
    /// Removes a media file that a run sent.
    case unupload
    /// Removes a second copy that a repeated request of a run made.
    case discard

    /// Whether the current record has to be read before this action is decided.
    package var needsReading: Bool {
      switch self {
      case .create, .upload, .unupload: false
      case .complete, .update, .delete, .uncreate, .restore, .discard: true
      }
    }

    /// Whether the record is gone from the destination afterwards.
    package var removes: Bool {
      switch self {
      case .create, .complete, .update, .upload, .restore: false
      case .delete, .uncreate, .unupload, .discard: true
      }
    }

    /// Whether this rolls back what an earlier run did.
    package var isUndo: Bool {
      switch self {
      case .create, .complete, .update, .delete, .upload: false
      case .uncreate, .restore, .unupload, .discard: true
      }
    }
  }

  /// How far an operation is.
  ///
  /// The raw values are written into checkpoints and never change.
  package enum State: String, Sendable, CaseIterable {
    /// Decided, and nothing sent.
    case planned
    /// About to be sent, or sent without an answer so far.
    case begun
    /// The destination has it. For an undo: undone.
    case confirmed
    /// Another device had made the very same before it was sent: nothing there is this run's work.
    case adopted
    /// The destination read it and refused it. For an undo: failed.
    case rejected
    /// Another device changed the record first. For an undo: kept.
    case conflicted
    /// Sent, and the answer never came. Settled before anything is sent again.
    case unknown

    /// Whether there is nothing left to do.
    package var isSettled: Bool {
      switch self {
      case .planned, .begun, .unknown: false
      case .confirmed, .adopted, .rejected, .conflicted: true
      }
    }
  }
}

/// Where a record's line lies in a package.
package struct RecordSource: Hashable, Sendable {
  /// The data file, relative to the package.
  package let file: String
  /// The first byte of the line, counted from zero.
  package let offset: Int64
  /// The bytes of the line, without its end.
  package let length: Int

  package init(file: String, offset: Int64, length: Int) {
    self.file = file
    self.offset = offset
    self.length = length
  }
}
