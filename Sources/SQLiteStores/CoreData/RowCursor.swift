package import Records
import StoreFiles

/// The rows of one request, one at a time.
///
/// What a row lends is valid until the next call of ``next()``. Stepping and lending plain columns
/// allocate nothing.
@safe
final class RowCursor: RowReader {
  private let plan: RowPlan
  private var statement: Statement?
  private let streams: [ToManyStream]
  private let arena = Arena()
  private let identities: IdentityText
  private let externalFiles: ExternalFiles
  /// The plan's sources, where reading them counts no references.
  private let sources: UnsafeMutableBufferPointer<Source>
  private let cells: UnsafeMutableBufferPointer<Cell>
  /// The row at hand; before the first one, the row behind which reading begins.
  private var place: Int64?
  private var isTooLarge = false
  /// The row at hand, where it has values that are read in pieces.
  private var largeRow: LargeRow?

  /// Where a cell comes from.
  private enum Source {
    /// The column with this number, as it is.
    case plain(Int32)
    /// The row's own address.
    case address(AddressBuffer)
    /// The address of the object whose key is in the column, where all such objects are of one entity.
    case addressOf(Int32, HeldRows, AddressBuffer)
    /// Whatever else the plan says.
    case planned(RowPlan.Source)
  }

  /// The rows of a target, held by the plan, so that no reference is counted for each row.
  @safe
  private struct HeldRows {
    private let rows: Unmanaged<TargetRows>

    init(_ rows: TargetRows) { unsafe self.rows = .passUnretained(rows) }

    /// Whether the value of a column leads to one of them.
    func have(_ statement: Statement, _ column: Int32) throws(StoreError) -> Bool {
      unsafe try rows.takeUnretainedValue().entity(statement, column) != nil
    }
  }

  init(_ plan: RowPlan) throws(StoreError) {
    let database = plan.store.database
    let identities = IdentityText(arena: arena, prefixes: plan.store.addressPrefixes)
    let statement = try plan.statement(after: plan.after)
    var streams: [ToManyStream] = []
    if statement != nil {
      for stream in plan.streams {
        streams.append(
          try stream.stream(of: database, after: plan.after, identities: identities)
        )
      }
    }
    self.plan = plan
    self.statement = statement
    self.streams = streams
    place = plan.after
    self.identities = identities
    externalFiles = ExternalFiles(ofStoreAt: plan.store.copy.sourcePath)
    unsafe sources = .allocate(capacity: plan.sources.count)
    _ = unsafe sources.initialize(from: plan.sources.map { Self.source($0, plan, identities) })
    unsafe cells = .allocate(capacity: plan.sources.count)
    unsafe cells.initialize(repeating: .null)
  }

  deinit {
    for index in unsafe sources.indices {
      switch unsafe sources[index] {
      case .address(let target), .addressOf(_, _, let target): target.free()
      case .plain, .planned: break
      }
    }
    unsafe sources.deinitialize()
    unsafe sources.deallocate()
    unsafe cells.deallocate()
  }

  /// What of a plan's source is known before the first row.
  private static func source(
    _ source: RowPlan.Source,
    _ plan: RowPlan,
    _ identities: IdentityText
  ) -> Source {
    let number = plan.layout.number
    switch source {
    case .plain(let column): return .plain(column)
    case .address: return .address(identities.target(number: number, fallback: number))
    case .reference(let columns):
      guard case .rows(let rows) = columns.target, rows.isOfOneEntity else {
        return .planned(source)
      }
      let target = identities.target(number: 0, fallback: columns.destination)
      return .addressOf(columns.key, HeldRows(rows), target)
    case .decoded, .references, .nothing: return .planned(source)
    }
  }

  /// Goes to the next row; `false` when it is missing.
  func next() throws(StoreError) -> Bool {
    if largeRow != nil { try goOnBehindLargeRow() }
    guard let statement else { return false }
    isTooLarge = false
    switch try statement.stepUnlessTooLarge() {
    case .row: break
    case .end: return false
    case .tooLarge: return try takeLargeRow()
    }
    arena.reset()
    let key = statement.integer(0)
    place = key
    for index in unsafe sources.indices {
      switch unsafe sources[index] {
      case .plain(let column): unsafe cells[index] = statement.cell(column)
      case .address(let target): unsafe cells[index] = target.address(of: key)
      case .addressOf(let column, let rows, let target):
        if statement.isNull(column) {
          unsafe cells[index] = .null
        } else {
          let isThere = try rows.have(statement, column)
          let address = target.address(of: statement.integer(column))
          unsafe cells[index] = isThere ? address : address.dangling
        }
      case .planned(let source): unsafe cells[index] = try cell(source, statement)
      }
    }
    return true
  }

