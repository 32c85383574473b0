package import Checkpoint
import Files
import JSONText
import Records
package import StageSupport
import TextCodecs

/// Writes what the app has to put into its own store after a run, under `ferry.write-back.v1`.
///
/// | status | what the app does with the record |
/// |---|---|
/// | `synced` | stores the server's identity and version, and that it is synced |
/// | `withdrawn` | forgets the server's identity and version: it is no longer there |
/// | `deleted` | removes the row that it had marked as deleted: it is gone at the server too |
/// | `rejected`, `conflicted` | keeps the record as not synced, with the server's identity where there is one, and may show the reason |
package struct WriteBack: Sendable {
  let run: RunRecord
  let checkpoint: CheckpointView

  package init(run: RunRecord, checkpoint: CheckpointView) {
    self.run = run
    self.checkpoint = checkpoint
  }

  private var binding: CheckpointBinding { checkpoint.binding }

  /// Writes the file whole, replacing one that is there; gives how many records it names.
  package func write(to path: String) throws(MigrationError) -> Int {
    do {
      return try stream(to: path)
    } catch let error as FileError {
      throw .file(error)
    } catch let error as CheckpointError {
      throw .checkpoint(error)
    } catch {
      preconditionFailure("only files and checkpoints are touched: \(error)")
    }
  }

  /// A page of records behind `last`; the empty one is the end.
  package func page(after last: WriteBackEntry?) throws(MigrationError) -> [WriteBackEntry] {
    try checkpointing(checkpoint.writeBack(of: run, after: last))
  }

  /// Reads a page of records, writes it, and goes on: memory does not follow the data.
  private func stream(to path: String) throws -> Int {
    var file = try WholeFileDraft(for: path)
    try file.write(opening)
    var count = 0
    var last: WriteBackEntry?
    while true {
      let page = try checkpoint.writeBack(of: run, after: last)
      guard let end = page.last else { break }
      last = end
      for entry in page {
        if count > 0 { try file.write(Array(",\n".utf8)) }
        try file.write(line(of: entry))
        count += 1
      }
    }
    try file.write(Array("\n]}\n".utf8))
    try file.publish()
    return count
  }

  /// Everything up to the first record.
  private var opening: [UInt8] {
    let object: JSONObject = [
      "format": "1.0", "run": .string(run.id), "store": .string(binding.store),
      "destination": .string(binding.origin), "account": .string(binding.account),
      "profile": .string(binding.profile),
    ]
    // The records come last, one a line, so that they can be written as they are read.
    return JSONValue.object(object).canonicalBytes.dropLast() + Array(",\"records\":[\n".utf8)
  }

  private func line(of entry: WriteBackEntry) -> [UInt8] {
    var object: JSONObject = [
      "entity": .string(entry.record.entity.text), "localID": .string(entry.record.key),
      "status": .string(entry.status),
      "serverID": entry.serverID.map { .string($0) } ?? .null,
      "revision": entry.version.flatMap { $0.isEmpty ? nil : .string($0) } ?? .null,
      "syncedAt": entry.syncedAt.map { .string(Timestamp.text(secondsSince1970: $0)) } ?? .null,
    ]
    if let reason = entry.reason { object["reason"] = .string(reason) }
    return JSONValue.object(object).canonicalBytes
  }
}
