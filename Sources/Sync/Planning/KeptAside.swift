import Checkpoint
import Files
import Folder
package import Quarantine
import Records
package import StageSupport

/// The keys of the records that are kept aside, for a plan that leaves them out.
package struct KeptAside: Sendable {
  private let keys: ScratchKeys
  /// The records that a plan refuses because they hang on one of those.
  private let hanging: ScratchKeys
  /// Keeps the folder of the scratch file for as long as the keys live.
  private let folder: PrivateFolder

  private static let batchSize = 1_000

  package init(_ quarantine: QuarantineFolder) throws(MigrationError) {
    let folder = try filing { () throws(FileError) in try PrivateFolder() }
    keys = try checkpointing { () throws(CheckpointError) in
      try ScratchKeys(path: folder.path + "/aside.sqlite")
    }
    hanging = try checkpointing { () throws(CheckpointError) in
      try ScratchKeys(path: folder.path + "/hanging.sqlite")
    }
    self.folder = folder
    var batch: [RecordID] = []
    let records = try quarantining { () throws(QuarantineError) in try quarantine.records() }
    while let record = try quarantining({ () throws(QuarantineError) in try records.next() }) {
      guard let key = record.key else { continue }
      let id = RecordID(entity: record.entity, key: key)
      if let last = batch.last, last.entity != id.entity || batch.count >= Self.batchSize {
        try add(&batch)
      }
      batch.append(id)
    }
    try add(&batch)
  }

  private func add(_ batch: inout [RecordID]) throws(MigrationError) {
    guard let entity = batch.first?.entity else { return }
    let filled = batch.map(\.key)
    _ = try checkpointing { () throws(CheckpointError) in try keys.add(filled, of: entity) }
    batch.removeAll(keepingCapacity: true)
  }

  func contains(_ id: RecordID) throws(MigrationError) -> Bool {
    try checkpointing { () throws(CheckpointError) in try keys.contains(id.key, of: id.entity) }
  }

  /// Remembers a record that is refused because it hangs on one that is kept aside.
  func holdBack(_ id: RecordID) throws(MigrationError) {
    _ = try checkpointing { () throws(CheckpointError) in
      try hanging.add([id.key], of: id.entity)
    }
  }

  /// Whether a record is kept aside, or hangs on one that is.
  func holdsBack(_ id: RecordID) throws(CheckpointError) -> Bool {
    if try keys.contains(id.key, of: id.entity) { return true }
    return try hanging.contains(id.key, of: id.entity)
  }
}
