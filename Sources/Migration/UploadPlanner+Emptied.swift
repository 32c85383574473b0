import Backends
import Checkpoint
import Profiles
import Records
import UploadPlanning

// Members that were emptied here, and that a row of a list lacks: it looks the same, and says nothing.

extension UploadPlanner {
  /// Whether a record was emptied here in members that a row of a list lacks, so that it is not the same as
  /// that row, however alike they look.
  ///
  /// What it was given last tells which members those are. Where nothing was kept of that, its version has to
  /// do: a record that was changed here, and not there, is taken for another one, unless no route could bring
  /// the change.
  func isEmptiedUnseen(
    _ record: LocalRecord,
    _ remote: RemoteRecord
  ) throws(MigrationError) -> Bool {
    let empty = emptyUnseen(record, remote)
    guard !empty.isEmpty else { return false }
    guard let image = try base(of: record.id, record.known) else {
      return isOfLastProfile && !isMoved(remote, record)
        && desk.destination.traits.carriesOut(.update, on: record.id.entity)
    }
    return desk.wires[record.id.entity].isAnyFilled(empty, in: image.base)
  }

  /// Whether such a record has to be read alone before it is decided about: it was changed there too, and
  /// whether both sides did the same, no row can tell; or nothing was kept of what it was given, and what is
  /// empty here may always have been.
  func isEmptyUntold(
    _ serverID: String,
    _ record: LocalRecord
  ) throws(MigrationError) -> Bool {
    guard isChangedHere(record), let remote = try remote(serverID, of: record) else { return false }
    let empty = emptyUnseen(record, remote)
    guard !empty.isEmpty else { return false }
    guard let image = try base(of: record.id, record.known) else {
      return isOfLastProfile
    }
    return hasMoved(remote, from: image, record)
      && desk.wires[record.id.entity].isAnyFilled(empty, in: image.base)
  }

  private func emptyUnseen(_ record: LocalRecord, _ remote: RemoteRecord) -> [String] {
    guard isChangedHere(record), !record.isReadAlone else { return [] }
    return desk.wires[record.id.entity].emptyUnseen(record.plain, in: remote.body)
  }

  /// Whether a record that a run brought there is another one here since, as far as the app knows too.
  private func isChangedHere(_ record: LocalRecord) -> Bool {
    guard let known = record.known, known.serverID != nil, !record.claim.isDeleted,
      record.claim.meaning != .synced
    else { return false }
    return known.wire != record.plain.digest && known.wire != record.plain.createDigest
  }

  private func isMoved(_ remote: RemoteRecord, _ record: LocalRecord) -> Bool {
    remote.version.map { $0 != record.known?.version } ?? false
  }
}
