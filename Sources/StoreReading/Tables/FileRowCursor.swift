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
  private var values: [JSONNode] = []

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
      "SELECT number, content FROM row WHERE entity = \(table) "
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
    do throws(JSONError) {
      unsafe try document.parse(statement.text(1))
    } catch {
      throw .damaged(path: storePath, place: "row \(place)", details: "\(error)")
    }
    values.removeAll(keepingCapacity: true)
    document.forEachElement(of: document.root) { values.append($0) }
    for (index, source) in sources.enumerated() {
      unsafe cells[index] = cell(source)
    }
    document.forget()
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

  private func cell(_ source: Source) -> Cell {
    switch source {
    case .address: return unsafe .text(arena.keep(Array((addressPrefix + addressEnd).utf8)))
    case .column(let column, let kind):
      // A row ends with its last value.
      return column < values.count ? cell(column, kind) : .null
    }
  }

  private var addressEnd: String {
    switch address {
    case .number: String(place)
    case .key: values.first.map { document.text(of: $0) } ?? ""
    }
  }

  private func cell(_ column: Int, _ kind: StoreAttribute.Kind) -> Cell {
    let value = values[column]
    switch (kind, document.kind(of: value)) {
    case (_, .null): return .null
    case (.string, .string):
      return unsafe document.withText(of: value) { unsafe arena.text($0, texts) }
    case (.integer64, .number): return document.int64(of: value).map { .integer($0) } ?? .null
    case (.boolean, .boolean): return .integer(document.boolean(of: value) == true ? 1 : 0)
    case (.integer64, .string), (.boolean, .string), (.double, .string):
      return unsafe document.withText(of: value) { unsafe meaning(of: $0, kind) }
    default: return unsafe arena.json(lent: content(column), texts)
    }
  }

  /// The JSON of a column where it lies: what was put into the row is canonical, and has no white space.
  private func content(_ column: Int) -> UnsafeRawBufferPointer {
    let row = unsafe statement.text(1)
    let next = column + 1
    let end = next < values.count ? document.offset(of: values[next]) : row.count
    let start = document.offset(of: values[column])
    return unsafe UnsafeRawBufferPointer(rebasing: row[start..<(end - 1)])
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
