import JSONText
import Profiles
import Records
import TextCodecs

/// Holds the records of a copy against those of its source and against the write-back.
struct RecordComparison {
  private let entries: [RecordID: WriteBackFile.Entry]
  private let removed: Set<RecordID>
  private let relinked: Set<String>
  private let involved: Set<RecordID>
  private let profile: Profile
  private let skipped: Set<RecordID>
  /// Entities whose rows are links of other records, by which they are compared.
  private let linkEntities: Set<EntityName>

  /// The relationships to many records that have no order.
  private let unordered: Set<String>

  init(
    _ file: WriteBackFile,
    _ profile: Profile,
    _ model: StoreModel,
    _ result: WriteBackApplication.Result
  ) {
    self.profile = profile
    unordered = Set(
      model.entities.flatMap(\.relationships).filter { $0.isToMany && !$0.isOrdered }.map(\.name)
    )
    linkEntities = result.linkEntities
    skipped = Set(result.skipped.map(\.record))
    relinked = result.relinked
    involved = result.involved
    entries = Dictionary(
      file.entries.map { ($0.record, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let deleted = file.entries.filter { $0.status == .deleted }.map(\.record)
    removed = result.removedOperations.union(deleted).subtracting(skipped)
  }

  /// A record of the copy that is not as it has to be.
  struct Fault: Hashable, CustomStringConvertible {
    let record: RecordID
    /// The attribute that does not have the value of the record's entry; `nil` where the record has none.
    let attribute: String?

    var description: String { attribute.map { "\(record).\($0)" } ?? "\(record)" }
  }

  /// Compares every record; gives how many, and those that are not as the write-back says or that it does not
  /// name and that differ all the same.
  func compare(
    _ before: RecordReading,
    _ after: RecordReading
  ) throws(StoreWritingError) -> (count: Int, faults: [Fault]) {
    var digests: [RecordID: Digest] = [:]
    try before.forEachRecord { record, line in
      digests[record] = Digest(sha256: plain(line, of: record.entity, before.links))
    }
    var faults: [Fault] = []
    var count = 0
    var seen: Set<RecordID> = []
    try after.forEachRecord { record, line in
      count += 1
      seen.insert(record)
      if linkEntities.contains(record.entity) { return }
      let digest = Digest(sha256: plain(line, of: record.entity, before.links))
      let isSame = digests[record] == digest
      if let fault = fault(of: record, line, isSame: isSame) { faults.append(fault) }
    }
    for record in digests.keys
    where !seen.contains(record) && !removed.contains(record)
      && !linkEntities.contains(record.entity)
    {
      faults.append(Fault(record: record, attribute: nil))
    }
    return (count, faults.sorted { $0.record < $1.record })
  }

  /// What of a record is not as it has to be; `nil` where all is.
  private func fault(of record: RecordID, _ line: [UInt8], isSame: Bool) -> Fault? {
    if removed.contains(record) { return Fault(record: record, attribute: nil) }
    if skipped.contains(record) || isSame && !isChanged(record) { return nil }
    guard let entry = entries[record], entry.status.setsAttributes else {
      return isSame ? nil : Fault(record: record, attribute: nil)
    }
    return unwritten(of: entry, line).map { Fault(record: record, attribute: $0) }
  }

  private func isChanged(_ record: RecordID) -> Bool {
    entries[record].map { $0.status.setsAttributes && !$0.attributes.isEmpty } ?? false
  }

  /// A record without its links to removed rows, which go with these, and without those that other records'
  /// entries set.
  private func plain(
    _ line: [UInt8],
    of entity: EntityName,
    _ links: [EntityName: [String: [EntityName]]]
  ) -> [UInt8] {
    guard !removed.isEmpty || !relinked.isEmpty, let links = links[entity], !links.isEmpty,
      var record = Self.record(line)
    else { return line }
    for (name, targets) in links {
      let isRelinked = relinked.contains(relationship(of: name, entity))
      func isLeftOut(_ value: JSONValue) -> Bool {
        guard let key = value.text else { return false }
        return targets.contains { target in
          let id = RecordID(entity: target, key: key)
          return removed.contains(id) || isRelinked && involved.contains(id)
        }
      }
      guard let value = record[name] else { continue }
      if isLeftOut(value) { record[name] = .null }
      if let elements = value.array { record[name] = .array(elements.filter { !isLeftOut($0) }) }
    }
    return JSONValue.object(record).canonicalBytes
  }

  /// The relationship of the store that a member comes from.
  private func relationship(of member: String, _ entity: EntityName) -> String {
    profile.entity(entity)?.attribute(of: MemberPath(names: [member])) ?? member
  }

  private static func record(_ line: [UInt8]) -> JSONObject? {
    do throws(JSONError) { return try JSONValue(parsing: line).object } catch { return nil }
  }

  /// The first attribute of an entry that a record does not have as it was written.
  private func unwritten(of entry: WriteBackFile.Entry, _ line: [UInt8]) -> String? {
    guard let entity = profile.entity(entry.record.entity), let record = Self.record(line) else {
      return entry.attributes.members.first?.name
    }
    return entry.attributes.members.first { member in
      guard let path = entity.member(ofAttribute: member.name) else { return false }
      var found: JSONValue? = .object(record)
      for name in path.names { found = found?[name] }
      return !agree(member.value, found ?? .null, of: member.name)
    }?.name
  }

  /// Whether a value reads back as it was written; links to many records in any order, where the store keeps
  /// none.
  private func agree(_ written: JSONValue, _ read: JSONValue, of attribute: String) -> Bool {
    let name = FieldProfile.path(attribute).first ?? attribute
    if let left = written.array, let right = read.array, unordered.contains(name) {
      return Set(left) == Set(right)
    }
    return Self.agree(written, read)
  }

  /// Whether a value reads back as it was written: columns have numbers of their own form, and dates as many
  /// digits as a double has.
  private static func agree(_ written: JSONValue, _ read: JSONValue) -> Bool {
    if written == read { return true }
    if let left = instant(written), let right = instant(read) {
      return left.subtractingReportingOverflow(right).partialValue.magnitude <= 1
    }
    if let left = number(written), let right = number(read) { return left == right }
    return written.text.map { $0.uppercased() == read.text?.uppercased() } ?? false
      && written.text.map { UUIDText.isUUID($0.utf8) } ?? false
  }

  private static func instant(_ value: JSONValue) -> Int64? {
    value.text.flatMap { Timestamp.microseconds($0) ?? Timestamp.microseconds($0 + "Z") }
  }

  private static func number(_ value: JSONValue) -> Double? {
    if let flag = value.boolean { return flag ? 1 : 0 }
    return value.double ?? value.text.flatMap { Double($0) }
  }
}
