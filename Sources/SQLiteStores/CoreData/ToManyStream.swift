import Records
import StoreFiles

/// The pairs of a to-many relationship, read alongside the rows of their owners.
///
/// Both come in the order of the owner's key, so one pass serves all rows and memory does not grow
/// with the table.
@safe
final class ToManyStream {
  /// Its first column is the owner's key.
  private let statement: Statement
  /// The cell of the pair at hand, which stays until the next row of the owners.
  private let target: (Statement) throws(StoreError) -> Cell
  /// The owner of the pair at hand, or `nil` at the end.
  private var owner: Int64?
  private var cells: UnsafeMutableBufferPointer<Cell>
  private var cellCount = 0

  init(
    _ pairs: Statement,
    target: @escaping (Statement) throws(StoreError) -> Cell
  ) throws(StoreError) {
    statement = pairs
    self.target = target
    unsafe cells = .allocate(capacity: 16)
    try advance()
  }

  deinit { unsafe cells.deallocate() }

  /// The targets of the owner with this key; owners have to be asked for in ascending order.
  func targets(of key: Int64) throws(StoreError) -> Cell {
    cellCount = 0
    while let owner, owner < key { try advance() }
    while let owner, owner == key {
      append(try target(statement))
      try advance()
    }
    return unsafe .list(UnsafeBufferPointer(rebasing: cells[..<cellCount]))
  }

  private func advance() throws(StoreError) {
    owner = try statement.step() ? statement.integer(0) : nil
  }

  private func append(_ cell: Cell) {
    if unsafe cellCount == cells.count {
      let larger = UnsafeMutableBufferPointer<Cell>.allocate(capacity: cellCount * 2)
      _ = unsafe larger.update(fromContentsOf: cells)
      unsafe cells.deallocate()
      unsafe cells = unsafe larger
    }
    unsafe cells[cellCount] = cell
    cellCount += 1
  }
}

extension ToManyPlan {
  /// Begins to read the pairs of the owners behind `place`.
  func stream(
    of database: Database,
    after place: Int64?,
    identities: IdentityText
  ) throws(StoreError) -> ToManyStream {
    let pairs = try database.statement(sql, purpose: "read a to-many relationship")
    // Without a start the comparison still has to leave out NULL and nothing else.
    pairs.bind(place ?? .min, at: 1)
    return try ToManyStream(pairs) { (pairs) throws(StoreError) in
      try target(of: pairs, identities)
    }
  }

  private func target(
    of pairs: Statement,
    _ identities: IdentityText
  ) throws(StoreError) -> Cell {
    let inPair = pairs.isNull(2) ? nil : Int(pairs.integer(2))
    let number = try rows?.entity(pairs, 1) ?? inPair
    let key = pairs.integer(1)
    guard let number else {
      return identities.dangling(key: key, destination: destination)
    }
    if hasIdentity, let text = identities.value(pairs, 3, keeps: true) { return text }
    return identities.address(key: key, number: number, fallback: destination)
  }
}
