import Checkpoint
import ExportPackage
import Profiles
import Records
import StageSupport
import TextCodecs
import UploadPlanning

extension UploadSession {
  /// Refuses a store without an identity of its own, where it may be another one than the checkpoint's.
  ///
  /// Such a store is known by its schema, or by the name of its file, and by its path. It is another one where it has
  /// another path. In the same place a new database numbers its rows from 1 again: it is another one, too, where no
  /// record of it was sent before with the content that it has or under a UUID.
  ///
  /// - Throws: `MigrationError.otherStore`
  func checkStore(of package: PackageReader) throws(MigrationError) {
    guard !options.acceptsChangedStore, let path = package.manifest.source.path else { return }
    let entities = profile.entities.filter {
      $0.bucketWithoutSending(profile.api) == nil && $0.queue == nil && $0.waitsIn == nil
        && package.manifest.entity($0.name) != nil
    }.map(\.name)
    let (recorded, sentCount) = try checkpointing { () throws(CheckpointError) in
      var count = 0
      for entity in entities { count += try checkpoint.recordCount(of: entity) }
      return (try checkpoint.storePath() ?? path, count)
    }
    guard sentCount > 0 else { return }
    if recorded == path {
      guard entities.contains(where: { package.manifest.recordCount(of: $0) > 0 }) else { return }
      if try isAnySame(of: entities, in: package) { return }
    }
    throw .otherStore(
      recorded: recorded,
      now: path,
      // A dry run has a copy.
      checkpoint: state.checkpoints.file(for: checkpoint.binding)
    )
  }

  /// Binds the checkpoint to the path of the store, where that has no identity of its own.
  func keepStorePath(of package: PackageReader) throws(MigrationError) {
    guard let path = package.manifest.source.path else { return }
    try checkpointing { () throws(CheckpointError) in try checkpoint.setStorePath(path) }
  }

  /// Whether any record was sent before with the content that it has or under a UUID.
  ///
  /// Another profile writes the same row in another way: its key alone is the same then.
  private func isAnySame(
    of entities: [EntityName],
    in package: PackageReader
  ) throws(MigrationError) -> Bool {
    let wires = try desk(findings: FindingCollector()).wires
    let isComparable = try wasSentWithThisProfile()
    for entity in entities {
      guard let wire = wires.wire(for: entity) else { continue }
      var lines = try PackagedLines(of: entity, in: package, wires)
      while let part = try lines.nextPart() {
        if try isAnySame(in: part, wire, isComparable: isComparable) { return true }
      }
    }
    return false
  }

  private func isAnySame(
    in part: UntouchedRecords.Part,
    _ wire: EntityWire,
    isComparable: Bool
  ) throws(MigrationError) -> Bool {
    var records: [RecordID: (read: WireRecord, content: Digest)] = [:]
    for line in part.lines {
      guard let read = read(line.bytes, wire), let id = read.id else { continue }
      records[id] = (read, OperationKey.digest(of: line.bytes))
    }
    let ids = Array(records.keys)
    let known = try checkpointing { () throws(CheckpointError) in try checkpoint.known(ids) }
    return records.contains { id, record in
      guard let known = known[id] ?? nil, known.serverID != nil else { return false }
      return !isComparable || Self.isUUID(id.key) || known.content == record.content
        || record.read.isAsSent(known)
    }
  }

  /// A record; `nil` where it cannot be read, which its own turn reports.
  private func read(_ line: [UInt8], _ wire: EntityWire) -> WireRecord? {
    do throws(WireRefusal) {
      return try wire.record(line)
    } catch {
      return nil
    }
  }

  /// Whether a key is a UUID, by itself or at the end of an object's address.
  private static func isUUID(_ key: String) -> Bool {
    UUIDText.isUUID((key.split(separator: "/").last ?? "").utf8)
  }

  /// Whether the last upload was made with this profile.
  private func wasSentWithThisProfile() throws(MigrationError) -> Bool {
    let runs = try checkpointing { () throws(CheckpointError) in try checkpoint.runs() }
    let uploads = runs.filter { $0.kind == .upload }
    guard let last = uploads.last(where: { $0.stage == .finished }) ?? uploads.last else {
      return false
    }
    return try isOfThisProfile(last)
  }
}
