package import Checkpoint
import ExportPackage
package import RecordDiffs
import Records
import SyncReading
import UploadPlanning

extension UploadSession {
  /// Gives what a run does to each record, in the order in which the operations are carried out.
  package func forEachDiff(
    of run: RunRecord,
    _ body: (RecordDiff) throws -> Void
  ) throws {
    let package = try package()
    let reader = DiffReader(try reader().mappings) { value in
      do throws(PackageError) { return try package.opened(value) } catch { return nil }
    } serverID: { [checkpoint] record in
      do throws(CheckpointError) { return try checkpoint.known(record)?.serverID } catch {
        return nil
      }
    }
    try reader.forEachDiff(body) { after throws(CheckpointError) in
      try checkpoint.recorded(of: run, after: after, limit: DiffReader.pageSize)
    }
  }
}
