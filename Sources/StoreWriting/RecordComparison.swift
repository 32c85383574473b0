import JSONText
import Profiles
import Records
import TextCodecs

/// Holds the records of a copy against those of its source and against the write-back.
struct RecordComparison {
  private let entries: [RecordID: WriteBackFile.Entry]
  private let removed: Set<RecordID>
  private let profile: Profile
  private let skipped: Set<RecordID>
  /// Entities whose rows are links of other records, by which they are compared.
  private let linkEntities: Set<EntityName>

  init(_ file: WriteBackFile, _ profile: Profile, _ result: WriteBackApplication.Result) {
    self.profile = profile
    linkEntities = result.linkEntities
    skipped = Set(result.skipped.map(\.record))
    entries = Dictionary(
      file.entries.map { ($0.record, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    removed = result.removedOperations.union(
      file.entries.filter { $0.status == .deleted }.map(\.record)
    )
  }

  /// The most records that an error names.
  private static let namedLimit = 5

  /// Compares every record; gives how many.
  ///
  /// - Throws: ``StoreWritingError/notAsWritten(records:)`` for records that are not as the write-back says, or
  ///   that it does not name and that differ all the same.
  func compare(
    _ before: RecordReading,
    _ after: RecordReading
  ) throws(StoreWritingError) -> Int {
    var digests: [RecordID: Digest] = [:]
    try before.forEachRecord { record, line in
      let links = removed.isEmpty ? [:] : before.links[record.entity] ?? [:]
      digests[record] = Digest(sha256: Self.unlinked(line, links, from: removed) ?? line)
    }
    var wrong: [String] = []
    var count = 0
    var seen: Set<RecordID> = []
    try after.forEachRecord { record, line in
      count += 1
      seen.insert(record)
      if linkEntities.contains(record.entity) { return }
      if let fault = fault(of: record, line, before: digests[record]) { wrong.append(fault) }
    }
    for record in digests.keys
    where !seen.contains(record) && !removed.contains(record)
      && !linkEntities.contains(record.entity)
    {
      wrong.append("\(record)")
    }
    guard wrong.isEmpty else {
      throw .notAsWritten(records: Array(wrong.sorted().prefix(Self.namedLimit)))
    }
    return count
  }

  /// What of a record is not as it has to be; `nil` where all is.
  private func fault(of record: RecordID, _ line: [UInt8], before: Digest?) -> String? {
    if removed.contains(record) { return "\(record)" }
    if before == Digest(sha256: line), !isChanged(record) { return nil }
    if skipped.contains(record) { return nil }
    guard let entry = entries[record], entry.status.setsAttributes else {
      return before == Digest(sha256: line) ? nil : "\(record)"
    }
    return unwritten(of: entry, line).map { "\(record).\($0)" }
  }

  private func isChanged(_ record: RecordID) -> Bool {
    entries[record].map { $0.status.setsAttributes && !$0.attributes.isEmpty } ?? false
  }

  /// A record without the links to removed rows, which go with these; `nil` where it has none.
  private static func unlinked(
    _ line: [UInt8],
    _ links: [String: [EntityName]],
    from removed: Set<RecordID>
  ) -> [UInt8]? {
    guard !links.isEmpty, var record = record(line) else { return nil }
    for (name, targets) in links {
      func isGone(_ value: JSONValue) -> Bool {
        guard let key = value.text else { return false }
        return targets.contains { removed.contains(RecordID(entity: $0, key: key)) }
      }
      guard let value = record[name] else { continue }
      if isGone(value) { record[name] = .null }
      if let elements = value.array { record[name] = .array(elements.filter { !isGone($0) }) }
    }
    return JSONValue.object(record).canonicalBytes
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
      return !Self.agree(member.value, found ?? .null)
    }?.name
  }

  /// Whether a value reads back as it was written: columns have numbers of their own form, and dates as many
  /// digits as a double has.
  private static func agree(_ written: JSONValue, _ read: JSONValue) -> Bool {
    if written == read { return true }
    if let left = written.array, let right = read.array { return Set(left) == Set(right) }
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
