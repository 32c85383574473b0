import Records
import StoreFiles

extension SQLiteModelReading {
  /// By what a foreign key is compared with the column it leads to.
  ///
  /// That is what the column is declared with; where only the app has that, the bytes have to be the
  /// same, which is a finding.
  static func collation(
    of column: String,
    of entity: EntityName,
    to target: String,
    in parent: SQLiteTable,
    _ database: Database,
    _ findings: inout [Finding]
  ) throws(StoreError) -> SQLiteCollation {
    guard let declared = parent.declaredColumn(target) else { return .binary }
    let collation = try database.collation(of: declared.name, in: parent.name)
    guard collation.isOfTheApp else { return collation }
    findings.append(
      Finding(
        code: "store.foreign-key-collation",
        severity: .note,
        entity: entity,
        cause: "the foreign key over \(column) leads to \(parent.name).\(declared.name), whose "
          + "collation “\(collation.name)” only the app has: Ferry compares the bytes",
        cure: "no action is needed unless references of it are said to lead nowhere: that one "
          + "differs from its target, perhaps by the case of a letter"
      )
    )
    return .binary
  }
}
