package import JSONText
import Profiles
package import Records
import TextCodecs
package import UploadPlanning

/// One queued change, as its record has it.
package struct QueueEntry {
  package let number: Int
  package let key: String
  package let kind: String
  /// When it was queued, in microseconds since 2001.
  package let moment: Int64?
  package let record: JSONValue
  package let source: RecordSource
  /// Whose record it is, where the change names none.
  package var unnamed: UnnamedTarget?

  /// What a change that creates a record and does not name it is about.
  package enum UnnamedTarget: Hashable, Sendable {
    /// The row that has the values of its payload.
    case row(key: String)
    /// A row of the store, and nothing says which.
    case unknown
  }

  package init(
    number: Int,
    key: String,
    kind: String,
    moment: Int64?,
    record: JSONValue,
    source: RecordSource
  ) {
    self.number = number
    self.key = key
    self.kind = kind
    self.moment = moment
    self.record = record
    self.source = source
  }

  package static func parsed(_ line: [UInt8]) -> JSONValue? {
    do throws(JSONError) { return try JSONValue(parsing: line) } catch { return nil }
  }

  /// A date that names no zone is taken to be in UTC: only differences count.
  package static func moment(_ text: String) -> Int64? {
    Timestamp.microseconds(text) ?? Timestamp.microseconds(text + "Z")
  }

  package func value(at path: MemberPath) -> JSONValue? { Self.value(of: record, at: path) }

  static func value(of record: JSONValue, at path: MemberPath) -> JSONValue? {
    var value: JSONValue? = record
    for name in path.names { value = value?[name] }
    return value
  }

  /// The key of the record that the change is about.
  func target(_ rule: QueueRule, _ kind: QueueRule.Kind) -> String? {
    switch unnamed {
    case .row(let key)?: key
    case .unknown?: nil
    case nil: Self.target(of: record, rule, kind)
    }
  }

  static func target(of record: JSONValue, _ rule: QueueRule, _ kind: QueueRule.Kind) -> String? {
    (kind.target ?? rule.target).flatMap { value(of: record, at: $0)?.scalarText }
  }

  /// What the change does to its record: what its kind does, or the contrary where its flag says so.
  func action(_ kind: QueueRule.Kind) -> QueueRule.Kind.Action {
    guard let flag = kind.flag, value(at: flag)?.boolean == false else { return kind.action }
    return switch kind.action {
    case .create: .delete
    case .delete: .create
    case .update: .update
    }
  }

  func priority(_ rule: QueueRule) -> Int64 {
    rule.priority.flatMap { record[$0]?.integer } ?? 0
  }
}

extension JSONValue {
  /// A text, or the digits of a whole number; `nil` for anything else and for an empty text.
  package var scalarText: String? {
    if let text { return text.isEmpty ? nil : text }
    return integer.map(String.init)
  }
}

/// Makes the record that a queued change is about, where the store has no row of that record.
package struct QueuedView: Sendable {
  let rule: QueueRule
  let keyMember: String

  /// The members of the payload, and the key of what is changed; `nil` for a line that is no such change.
  ///
  /// A record that the change makes has those members of the change too that the payload does not have:
  /// it was made when it was queued. A change of a record that exists says nothing else of it.
  func line(of change: [UInt8]) -> [UInt8]? {
    guard let record = QueueEntry.parsed(change), let members = record.object?.members,
      let name = record[rule.kind]?.scalarText, let kind = rule.kinds[name],
      let key = QueueEntry.target(of: record, rule, kind)
    else { return nil }
    var object = QueueEntry.value(of: record, at: rule.payload)?.object ?? JSONObject()
    for member in members
    where kind.action != .update && object[member.name] == nil
      && member.name != rule.payload.names.first
    {
      object[member.name] = member.value
    }
    object[keyMember] = .string(key)
    return JSONValue.object(object).canonicalBytes
  }
}

extension RequestMappings {
  /// Where the changes are that make the records of an entity; `nil` where it has records of its own.
  package func queuedSources(of entity: EntityName) -> [RecordSource]? {
    guard let mapping = mapping(for: entity), mapping.view != nil else { return nil }
    return mapping.queued.sorted { $0.key < $1.key }.filter { !$0.value.isDeleted }
      .compactMap(\.value.source)
  }

  /// The identities of the records that are asked for one by one, because the destination has no list
  /// of them; `nil` where it has.
  package func askedSingly(_ entity: EntityName) -> [String]? {
    guard isAskedSingly(entity) else { return nil }
    return self[entity].queued.keys.sorted().map { clientID(of: $0) }
  }

  /// Whether the records of an entity are asked for one by one; see ``askedSingly(_:)``.
  package func isAskedSingly(_ entity: EntityName) -> Bool {
    guard let mapping = mapping(for: entity), mapping.view != nil else { return false }
    return mapping.program.api.list == nil && mapping.program.api.read != nil
  }
}
