package import Records

/// What an export of rows came to.
package struct RowExportResult: Sendable {
  package let output: String
  package let form: RowForm
  package private(set) var tables: [Table] = []
  /// The records of entities that the profile sends to no table, by the entities.
  package internal(set) var unmapped: [EntityName: Int64] = [:]
  /// The first ``findingLimit`` findings.
  package private(set) var findings: [Finding] = []
  package private(set) var findingCount = 0

  package static let findingLimit = 1_000

  /// What became of the records of one entity.
  package struct Table: Hashable, Sendable {
    package let entity: EntityName
    package let name: String
    package internal(set) var rows = 0
    /// Records that cannot become rows.
    package internal(set) var rejected = 0
    /// Records that the user deleted, or that are not meant for a destination.
    package internal(set) var skipped = 0
    /// Fields that hold something and have no column.
    package internal(set) var unmappedFields: Set<String> = []

    init(_ table: RowTable) {
      entity = table.entity
      name = table.name
    }
  }

  init(output: String, form: RowForm) {
    self.output = output
    self.form = form
  }

  package var isWhole: Bool { tables.allSatisfy { $0.rejected == 0 } }

  mutating func add(_ table: Table) {
    tables.append(table)
    guard !table.unmappedFields.isEmpty else { return }
    let names = table.unmappedFields.sorted().map { "“\($0)”" }.joined(separator: ", ")
    add(
      Finding(
        code: "plan.unmapped",
        severity: .note,
        entity: table.entity,
        cause: "the table \(table.name) has no column for \(names)",
        cure: "add a column to “body” in the profile, if the values are needed"
      )
    )
  }

  mutating func add(_ finding: Finding) {
    findingCount += 1
    if findings.count < Self.findingLimit { findings.append(finding) }
  }
}
