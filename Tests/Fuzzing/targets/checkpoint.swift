// stand-ins: Crypto
// packages: GRDB
// rooms: JSONText Records Files UploadPlanning Checkpoint
// libraries: sqlite3
// helpers: Tests/CheckpointTests/CheckpointBench.swift Tests/CheckpointTests/CheckpointBench+Older.swift Tests/CheckpointTests/SoundCheckpoint.swift Tests/CheckpointTests/ChangedCheckpoint.swift
// options: -detect_leaks=0 -max_len=512
import Files

/// Lies in memory where TMPDIR does.
private let bench: CheckpointBench = {
  do {
    return try CheckpointBench()
  } catch {
    fatalError("there is no room for the input: \(error)")
  }
}()

/// What libFuzzer calls: the input changes a sound checkpoint, or is one, as ``ChangedCheckpoint`` says;
/// it may be refused with a reason, and nothing else may happen.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: start, count: count)
  do throws(FileError) {
    let complaints = try ChangedCheckpoint(input).complaints(at: bench.path)
    if !complaints.isEmpty { fatalError(complaints.joined(separator: "; ")) }
  } catch {
    fatalError("the input cannot be written: \(error)")
  }
  return 0
}
