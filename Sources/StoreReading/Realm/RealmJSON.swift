import JSONText
import LongTexts
import RealmFiles
import Records
import StoreFiles
import TextCodecs

/// Instants of a Realm file as text.
enum RealmInstant {
  /// Seconds from the first instant of 1970 to that of 2001.
  static let referenceSeconds: Int64 = 978_307_200
  /// The seconds with a year of four digits, 0000 to 9999.
  private static let plainYears: ClosedRange<Int64> = -62_167_219_199...253_402_300_799

  /// The instant as JSON: RFC 3339 text with as many digits as it needs; beyond the year 9999 an object
  /// with its seconds and nanoseconds.
  static func json(_ seconds: Int64, _ nanoseconds: Int32) -> [UInt8] {
    guard plainYears.contains(seconds) else {
      return Array("{\"seconds\":\(seconds),\"nanoseconds\":\(nanoseconds)}".utf8)
    }
    let isBefore = nanoseconds < 0
    let whole = isBefore ? seconds - 1 : seconds
    var fraction = String(Int64(nanoseconds) + (isBefore ? 2_000_000_000 : 1_000_000_000))
      .dropFirst()
    while fraction.hasSuffix("0") { fraction.removeLast() }
    let text = Timestamp.text(secondsSince1970: whole, fraction: String(fraction))
    return Array("\"\(text)\"".utf8)
  }
}

/// Writes values of a Realm file that only JSON can hold.
///
/// | value | of a property of its type | in a mixed value |
/// |---|---|---|
/// | whole number, string, truth value, null | itself | itself |
/// | float, double | shortest digits, or `"NaN"` | digits with a point, or `{"$real": "NaN"}` |
/// | date | RFC 3339 text | `{"$date": "…"}` |
/// | binary | base 64 | `{"$base64": "…"}` |
/// | decimal, ObjectId, UUID | text | `{"$decimal": "…"}`, `{"$objectId": "…"}`, `{"$uuid": "…"}` |
/// | link | the primary key as text, else the address | `{"$link": "…", "$entity": "…"}` |
/// | embedded object | an object | an object |
/// | list, set | an array | an array |
/// | dictionary | an object; a name that begins with `$` gets one more in front | the same |
///
/// A string that is not UTF-8 is `{"$base64": "…"}` everywhere. The texts of large values are read in pieces.
final class RealmJSON {
  private let file: RealmFile
  private let path: String
  private let addresses: RealmAddresses
  private var writer = JSONWriter()
  private let document = JSONDocument()
  private var lookups: [Int: RealmLookup] = [:]
  /// The lookups of primary keys, which are held.
  private var keyLookups: [Int: RealmLookup] = [:]
  /// The large values of the value at hand, by the placeholder of each in its JSON.
  private var large: [LongText: LargeValue] = [:]
  /// The embedded objects of the row at hand, each of which has one owner.
  private var embedded: Set<RealmLink> = []
  /// How many embedded objects may yet be written; each is once for every field.
  private var embeddedLeft: Int

  /// How many bytes of JSON the row at hand has in its values before the one at hand.
  private var lentCount = 0

  /// Embedded objects inside one another.
  private static let depth = 100
  /// A leaf of eight bytes holds a value of 1,000 objects at most.
  private static let objectsInByte = 125
  /// The bytes that one value may have when written out.
  private static let limit = 128 << 20

  /// Prepares to write values of `fieldCount` fields of each row.
  init(_ store: RealmStore, fieldCount: Int) throws(StoreError) {
    file = store.file
    path = store.sourcePath
    addresses = RealmAddresses(store)
    let file = store.file
    let count = try reading(store.sourcePath) { () throws(RealmError) in
      var count = 0
      for place in file.tables.indices where file.tables[place].kind == .embedded {
        count += min(try file.rowCount(ofTable: place), Self.objectsInByte * file.byteCount)
      }
      return count
    }
    embeddedLeft = fieldCount * count
  }

  /// Begins a new row.
  func beginRow() {
    embedded.removeAll(keepingCapacity: true)
    lentCount = 0
  }

  /// A value as JSON, which stays until the next reset of the arena.
  func cell(
    _ value: RealmValue,
    _ property: RealmProperty,
    _ arena: Arena
  ) throws(RealmError) -> Cell {
    writer.reset()
    large = [:]
    try write(value, property.kind, depth: 0)
    lentCount += writer.count
    guard !large.isEmpty else {
      return unsafe writer.withBytes { bytes in unsafe .json(arena.keep(bytes)) }
    }
    do throws(JSONError) {
      try document.parse(copying: writer.bytes)
    } catch {
      throw .unsupported(RealmPlace(), cause: "it cannot be JSON: \(error.message)")
    }
    let (json, places) = LongText.emptied(document.canonicalBytes(of: document.root))
    let texts = places.compactMap { text, place in large[text].map { ($0, place) } }
    guard texts.count == places.count else {
      throw .unsupported(RealmPlace(), cause: "a text cannot be told from a placeholder")
    }
    return arena.lend(LargeValue(json: json, texts: texts))
  }

