// stand-ins: Crypto
// packages: GRDB
// rooms: JSONText Records Files UploadPlanning Checkpoint
// libraries: sqlite3
import Checkpoint
import Files
import Records
import UploadPlanning

/// Lies in memory where TMPDIR does.
private let folder: PrivateFolder = {
  do throws(FileError) {
    return try PrivateFolder()
  } catch {
    fatalError("there is no room for the input: \(error)")
  }
}()

/// What libFuzzer calls: the input, as the file of a checkpoint, may be refused, and nothing else may
/// happen; what can be read without taking it is read, then it is taken, and mended.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let path = folder.path + "/checkpoint.sqlite"
  do throws(FileError) {
    for ending in ["", "-wal", "-shm", ".lock", ".repair", ".damaged"] {
      try Folder.remove(path + ending)
    }
    try WholeFile.replace(path, with: Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError("the input cannot be written: \(error)")
  }
  do throws(CheckpointError) {
    guard let view = try CheckpointView(path) else { return 0 }
    _ = try view.faults()
    for run in try view.runs() { _ = run.id }
    try view.forEachLine { _ = $0.columns.count }
    try take(path, view.binding)
  } catch {
    precondition(!error.description.isEmpty, "a refusal says why")
  }
  do throws(CheckpointError) {
    _ = try CheckpointRepair.run(path)
  } catch {
    precondition(!error.description.isEmpty, "a refusal says why")
  }
  return 0
}

private func take(_ path: String, _ binding: CheckpointBinding) throws(CheckpointError) {
  let file = try CheckpointFile(path: path, binding: binding, acceptsChangedProfile: false)
  for run in try file.runs() {
    _ = try file.operations(of: run, phase: 0, after: 0, limit: 100)
  }
}
