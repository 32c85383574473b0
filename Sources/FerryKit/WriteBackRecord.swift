import Checkpoint
import Execution
import JSONText
import Records

/// What the app has to write into its own store about one record after a run.
public struct WriteBackRecord: Hashable, Sendable {
  /// The record's entity.
  public let entity: String
  /// The record's key in the store.
  public let localID: String
  /// What the app does with the record.
  public let status: Status
  /// Its identity at the destination.
  public let serverID: String?
  /// The destination's own revision of it.
  public let serverRevision: String?
  /// When both sides were last known to agree, in whole seconds since 1970.
  public let syncedAt: Int64?
  /// Why it failed, is in conflict or was left out; a change that was not carried out yet counts as failed.
  public let reason: String?
  /// The values to set, by the path of the attribute or the name of the relationship.
  ///
  /// A relationship has the key of the record that it leads to. Of a conflicted record they are the
  /// destination's content, which the app does not take over by itself.
  public let attributes: [String: AttributeValue]
  /// The fields of the destination that have no exact way back into the store, by name.
  public let unmapped: [String]

  /// What the app does with a record.
  public enum Status: String, Hashable, Sendable {
    /// Both sides agree: set the attributes.
    case synced
    /// The destination's content is newer, or won: set the attributes.
    case replace
    /// A deletion was not carried out: make the row again, or remove its mark, and set the attributes.
    case restore
    /// It is no longer at the destination, after a rollback: set the attributes.
    case withdrawn
    /// It is gone at both ends: remove the row that was marked as deleted.
    case deleted
    /// It, or its last change, did not get there: keep it as not synced, with the reason.
    case failed
    /// Both sides changed it, and no one decided, or the verification found it different, gone or not deleted:
    /// keep it as not synced, and show both where it has values.
    case conflicted
    /// The run left it out, or it is deleted and live rows name it: keep it as it is. An earlier run may have sent it.
    case skipped
  }
}

/// Records of a run's package that have no entry, by entity and reason.
///
/// They are those of entities of which the run took no record, and those without a key. What an earlier run sent of
/// such an entity has an entry all the same.
public struct RecordsWithoutEntry: Hashable, Sendable {
  /// The records' entity.
  public let entity: String
  /// Why the run did not take them.
  public let reason: String
  /// How many records of the package these are.
  public let count: Int

  init(_ left: LeftRecord) {
    (entity, reason, count) = (left.entity.text, left.reason, left.count)
  }
}

/// A value of an attribute, in the form that a record of a package has.
///
/// Dates are RFC 3339 in UTC, UUIDs are texts in upper case, and bytes are base64.
public indirect enum AttributeValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  case list([AttributeValue])
  case object([String: AttributeValue])
}

/// A row of the app's queue of changes after a run.
public struct QueuedChangeOutcome: Hashable, Sendable {
  /// The entity of the queue.
  public let entity: String
  /// The key of the row in the store.
  public let localID: String
  /// What became of the change.
  public let outcome: Outcome
  /// The entity of the record that the change is about, where it names one.
  public let targetEntity: String?
  /// The key of that record.
  public let targetLocalID: String?
  /// Why the record did not carry it.
  public let reason: String?

  /// What became of a queued change.
  public enum Outcome: Hashable, Sendable {
    /// The record that it changes carried it: remove the row.
    case carried
    /// It went out together with another change of the record: remove the row.
    case folded
    /// It is older than the app keeps such changes.
    case expired
    /// It was not carried, for the reason given: keep the row.
    case notCarried
  }
}

extension WriteBackRecord {
  init(_ entry: WriteBackEntry, _ values: WriteBack.Values) {
    entity = entry.record.entity.text
    localID = entry.record.key
    status = Status(entry.status)
    serverID = entry.serverID
    serverRevision = entry.revision
    syncedAt = entry.syncedAt
    reason = entry.reason
    attributes = AttributeValue.members(of: values.attributes)
    unmapped = values.unmapped
  }
}

extension WriteBackRecord.Status {
  fileprivate init(_ status: WriteBackEntry.Status) {
    self =
      switch status {
      case .synced: .synced
      case .replace: .replace
      case .restore: .restore
      case .withdrawn: .withdrawn
      case .deleted: .deleted
      case .failed: .failed
      case .conflicted: .conflicted
      case .skipped: .skipped
      }
  }
}

extension AttributeValue {
  fileprivate init(_ value: JSONValue) {
    self =
      switch value {
      case .null: .null
      case .boolean(let flag): .boolean(flag)
      case .number(let number): Self.number(number)
      case .string(let text): .text(text)
      case .array(let elements): .list(elements.map { Self($0) })
      case .object(let object): .object(Self.members(of: object))
      }
  }

  /// The digits as a text where neither an integer nor a double has the number.
  private static func number(_ number: JSONNumber) -> AttributeValue {
    if let integer = number.int64 { return .integer(integer) }
    return number.double.map { .real($0) } ?? .text(number.literal)
  }

  fileprivate static func members(of object: JSONObject) -> [String: AttributeValue] {
    Dictionary(
      object.members.map { ($0.name, AttributeValue($0.value)) },
      uniquingKeysWith: { first, _ in first }
    )
  }
}

extension QueuedChangeOutcome {
  init(_ operation: WriteBackOperation) {
    entity = operation.row.entity.text
    localID = operation.row.key
    outcome =
      switch operation.outcome {
      case .carried: .carried
      case .folded: .folded
      case .expired: .expired
      case .notCarried: .notCarried
      }
    targetEntity = operation.target?.entity.text
    targetLocalID = operation.target?.key
    reason = operation.reason
  }
}