  private func write(
    _ value: RealmValue,
    _ kind: RealmProperty.Kind,
    depth: Int
  ) throws(RealmError) {
    guard writer.count <= Self.limit else {
      throw .tooLarge(RealmPlace(), cause: "it has more than \(Self.limit >> 20) MiB as JSON")
    }
    switch value {
    case .null: writer.null()
    case .int(let number): writer.integer(number)
    case .bool(let flag): writer.boolean(flag)
    case .string(let text): write(text)
    case .large(let bytes, let isText): write(bytes, isText: isText, kind)
    case .malformedString(let bytes): tag("$base64", Base64.text(bytes))
    case .float(let number): write(Double(number), kind)
    case .double(let number): write(number, kind)
    case .data(let bytes): write("$base64", Base64.text(bytes), kind)
    case .decimal(let number): write("$decimal", number.description, kind)
    case .objectID(let bytes): write("$objectId", Hexadecimal.text(bytes), kind)
    case .uuid(let bytes): write("$uuid", UUIDText.text(bytes) ?? "", kind)
    case .timestamp(let seconds, let nanoseconds):
      write(instant: RealmInstant.json(seconds, nanoseconds), kind)
    case .link(let link): try write(link, kind, depth: depth)
    case .list(let values), .set(let values): try write(values, kind, depth: depth)
    case .dictionary(let entries): try write(entries, kind, depth: depth)
    case .rows(let rows): try write(rows, kind, depth: depth)
    }
  }

  private func write(_ number: Double, _ kind: RealmProperty.Kind) {
    guard number.isFinite else {
      let text = number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
      return write("$real", text, kind)
    }
    // Swift's own description has a fraction or an exponent, and reads back the same.
    kind == .any ? writer.raw(Array(number.description.utf8)) : writer.double(number)
  }

  /// Writes a text, under a tag in a mixed value.
  private func write(_ name: String, _ text: String, _ kind: RealmProperty.Kind) {
    kind == .any ? tag(name, text) : writer.string(text)
  }

  private func tag(_ name: String, _ text: String) {
    writer.beginObject()
    writer.name(name)
    writer.string(text)
    writer.endObject()
  }

  private func write(instant json: [UInt8], _ kind: RealmProperty.Kind) {
    guard kind == .any else { return writer.raw(json) }
    writer.beginObject()
    writer.name("$date" as String)
    writer.raw(json)
    writer.endObject()
  }

  private func write(
    _ values: [RealmValue],
    _ kind: RealmProperty.Kind,
    depth: Int
  ) throws(RealmError) {
    writer.beginArray()
    for value in values { try write(value, kind, depth: depth) }
    writer.endArray()
  }

  private func write(
    _ entries: [RealmEntry],
    _ kind: RealmProperty.Kind,
    depth: Int
  ) throws(RealmError) {
    writer.beginObject()
    for entry in entries {
      guard case .string(let name) = entry.key else {
        throw .unsupported(RealmPlace(), cause: "a dictionary's key is not UTF-8")
      }
      write(name: name.hasPrefix("$") ? "$" + name : name)
      try write(entry.value, kind, depth: depth)
    }
    writer.endObject()
  }

  /// Writes the rows of a sub-table as objects.
  private func write(
    _ rows: [[RealmValue]],
    _ kind: RealmProperty.Kind,
    depth: Int
  ) throws(RealmError) {
    guard case .rows(let properties) = kind else { return writer.null() }
    let names = DistinctNames(properties.map(\.name)).all
    writer.beginArray()
    for row in rows {
      writer.beginObject()
      for (index, value) in row.enumerated() {
        write(name: names[index])
        try write(value, properties[index].kind, depth: depth)
      }
      writer.endObject()
    }
    writer.endArray()
  }
}

// MARK: - Large values

extension RealmJSON {
  /// Writes a text; one that could be taken for a placeholder gets one too.
  private func write(_ text: String) {
    guard text.utf8.starts(with: LongText.mark) else { return writer.string(text) }
    writer.string(placeholder(of: LargeValue(isText: true, bytes: Array(text.utf8))))
  }

  /// Writes the name of a member, as a text is written.
  private func write(name: String) {
    guard name.utf8.starts(with: LongText.mark) else { return writer.name(name) }
    writer.name(placeholder(of: LargeValue(isText: true, bytes: Array(name.utf8))))
  }

