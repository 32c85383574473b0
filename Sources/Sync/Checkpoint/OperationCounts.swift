import CheckedDatabases
import GRDB
import Records

/// How many operations of a run are alike.
///
/// They are counted while they are read: SQLite would write each of them down again and sort them.
/// Operations that follow each other mostly are of one kind and in one state.
struct OperationCounts {
  private struct Kind: Hashable {
    let entity: String
    let action: String
    let state: String
  }

  private var counts: [Kind: Int] = [:]

  /// - Throws: `UnreadableColumn` for a value that is no text.
  init(of run: RunRecord, in database: Database) throws {
    let rows = try DirectStatement(
      "SELECT entity, action, state FROM operation WHERE run = ?",
      in: database
    )
    rows.bind(run.number, at: 1)
    defer { rows.reset() }
    var last: Kind?
    var count = 0
    while try rows.step() {
      if let last, rows.holds(last.entity, in: 0), rows.holds(last.action, in: 1),
        rows.holds(last.state, in: 2)
      {
        count += 1
        continue
      }
      if let last { counts[last, default: 0] += count }
      last = Kind(entity: try rows.text(0), action: try rows.text(1), state: try rows.text(2))
      count = 1
    }
    if let last { counts[last, default: 0] += count }
  }

  /// By entity, action and state; an entity that cannot be one is left out.
  func sorted() -> [(entity: EntityName, action: String, state: String, count: Int)] {
    counts.sorted { one, other in
      let (one, other) = (one.key, other.key)
      return (one.entity, one.action, one.state) < (other.entity, other.action, other.state)
    }.compactMap { kind, count in
      EntityName(kind.entity).map { ($0, kind.action, kind.state, count) }
    }
  }
}
