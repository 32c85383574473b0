import CSQLite
import Records
import SQLiteStores
import StoreFiles

/// The rows of a request, lent from the private database that an XML store was put into.
@safe
final class XMLRowCursor: RowReader {
  private let plan: XMLRowPlan
  private let statement: Statement
  private let streams: [XMLLinkStream]
  private let arena = Arena()
  private let addresses: XMLAddresses
  private let identities: IdentityText
  private let cells: UnsafeMutableBufferPointer<Cell>
  private var place: Int64 = 0

  init(_ plan: XMLRowPlan, of store: XMLStore) throws(StoreError) {
    let purpose = "read the objects of \(plan.entityName)"
    var streams: [XMLLinkStream] = []
    for stream in plan.streams {
      let statement = try store.database.statement(stream.sql, purpose: purpose)
      streams.append(try XMLLinkStream(statement, stream))
    }
    self.plan = plan
    self.streams = streams
    statement = try store.database.statement(plan.sql, purpose: purpose)
    addresses = XMLAddresses(store)
    let prefixes = AddressPrefixes(storeUUID: store.identity.uuid, names: [:])
    identities = IdentityText(arena: arena, prefixes: prefixes)
    unsafe cells = .allocate(capacity: plan.sources.count)
    unsafe cells.initialize(repeating: .null)
  }

  deinit { unsafe cells.deallocate() }

  /// Goes to the next row; `false` when it is missing.
  func next() throws(StoreError) -> Bool {
    guard try statement.step() else { return false }
    arena.reset()
    place = statement.integer(0)
    for (index, source) in plan.sources.enumerated() {
      unsafe cells[index] = try cell(source)
    }
    return true
  }

  /// The row at hand, lent until the next call of ``next()``.
  var row: Row {
    unsafe Row(place: place, cells: UnsafeBufferPointer(cells))
  }

  private func cell(_ source: XMLRowPlan.Source) throws(StoreError) -> Cell {
    switch source {
    case .value(let column, let isArchive): return value(column, isArchive: isArchive)
    case .address:
      let address = addresses.text(place, name: statement.string(1), entity: plan.entity.number)
      return text(address)
    case .reference(let column, let hasIdentity, let destination):
      guard !statement.isNull(column) else { return .null }
      let identity = hasIdentity ? column + 3 : nil
      return target(statement, column, identity: identity, destination, keeps: false)
    case .null: return .null
    case .emptyList: return unsafe .list(UnsafeBufferPointer(start: nil, count: 0))
    case .references(let index):
      return try references(streams[index], plan.streams[index])
    }
  }

  private func value(_ column: Int32, isArchive: Bool) -> Cell {
    switch statement.type(column) {
    case SQLITE_INTEGER: return .integer(statement.integer(column))
    case SQLITE_FLOAT: return .real(statement.real(column))
    case SQLITE_TEXT: return unsafe .text(statement.text(column))
    case SQLITE_BLOB:
      let bytes = unsafe statement.blob(column)
      guard isArchive, let json = unsafe AttributeDecoding.json(Array(bytes)) else {
        return unsafe .blob(bytes)
      }
      return unsafe .json(arena.keep(json))
    default: return .null
    }
  }

  private func references(
    _ stream: XMLLinkStream,
    _ plan: XMLRowPlan.Stream
  ) throws(StoreError) -> Cell {
    var targets: [Cell] = []
    try stream.forEachTarget(of: place) { statement in
      targets.append(
        target(statement, 0, identity: plan.hasIdentity ? 3 : nil, plan.destination, keeps: true)
      )
    }
    let size = MemoryLayout<Cell>.stride * targets.count
    let buffer = unsafe arena.allocate(size).bindMemory(to: Cell.self)
    _ = unsafe buffer.initialize(fromContentsOf: targets)
    return unsafe .list(UnsafeBufferPointer(buffer))
  }

  /// The identity of a target, or its address where it has none.
  private func target(
    _ statement: Statement,
    _ column: Int32,
    identity: Int32?,
    _ destination: String,
    keeps: Bool
  ) -> Cell {
    if statement.isNull(column + 1) {
      return text(
        addresses.text(
          statement.integer(column),
          name: statement.string(column + 2),
          entity: nil,
          destination: destination
        )
      ).dangling
    }
    if let identity, let cell = identities.value(statement, identity, keeps: keeps) {
      return cell
    }
    return text(
      addresses.text(
        statement.integer(column),
        name: statement.string(column + 2),
        entity: Int(statement.integer(column + 1)),
        destination: destination
      )
    )
  }

  private func text(_ string: String) -> Cell {
    unsafe .text(arena.keep(Array(string.utf8)))
  }
}

/// The targets of one relationship, read in step with the rows.
final class XMLLinkStream {
  private let statement: Statement
  private var isAtRow: Bool

  init(_ statement: Statement, _ stream: XMLRowPlan.Stream) throws(StoreError) {
    self.statement = statement
    isAtRow = try statement.step()
  }

  /// Calls `body` at each target of the object; objects are asked for in their order.
  func forEachTarget(
    of object: Int64,
    _ body: (Statement) -> Void
  ) throws(StoreError) {
    while isAtRow, statement.integer(4) < object { isAtRow = try statement.step() }
    while isAtRow, statement.integer(4) == object {
      body(statement)
      isAtRow = try statement.step()
    }
  }
}

/// The addresses of objects: those that Core Data would give them.
private struct XMLAddresses {
  private let store: String
  private let names: [Int: String]
  private let destinations: [String: String]

  init(_ store: XMLStore) {
    self.store = "x-coredata://\(store.identity.uuid)/"
    var names: [Int: String] = [:]
    var destinations: [String: String] = [:]
    for (name, entity) in store.shape.entities {
      names[entity.number] = store.names.entity(name)?.text ?? name
      for relationship in entity.relationships.values {
        let destination = relationship.destination
        destinations[destination] = store.names.entity(destination)?.text ?? destination
      }
    }
    self.names = names
    self.destinations = destinations
  }

  /// The address; an object with a name of its own has that in the place of `p` and a number.
  func text(_ number: Int64, name: String?, entity: Int?, destination: String = "") -> String {
    let entity = entity.flatMap { names[$0] } ?? destinations[destination] ?? destination
    return "\(store)\(entity)/\(name ?? "p\(number)")"
  }
}
