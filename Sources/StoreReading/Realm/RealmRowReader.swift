import RealmFiles
import Records
import StoreFiles
import TextCodecs

/// The rows of a request, lent from a Realm file.
@safe
final class RealmRowReader: RowReader {
  /// Where a cell comes from; columns are counted among those that are asked of the file.
  private enum Source {
    case address
    case value(column: Int, RealmProperty)
    case reference(column: Int, RealmTargets)
  }

  private let file: RealmFile
  private let rows: RealmRows
  private let sources: [Source]
  private let json: RealmJSON
  private let storePath: String
  private let addresses: RealmAddresses
  private let table: Int
  private let arena = Arena()
  private let cells: UnsafeMutableBufferPointer<Cell>
  private var isTooLarge = false

  init(_ request: RowRequest, of store: RealmStore) throws(StoreError) {
    let layout = try store.layout(of: request.entity)
    var sources: [Source] = []
    var columns: [Int] = []
    for field in request.fields {
      sources.append(try Self.source(of: field, request.entity, layout, store, &columns))
    }
    rows = try reading(store.sourcePath) { () throws(RealmError) in
      try store.file.rows(
        ofTable: layout.table,
        properties: columns,
        after: request.after,
        holding: LargeValue.mostHeld(beside:)
      )
    }
    file = store.file
    self.sources = sources
    table = layout.table
    storePath = store.sourcePath
    addresses = RealmAddresses(store)
    json = try RealmJSON(store, fieldCount: sources.count)
    unsafe cells = .allocate(capacity: sources.count)
    unsafe cells.initialize(repeating: .null)
  }

  deinit { unsafe cells.deallocate() }

  func next() throws(StoreError) -> Bool {
    isTooLarge = false
    arena.reset()
    json.beginRow()
    return try reading(storePath) { () throws(RealmError) in
      guard try rows.next() else { return false }
      do throws(RealmError) {
        for (index, source) in sources.enumerated() { unsafe cells[index] = try cell(source) }
      } catch {
        guard case .tooLarge = error else { throw error }
        isTooLarge = true
        unsafe cells.update(repeating: .null)
      }
      return true
    }
  }

  var row: Row {
    unsafe Row(place: rows.key, cells: UnsafeBufferPointer(cells), isTooLarge: isTooLarge)
  }

  private static func source(
    of field: FieldRequest,
    _ entity: EntityName,
    _ layout: RealmEntityLayout,
    _ store: RealmStore,
    _ columns: inout [Int]
  ) throws(StoreError) -> Source {
    func column(_ name: String) throws(StoreError) -> (Int, RealmProperty) {
      guard let place = layout.properties[name] else {
        throw .unknownField(
          path: store.sourcePath,
          entity: entity,
          field: name,
          reason: "the class of the file has no property of this name"
        )
      }
      columns.append(place)
      return (columns.count - 1, store.file.tables[layout.table].properties[place])
    }
    switch field {
    case .objectURI:
      return .address
    case .attribute(let path):
      let (column, property) = try column(path.joined(separator: "."))
      return .value(column: column, property)
    case .reference(let name, let rule), .references(let name, let rule):
      let (column, property) = try column(name)
      return .reference(column: column, try RealmTargets(of: property, rule, store, entity, name))
    case .joined(let join, _): throw .unjoined(join, of: entity, path: store.sourcePath)
    }
  }

  private func cell(_ source: Source) throws(RealmError) -> Cell {
    switch source {
    case .address: text(addresses.address(ofTable: table, rows.key))
    case .value(let column, let property): try cell(rows.value(column), property)
    case .reference(let column, let targets): try references(rows.value(column), targets)
    }
  }

  private func cell(_ value: RealmValue, _ property: RealmProperty) throws(RealmError) -> Cell {
    switch value {
    case .null: return .null
    case .int, .bool, .float, .double, .string, .malformedString, .data, .uuid, .objectID, .decimal,
      .timestamp:
      if property.kind == .any { break }
      return plain(value)
    case .large(let bytes, let isText):
      if property.kind == .any { break }
      return arena.lend(file.lending(bytes, isText: isText, path: storePath))
    case .link, .list, .set, .dictionary, .rows: break
    }
    return try json.cell(value, property, arena)
  }

  /// A value of an attribute that has a kind of its own.
  private func plain(_ value: RealmValue) -> Cell {
    switch value {
    case .int(let number): .integer(number)
    case .bool(let flag): .integer(flag ? 1 : 0)
    case .float(let number): .real(Double(number))
    case .double(let number): .real(number)
    case .string(let string): text(string)
    case .malformedString(let bytes): arena.text(bytes)
    case .data(let bytes), .uuid(let bytes): arena.blob(bytes)
    case .objectID(let bytes): text(Hexadecimal.text(bytes))
    case .decimal(let number): text(number.description)
    case .timestamp(let seconds, let nanoseconds): instant(seconds, nanoseconds)
    case .null, .large, .link, .list, .set, .dictionary, .rows: .null
    }
  }

