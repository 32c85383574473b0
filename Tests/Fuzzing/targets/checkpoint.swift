// helpers: Tests/CheckpointTests/CheckpointBench.swift Tests/CheckpointTests/SoundCheckpoint.swift Tests/CheckpointTests/ChangedCheckpoint.swift
// sanitizers: fuzzer
// options: -detect_leaks=0 -max_len=512
import Files

// The file is read by SQLite, which is not built here: all that the address sanitizer would see of it is
// what it allocates, and that costs more than the reading.

/// Lies in memory where TMPDIR does.
private let bench: CheckpointBench = {
  do {
    return try CheckpointBench()
  } catch {
    fatalError("there is no space for the input: \(error)")
  }
}()

extension FuzzTarget {
  /// The input changes a sound checkpoint, or is one, as ``ChangedCheckpoint`` says; it may be refused
  /// with a reason, and nothing else may happen.
  static let checkpoint = FuzzTarget("checkpoint") { input, report in
    do throws(FileError) {
      for complaint in try ChangedCheckpoint(input).complaints(at: bench.path) {
        report.complain(complaint)
      }
    } catch {
      fatalError("the input cannot be written: \(error)")
    }
  }
}