  /// Writes a placeholder of bytes that are not held.
  private func write(
    _ bytes: RealmBytes,
    isText: Bool,
    _ kind: RealmProperty.Kind
  ) {
    let isString = isText && Self.isUTF8(file.lending(bytes, isText: true, path: path))
    let value = file.lending(bytes, isText: isString, path: path)
    guard !isString, isText || kind == .any else { return writePlaceholder(of: value) }
    writer.beginObject()
    writer.name("$base64" as String)
    writePlaceholder(of: value)
    writer.endObject()
  }

  private func writePlaceholder(of value: LargeValue) { writer.string(placeholder(of: value)) }

  /// A string of its own in place of a large value; its number is in the digest's place.
  private func placeholder(of value: LargeValue) -> String {
    let number = unsafe withUnsafeBytes(of: UInt64(large.count).bigEndian) { unsafe Array($0) }
    guard let digest = Digest(bytes: [UInt8](repeating: 0, count: 24) + number) else {
      preconditionFailure("a digest has 32 bytes")
    }
    let text = LongText(digest: digest, count: value.count)
    large[text] = value
    return String(decoding: text.standIn, as: UTF8.self)
  }

  private static func isUTF8(_ value: LargeValue) -> Bool {
    var isUTF8 = true
    // How a character begins that the next piece ends.
    var rest: [UInt8] = []
    _ = unsafe value.forEachPiece { piece in
      unsafe rest.append(contentsOf: piece)
      let lead = rest.suffix(3).lastIndex { $0 >= 0xC0 } ?? rest.count
      let length = lead == rest.count ? 0 : rest[lead] >= 0xF0 ? 4 : rest[lead] >= 0xE0 ? 3 : 2
      let end = lead + length > rest.count ? lead : rest.count
      isUTF8 = isUTF8 && String(validating: rest[..<end], as: UTF8.self) != nil
      rest = Array(rest[end...])
    }
    return isUTF8 && rest.isEmpty
  }
}

// MARK: - Objects

extension RealmJSON {
  private func write(
    _ link: RealmLink,
    _ kind: RealmProperty.Kind,
    depth: Int
  ) throws(RealmError) {
    guard let table = link.table else { return tag("$link", String(link.key)) }
    guard file.tables[table].kind == .embedded else {
      let identity = try identity(of: link, table)
      guard kind == .any else { return write(identity) }
      return write(link: identity, toEntity: addresses.entity(ofTable: table))
    }
    let place = RealmPlace(table: file.tables[table].name, key: link.key)
    embeddedLeft -= 1
    guard embedded.insert(link).inserted, embeddedLeft >= 0, depth < Self.depth else {
      throw .damaged(place, cause: "an embedded object has several owners, or is inside itself")
    }
    let lookup = lookup(inTable: table)
    guard try lookup.find(link.key) else {
      throw .damaged(place, cause: "an embedded object is missing")
    }
    // What is inside may be found by the same lookup, so all values come first.
    let properties = file.tables[table].properties
    var values: [RealmValue] = []
    for column in properties.indices { values.append(try lookup.value(column)) }
    let names = DistinctNames(properties.map(\.name)).all
    writer.beginObject()
    for (index, property) in properties.enumerated() {
      write(name: names[index])
      try write(values[index], property.kind, depth: depth + 1)
    }
    writer.endObject()
  }

  /// Writes a link of a mixed value, whose property names no class.
  private func write(link identity: String, toEntity entity: String) {
    writer.beginObject()
    writer.name("$link" as String)
    write(identity)
    writer.name("$entity" as String)
    write(entity)
    writer.endObject()
  }

  /// The primary key of an object that is linked from inside a value, else its address.
  private func identity(of link: RealmLink, _ table: Int) throws(RealmError) -> String {
    let address = addresses.address(ofTable: table, link.key)
    guard let key = file.tables[table].primaryKey else { return address }
    let lookup = keyLookups[table] ?? file.lookup(inTable: table, properties: [key])
    keyLookups[table] = lookup
    guard try lookup.find(link.key) else { return address }
    return try RealmIdentity.text(lookup.value(0)) ?? address
  }

  private func lookup(inTable table: Int) -> RealmLookup {
    if let lookup = lookups[table] { return lookup }
    let properties = Array(file.tables[table].properties.indices)
    let lookup = file.lookup(
      inTable: table,
      properties: properties,
      holding: { [unowned self] in LargeValue.mostHeld(beside: lentCount + writer.count + $0) }
    )
    lookups[table] = lookup
    return lookup
  }
}
