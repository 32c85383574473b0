import ExportPackage
import JSONText
import Profiles
import Records
import RequestMapping
import StageSupport
import SyncReading

// Rows that their user deleted, and that live ones name.

extension UploadPlanner {
  /// Finds the deleted records that live ones name: the app keeps their rows, or what names them would lead
  /// nowhere.
  ///
  /// Records that follow from others name nothing by themselves.
  func findNamed(_ interruption: CancellationToken) throws {
    let naming = package.manifest.entities.filter { profile.entity($0.name)?.role != .derived }
    let targets = Set(naming.flatMap { $0.references.flatMap(\.entities) })
    var deleted: Set<RecordID> = []
    for entity in targets.sorted() where profile.entity(entity)?.sync != nil {
      try forEachRow(of: entity, interruption) { row in
        if row.isDeleted, let id = row.record?.id { deleted.insert(id) }
      }
    }
    guard !deleted.isEmpty else { return }
    let gone = Set(deleted.map(\.entity))
    for entity in naming {
      let references = entity.references.filter { !gone.isDisjoint(with: $0.entities) }
      guard !references.isEmpty else { continue }
      try forEachRow(of: entity.name, interruption) { row in
        guard !row.isDeleted, let line = try? JSONValue(parsing: row.line) else { return }
        for reference in references {
          let value = line[reference.member]
          for key in value?.array ?? [value].compactMap(\.self) {
            for target in reference.entities {
              let id = key.text.map { RecordID(entity: target, key: $0) }
              if let id, deleted.contains(id) { named.insert(id) }
            }
          }
        }
      }
    }
  }

  /// A row of the package.
  private struct Row {
    let line: [UInt8]
    /// What it says; `nil` where it cannot be read.
    let record: MappedRecord?

    var isDeleted: Bool { record?.claim.isDeleted == true }
  }

  private func forEachRow(
    of entity: EntityName,
    _ interruption: CancellationToken,
    _ body: (Row) -> Void
  ) throws {
    guard package.manifest.entity(entity) != nil else { return }
    let mapping = reader.mappings.mapping(for: entity)
    try package.forEachRecord(of: entity) { line, _ in
      if interruption.isCancelled { throw MigrationError.interrupted }
      body(Row(line: line, record: try? mapping?.record(line)))
    }
  }
}
