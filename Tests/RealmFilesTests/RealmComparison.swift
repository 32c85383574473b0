import JSONText
import RealmFiles
import Testing

/// One table of a real file beside what is expected of it.
struct RealmComparison {
  let file: RealmFile
  let place: Int
  let expected: JSONValue

  private var table: RealmTable { file.tables[place] }

  /// The properties that a row of what is expected has: of several with one name, the last.
  private var compared: [Int] {
    table.properties.indices.filter { index in
      !table.properties[(index + 1)...].contains { $0.name == table.properties[index].name }
    }
  }

  func check() throws {
    #expect(expected["kind"]?.text == Self.word(for: table.kind))
    #expect(expected["pk"]?.text == table.primaryKey.map { table.properties[$0].name })
    let columns = try #require(expected["columns"]?.array)
    #expect(columns.map { $0["name"]?.text } == table.properties.map(\.name))
    for (property, column) in zip(table.properties, columns) { expect(property, column) }
    try checkRows()
  }

  private func expect(_ property: RealmProperty, _ column: JSONValue) {
    let name = "\(table.name).\(property.name)"
    // A list of values is written as the sub-table that it is in formats up to 9.
    if column["type"]?.text == "table", property.collection == .list {
      let only = column["columns"]?[0]
      #expect(only?["type"]?.text == word(for: property.kind), "\(name)")
      #expect(only?["nullable"]?.boolean == property.isOptional, "\(name)")
      return
    }
    #expect(column["type"]?.text == word(for: property.kind), "\(name)")
    #expect(column["nullable"]?.boolean == property.isOptional, "\(name)")
    #expect(column["collection"]?.text == Self.word(for: property.collection), "\(name)")
    if case .link(let target) = property.kind {
      #expect(column["target"]?.text == target.map { file.tables[$0].name }, "\(name)")
    }
  }

  private func checkRows() throws {
    let count = try #require(expected["count"]?.integer)
    #expect(try Int64(file.rowCount(ofTable: place)) == count, "\(table.name)")
    let first = try #require(expected["rows"]?.array)
    let last = expected["lastRows"]?.array ?? []
    let rows = try file.rows(ofTable: place, properties: Array(table.properties.indices))
    var sums = RealmSums(count: table.properties.count)
    var number = 0
    while try rows.next() {
      var values: [RealmValue] = []
      for column in table.properties.indices { values.append(try rows.value(column)) }
      sums.add(key: rows.key, values, table.properties)
      if number < first.count { expect(rows.key, values, first[number]) }
      let fromLast = number - (Int(count) - last.count)
      if fromLast >= 0, fromLast < last.count { expect(rows.key, values, last[fromLast]) }
      number += 1
    }
    #expect(Int64(number) == count, "\(table.name)")
    let stats = try #require(expected["stats"])
    #expect(Self.number(stats["$key"]?["sum"]) == sums.keys, "\(table.name)")
    for index in compared {
      let (property, sum) = (table.properties[index], sums.columns[index])
      let name = "\(table.name).\(property.name)"
      let expected = stats[property.name]
      #expect((Self.number(expected?["nulls"]) ?? 0) == Int128(sum.nulls), "\(name)")
      for (word, found) in [("sum", sum.sum), ("length", sum.length), ("items", sum.items)] {
        if let number = Self.number(expected?[word]) { #expect(number == found, "\(name) \(word)") }
      }
    }
  }

  private func expect(_ key: Int64, _ values: [RealmValue], _ row: JSONValue) {
    #expect(row["$key"]?.integer == key)
    for index in compared {
      let (property, value) = (table.properties[index], values[index])
      #expect(
        matches(value, row[property.name] ?? .null, property),
        "\(table.name).\(property.name) of \(key): \(value)"
      )
    }
  }

  private func matches(
    _ value: RealmValue,
    _ json: JSONValue,
    _ property: RealmProperty
  ) -> Bool {
    switch value {
    case .null: json.isNull
    case .int(let number): json.integer == number
    case .bool(let flag): json.boolean == flag
    case .float(let number): Self.matches(Double(number), json)
    case .double(let number): Self.matches(number, json)
    case .string(let text): json.text == text
    case .malformedString(let bytes): json["$strhex"]?.text == Self.hexadecimal(bytes)
    case .data(let bytes): json["$bin"]?.text == Self.hexadecimal(bytes)
    // Values are read here whole, however long they are.
    case .large: false
    case .timestamp(let seconds, let nanoseconds):
      json["$date"].map { $0.integer == seconds && nanoseconds == 0 }
        ?? (json["$ts"]?[0]?.integer == seconds && json["$ts"]?[1]?.integer == Int64(nanoseconds))
    case .decimal(let number):
      Self.plain(json["$dec"]?.text ?? "") == Self.plain(number.description)
    case .objectID(let bytes): json["$oid"]?.text == Self.hexadecimal(bytes)
    case .uuid(let bytes):
      json["$uuid"]?.text.map { $0.filter { $0 != "-" } } == Self.hexadecimal(bytes)
    case .link(let link): matches(link, json["$link"] ?? .null)
    case .list(let values): matches(list: values, json, property)
    case .set(let values): matches(set: values, json["$set"]?.array ?? [], property)
    case .dictionary(let entries): matches(entries, json["$dict"], property)
    case .rows(let rows): matches(rows: rows, json["$subtable"]?.array ?? [], property)
    }
  }

