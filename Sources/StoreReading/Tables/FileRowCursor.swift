import JSONText
import LongTexts
import Records
import SQLiteStores
import StoreFiles

/// Rows that were put into a private database, and what is known of them.
struct HeldRows {
  /// What a row's address ends in.
  enum Address {
    /// The row's number, counted from one.
    case number
    /// The text of its first column.
    case key
  }

  /// The source's path, for messages.
  let sourcePath: String
  let database: Database
  let model: StoreModel
  /// The numbers of the entities' tables.
  let places: [EntityName: Int]
  /// What the address of a row begins with, before the entity.
  let addressStart: String
  let address: Address
  /// Where the texts of the rows are that have stand-ins.
  let texts: LongTexts

  /// Opens the private database.
  static func open(_ path: String, of sourcePath: String) throws(StoreError) -> Database {
    let database = try Database(path: path, name: sourcePath)
    try database.readInOrder()
    return database
  }

  /// The number of an entity's table.
  func place(of entity: EntityName) throws(StoreError) -> Int {
    guard let place = places[entity] else { throw .unknownEntity(path: sourcePath, entity) }
    return place
  }
}

/// The rows of a request, lent from the private database that they were put into.
///
/// A row is not parsed: where each value ends is beside it. Arrays and objects are lent where they lie, whatever
/// their size, unless a long text of one has a stand-in.
@safe
final class FileRowCursor: RowReader {
  /// Where a cell comes from.
  private enum Source {
    case address
    case column(Int, StoreAttribute.Kind)
  }

  private let statement: Statement
  private let sources: [Source]
  private let addressPrefix: String
  private let address: HeldRows.Address
  private let storePath: String
  private let texts: LongTexts
  private let document = JSONDocument()
  private let arena = Arena()
  private let cells: UnsafeMutableBufferPointer<Cell>
  private var place: Int64 = 0
  /// The JSON of the row at hand, and where each of its values ends, in numbers of 32 bits.
  private var json = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  private var ends = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

  init(_ request: RowRequest, of store: HeldRows) throws(StoreError) {
    let table = try store.place(of: request.entity)
    let attributes = store.model.entity(named: request.entity)?.attributes ?? []
    let places = Dictionary(
      zip(attributes.map(\.name), attributes.indices),
      uniquingKeysWith: { first, _ in first }
    )
    var sources: [Source] = []
    for field in request.fields {
      sources.append(try Self.source(of: field, request.entity, attributes, places, store))
    }
    self.sources = sources
    storePath = store.sourcePath
    texts = store.texts
    addressPrefix = "\(store.addressStart)\(request.entity)/"
    address = store.address
    statement = try store.database.statement(
      "SELECT number, ends, content FROM row WHERE entity = \(table) "
        + "AND number > \(max(request.after ?? 0, 0)) ORDER BY number",
      purpose: "read the rows of \(request.entity)"
    )
    unsafe cells = .allocate(capacity: sources.count)
    unsafe cells.initialize(repeating: .null)
  }

  deinit { unsafe cells.deallocate() }

  /// Goes to the next row; `false` when it is missing.
  func next() throws(StoreError) -> Bool {
    guard try statement.step() else { return false }
    arena.reset()
    place = statement.integer(0)
    unsafe ends = statement.blob(1)
    unsafe json = statement.text(2)
    for (index, source) in sources.enumerated() {
      unsafe cells[index] = try cell(source)
    }
    return true
  }

  /// The row at hand, lent until the next call of ``next()``.
  var row: Row {
    unsafe Row(
      place: place,
      cells: UnsafeBufferPointer(cells),
      isTooLarge: cells.contains { $0.large.map { $0.count > Row.largestValue } == true }
    )
  }

