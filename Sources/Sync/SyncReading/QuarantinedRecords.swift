package import Checkpoint
import Files
import LongTexts
package import Quarantine
package import Records
import ScratchFiles

/// The keys of the records that are quarantined, for a plan that leaves them out.
///
/// What checked a record and what sends it need not both have held its key, so `LongText.comparable` has them
/// compared.
package struct QuarantinedRecords: Sendable {
  private let keys: ScratchKeys
  /// The records that a plan refuses because they depend on one of those.
  private let blocked: ScratchKeys
  /// Keeps the folder of the scratch file for as long as the keys live.
  private let folder: PrivateFolder

  private static let batchSize = 1_000

  package init(_ quarantine: QuarantineFolder) throws {
    let folder = try PrivateFolder()
    keys = try ScratchKeys(path: folder.path + "/quarantined.sqlite")
    blocked = try ScratchKeys(path: folder.path + "/hanging.sqlite")
    self.folder = folder
    var batch: [RecordID] = []
    let records = try quarantine.records()
    while let record = try records.next() {
      guard let key = record.key else { continue }
      let id = RecordID(entity: record.entity, key: key)
      if let last = batch.last, last.entity != id.entity || batch.count >= Self.batchSize {
        try add(&batch)
      }
      batch.append(id)
    }
    try add(&batch)
  }

  private func add(_ batch: inout [RecordID]) throws {
    guard let entity = batch.first?.entity else { return }
    let filled = batch.map { LongText.comparable($0.key) }
    _ = try keys.add(filled, of: entity)
    batch.removeAll(keepingCapacity: true)
  }

  package func contains(_ id: RecordID) throws -> Bool {
    try keys.contains(LongText.comparable(id.key), of: id.entity)
  }

  /// Remembers a record that is refused because it depends on one that is quarantined.
  package func block(_ id: RecordID) throws {
    _ = try blocked.add([LongText.comparable(id.key)], of: id.entity)
  }

  /// Whether a record is quarantined, or depends on one that is.
  package func blocks(_ id: RecordID) throws(CheckpointError) -> Bool {
    let key = LongText.comparable(id.key)
    if try keys.contains(key, of: id.entity) { return true }
    return try blocked.contains(key, of: id.entity)
  }
}