  private func matches(_ link: RealmLink, _ json: JSONValue) -> Bool {
    guard let pair = json.array else { return json.integer == link.key }
    return pair[0].text == link.table.map { file.tables[$0].name } && pair[1].integer == link.key
  }

  private func matches(
    list values: [RealmValue],
    _ json: JSONValue,
    _ property: RealmProperty
  ) -> Bool {
    let elements =
      json.array ?? (json["$subtable"]?.array ?? []).map { $0["!ARRAY_VALUE"] ?? .null }
    return elements.count == values.count
      && zip(values, elements).allSatisfy { matches($0, $1, property) }
  }

  /// Compares sets, whose order has no meaning.
  private func matches(
    set values: [RealmValue],
    _ elements: [JSONValue],
    _ property: RealmProperty
  ) -> Bool {
    values.count == elements.count
      && values.allSatisfy { value in elements.contains { matches(value, $0, property) } }
  }

  private func matches(
    _ entries: [RealmEntry],
    _ json: JSONValue?,
    _ property: RealmProperty
  ) -> Bool {
    guard json?.object?.count == entries.count else { return false }
    return entries.allSatisfy { entry in
      guard case .string(let key) = entry.key, let value = json?[key] else { return false }
      return matches(entry.value, value, property)
    }
  }

  private func matches(
    rows: [[RealmValue]],
    _ elements: [JSONValue],
    _ property: RealmProperty
  ) -> Bool {
    guard case .rows(let columns) = property.kind, rows.count == elements.count else {
      return false
    }
    return zip(rows, elements).allSatisfy { row, element in
      zip(columns, row).allSatisfy { matches($1, element[$0.name] ?? .null, $0) }
    }
  }

  private static func matches(_ number: Double, _ json: JSONValue) -> Bool {
    switch json["$num"]?.text {
    case "nan": number.isNaN
    case "inf": number == .infinity
    case "-inf": number == -.infinity
    default: json.double == number
    }
  }

  /// A decimal without zeros at its end, and its power of ten.
  private static func plain(_ text: String) -> String {
    if text.hasPrefix("NaN") { return "NaN" }
    let isNegative = text.hasPrefix("-")
    let parts = text.drop { $0 == "-" || $0 == "+" }.split(separator: "E")
    if parts.first?.hasPrefix("Inf") == true { return isNegative ? "-Inf" : "Inf" }
    let halves = (parts.first ?? "").split(separator: ".", omittingEmptySubsequences: false)
    var power = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    if halves.count > 1 { power -= halves[1].count }
    var digits = String(halves.joined().drop { $0 == "0" })
    while digits.hasSuffix("0") {
      digits.removeLast()
      power += 1
    }
    return (isNegative ? "-" : "") + digits + (digits.isEmpty ? "0" : "E\(power)")
  }

  private static func number(_ json: JSONValue?) -> Int128? {
    if let number = json?.integer { return Int128(number) }
    guard case .number(let number)? = json else { return nil }
    return Int128(String(describing: number))
  }

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func word(for kind: RealmTable.Kind) -> String {
    switch kind {
    case .plain: "toplevel"
    case .embedded: "embedded"
    case .asymmetric: "asymmetric"
    }
  }

  private static func word(for collection: RealmProperty.Collection?) -> String {
    switch collection {
    case .list: "list"
    case .set: "set"
    case .dictionary: "dictionary"
    case nil: ""
    }
  }

  private func word(for kind: RealmProperty.Kind) -> String {
    switch kind {
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .data: "binary"
    case .any: "mixed"
    case .timestamp: "timestamp"
    case .dateTime: "date"
    case .float: "float"
    case .double: "double"
    case .decimal: "decimal"
    case .objectID: "objectid"
    case .uuid: "uuid"
    case .link: "link"
    case .rows: "table"
    }
  }
}

/// Sums over all rows of a table, which may have more than 64 bits.
struct RealmSums {
  struct Column {
    var nulls = 0
    /// Of whole numbers, truth values, links' keys and seconds.
    var sum: Int128 = 0
    /// Of Unicode scalars or bytes.
    var length: Int128 = 0
    /// Of the elements of collections.
    var items: Int128 = 0
  }

  private(set) var keys: Int128 = 0
  private(set) var columns: [Column]

  init(count: Int) { columns = Array(repeating: Column(), count: count) }

  mutating func add(key: Int64, _ values: [RealmValue], _ properties: [RealmProperty]) {
    keys += Int128(key)
    for (index, value) in values.enumerated() {
      // Links that name their table are in no sum.
      if case .link = value, properties[index].kind == .any { continue }
      columns[index].add(value)
    }
  }
}

extension RealmSums.Column {
  fileprivate mutating func add(_ value: RealmValue) {
    switch value {
    case .null: nulls += 1
    case .int(let number): sum += Int128(number)
    case .bool(let flag): sum += flag ? 1 : 0
    case .timestamp(let seconds, _): sum += Int128(seconds)
    case .link(let link): sum += Int128(link.key)
    case .string(let text): length += Int128(text.unicodeScalars.count)
    case .data(let bytes), .malformedString(let bytes): length += Int128(bytes.count)
    case .large(let bytes, _): length += Int128(bytes.count)
    case .list(let values), .set(let values): items += Int128(values.count)
    case .dictionary(let entries): items += Int128(entries.count)
    case .rows(let rows): items += Int128(rows.count)
    case .float, .double, .decimal, .objectID, .uuid: break
    }
  }
}