  /// Goes to the row with a value that is too large to be held.
  private func takeLargeRow() throws(StoreError) -> Bool {
    guard let row = try plan.largeRow(after: place) else { return try passTooLarge() }
    arena.reset()
    (largeRow, place) = (row, row.statement.integer(0))
    for index in unsafe cells.indices { unsafe cells[index] = try cell(plan.sources[index], row) }
    isTooLarge = row.isTooLarge
    if isTooLarge { unsafe cells.update(repeating: .null) }
    return true
  }

  private func goOnBehindLargeRow() throws(StoreError) {
    largeRow = nil
    statement = try plan.statement(after: place)
  }

  private func cell(_ source: RowPlan.Source, _ row: LargeRow) throws(StoreError) -> Cell {
    switch source {
    case .plain(let column):
      return try row.cell(column, arena: arena)
    case .decoded(let column, let decoding):
      let stored = try row.cell(column, isHeld: decoding.isArchive, arena: arena)
      return try decoded(stored, decoding)
    case .address, .reference, .references, .nothing: return try cell(source, row.statement)
    }
  }

  /// Goes to the row that cannot be read for its size, and begins to read anew behind it.
  private func passTooLarge() throws(StoreError) -> Bool {
    let next = try plan.place(after: place)
    statement = try plan.statement(after: next)
    place = next
    unsafe cells.update(repeating: .null)
    isTooLarge = true
    return true
  }

  /// The row at hand, lent until the next call of ``next()``.
  var row: Row {
    unsafe Row(place: place ?? 0, cells: UnsafeBufferPointer(cells), isTooLarge: isTooLarge)
  }

  private func cell(_ source: RowPlan.Source, _ statement: Statement) throws(StoreError) -> Cell {
    switch source {
    case .plain(let column): statement.cell(column)
    case .decoded(let column, let decoding): try decoded(statement.cell(column), decoding)
    case .address:
      identities.address(key: place ?? 0, number: plan.layout.number, fallback: plan.layout.number)
    case .reference(let columns): try reference(columns, statement)
    case .references(let stream): try streams[stream].targets(of: place ?? 0)
    case .nothing: unsafe .list(UnsafeBufferPointer(start: nil, count: 0))
    }
  }

  private func decoded(
    _ stored: Cell,
    _ decoding: AttributeDecoding
  ) throws(StoreError) -> Cell {
    let cell = decoding.external == .never ? stored : try external(stored, decoding)
    guard decoding.isArchive, case .blob(let bytes) = cell else { return cell }
    guard let json = unsafe AttributeDecoding.json(Array(bytes)) else { return cell }
    return unsafe .json(arena.keep(json))
  }

  /// Takes off the mark of a value that could have lain in a file of its own.
  private func external(
    _ stored: Cell,
    _ decoding: AttributeDecoding
  ) throws(StoreError) -> Cell {
    let isMarked = decoding.external == .marked
    if let large = stored.large {
      guard isMarked, !large.isText, large.bytes(upTo: 1) == [1] else { return stored }
      return arena.lend(large.dropping(1))
    }
    guard case .blob(let bytes) = stored else { return stored }
    if unsafe ExternalFiles.isReference(bytes) {
      return unsafe try externalFiles.cell(
        forReference: bytes,
        isHeld: decoding.isArchive,
        arena: arena
      )
    }
    guard isMarked, bytes.count > 0, unsafe bytes[0] == 1 else { return stored }
    return unsafe .blob(UnsafeRawBufferPointer(rebasing: bytes[1...]))
  }

  /// The identity of the record a to-one relationship leads to.
  ///
  /// A key whose record has no identity gives the object's address, so that a check of references can
  /// report it.
  private func reference(
    _ columns: RowPlan.ReferenceColumns,
    _ statement: Statement
  ) throws(StoreError) -> Cell {
    guard !statement.isNull(columns.key) else { return .null }
    let number: Int?
    switch columns.target {
    case .nowhere: number = nil
    case .rows(let rows): number = try rows.entity(statement, columns.key)
    case .joined(let entity, let identity):
      number = statement.isNull(entity) ? nil : Int(statement.integer(entity))
      if number != nil, let text = identities.value(statement, identity, keeps: false) {
        return text
      }
    }
    let key = statement.integer(columns.key)
    guard let number else {
      return identities.dangling(key: key, destination: columns.destination)
    }
    return identities.address(key: key, number: number, fallback: columns.destination)
  }
}

extension Cell {
  /// A text as the identity of a record that a store of Core Data does not have.
  package var dangling: Cell {
    if case .text(let bytes) = self { unsafe .dangling(bytes, isExpected: true) } else { self }
  }
}
