import Files
package import Records
import SQLiteStores
package import StoreFiles

/// Files of records that an app or a server exported: CSV, TSV, JSON Lines, JSON, a folder of documents.
///
/// | in the file | becomes |
/// |---|---|
/// | a row of delimited text | a row of the entity that is named after the file; the header names the attributes |
/// | an object of an array, an object a line | a row of the entity that is named after the file |
/// | a member of one object that is an array of objects | an entity of that name |
/// | a member of one object that is an object of objects | an entity of that name, the objects' names being `$key` |
/// | a document of a folder | a row of the entity that is named after the folder, the file's name being `$key` |
/// | values that are all whole numbers of 64 bits, all numbers, all booleans, all texts | an attribute of that kind |
/// | any other values of JSON | a transformable, lent as JSON |
/// | any other values of delimited text | texts, each as it is |
/// | an empty value without quotes, `null`, a member that is not there | null |
///
/// The files are read once, into a private database. Rows come in the order of the file and their place is
/// their number, counted from one. A row that cannot be read refuses the file, with its line. Where what
/// is damaged is read, it is a finding instead.
///
/// Files have no identity, so the store's name is that of the file or folder.
package final class FileStore: Store {
  package let identity: StoreIdentity
  package let model: StoreModel
  /// None: what a file holds beside its records is no table, and a finding names it.
  package let otherTables: [String] = []
  package let findings: [Finding]
  /// The source's path, for messages.
  package let sourcePath: String

  private let held: HeldRows
  private let rowCounts: [Int]

  /// Reads the copy of one file; the private database lies beside it.
  ///
  /// - Parameters:
  ///   - copy: The private copy of the file.
  ///   - readsDamaged: Whether rows that cannot be read are findings.
  /// - Throws: `StoreError.unreadableRows(path:faults:count:)` where they are not, and
  ///   `StoreError.unusableTable(path:reason:cure:)` for a file that can be no table at all.
  package convenience init(_ copy: StoreCopy, readsDamaged: Bool = false) throws(StoreError) {
    try self.init(copy.sourcePath, copy.path + ".rows.sqlite", readsDamaged: readsDamaged) {
      (rows) throws(StoreError) in
      try Self.refuseOtherText(copy)
      if copy.kind == .delimitedText {
        try DelimitedReading(copy, into: rows).run()
      } else {
        var reading = JSONFileReading(copy, into: rows)
        try reading.run()
      }
    }
  }

  /// Reads the copies of a folder's documents.
  convenience init(
    _ folder: DocumentFolder,
    _ copies: [StoreCopy],
    scratchPath: String,
    readsDamaged: Bool
  ) throws(StoreError) {
    try self.init(folder.path, scratchPath, readsDamaged: readsDamaged) {
      (rows) throws(StoreError) in
      try folder.read(copies, into: rows)
    }
  }

  private init(
    _ sourcePath: String,
    _ scratchPath: String,
    readsDamaged: Bool,
    _ read: (FileRows) throws(StoreError) -> Void
  ) throws(StoreError) {
    try mapping { () throws(FileError) in try Folder.remove(scratchPath) }
    let rows = try Self.rows(sourcePath, scratchPath, read)
    let faults = rows.faults
    guard faults.count == 0 || readsDamaged else {
      throw .unreadableRows(path: sourcePath, faults: faults.named, count: faults.count)
    }
    guard !rows.tables.isEmpty else { throw .noEntities(path: sourcePath) }
    let entities = rows.tables.map(\.entity)
    model = StoreModel(origin: .store, entities: entities.sorted { $0.name < $1.name })
    rowCounts = rows.tables.map(\.rowCount)
    findings = rows.findings + Self.findings(faults)
    let name = Folder.lastName(of: Folder.withoutEndingSlashes(Folder.wholePath(of: sourcePath)))
    identity = StoreIdentity(kind: .files, uuid: TableName.stem(of: name))
    self.sourcePath = sourcePath
    held = HeldRows(
      sourcePath: sourcePath,
      database: try HeldRows.open(scratchPath, of: sourcePath),
      model: model,
      places: Dictionary(
        zip(entities.map(\.name), entities.indices),
        uniquingKeysWith: { first, _ in first }
      ),
      addressStart: "row:\(identity.uuid)/",
      address: .number,
      texts: rows.texts
    )
  }

  package func rowCount(of entity: EntityName) throws(StoreError) -> Int {
    rowCounts[try held.place(of: entity)]
  }

  package func rows(_ request: RowRequest) throws(StoreError) -> any RowReader {
    try FileRowCursor(request, of: held)
  }

  /// Why no profile can be drafted: another run could not know the rows of this entity again, or there are none
  /// that would show its fields.
  package func missingIdentity(of entity: EntityName) throws(StoreError) -> StoreError {
    guard try rowCount(of: entity) > 0 else {
      return .unusableTable(
        path: sourcePath,
        reason: "\(entity) has no row, so nothing shows its fields",
        cure: "name a file with at least one record"
      )
    }
    return .unusableTable(
      path: sourcePath,
      reason:
        "no column of \(entity) has a text or a whole number of its own in every row, so a later "
        + "run could not know the rows again",
      cure:
        "add such a column, called id, to a copy of the file: the key that the app or the server has, "
        + "or a number that stays with its row"
    )
  }

  /// Fills the private database; it is closed when this returns.
  private static func rows(
    _ sourcePath: String,
    _ scratchPath: String,
    _ read: (FileRows) throws(StoreError) -> Void
  ) throws(StoreError) -> FileRows.Summary {
    let rows = try FileRows(sourcePath, into: scratchPath)
    try read(rows)
    return try rows.finish()
  }

  /// Texts of two bytes a letter would be a fault in every row, and JSON the names of columns.
  private static func refuseOtherText(_ copy: StoreCopy) throws(StoreError) {
    let start = try mapping { () throws(FileError) in
      var file = try InputFile(copy.path, followsLinks: false)
      return try file.bytes(upTo: 1 << 10)
    }
    if copy.kind == .delimitedText, beginsAsObjects(start) {
      throw .unusableTable(
        path: copy.sourcePath,
        reason: "it begins as JSON does, and its name says that it is a table",
        cure: "name a copy .json, or .jsonl if each line is an object"
      )
    }
    guard start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) else { return }
    throw .unusableTable(
      path: copy.sourcePath,
      reason: "its text is UTF-16",
      cure: "save it as UTF-8 (in Excel “CSV UTF-8”), or convert a copy: iconv -f UTF-16 -t UTF-8"
    )
  }

  /// Whether a file begins as an object of JSON does that has a member, or as an array of such objects.
  ///
  /// An array of anything else would be no file of records in JSON either, and is not looked for.
  private static func beginsAsObjects(_ start: [UInt8]) -> Bool {
    let text = start.dropFirst(JSONMargin.start(of: start))
    let marks = text.lazy.filter { !JSONMargin.isSpace($0) }.prefix(3)
    return marks.starts(with: [UInt8]("{\"".utf8)) || marks.starts(with: [UInt8]("[{\"".utf8))
  }

  private static func findings(_ faults: RowFaults) -> [Finding] {
    guard faults.count > 0 else { return [] }
    return [
      Finding(
        code: "store.damaged-rows",
        severity: .error,
        cause: "\(faults.count) rows cannot be read and are left out: "
          + faults.named.map(\.description).joined(separator: "; ")
          + (faults.count > faults.named.count ? "; and more" : ""),
        cure: "correct these lines in a copy of the file"
      )
    ]
  }
}
