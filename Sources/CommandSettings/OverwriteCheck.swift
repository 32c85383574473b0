import ExportPackage
import Files
import Reporting

/// Keeps what is written from taking the place of what is read.
///
/// A report, a log or a result replaces the file of its name. That file is never one that the same line
/// reads, nor one of a package or of what Ferry remembers. Into a folder of stores or of media that is read,
/// only results go, and nothing there gives its place to one.
package enum OverwriteCheck {
  /// The flags that name a file to be written or added to.
  fileprivate static let outputs = ["output", "report", "metrics", "log-file"]
  /// The flags whose file may be replaced: an earlier report gives its place to the new one.
  fileprivate static let replaceable = ["compare"]

  /// - Parameters:
  ///   - words: The line.
  ///   - protected: The folders of what Ferry remembers.
  /// - Throws: ``SettingsError`` that names the flag and the file; also for one that names nothing, as an
  ///   unset variable of a script does.
  package static func check(
    _ words: CommandLineWords,
    protected: [String]
  ) throws(SettingsError) {
    let read = ReadFiles(words, protected: protected)
    for key in outputs {
      for value in words.given[key] ?? [] {
        let path = key == "report" ? ReportTarget(parsing: value)?.path ?? value : value
        guard !path.isEmpty else {
          throw SettingsError(
            path: "--\(key)",
            reason: "it names nothing",
            cure: "name a file or folder"
          )
        }
        guard read.contains(path) || key != "output" && read.areBeside(path) else { continue }
        throw SettingsError(
          path: "--\(key)",
          reason: read.contains(path)
            ? "\(path) is an input of this command, and inputs are never overwritten"
            : "\(path) lies in a folder that this command reads, and is left unchanged",
          cure: "name another file"
        )
      }
    }
  }
}

/// The files that a line reads, and the folders of which nothing may be written over.
private struct ReadFiles {
  /// What SQLite keeps beside a database, and the database itself.
  private static let endings = ["", "-wal", "-journal", "-shm"]

  private var files: Set<FileIdentity> = []
  private var folders: Set<FileIdentity> = []
  /// Those that the app's stores and media are read from.
  private var sources: Set<FileIdentity> = []

  init(_ words: CommandLineWords, protected: [String]) {
    let flags = words.verb.flags.filter { flag in
      flag.isPath && !OverwriteCheck.outputs.contains(flag.key)
        && !OverwriteCheck.replaceable.contains(flag.key)
    }
    for path in words.operands + flags.flatMap({ words.given[$0.key] ?? [] }) where !path.isEmpty {
      let beside = ["\(Folder.parentPath(of: path))/profile.yaml"]
      for name in Self.endings.map({ path + $0 }) + beside {
        if let found = FileIdentity(name), found.isFile { files.insert(found) }
      }
      let marks = [PackagePath.manifest, PackagePath.marker]
      if marks.contains(where: { InputFile.isPresent("\(path)/\($0)") }) { protect(path) }
    }
    let besides = words.operands.map { "\(Folder.parentPath(of: $0))/container" }
    for folder in words.operands + besides + (words.given["container"] ?? []) where !folder.isEmpty
    {
      if let found = FileIdentity(folder), !found.isFile { sources.insert(found) }
    }
    for folder in protected { protect(folder) }
  }

  private mutating func protect(_ folder: String) {
    if let found = FileIdentity(folder) { folders.insert(found) }
  }

  /// Whether a file is there, and is one of them.
  func contains(_ path: String) -> Bool {
    guard let file = FileIdentity(path), file.isFile else { return false }
    return files.contains(file) || Self.lies(path, in: folders.union(sources))
  }

  /// Whether a path leads into a folder of stores or of media, whatever is there.
  func areBeside(_ path: String) -> Bool { Self.lies(path, in: sources) }

  private static func lies(_ path: String, in folders: Set<FileIdentity>) -> Bool {
    var folder = Folder.parentPath(of: path)
    while let found = FileIdentity(folder) {
      if folders.contains(found) { return true }
      folder += "/.."
      // The first folder of all is above itself.
      if FileIdentity(folder) == found { return false }
    }
    return false
  }
}
