import Files
import Foundation
import JSONText
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Every value compared with what a small script in another language reads on its own.
///
/// `independent_reading.py` has its own decoder of the model and its own reading of the tables.
@Suite(.enabled(if: RealStores.folder != nil, "FERRY_STORES is not set"))
struct `An independent reading` {
  /// Rows of each attribute that are compared.
  private static let rowLimit = 2000

  @Test(arguments: RealStores.names.filter { !$0.contains("DataUsage") })
  func `agrees value by value`(name: String) throws {
    let path = try #require(RealStores.folder) + "/" + name
    let folder = try SampleFolder()
    let store = try Source(path, into: folder.path + "/private").store
    let theirs = try Self.values(of: path)
    var compared = 0
    var different: [String] = []
    for (entity, values) in theirs {
      guard let name = EntityName(entity), let found = store.model.entity(named: name) else {
        // The script also reads the tables behind virtual ones, and, where a store has no model,
        // tables that are no entities.
        #expect(
          store.model.origin == .schemaOnly || store.otherTables.contains(entity),
          "\(entity)"
        )
        continue
      }
      let names = Set(values.keys.map(\.attribute)).sorted()
      let fields = names.compactMap { name in Self.field(name, of: found).map { (name, $0) } }
      #expect(fields.count == names.count || store.model.origin == .schemaOnly)
      let known = Set(fields.map(\.0))
      let ours = try Self.values(of: fields, of: name, in: store)
      for (place, value) in values where known.contains(place.attribute) {
        compared += 1
        guard try !Self.agree(ours[place], value) else { continue }
        different.append(
          "\(entity) \(place.key) \(place.attribute): \(ours[place] ?? "-") \(value)"
        )
      }
    }
    #expect(different.isEmpty, "\(different.count): \(different.prefix(3))")
    if store.model.origin == .store, !theirs.isEmpty { #expect(compared > 0) }
    print("compared\t\(compared)\t\(name)")
  }

  /// How a property is asked for, by the name that the script gives it.
  private static func field(_ name: String, of entity: StoreEntity) -> FieldRequest? {
    if let relationship = entity.relationships.first(where: { $0.name == name }) {
      return relationship.isToMany
        ? .references(relationship: name, identity: .objectURI)
        : .reference(relationship: name, identity: .objectURI)
    }
    if entity.attributes.contains(where: { $0.name == name }) { return .attribute(path: [name]) }
    let path = name.split(separator: "/").map(String.init)
    guard path.count > 1, entity.attributes.contains(where: { $0.name == path[0] }) else {
      return nil
    }
    return .attribute(path: path)
  }

  /// JSON is compared by what it says, everything else as it is.
  private static func agree(_ ours: String?, _ theirs: String) throws -> Bool {
    guard let ours, ours.hasPrefix("j"), theirs.hasPrefix("j") else { return ours == theirs }
    return try JSONValue(parsing: bytes(ours)) == JSONValue(parsing: bytes(theirs))
  }

  private static func bytes(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8.dropFirst())
    return stride(from: 0, to: digits.count, by: 2).compactMap { place in
      UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
    }
  }

  private struct Place: Hashable {
    let key: String
    let attribute: String
  }

  private static func values(of path: String) throws -> [String: [Place: String]] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "independent_reading.py").path
    process.arguments = ["python3", script, path, "\(rowLimit)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    var values: [String: [Place: String]] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      try #require(parts.count == 4)
      values[parts[0], default: [:]][Place(key: parts[1], attribute: parts[2])] = parts[3]
    }
    return values
  }

  private static func values(
    of fields: [(name: String, request: FieldRequest)],
    of entity: EntityName,
    in store: any Store
  ) throws -> [Place: String] {
    let reader = try store.rows(
      RowRequest(entity: entity, fields: fields.map(\.request))
    )
    var values: [Place: String] = [:]
    var count = 0
    while count < rowLimit, try reader.next() {
      count += 1
      for (index, cell) in reader.row.cells.enumerated() {
        let (name, request) = fields[index]
        let place = Place(key: "\(reader.row.place)", attribute: name)
        values[place] = if case .attribute = request { text(cell) } else { keys(cell) }
      }
    }
    return values
  }

  private static func text(_ cell: Cell) -> String {
    switch cell {
    case .null: "null"
    case .integer(let value): "i\(value)"
    case .real(let value):
      "r"
        + hexadecimal((0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (56 - 8 * $0)) })
    case .text(let bytes): "t" + hexadecimal(bytes)
    case .blob(let bytes): "b" + hexadecimal(bytes)
    case .large(let value):
      (value.takeUnretainedValue().isText ? "t" : "b")
        + hexadecimal(value.takeUnretainedValue().bytes() ?? [])
    case .json(let bytes): "j" + hexadecimal(bytes)
    case .list, .lostFile, .dangling: described(cell)
    }
  }

  /// The keys of the rows that a relationship leads to, in ascending order.
  private static func keys(_ cell: Cell) -> String {
    switch cell {
    case .null: return "null"
    case .list(let targets):
      return "p" + targets.map(key).sorted().map(String.init).joined(separator: ",")
    default: return "p\(key(cell))"
    }
  }

  private static func key(_ cell: Cell) -> Int {
    switch cell {
    case .text(let bytes), .dangling(let bytes, _):
      String(decoding: bytes, as: UTF8.self).split(separator: "/p").last.flatMap { Int($0) } ?? -1
    default: -1
    }
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
