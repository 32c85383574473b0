package import ExportPackage
import Files
package import Profiles
import Records
import RequestMapping
package import StageSupport
import TextCodecs

/// Writes the rows of a package as a script or as files.
package struct RowExportStage: Sendable {
  private let package: PackageReader
  private let profile: Profile
  private let form: RowForm
  private let output: String

  package init(_ package: PackageReader, profile: Profile, as form: RowForm, output: String) {
    self.package = package
    self.profile = profile
    self.form = form
    self.output = output
  }

  /// Writes the script, or a file for each table; a file appears whole or not at all.
  ///
  /// - Throws: `MigrationError.folderInTheWay` for a folder that holds anything but earlier files of the
  ///   same tables.
  package func run(interruption: CancellationToken) throws -> RowExportResult {
    let reader = RowReader(package, profile)
    var result = RowExportResult(output: output, form: form)
    let sent = Set(reader.tables.map(\.entity))
    for entity in package.manifest.entities where !sent.contains(entity.name) {
      if entity.records > 0 { result.unmapped[entity.name] = entity.records }
    }
    switch form {
    case .sql: try writeScript(reader, interruption, &result)
    case .csv: try writeFiles(reader, interruption, &result)
    }
    return result
  }

  // MARK: - A script

  private func writeScript(
    _ reader: RowReader,
    _ token: CancellationToken,
    _ result: inout RowExportResult
  ) throws {
    var script: SQLScript
    script = try SQLScript(for: output)
    for table in reader.tables {
      var counts = RowExportResult.Table(table)
      try reader.forEachRow(of: table, token) { row in
        guard let row = count(row, &counts, &result) else { return }
        try script.add(row, to: table)
      }
      try script.endRows(of: table)
      result.add(counts)
    }
    for table in reader.tables where script.hasLateFields(table) {
      try reader.forEachRow(of: table, token) { row in
        guard case .row(let row, _) = row else { return }
        try script.complete(row, of: table)
      }
      try script.endCompletion(of: table)
    }
    try script.finish()
  }

  // MARK: - Files

  private func writeFiles(
    _ reader: RowReader,
    _ token: CancellationToken,
    _ result: inout RowExportResult
  ) throws {
    let names = reader.tables.map { "\(PercentCoding.encoded($0.name)).csv" }
    try Folder.makeLasting(output)
    let found = try Folder.names(in: output)
    guard found.allSatisfy({ $0.hasPrefix(".") || names.contains($0) }) else {
      throw MigrationError.folderInTheWay(output)
    }
    for (table, name) in zip(reader.tables, names) {
      var counts = RowExportResult.Table(table)
      let columns = try reader.columns(of: table, token)
      var file: WholeFileDraft
      file = try WholeFileDraft(for: "\(output)/\(name)")
      try file.write(CSVText.heading(columns))
      try reader.forEachRow(of: table, token) { row in
        guard let row = count(row, &counts, &result) else { return }
        try file.write(CSVText.line(row, columns))
      }
      try file.publish()
      result.add(counts)
    }
  }

  private func count(
    _ row: RowReader.Row,
    _ counts: inout RowExportResult.Table,
    _ result: inout RowExportResult
  ) -> TableRow? {
    switch row {
    case .row(let row, let unmapped):
      counts.rows += 1
      counts.unmappedFields.formUnion(unmapped)
      return row
    case .skipped: counts.skipped += 1
    case .rejected(let finding):
      counts.rejected += 1
      result.add(finding)
    }
    return nil
  }
}
