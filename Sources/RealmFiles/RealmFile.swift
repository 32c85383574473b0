package import Files

/// A Realm file that was opened for reading: its tables, and their rows.
///
/// The file is read through pages of which 4 MiB are kept. Nothing that an offset, a size or a count of
/// the file says is believed before it was checked. A file is used by the task that opened it.
///
/// Formats 2 to 11, 20, 22, 23 and 24 are read, of apps that synced as well. The history, indexes and
/// free space of a file are not looked at: they may hold what was deleted.
package final class RealmFile {
  /// The file format: 2 to 11, 20, 22, 23 or 24; 0 where the file has no table yet.
  package let format: Int
  package let isEncrypted: Bool
  /// Whether the file was written in one go, as copies and bundled files are.
  package let isStreaming: Bool
  /// The number of the last commit, where the file has one.
  package let commitNumber: UInt64?
  package let history: RealmHistory
  /// The tables in the order of the file, with those of Realm's own.
  package let tables: [RealmTable]

  /// The plain bytes of the file.
  package var byteCount: Int { context.pages.size }

  let context: FileContext
  private let layouts: [TableLayout]

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - file: The file, which must not change while it is read.
  ///   - key: The 64 bytes that an encrypted file is opened with; not used for another one.
  /// - Throws: ``RealmError`` when it is of no kind that is read, or the description of its tables is damaged.
  package init(_ file: consuming InputFile, key: [UInt8]? = nil) throws(RealmError) {
    let (pages, isEncrypted) = try Self.pages(of: file, key: key)
    self.isEncrypted = isEncrypted
    let header = try FileHeader(pages)
    format = header.format
    isStreaming = header.isStreaming
    context = FileContext(pages, format: header.format)
    guard header.top != 0 else {
      (commitNumber, history, tables, layouts) = (nil, .none, [], [])
      return
    }
    let pass = ReadPass(context)
    let top = try TopNode(at: header.top, pass)
    commitNumber = top.commitNumber
    history = top.history
    (tables, layouts) = try Self.tables(top, pass)
  }

  private static func pages(
    of file: consuming InputFile,
    key: [UInt8]?
  ) throws(RealmError) -> (PageCache, isEncrypted: Bool) {
    let fileSize: Int64
    do throws(FileError) { fileSize = try file.size() } catch { throw .file(error) }
    guard fileSize > 0 else { throw .empty }
    let size = Int(fileSize)
    let start = try reading(file, at: 0, count: min(size, PageCache.pageSize))
    if FileHeader.isMarked(start) { return (PageCache(PlainPages(file, size: size)), false) }
    guard let key else {
      throw EncryptedLook.matches(start: start, size: fileSize) ? .encrypted : .notRealm
    }
    let pages = PageCache(try EncryptedPages(file, fileSize: size, key: key))
    guard FileHeader.isMarked(try pages.bytes(at: 0, count: PageCache.pageSize)) else {
      throw .wrongKey(cause: "its second half is right, and its first half is not")
    }
    return (pages, true)
  }

  private static func tables(
    _ top: TopNode,
    _ pass: ReadPass
  ) throws(RealmError) -> ([RealmTable], [TableLayout]) {
    let context = pass.context
    guard top.tables.count <= ReadLimits.tableCount else {
      throw .tooLarge(RealmPlace(), cause: "it has \(top.tables.count) tables")
    }
    var nodes: [ElementList] = []
    for (place, entry) in top.tables.enumerated() {
      let node = try locating(RealmPlace(table: entry.name)) { () throws(RealmError) in
        try pass.elements(at: entry.reference)
      }
      let key =
        context.hasRowNumbers
        ? Int64(entry.position) : ClusterTableReading.key(of: node, position: entry.position)
      context.tablePlaces[key] = place
      nodes.append(node)
    }
    var (tables, layouts): ([RealmTable], [TableLayout]) = ([], [])
    var propertyCount = 0
    for (entry, node) in zip(top.tables, nodes) {
      let (table, layout) = try locating(RealmPlace(table: entry.name)) { () throws(RealmError) in
        guard context.hasRowNumbers else {
          let reading = try ClusterTableReading(entry, node, pass)
          return (reading.table, reading.layout)
        }
        let reading = try OldTableReading(entry, node, pass)
        return (reading.table, reading.layout)
      }
      propertyCount += table.properties.count
      guard propertyCount <= ReadLimits.propertyCount else {
        throw .tooLarge(RealmPlace(), cause: "its tables have \(propertyCount) properties")
      }
      tables.append(table)
      layouts.append(layout)
    }
    if context.hasRowNumbers { try OldPrimaryKeys.find(in: &tables, layouts, context) }
    return (tables, layouts)
  }

  /// How many rows a table has.
  ///
  /// In formats from 10 on it is what the tree's root says, which reading all rows compares with them.
  package func rowCount(ofTable place: Int) throws(RealmError) -> Int {
    try rowSource(ofTable: place, properties: [], columnCount: 1).count()
  }

  /// Begins to read the rows of a table, in the order of their keys.
  ///
  /// - Parameters:
  ///   - table: The table's place in ``tables``.
  ///   - properties: The places of the properties that are wanted.
  ///   - key: The key that all keys of interest are beyond.
  ///   - mostHeld: A string or a binary with more bytes is ``RealmValue/large(_:isText:)``.
  /// - Returns: The rows; the first is at hand after ``RealmRows/next()``.
  /// - Throws: ``RealmError`` when the table is damaged.
  package func rows(
    ofTable table: Int,
    properties: [Int],
    after key: Int64? = nil,
    holding mostHeld: @escaping MostHeld = { _ in .max }
  ) throws(RealmError) -> RealmRows {
    let source = rowSource(
      ofTable: table,
      properties: properties,
      columnCount: properties.count + 1,
      holding: mostHeld
    )
    return try RealmRows(source, after: key)
  }

  /// Fills the whole of a buffer with the bytes of a value that begin at an offset.
  package func fill(
    _ buffer: UnsafeMutableRawBufferPointer,
    with bytes: RealmBytes,
    at offset: Int
  ) throws(RealmError) {
    try context.pages.fill(buffer, with: bytes, behind: offset)
  }

  /// Prepares to look for rows of a table by their keys.
  ///
  /// A string or a binary with more bytes than `mostHeld` is ``RealmValue/large(_:isText:)``.
  package func lookup(
    inTable table: Int,
    properties: [Int],
    holding mostHeld: @escaping MostHeld = { _ in .max }
  ) -> RealmLookup {
    RealmLookup(
      rowSource(
        ofTable: table,
        properties: properties,
        columnCount: properties.count + 1,
        holding: mostHeld
      )
    )
  }

  private func rowSource(
    ofTable place: Int,
    properties: [Int],
    columnCount: Int,
    holding mostHeld: @escaping MostHeld = { _ in .max }
  ) -> RowSource {
    RowSource(
      table: tables[place],
      layout: layouts[place],
      properties: properties,
      pass: ReadPass(context, columnCount: columnCount, holding: mostHeld)
    )
  }
}

/// Runs `body`, and says of its error where that was.
func locating<Result>(
  _ place: RealmPlace,
  _ body: () throws(RealmError) -> Result
) throws(RealmError) -> Result {
  do throws(RealmError) { return try body() } catch { throw error.located(place) }
}
