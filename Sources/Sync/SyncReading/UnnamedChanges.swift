import ExportPackage
import JSONText
import Profiles
import Records
import RequestMapping
import StageSupport

extension QueueEntries {
  /// Finds what the changes that create a record and do not name it are about.
  ///
  /// A change belongs to the row without an identity of the destination that has the values of its payload.
  /// Where the store has no rows of the entity, the change makes the record itself. Any other row may be what
  /// the change made, so it is about no record then.
  mutating func findUnnamed(
    in package: PackageReader,
    _ profile: Profile,
    _ keyMember: String
  ) throws {
    let kinds = rule.kinds.filter { $0.value.isUnnamed(keyMember) }
    for entity in Set(kinds.values.map(\.entity)) {
      guard let api = profile.api?.entity(entity), profile.entity(entity)?.waitsIn == nil else {
        continue
      }
      guard package.manifest.recordCount(of: entity) > 0 else {
        rowless.insert(entity)
        continue
      }
      let places = entries.indices.filter { kinds[entries[$0].kind]?.entity == entity }
      try findRows(of: entity, places, api, in: package)
    }
  }

  private mutating func findRows(
    of entity: EntityName,
    _ places: [Int],
    _ api: EntityApi,
    in package: PackageReader
  ) throws {
    var open = places.sorted { (entries[$0].moment ?? .min, $0) < (entries[$1].moment ?? .min, $1) }
    for place in places { entries[place].unnamed = .unknown }
    let names = Set(
      places.flatMap { entries[$0].value(at: rule.payload)?.object?.members.map(\.name) ?? [] }
    )
    let key = package.manifest.entity(entity)?.key ?? "id"
    var found: [Int: String] = [:]
    try package.forEachRecord(of: entity) { line, _ in
      guard let row = QueueEntry.parsed(line), let rowKey = row[key]?.scalarText,
        !api.holdsServerID(row),
        let match = open.firstIndex(where: { entries[$0].isMade(of: row, names, rule.payload) })
      else { return }
      found[open.remove(at: match)] = rowKey
    }
    for (place, rowKey) in found { entries[place].unnamed = .row(key: rowKey) }
  }
}

extension QueueRule.Kind {
  /// Whether a change of this kind creates a record that it does not name: it is its own target.
  fileprivate func isUnnamed(_ keyMember: String) -> Bool {
    action == .create && target?.names == [keyMember]
  }
}

extension QueueEntry {
  /// Whether a row has each value of the payload, and none of the other members that such payloads have.
  fileprivate func isMade(
    of row: JSONValue,
    _ names: Set<String>,
    _ payload: MemberPath
  ) -> Bool {
    let values = value(at: payload)
    let compared = names.filter { row[$0] != nil }
    return compared.contains { !Self.isEmpty(row[$0]) }
      && compared.allSatisfy { Self.agree(values?[$0], row[$0]) }
  }

  private static func agree(_ left: JSONValue?, _ right: JSONValue?) -> Bool {
    if isEmpty(left) || isEmpty(right) { return isEmpty(left) && isEmpty(right) }
    if left == right { return true }
    // Payloads have numbers of the server as texts.
    guard left?.double != nil || right?.double != nil else { return false }
    return number(left) == number(right)
  }

  private static func isEmpty(_ value: JSONValue?) -> Bool {
    guard let value, !value.isNull else { return true }
    return value.text?.isEmpty ?? value.array?.isEmpty ?? false
  }

  private static func number(_ value: JSONValue?) -> Double? {
    value?.double ?? value?.text.flatMap { Double($0) }
  }
}

extension EntityApi {
  /// Whether a record has an identity that the destination gave.
  fileprivate func holdsServerID(_ record: JSONValue) -> Bool {
    serverIDs.contains { name in
      guard let text = record[name]?.scalarText else { return false }
      return serverIDForm == .any || text.isPlainNumber
    }
  }
}
