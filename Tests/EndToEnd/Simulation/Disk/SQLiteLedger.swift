package import Checkpoint
import Files
import Records
import Simulation
package import UploadPlanning

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the real checkpoint did that its model would not have done.
package enum LedgerFault: Error, Hashable {
  case checkpoint(CheckpointError)
  case file(String)
  /// After a cut it holds neither the earlier content the commit nor what was after it.
  case torn(String)
}

/// The real checkpoint, on a disk that forgets what was not synced.
///
/// A model goes along. After each cut the checkpoint has to hold what the model holds: all that was
/// committed, and of a commit that was under way all or nothing.
package struct SQLiteLedger: Ledger {
  package typealias Failure = LedgerFault

  let folder: String
  private let lies: Bool
  private let bulk: Int64?
  private var volume: Volume
  private var file: CheckpointFile?
  var model = ModelLedger()
  private var generation = 0

  /// Begins in an empty folder, on a disk that keeps what it says, or only says so; from `bulk` operations
  /// on, a run leaves what it made known of records to the next.
  package init(
    folder: String,
    lies: Bool = false,
    bulk: Int64? = nil
  ) throws(LedgerFault) {
    // SQLite opens a file under its full name, and that is what is watched.
    guard let name = realpath(folder, nil) else { throw .file("\(folder) is not there") }
    let folder = String(cString: name)
    free(name)
    self.folder = folder
    self.lies = lies
    self.bulk = bulk
    volume = Volume(folder: "\(folder)/0", files: [:], lies: lies)
    try settle([:])
  }

  /// Ends the watch over the files of a ledger's folders; what was written down of them goes with it.
  static func forget(below folder: String) { ForgettingSystem.forget(below: folder + "/") }

  private static let binding = CheckpointBinding(
    store: "store",
    origin: "https://simulated.test",
    account: "account",
    profile: "profile"
  )

  /// Lays files out as a cut left them, in a folder of their own, and opens the checkpoint there.
  private mutating func settle(_ files: [String: [UInt8]]) throws(LedgerFault) {
    generation += 1
    let old = volume.folder
    let new = "\(folder)/\(generation)"
    do throws(FileError) {
      volume = try Volume(layingOut: files, in: new, lies: lies)
      if generation > 1 { try Folder.remove(old) }
    } catch {
      throw .file(error.description)
    }
    let file = try checking(
      CheckpointFile(
        path: "\(new)/checkpoint.sqlite",
        binding: Self.binding,
        bulk: bulk
      )
    )
    self.file = file
    // Opening it writes something; a disk that heard of nothing would keep nothing from no one.
    guard volume.noteCount > 0 else { throw .file("no one watches \(new)") }
  }

  func checking<Value>(
    _ body: () throws(CheckpointError) -> Value
  ) throws(LedgerFault) -> Value {
    do throws(CheckpointError) { return try body() } catch { throw .checkpoint(error) }
  }

  /// The same for one expression.
  func checking<Value>(
    _ value: @autoclosure () throws(CheckpointError) -> Value
  ) throws(LedgerFault) -> Value {
    do throws(CheckpointError) { return try value() } catch { throw .checkpoint(error) }
  }

  func open() throws(LedgerFault) -> CheckpointFile {
    guard let file else { throw .file("the checkpoint is closed") }
    return file
  }

  func record(of run: Int) throws(LedgerFault) -> RunRecord {
    let file = try open()
    let runs = try checking(file.runs())
    guard let found = runs.first(where: { $0.number == Int64(run) }) else {
      throw .torn("run \(run) is not there")
    }
    return found
  }

  // MARK: - A cut

  package mutating func crash(
    interrupting changes: [OperationChange]?,
    random: inout SeededRandom
  ) throws(LedgerFault) {
    let before = volume.noteCount
    var after = model
    if let changes {
      let file = try open()
      try checking(file.commit(changes, now: 1))
      after.commit(changes)
    }
    let moment = Int.random(in: before...volume.noteCount, using: &random)
    let isOver = moment == volume.noteCount
    let files = volume.remains(after: moment, random: &random)
    // Closing it writes to files that no one looks at any more.
    volume.forget()
    file = nil
    try settle(files)
    guard let difference = try difference(from: after) else {
      model = after
      return
    }
    if isOver || changes == nil {
      throw .torn("something that was committed is not there after a cut: \(difference)")
    }
    if let other = try self.difference(from: model) {
      throw .torn("a commit that was cut short is there in part: \(difference); \(other)")
    }
  }

  /// What the checkpoint holds otherwise than a model.
  private func difference(from model: ModelLedger) throws(LedgerFault) -> String? {
    let runs = try runs()
    guard runs == model.runs() else { return "runs \(runs), not \(model.runs())" }
    var records: Set<RecordID> = []
    for run in runs {
      let operations = try operations(of: run.number)
      for (one, other) in zip(operations, model.operations(of: run.number)) where one != other {
        return "\(one), not \(other)"
      }
      guard operations.count == model.operations(of: run.number).count else {
        return "\(operations.count) operations of run \(run.number)"
      }
      records.formUnion(operations.map(\.record))
    }
    for record in records {
      let known = try known(record)
      if known != model.known(record) {
        return "\(record) is \(String(describing: known))"
      }
    }
    return nil
  }
}
