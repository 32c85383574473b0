import Files
package import JSONText

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
  package let path: String

  package init(state: String) { path = "\(state)/fleet" }

  package func folder(of entry: FleetEntry) -> String { "\(path)/\(entry.folderName)" }
  package func state(of entry: FleetEntry) -> String { "\(folder(of: entry))/state" }
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
  package func result(of entry: FleetEntry) -> FleetResult? {
    let path = "\(folder(of: entry))/result.json"
    guard let value = Self.json(at: path), value["line"]?.text == entry.text else { return nil }
    return FleetResult(value)
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
