/// The rows of a table, one at a time, in the order of their keys.
///
/// Values are decoded when they are asked for, once a row each, and not kept: memory
/// follows the row, and the leaves of up to 1,000 rows.
package final class RealmRows {
  private let source: RowSource
  private var clusters: ClusterCursor?
  private let columns: [ClusterColumn]
  private var batch: RowBatch?
  /// The place of the row at hand in the batch.
  private var index = -1

  init(_ source: RowSource, after key: Int64?) throws(RealmError) {
    self.source = source
    switch source.layout.storage {
    case .clusters(let tree, let columns):
      self.columns = columns
      clusters = tree.map { ClusterCursor($0, source.pass, after: key) }
    case .columns(let reference, let columns, let first):
      self.columns = []
      batch = try source.batch(ofColumns: reference, columns, first: first)
    }
    if let key, let batch { index = max(-1, min(Int(clamping: key), batch.keys.count - 1)) }
    after = key ?? -1
  }

  private let after: Int64

  /// Goes to the next row; `false` at the end.
  package func next() throws(RealmError) -> Bool {
    source.pass.beginRow()
    while true {
      while let batch, index + 1 < batch.keys.count {
        index += 1
        if batch.keys[index] > after { return true }
      }
      let found = try locating(RealmPlace(table: source.table.name)) { () throws(RealmError) in
        guard let cluster = try clusters?.next() else { return false }
        batch = try source.batch(of: cluster, columns)
        return true
      }
      guard found else { return false }
      index = -1
    }
  }

  /// The key of the row at hand, or its number, counted from zero, in formats up to 9.
  package var key: Int64 { batch?.keys[index] ?? -1 }

  /// A value of the row at hand, by the place of its property among those that are wanted.
  package func value(_ column: Int) throws(RealmError) -> RealmValue {
    guard let batch, index >= 0 else { preconditionFailure("a row is at hand") }
    source.pass.beginValue()
    do throws(RealmError) {
      return try batch.leaves[column].value(at: index)
    } catch {
      throw error.located(source.place(of: column, key: key))
    }
  }
}

/// Finds rows of a table by their keys.
///
/// Some of what was read is kept, so that keys that are near to one another are found soon.
package final class RealmLookup {
  private let source: RowSource
  private var batches: [Int64: RowBatch] = [:]
  /// The keys' upper bits that batches were found by, oldest first.
  private var order: [Int64] = []
  private var found: (batch: RowBatch, index: Int, key: Int64)?

  private let cacheSize: Int

  init(_ source: RowSource) {
    self.source = source
    // Each leaf may take 8 KiB.
    cacheSize = max(1, min(64, 1024 / max(1, source.properties.count)))
  }

  /// Goes to the row with a key; `false` when no row has it.
  package func find(_ key: Int64) throws(RealmError) -> Bool {
    source.pass.restart()
    source.pass.beginRow()
    found = nil
    let batch = try locating(RealmPlace(table: source.table.name, key: key)) {
      () throws(RealmError) in try self.batch(with: key)
    }
    guard let batch, let index = batch.keys.index(of: key) else { return false }
    found = (batch, index, key)
    return true
  }

  /// A value of the row that was found, by the place of its property among those that are wanted.
  package func value(_ column: Int) throws(RealmError) -> RealmValue {
    guard let found else { preconditionFailure("a row was found") }
    source.pass.restart()
    do throws(RealmError) {
      return try found.batch.leaves[column].value(at: found.index)
    } catch {
      throw error.located(source.place(of: column, key: found.key))
    }
  }

  private func batch(with key: Int64) throws(RealmError) -> RowBatch? {
    switch source.layout.storage {
    case .clusters(let tree, let columns):
      // Clusters hold at most 256 consecutive keys; those with gaps are found by each range of them.
      let range = key >> 8
      if let batch = batches[range], batch.keys.index(of: key) != nil { return batch }
      guard let cluster = try tree?.cluster(with: key, source.pass) else { return nil }
      return keep(try source.batch(of: cluster, columns), range)
    case .columns(let reference, let columns, let first):
      if let batch = batches[0] { return batch }
      return keep(try source.batch(ofColumns: reference, columns, first: first), 0)
    }
  }

  private func keep(_ batch: RowBatch, _ range: Int64) -> RowBatch {
    if batches.updateValue(batch, forKey: range) == nil { order.append(range) }
    if order.count > cacheSize { batches[order.removeFirst()] = nil }
    return batch
  }
}

/// The primary keys of formats up to 9, which are in the table `pk`.
enum OldPrimaryKeys {
  private static let tableName = "pk"

  /// Marks the primary keys of tables.
  static func find(
    in tables: inout [RealmTable],
    _ layouts: [TableLayout],
    _ context: FileContext
  ) throws(RealmError) {
    guard let place = tables.firstIndex(where: { $0.name == tableName }),
      let classes = tables[place].properties.firstIndex(where: { $0.name == "pk_table" }),
      let names = tables[place].properties.firstIndex(where: { $0.name == "pk_property" })
    else { return }
    let source = RowSource(
      table: tables[place],
      layout: layouts[place],
      properties: [classes, names],
      pass: ReadPass(context, columnCount: 2)
    )
    let rows = try RealmRows(source, after: nil)
    while try rows.next() {
      guard case .string(let className) = try rows.value(0),
        case .string(let name) = try rows.value(1)
      else { continue }
      for index in tables.indices
      where tables[index].name == className || tables[index].name == "class_" + className {
        tables[index].primaryKey = tables[index].properties.firstIndex { $0.name == name }
      }
    }
  }
}