  /// An instant as seconds since 2001, or as text where a double does not hold its nanoseconds.
  private func instant(_ seconds: Int64, _ nanoseconds: Int32) -> Cell {
    let (whole, overflow) = seconds.subtractingReportingOverflow(RealmInstant.referenceSeconds)
    if !overflow, nanoseconds % 1000 == 0, whole.magnitude < 1 << 32 {
      let micros = whole * 1_000_000 + Int64(nanoseconds / 1000)
      return .real(Double(micros) / 1_000_000)
    }
    return unsafe .json(arena.keep(RealmInstant.json(seconds, nanoseconds)))
  }

  private func references(
    _ value: RealmValue,
    _ targets: RealmTargets
  ) throws(RealmError) -> Cell {
    switch value {
    case .link(let link): return try reference(link, targets)
    case .list(let values), .set(let values):
      var list: [Cell] = []
      for case .link(let link) in values { list.append(try reference(link, targets)) }
      let size = MemoryLayout<Cell>.stride * list.count
      let place = unsafe arena.allocate(size).bindMemory(to: Cell.self)
      _ = unsafe place.initialize(fromContentsOf: list)
      return unsafe .list(UnsafeBufferPointer(place))
    case .null: return .null
    case .int, .bool, .float, .double, .string, .malformedString, .data, .large, .timestamp,
      .decimal, .objectID, .uuid, .dictionary, .rows:
      return .null
    }
  }

  /// The identity of the object that a link leads to; its address where it has none.
  private func reference(
    _ link: RealmLink,
    _ targets: RealmTargets
  ) throws(RealmError) -> Cell {
    let address = text(addresses.address(ofTable: targets.table, link.key))
    guard try targets.lookup.find(link.key) else {
      guard case .text(let bytes) = address else { return .null }
      return unsafe .dangling(bytes, isExpected: false)
    }
    guard targets.hasAttribute, let identity = try RealmIdentity.text(targets.lookup.value(0))
    else {
      return address
    }
    return text(identity)
  }

  private func text(_ string: String) -> Cell {
    unsafe .text(arena.keep(Array(string.utf8)))
  }
}

extension RealmFile {
  /// Lends bytes that are not held.
  func lending(_ bytes: RealmBytes, isText: Bool, path: String) -> LargeValue {
    unsafe LargeValue(isText: isText, count: bytes.count) { buffer, offset in
      try reading(path) { () throws(RealmError) in
        unsafe try self.fill(buffer, with: bytes, at: offset)
      }
    }
  }
}

/// Where links lead to, and what identifies those objects.
struct RealmTargets {
  /// The place of the objects' table.
  let table: Int
  let lookup: RealmLookup
  /// Whether the lookup has the attribute that identifies them.
  let hasAttribute: Bool

  init(
    of property: RealmProperty,
    _ rule: IdentityRule,
    _ store: RealmStore,
    _ entity: EntityName,
    _ field: String
  ) throws(StoreError) {
    guard case .link(let table?) = property.kind, let target = store.entities[table] else {
      throw .unknownField(
        path: store.sourcePath,
        entity: entity,
        field: field,
        reason: "it is not a link to objects of a class"
      )
    }
    self.table = table
    switch rule {
    case .objectURI:
      lookup = store.file.lookup(inTable: table, properties: [])
      hasAttribute = false
    case .attribute(let name):
      guard let place = try store.layout(of: target).properties[name] else {
        throw .unknownField(
          path: store.sourcePath,
          entity: target,
          field: name,
          reason: "the class of the file has no property of this name"
        )
      }
      lookup = store.file.lookup(inTable: table, properties: [place])
      hasAttribute = true
    }
  }
}

/// The entities and the addresses of objects.
struct RealmAddresses {
  private let names: [String]

  init(_ store: RealmStore) {
    names = store.file.tables.enumerated().map { place, table in
      store.entities[place]?.text ?? table.className ?? table.name
    }
  }

  /// What the objects of a table are called: the entity, or the class where it is embedded.
  func entity(ofTable table: Int) -> String { names[table] }

  func address(ofTable table: Int, _ key: Int64) -> String { "realm:\(names[table])/\(key)" }
}

/// The values that can identify a record.
enum RealmIdentity {
  /// The text of an identity, or `nil` for a value that cannot be one.
  static func text(_ value: RealmValue) -> String? {
    switch value {
    case .string(let text): text
    case .int(let number): String(number)
    case .uuid(let bytes): UUIDText.text(bytes)
    case .objectID(let bytes): Hexadecimal.text(bytes)
    case .null, .bool, .float, .double, .malformedString, .data, .large, .timestamp, .decimal,
      .link, .list, .set, .dictionary, .rows:
      nil
    }
  }
}
