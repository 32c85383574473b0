import Checkpoint
import ExportPackage
import Profiles
import Records
import RequestMapping
import StageSupport
import SyncReading
import TextCodecs
import UploadPlanning

extension SourceCheck {
  /// Refuses a store without an identity of its own, where it may be another one than the checkpoint's.
  ///
  /// Such a store is known by its schema, or by the name of its file, and by its path. It is another one where it has
  /// another path. In the same place a new database numbers its rows from 1 again: it is another one, too, where no
  /// record of it was sent before with the content that it has or under a UUID.
  ///
  /// - Throws: `MigrationError.otherStore`
  func checkStore(of package: PackageReader) throws {
    guard let path = package.manifest.source.path else { return }
    let entities = profile.entities.filter {
      $0.outcomeWithoutSending(profile.api) == nil && $0.queue == nil && $0.waitsIn == nil
        && package.manifest.entity($0.name) != nil
    }.map(\.name)
    let recorded = try checkpoint.storePath() ?? path
    guard try entities.contains(where: { try checkpoint.hasPlaced($0) }) else { return }
    if recorded == path {
      guard entities.contains(where: { package.manifest.recordCount(of: $0) > 0 }) else { return }
      if try isAnySame(of: entities, in: package) { return }
    }
    throw MigrationError.otherStore(
      recorded: recorded,
      now: path,
      checkpoint: checkpointPath
    )
  }

  /// Whether any record was sent before with the content that it has or under a UUID.
  ///
  /// Another profile writes the same row in another way: its key alone is the same then.
  private func isAnySame(
    of entities: [EntityName],
    in package: PackageReader
  ) throws -> Bool {
    let mappings = try mappings()
    let isComparable = try wasSentWithThisProfile()
    for entity in entities {
      guard let mapping = mappings.mapping(for: entity) else { continue }
      var lines = try PackagedLines(of: entity, in: package, mappings)
      while let part = try lines.nextPart() {
        if try isAnySame(in: part, mapping, isComparable: isComparable) { return true }
      }
    }
    return false
  }

  private func isAnySame(
    in part: PackagedLines.Part,
    _ mapping: EntityMapping,
    isComparable: Bool
  ) throws -> Bool {
    var records: [RecordID: (read: MappedRecord, content: Digest)] = [:]
    for line in part.lines {
      guard let read = read(line.bytes, mapping), let id = read.id else { continue }
      records[id] = (read, OperationKey.digest(of: line.bytes))
    }
    let ids = Array(records.keys)
    return zip(ids, try checkpoint.known(ids)).contains { id, known in
      guard let known, known.serverID != nil, let record = records[id] else { return false }
      return !isComparable || Self.isUUID(id.key) || known.content == record.content
        || record.read.isAsSent(known)
    }
  }

  /// A record; `nil` where it cannot be read, which its own turn reports.
  private func read(_ line: [UInt8], _ mapping: EntityMapping) -> MappedRecord? {
    do throws(MappingError) {
      return try mapping.record(line)
    } catch {
      return nil
    }
  }

  /// Whether a key is a UUID, by itself or at the end of an object's address.
  private static func isUUID(_ key: String) -> Bool {
    UUIDText.isUUID((key.split(separator: "/").last ?? "").utf8)
  }

  /// Whether the last upload was made with this profile.
  private func wasSentWithThisProfile() throws -> Bool {
    let runs = try checkpoint.runs()
    let uploads = runs.filter { $0.kind == .upload }
    guard let last = uploads.last(where: { $0.stage == .finished }) ?? uploads.last else {
      return false
    }
    return try profile.isProfile(of: last, in: checkpoint)
  }
}
