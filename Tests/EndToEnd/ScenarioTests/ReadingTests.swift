import Foundation
import JSONText
import TestSupport
import Testing

/// The package against `check-store.py`, which reads the same store with nothing in common.
@Suite(.timeLimit(.minutes(3))) struct ReadingTests {
  // 001-52, 001-58, 000-62.
  @Test(arguments: ["default.store", "later.store"])
  func `every row and every value of the store is in the package`(store: String) async throws {
    try await withTemporaryFolder { folder in
      var sample = Samples.infiniteStories
      sample.storeName = store
      let exporting = Exporting(folder: folder, sample: sample)
      _ = try await exporting.package("one.ferry")
      let rows = try Python.run(["\(sample.folder)/check-store.py", sample.store])
        .split(separator: "\n").map { try JSONValue(parsing: String($0)) }
      #expect(rows.count == (store == "default.store" ? 424 : 77))
      var keys: [String: JSONValue] = [:]
      for row in rows { keys[Self.place(row["entity"], row["pk"])] = Self.key(of: row) }
      let lines = PackageLines("\(folder)/one.ferry")
      for entity in Set(rows.compactMap { $0["entity"]?.text }).sorted() {
        let own = rows.filter { $0["entity"]?.text == entity }
        let records = try lines.records(entity)
        #expect(records.count == own.count)
        for (row, record) in zip(own, records) { Self.compare(row, record, keys) }
      }
    }
  }

  private static let targets = [
    "hero": "Hero", "customEvent": "CustomStoryEvent", "visualProfile": "HeroVisualProfile",
    "story": "Story",
  ]

  private static func place(_ entity: JSONValue?, _ pk: JSONValue?) -> String {
    "\(entity?.text ?? "-") \(pk?.canonicalText ?? "-")"
  }

  private static func key(of row: JSONValue) -> JSONValue? {
    row["entity"] == "Hero" ? row["uri"] : row["attributes"]?["id"]
  }

  private static func compare(
    _ row: JSONValue,
    _ record: JSONValue,
    _ keys: [String: JSONValue]
  ) {
    var explained: Set<String> = []
    for attribute in row["attributes"]?.object?.members ?? [] {
      let found = record[attribute.name]
      #expect(
        isSame(attribute.value, found),
        "\(place(row["entity"], row["pk"])).\(attribute.name): \(attribute.value) and \(found?.canonicalText ?? "nothing")"
      )
      explained.insert(attribute.name)
    }
    for relationship in row["relationships"]?.object?.members ?? []
    where relationship.value.array == nil {
      let target = targets[relationship.name] ?? "-"
      let key = relationship.value.isNull ? .null : keys[place(.string(target), relationship.value)]
      #expect(record[relationship.name] == key)
      explained.insert(relationship.name)
    }
    let members = Set(record.object?.members.map(\.name) ?? [])
    #expect(members.subtracting(explained).isSubset(of: ["$id"]))
    if let address = record["$id"] { #expect(address == row["uri"]) }
  }

  private static func isSame(_ value: JSONValue, _ found: JSONValue?) -> Bool {
    guard let found else { return false }
    if let name = found["name"], found["state"] != nil { return name == value }
    if case .number(let number) = value, let seconds = number.double, let text = found.text {
      return seconds == secondsSince2001(text)
    }
    if let bytes = value["base64"]?.text, let data = Data(base64Encoded: bytes) {
      return (try? JSONValue(parsing: Array(data))) == found
    }
    return value == found
  }

  /// The seconds that an instant's text represents, read with all its digits.
  private static func secondsSince2001(_ text: String) -> Double? {
    let parts = text.dropLast().split(separator: ".")
    let whole = ISO8601DateFormatter().date(from: "\(parts[0])Z")
    guard let whole, let fraction = Double("0.\(parts.count > 1 ? parts[1] : "0")") else {
      return nil
    }
    let seconds = Int(whole.timeIntervalSinceReferenceDate.rounded())
    // Digits below zero count up from the second before.
    guard seconds < 0 else {
      return Double("\(seconds).\(parts.count > 1 ? parts[1] : "0")")
    }
    return Double(seconds) + fraction
  }
}
