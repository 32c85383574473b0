import Files
import JSONText
import LongTexts
import StoreFiles

/// A folder of JSON documents, each of which is a record: one entity a folder.
///
/// Only a folder that a person named is one, that has no store, and whose files are all documents: in the
/// folder itself and one folder below. Files whose names begin with a dot do not count.
struct DocumentFolder {
  /// The documents by the folder that they lie in, which names the entity.
  let documents: [(entity: String, files: [ListedFile])]
  let path: String

  /// Each is copied and digested by itself.
  private static let mostDocuments = 20_000

  /// `nil` for any other folder.
  ///
  /// - Throws: `StoreError.tooMany(path:what:count:limit:)`, and whatever the system refuses.
  init?(
    _ path: String,
    ignoring ignored: IgnoredFiles,
    into folder: String
  ) throws(StoreError) {
    guard !BackupManifest.isBackup(path) else { return nil }
    let walk = try FolderWalk(path)
    let files = walk.files.filter {
      !Self.isHidden($0.path) && ignored.pattern(for: $0.path) == nil
    }
    guard !files.isEmpty, walk.skipped.isEmpty,
      files.allSatisfy({ TableName.isDocument($0.path) && Self.depth(of: $0.path) <= 2 })
    else { return nil }
    let inspection = try SourceFinder(path, ignoring: ignored, into: folder).inspection
    guard inspection.form == .folder, inspection.stores.isEmpty else { return nil }
    guard files.count <= Self.mostDocuments else {
      throw .tooMany(
        path: path,
        what: "documents",
        count: files.count,
        limit: Self.mostDocuments
      )
    }
    let own = Folder.lastName(of: Folder.withoutEndingSlashes(Folder.wholePath(of: path)))
    var groups: [String: [ListedFile]] = [:]
    for file in files {
      let parts = file.path.split(separator: "/")
      groups[parts.count == 1 ? own : String(parts[0]), default: []].append(file)
    }
    documents = groups.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { ($0.key, $0.value) }
    self.path = path
  }

  /// Copies each document into a folder of its entity's.
  func copies(into folder: String) throws(StoreError) -> [StoreCopy] {
    var copies: [StoreCopy] = []
    for (place, group) in documents.enumerated() {
      for file in group.files {
        copies.append(try StoreCopy(of: file.place, into: "\(folder)/documents-\(place + 1)"))
      }
    }
    return copies
  }

  /// Reads the copies of the documents, in their order.
  func read(_ copies: [StoreCopy], into rows: FileRows) throws(StoreError) {
    let document = JSONDocument()
    var place = 0
    for (entity, files) in documents {
      let table = rows.addTable(named: entity)
      for file in files {
        let fault = try Self.add(copies[place], document, to: table, of: rows)
        if let (line, reason) = fault {
          rows.faults.add(RowFault(file: file.path, line: line, reason: reason))
        }
        place += 1
      }
    }
  }

  /// Adds one document; gives what is wrong with it.
  private static func add(
    _ copy: StoreCopy,
    _ document: JSONDocument,
    to table: Int?,
    of rows: FileRows
  ) throws(StoreError) -> (Int, String)? {
    guard copy.byteCount <= JSONStream.longestValue else {
      return (1, "it has more than \(JSONStream.longestValue >> 20) MiB")
    }
    let bytes = try mapping { () throws(FileError) in
      let source = FileSource(copy.path)
      return try rows.texts.standingIn(lineOf: source, at: 0, size: Int(copy.byteCount))
    }
    do throws(JSONError) {
      try document.parse(copying: Array(bytes.dropFirst(JSONMargin.start(of: bytes))))
    } catch {
      return (error.line, "it is not JSON: \(error.message)")
    }
    guard document.kind(of: document.root) == .object else {
      return (
        1,
        "it is JSON of the type \(document.kind(of: document.root)), not an object; give a file of many "
          + "objects by itself"
      )
    }
    guard let table else { return nil }
    let key = TableName.stem(of: Folder.lastName(of: copy.sourcePath))
    return try rows.add(document, key: key, to: table).map { (1, $0) }
  }

  private static func isHidden(_ path: String) -> Bool {
    path.split(separator: "/").contains { $0.hasPrefix(".") }
  }

  private static func depth(of path: String) -> Int { path.split(separator: "/").count }
}
