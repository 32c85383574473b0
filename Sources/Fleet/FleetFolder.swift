import Checkpoint
import Files
package import JSONText
import Reporting
import RunHistory
package import StageSupport

/// Where a fleet remembers: a folder for each store, with all that belongs to it.
///
/// ```
/// STATE/fleet/<name>-<hash>/
///   state/        the state folder of this store: checkpoint, package, what is quarantined
///   report.json   the report of its last migration
///   log           what that said, its last part
///   result.json   what it came to, once it came to an end
/// ```
package struct FleetFolder: Hashable, Sendable {
  private let state: StateFolder

  package init(state: StateFolder) { self.state = state }

  package func folder(of entry: FleetEntry) -> String { "\(state.fleet)/\(entry.folderName)" }
  package func state(of entry: FleetEntry) -> StateFolder {
    state.ofFleetStore(entry.folderName)
  }
  package func report(of entry: FleetEntry) -> String { "\(folder(of: entry))/report.json" }

  /// Makes the folder of a store, and clears the report of an earlier attempt out of the way.
  package func prepare(_ entry: FleetEntry) throws(FleetError) {
    let folder = folder(of: entry)
    do throws(FileError) {
      try Folder.makeLasting(folder)
      try Folder.remove(report(of: entry))
    } catch {
      throw .unwritable(path: folder, reason: "\(error)")
    }
  }

  /// What the store came to, if that is known and is about the same line; `nil` else.
  ///
  /// If a run was rolled back since, the store is no longer done.
  package func result(of entry: FleetEntry) -> FleetResult? {
    let path = "\(folder(of: entry))/result.json"
    guard let value = Self.json(at: path), value["line"]?.text == entry.text else { return nil }
    var result = FleetResult(value)
    // A rollback writes into the folder: without a change in it, no checkpoint is copied and read.
    if Self.isUnchanged(state(of: entry).checkpoints.path, since: path) { return result }
    do {
      if let undo = try rollback(after: result?.run, in: state(of: entry)) { result?.take(undo) }
    } catch {
      result?.take(error)
    }
    return result
  }

  /// Whether a folder and each file in it last changed before a file was written.
  private static func isUnchanged(_ folder: String, since file: String) -> Bool {
    guard let names = try? Folder.names(in: folder) else { return false }
    return ([folder] + names.map { "\(folder)/\($0)" })
      .allSatisfy { Folder.isUnchanged($0, since: file) }
  }

  /// The last rollback that began after a run of the same checkpoint.
  ///
  /// - Throws: Why a checkpoint cannot be read that may know it.
  private func rollback(after run: String?, in state: StateFolder) throws -> ListedRun? {
    guard let run else { return nil }
    let (runs, unread) = try ListedRun.all(in: [state])
    guard let sent = runs.first(where: { $0.run.id == run }) else {
      if let first = unread.first { throw first.error }
      return nil
    }
    return runs.last { later in
      later.binding == sent.binding && later.run.number > sent.run.number
        && later.run.kind == .rollback && later.run.stage != .abandoned
    }
  }

  /// The report that the migration of a store wrote; `nil` when it did not come so far.
  package func reportValue(of entry: FleetEntry) -> JSONValue? { Self.json(at: report(of: entry)) }

  /// Writes down what a store came to, and what it said.
  package func keep(_ result: FleetResult, of entry: FleetEntry, log: [UInt8]) throws(FleetError) {
    guard case .object(var object) = result.value else { return }
    object["line"] = .string(entry.text)
    let folder = folder(of: entry)
    do throws(FileError) {
      var files = AtomicFile(in: folder)
      try files.add("log", log)
      try files.add("result.json", JSONValue.object(object).canonicalBytes)
      try files.publish()
    } catch {
      throw .unwritable(path: folder, reason: "\(error)")
    }
  }

  /// A file as JSON; `nil` if it does not exist, or a killed worker left something else.
  private static func json(at path: String) -> JSONValue? {
    guard InputFile.isPresent(path) else { return nil }
    do {
      return try JSONValue(parsing: try InputFile.contents(of: path, limit: 256 << 20))
    } catch {
      return nil
    }
  }
}
