import Records
import StoreFiles

/// The pairs of a to-many relationship, read alongside the rows of their owners.
///
/// Both come in the order of the owner's key, so one pass serves all rows and memory does not grow
/// with the table.
@safe
final class ToManyStream {
  private let statement: Statement
  private let plan: ToManyPlan
  private let identities: IdentityText
  /// The owner of the pair at hand, or `nil` at the end.
  private var owner: Int64?
  private var cells: UnsafeMutableBufferPointer<Cell>
  private var cellCount = 0

  init(
    _ plan: ToManyPlan,
    of database: Database,
    after: Int64?,
    identities: IdentityText
  ) throws(StoreError) {
    self.plan = plan
    self.identities = identities
    statement = try database.statement(plan.sql, purpose: "read a to-many relationship")
    // Without a start the comparison still has to leave out NULL and nothing else.
    statement.bind(after ?? .min, at: 1)
    unsafe cells = .allocate(capacity: 16)
    try advance()
  }

  deinit { unsafe cells.deallocate() }

  /// The targets of the owner with this key; owners have to be asked for in ascending order.
  func targets(of key: Int64) throws(StoreError) -> Cell {
    cellCount = 0
    while let owner, owner < key { try advance() }
    while let owner, owner == key {
      append(target())
      try advance()
    }
    return unsafe .list(UnsafeBufferPointer(rebasing: cells[..<cellCount]))
  }

  private func target() -> Cell {
    if statement.isNull(2) {
      return identities.dangling(key: statement.integer(1), destination: plan.destination)
    }
    if plan.hasIdentity, let text = identities.value(statement, 3, keeps: true) { return text }
    return identities.address(
      key: statement.integer(1),
      number: Int(statement.integer(2)),
      fallback: plan.destination
    )
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
