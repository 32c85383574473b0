import Files
import JSONText
package import Records

/// What was quarantined of one package.
package struct QuarantineFolder: Sendable {
  /// The format that is written: major and minor.
  package static let format = "1.0"

  static let headerName = "quarantine.json"
  static let findingsName = "findings.jsonl"
  static let recordsName = "records"

  struct File: Hashable, Sendable {
    let path: String
    let digest: Digest
  }

  package let path: String
  /// The digest of the package the records are from.
  package let package: Digest
  /// How many records of each entity are quarantined, in the package's order.
  package let counts: [(entity: EntityName, count: Int)]
  let files: [File]

  /// What a person types to name it: the beginning of the package's digest.
  package var shortName: String { String(package.description.prefix(12)) }

  package var recordCount: Int { counts.reduce(0) { $0 + $1.count } }

  /// Opens a folder; only the header is read.
  package init(_ path: String) throws(QuarantineError) {
    let place = "\(path)/\(Self.headerName)"
    let bytes = try Quarantine.files(InputFile.contents(of: place, limit: 16 << 20))
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(parsing: bytes)
    } catch {
      throw .damaged(path: place, reason: "it is not JSON (\(error))")
    }
    guard let format = json["format"]?.text else {
      throw .damaged(path: place, reason: "it names no format")
    }
    guard format.split(separator: ".").first == Self.format.split(separator: ".").first else {
      throw .tooNew(path: path, format: format)
    }
    guard let package = json["package"]?.text.flatMap({ Digest(hexadecimal: $0) }),
      let entities = json["entities"]?.array, let files = json["files"]?.array
    else { throw .damaged(path: place, reason: "its package, entities or files are missing") }
    self.path = path
    self.package = package
    counts = entities.compactMap { entity in
      guard let name = entity["name"]?.text.flatMap({ EntityName($0) }),
        let count = entity["records"]?.integer
      else { return nil }
      return (name, Int(count))
    }
    self.files = files.compactMap { file in
      guard let path = file["path"]?.text,
        let digest = file["sha256"]?.text.flatMap({ Digest(hexadecimal: $0) })
      else { return nil }
      return File(path: path, digest: digest)
    }
  }

  /// The folders below `folder`, by the digests of their packages.
  package static func all(in folder: String) throws(QuarantineError) -> [QuarantineFolder] {
    guard Folder.exists(folder) else { return [] }
    let names = try Quarantine.files(Folder.names(in: folder))
    var all: [QuarantineFolder] = []
    for name in names where Digest(hexadecimal: name) != nil {
      all.append(try QuarantineFolder("\(folder)/\(name)"))
    }
    return all
  }

  /// The one folder below `folder` whose package's digest begins with `name`.
  package static func named(
    _ name: String,
    in folder: String
  ) throws(QuarantineError) -> QuarantineFolder {
    let found = try all(in: folder).filter { $0.package.description.hasPrefix(name) }
    guard found.count == 1, let only = found.first, !name.isEmpty else {
      throw .unknown(name: name, found: found.map(\.package.description))
    }
    return only
  }

  /// Where the records of an entity lie, to be repaired.
  package func recordsPath(of entity: EntityName) -> String {
    "\(path)/\(Self.recordsPath(of: entity))"
  }

  /// The folder in which the records lie, one file for each entity.
  package var recordsFolder: String { "\(path)/\(Self.recordsName)" }

  /// Writes the records into `folder`, which is made, a file for each entity, to be repaired there.
  ///
  /// - Throws: ``QuarantineError/file(_:)`` also when one of the files is there already.
  package func copyRecords(to folder: String) throws(QuarantineError) {
    try Quarantine.files(Folder.makeLasting(folder))
    for (entity, _) in counts {
      let source = recordsPath(of: entity)
      do throws(LineReader.Failure) {
        try Self.copy(source, to: "\(folder)/\(entity).jsonl")
      } catch {
        switch error {
        case .file(let error): throw .file(error)
        case .tooLong(let line): throw .damaged(path: source, reason: "line \(line) is too long")
        }
      }
    }
    try Quarantine.files(Folder.sync(folder))
  }

  private static func copy(_ source: String, to target: String) throws(LineReader.Failure) {
    let opened: LineReader
    var output: OutputFile
    do throws(FileError) {
      opened = LineReader(try InputFile(source))
      output = try OutputFile(creating: target)
    } catch {
      throw .file(error)
    }
    while let block = try opened.nextBlock() {
      do throws(FileError) { try output.write(block.bytes) } catch { throw .file(error) }
    }
    do throws(FileError) { _ = try output.finish() } catch { throw .file(error) }
  }

  /// What is known of each record, in the package's order.
  package func records() throws(QuarantineError) -> QuarantineStream {
    try QuarantineStream("\(path)/\(Self.findingsName)")
  }

  // MARK: - Files

  static func recordsPath(of entity: EntityName) -> String { "\(recordsName)/\(entity).jsonl" }

  var findingsDigest: Digest? { files.first { $0.path == Self.findingsName }?.digest }

  /// Whether the records are as they were kept.
  func isUntouched() throws(QuarantineError) -> Bool {
    for file in files {
      let place = "\(path)/\(file.path)"
      guard InputFile.isPresent(place) else { return false }
      let found = try Quarantine.files(InputFile.sha256(of: place).digest)
      if Digest(bytes: found) != file.digest { return false }
    }
    return true
  }

  static func header(
    package: Digest,
    tool: String,
    counts: [(entity: EntityName, count: Int)],
    files: [File]
  ) -> [UInt8] {
    let json: JSONValue = [
      "format": .string(format), "package": .string(package.description), "tool": .string(tool),
      "entities": .array(
        counts.map { entity, count in
          ["name": .string(entity.text), "records": .number(JSONNumber(Int64(count)))]
        }
      ),
      "files": .array(
        files.map { ["path": .string($0.path), "sha256": .string($0.digest.description)] }
      ),
    ]
    return Array(json.prettyText.utf8) + [0x0A]
  }
}
