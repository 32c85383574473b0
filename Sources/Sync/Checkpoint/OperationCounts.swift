import CheckedDatabases
import GRDB
package import Records

/// How many operations of a run are alike.
package struct OperationCount: Hashable, Sendable {
  package let entity: EntityName
  package let action: String
  package let state: String
  /// Whether the destination was as they were to leave it before the run sent a request for them.
  package let isFoundDone: Bool
  package let count: Int
}

/// The operations of a run, counted.
///
/// They are counted while they are read: SQLite would write each of them down again and sort them.
/// Operations that follow each other mostly are of one kind and in one state.
struct OperationCounts {
  private struct Kind: Hashable {
    let entity: String
    let action: String
    let state: String
    let isFoundDone: Bool
  }

  private var counts: [Kind: Int] = [:]

  /// Counts the operations that meet a condition of SQL.
  ///
  /// - Throws: `UnreadableColumn` for a value that is no text.
  init(of run: RunRecord, where condition: String = "TRUE", in database: Database) throws {
    let rows = try DirectStatement(
      """
      SELECT entity, action, state, state = 'confirmed' AND begun_at IS NULL
      FROM operation AS counted WHERE run = ? AND \(condition)
      """,
      in: database
    )
    rows.bind(run.number, at: 1)
    defer { rows.reset() }
    var last: Kind?
    var count = 0
    while try rows.step() {
      let isFoundDone = try rows.integerOrNull(3) == 1
      if let last, rows.holds(last.entity, in: 0), rows.holds(last.action, in: 1),
        rows.holds(last.state, in: 2), last.isFoundDone == isFoundDone
      {
        count += 1
        continue
      }
      if let last { counts[last, default: 0] += count }
      last = Kind(
        entity: try rows.text(0),
        action: try rows.text(1),
        state: try rows.text(2),
        isFoundDone: isFoundDone
      )
      count = 1
    }
    if let last { counts[last, default: 0] += count }
  }

  /// By entity, action and state; an entity that cannot be one is left out.
  func sorted() -> [OperationCount] {
    counts.sorted { one, other in
      let (one, other) = (one.key, other.key)
      return (one.entity, one.action, one.state) < (other.entity, other.action, other.state)
    }.compactMap { kind, count in
      EntityName(kind.entity).map {
        OperationCount(
          entity: $0,
          action: kind.action,
          state: kind.state,
          isFoundDone: kind.isFoundDone,
          count: count
        )
      }
    }
  }
}
