package import Records
import TextCodecs

/// Names of entities for tables and classes that no model names.
package enum PlainEntityName {
  /// The table's name; one that cannot be an entity's is percent-encoded, with a finding.
  package static func of(
    _ table: String,
    isTaken: (EntityName) -> Bool,
    _ findings: inout [Finding]
  ) -> EntityName? {
    let plain = EntityName(table)
    if let plain, !isTaken(plain) { return plain }
    var text = PercentCoding.encoded(table)
    if text.hasPrefix(".") { text = "%2E" + text.dropFirst() }
    let name = EntityName(text).flatMap { isTaken($0) ? nil : $0 }
    let fault =
      plain == nil ? "has a name that no entity can have" : "has a name that represents another"
    findings.append(
      Finding(
        code: "store.table-renamed",
        severity: name == nil ? .error : .note,
        entity: name,
        cause: "the table “\(table.prefix(200))” \(fault)",
        cure: name.map { "it is called \($0) here" }
          ?? "it is not read; give the table another, shorter name in a copy of the database"
      )
    )
    return name
  }
}
