import Files
import JSONText
package import Records

/// Quarantines records of one package, one after the other; nothing is there before the end.
package final class QuarantineWriter {
  private let path: String
  private let draft: String
  private let package: Digest
  private let tool: String
  private var findings: OutputFile?
  private var records: OutputFile?
  private var counts: [(entity: EntityName, count: Int)] = []
  private var files: [QuarantineFolder.File] = []

  /// Begins a folder for the package with this digest below `folder`.
  package init(
    folder: String,
    package digest: Digest,
    tool: String
  ) throws(QuarantineError) {
    path = "\(folder)/\(digest)"
    // Another run may quarantine records of the same package at the same time.
    draft = DraftName.path(for: path)
    package = digest
    self.tool = tool
    let (path, draft) = (path, draft)
    try Quarantine.files { () throws(FileError) in
      if Folder.exists(folder) { try DraftName.removeLeft(for: path) }
      try Folder.makeLasting("\(draft)/\(QuarantineFolder.recordsName)")
    }
    findings = try Quarantine.files(
      OutputFile(creating: "\(draft)/\(QuarantineFolder.findingsName)")
    )
  }

  deinit { try? Folder.remove(draft) }

  /// Adds a record by its line in the package; all records of an entity come together.
  package func add(
    _ record: QuarantinedRecord,
    bytes: UnsafeRawBufferPointer
  ) throws(QuarantineError) {
    if counts.last?.entity != record.entity {
      try finishRecords()
      counts.append((record.entity, 0))
      let path = "\(draft)/\(QuarantineFolder.recordsPath(of: record.entity))"
      records = try Quarantine.files(OutputFile(creating: path))
    }
    counts[counts.count - 1].count += 1
    let line = record.json.canonicalBytes
    try Quarantine.files { () throws(FileError) in
      try records?.write(line: bytes)
      try findings?.write(line + [0x0A])
    }
  }

  /// Puts the folder in its place; `nil` when no record was added.
  ///
  /// Where the same package was quarantined before, with the same findings, that folder stays as it
  /// is, repairs included.
  ///
  /// - Throws: ``QuarantineError/edited(path:)`` when the findings are others and another device has
  ///   edited the records.
  package func publish() throws(QuarantineError) -> QuarantineFolder? {
    try finishRecords()
    guard !counts.isEmpty, let findings = findings.take() else { return nil }
    files.append(try finish(findings, as: QuarantineFolder.findingsName))
    let header = QuarantineFolder.header(
      package: package,
      tool: tool,
      counts: counts,
      files: files
    )
    try Quarantine.files { () throws(FileError) in
      var output = try OutputFile(creating: "\(draft)/\(QuarantineFolder.headerName)")
      try output.write(header)
      _ = try output.finish()
      try Folder.sync("\(draft)/\(QuarantineFolder.recordsName)")
    }
    while true {
      if let before = try same() { return before }
      do throws(FileError) {
        try Folder.publish(draft, as: path)
      } catch {
        guard error.isTaken else { throw .file(error) }
        // Another process was faster, and what it has quarantined is looked at like the earlier content.
        continue
      }
      return try QuarantineFolder(path)
    }
  }

  /// What is quarantined of the package already, with the same findings; with others it is removed, so that
  /// its place is free.
  private func same() throws(QuarantineError) -> QuarantineFolder? {
    guard Folder.exists(path) else { return nil }
    let before = try QuarantineFolder(path)
    if before.findingsDigest == files.last?.digest { return before }
    guard try before.isUntouched() else { throw .edited(path: path) }
    try Quarantine.files(Folder.remove(path))
    return nil
  }

  private func finishRecords() throws(QuarantineError) {
    guard let output = records.take(), let entity = counts.last?.entity else { return }
    files.append(try finish(output, as: QuarantineFolder.recordsPath(of: entity)))
  }

  private func finish(
    _ output: consuming OutputFile,
    as name: String
  ) throws(QuarantineError) -> QuarantineFolder.File {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try output.finish()
    } catch {
      throw .file(error)
    }
    guard let digest = Digest(bytes: bytes) else {
      preconditionFailure("a SHA-256 digest has 32 bytes")
    }
    return QuarantineFolder.File(path: name, digest: digest)
  }
}