  private static func source(
    of field: FieldRequest,
    _ entity: EntityName,
    _ attributes: [StoreAttribute],
    _ places: [String: Int],
    _ store: HeldRows
  ) throws(StoreError) -> Source {
    switch field {
    case .objectURI: return .address
    case .attribute(let path):
      let name = path.joined(separator: ".")
      if let place = places[name] { return .column(place, attributes[place].kind) }
      throw .unknownField(
        path: store.sourcePath,
        entity: entity,
        field: name,
        reason: "no row has it"
      )
    case .reference(let name, _), .references(let name, _):
      throw .unknownField(
        path: store.sourcePath,
        entity: entity,
        field: name,
        reason: "it is no relationship: these rows have none"
      )
    case .joined(let join, _): throw .unjoined(join, of: entity, path: store.sourcePath)
    }
  }

  private func cell(_ source: Source) throws(StoreError) -> Cell {
    switch source {
    case .address:
      let address = try addressPrefix + addressEnd()
      return unsafe .text(arena.keep(Array(address.utf8)))
    case .column(let column, let kind):
      guard let value = unsafe try value(column) else { return .null }
      return unsafe try cell(value, kind)
    }
  }

  private func addressEnd() throws(StoreError) -> String {
    switch address {
    case .number: return String(place)
    case .key:
      guard let value = unsafe try value(0) else { return "" }
      unsafe try parse(value)
      return document.text(of: document.root)
    }
  }

  /// The JSON of a column where it lies, in canonical form; `nil` behind the last value of the row.
  private func value(_ column: Int) throws(StoreError) -> UnsafeRawBufferPointer? {
    guard unsafe column < ends.count / MemoryLayout<UInt32>.size else { return nil }
    // Before each value lies a comma, or the bracket of the row.
    let start = 1 + (column == 0 ? 0 : end(column - 1))
    let end = end(column)
    guard start < end, unsafe end < json.count else {
      throw .damaged(
        path: storePath,
        place: "row \(place)",
        details: "value \(column + 1) does not lie in the row"
      )
    }
    return unsafe UnsafeRawBufferPointer(rebasing: json[start..<end])
  }

  private func end(_ column: Int) -> Int {
    let offset = column * MemoryLayout<UInt32>.size
    return unsafe Int(ends.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  private func cell(
    _ value: UnsafeRawBufferPointer,
    _ kind: StoreAttribute.Kind
  ) throws(StoreError) -> Cell {
    switch (kind, unsafe value.first) {
    case (_, UInt8(ascii: "n")): return .null
    case (_, UInt8(ascii: "[")), (_, UInt8(ascii: "{")), (.transformable, _):
      return unsafe arena.json(lent: value, texts)
    case (.boolean, UInt8(ascii: "t")): return .integer(1)
    case (.boolean, UInt8(ascii: "f")): return .integer(0)
    case (.string, UInt8(ascii: "\"")):
      unsafe try parse(value)
      return unsafe document.withText(of: document.root) { unsafe arena.text($0, texts) }
    case (_, UInt8(ascii: "\"")):
      unsafe try parse(value)
      return unsafe document.withText(of: document.root) { unsafe meaning(of: $0, kind) }
    case (.integer64, _):
      unsafe try parse(value)
      return document.int64(of: document.root).map { .integer($0) } ?? .null
    default: return unsafe arena.json(lent: value, texts)
    }
  }

  private func parse(_ value: UnsafeRawBufferPointer) throws(StoreError) {
    do throws(JSONError) {
      unsafe try document.parse(value)
    } catch {
      throw .damaged(path: storePath, place: "row \(place)", details: "\(error)")
    }
  }

  /// What a value of delimited text means; an empty one means nothing.
  private func meaning(of text: UnsafeRawBufferPointer, _ kind: StoreAttribute.Kind) -> Cell {
    guard unsafe !text.isEmpty else { return .null }
    switch kind {
    case .integer64: return unsafe DelimitedValue.integer(text).map { .integer($0) } ?? .null
    case .boolean: return unsafe DelimitedValue.boolean(text).map { .integer($0 ? 1 : 0) } ?? .null
    default: return unsafe .json(arena.keep(text))
    }
  }
}
