import Files
import JSONText
import LongTexts
import Records
import StoreFiles

/// The rows of files, put into a private database in one pass.
///
/// Each row is a JSON array there, whose elements are the values of the columns, with a stand-in for each
/// long text. Beside it is where each value ends, so that a value is found without those before it. After the pass,
/// rows are found by entity and number, and memory does not grow with the file: what is kept is the names of
/// entities and columns, and where each long text is.
final class FileRows {
  /// What is kept of the pass over the files.
  struct Summary {
    let tables: [FileTable]
    let findings: [Finding]
    let faults: RowFaults
    let texts: LongTexts
  }

  private(set) var tables: [FileTable] = []
  private var findings: [Finding] = []
  var faults = RowFaults()
  /// The source's path, for messages.
  let sourcePath: String

  /// Where the texts of the rows are that have stand-ins.
  let texts = LongTexts()
  private let database: ScratchDatabase
  private let insertion: ScratchStatement
  private var writer = JSONWriter()
  /// Where each value of the row ends in its JSON.
  private var ends: [UInt32] = []
  private var slots: [JSONNode?] = []
  private let scalar = JSONDocument()

  init(_ sourcePath: String, into path: String) throws(StoreError) {
    self.sourcePath = sourcePath
    database = try ScratchDatabase(path: path, name: sourcePath)
    // Rows are added in their order.
    try database.run("PRAGMA cache_size = -2048")
    try database.run(
      "CREATE TABLE row (entity INTEGER, number INTEGER, ends BLOB, content TEXT, "
        + "PRIMARY KEY (entity, number)) WITHOUT ROWID"
    )
    insertion = try database.insertion(
      "INSERT INTO row (entity, number, ends, content) VALUES (?, ?, ?, ?)"
    )
    try database.run("BEGIN")
  }

  /// Ends the pass.
  func finish() throws(StoreError) -> Summary {
    try database.run("COMMIT")
    return Summary(
      tables: tables,
      findings: findings + tables.flatMap(\.renamedFindings) + tables.compactMap(\.nullFinding),
      faults: faults,
      texts: texts
    )
  }

  /// Adds a table; `nil` where the name can be no entity's, which is a finding.
  func addTable(named name: String, isTextual: Bool = false) -> Int? {
    let entity = PlainEntityName.of(
      name,
      isTaken: { name in tables.contains { $0.name == name } },
      &findings
    )
    guard let entity else { return nil }
    tables.append(FileTable(entity, isTextual: isTextual))
    return tables.count - 1
  }

  /// Forgets the tables behind the first `count`, which have no rows.
  func removeTables(from count: Int) { tables.removeSubrange(count...) }

  /// Names what of the file is no record.
  func leaveOut(_ names: [String]) {
    guard !names.isEmpty else { return }
    findings.append(
      Finding(
        code: "store.member-unread",
        severity: .warning,
        cause: (names.count == 1
          ? "1 member of the file holds" : "\(names.count) members of the file hold")
          + " no objects, so no records: " + KeyList.text(names),
        cure: "if they are data, put them into an array of objects in a copy of the file"
      )
    )
  }

  /// Adds a finding of the file.
  func note(_ finding: Finding) { findings.append(finding) }

  // MARK: - Delimited text

  /// Gives the table the columns of a header.
  func addColumns(_ names: [JSONName], to table: Int) {
    for name in names { _ = tables[table].place(of: name) }
  }

  /// Adds the row that the reader is at; one that is at fault is named.
  func add(_ row: DelimitedReader, to table: Int) throws(StoreError) {
    if let fault = fault(of: row, in: table) {
      return faults.add(
        RowFault(line: row.line, reason: fault.words, isOfEncoding: fault.isOfEncoding)
      )
    }
    beginRow()
    var start = 0
    for (place, end) in row.ends.enumerated() {
      let range = start..<end
      let value = row.bytes[range]
      start = end
      if value.isEmpty, !row.areQuoted[place] {
        tables[table].change(place) { $0.addNull() }
        writer.null()
        endValue()
        continue
      }
      do throws(JSONError) {
        unsafe try row.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
          let all = UnsafeRawBufferPointer(bytes)
          unsafe try writer.string(utf8: UnsafeRawBufferPointer(rebasing: all[range]))
        }
      } catch {
        preconditionFailure("the row was checked before")
      }
      tables[table].change(place) { value.isEmpty ? $0.addEmpty() : $0.add(value) }
      endValue()
    }
    writer.endArray()
    try insert(into: table)
  }

  private func fault(of row: DelimitedReader, in table: Int) -> TextFault? {
    if let fault = row.fault { return TextFault(words: fault) }
    let count = tables[table].names.count
    guard row.ends.count == count else {
      let values = row.ends.count == 1 ? "1 value" : "\(row.ends.count) values"
      return TextFault(words: "it has \(values), and the header names \(count)")
    }
    return TextFault.of(row.bytes, ends: row.ends)
  }

  // MARK: - JSON

  /// Adds an object, unless it is at fault.
  ///
  /// - Parameters:
  ///   - document: Holds the object as its whole value.
  ///   - key: The name under which the object was found, where it has one.
  ///   - table: The number of the table.
  /// - Returns: What is wrong with the object, or `nil`.
  /// - Throws: `StoreError.tooMany(path:what:count:limit:)` for more names than are distinguished.
  func add(
    _ document: JSONDocument,
    key: String?,
    to table: Int
  ) throws(StoreError) -> String? {
    if key != nil, document.member(of: document.root, FileTable.keyName) != nil {
      return "it has a member “\(FileTable.keyName)”, the name under which its own is kept"
    }
    var fault: String?
    unsafe document.forEachMember(of: document.root) { name, _ in
      fault = unsafe fault ?? TextFault.of(name: name)
    }
    if let fault { return fault }
    slots.removeAll(keepingCapacity: true)
    if key != nil {
      let place = tables[table].place(of: FileTable.keyName)
      precondition(place == 0, "the key is the first column")
      slots.append(nil)
    }
    unsafe document.forEachMember(of: document.root) { name, node in
      let place = tables[table].place(of: JSONName(bytes: unsafe Array(name)))
      while slots.count <= place { slots.append(nil) }
      slots[place] = node
    }
    try expectColumns(in: table)
    write(document, key: key, to: table)
    try insert(into: table)
    return nil
  }

  /// A member of an object, and where its value lies in the JSON.
  typealias Member = (name: JSONName, value: Range<Int>)

  /// Adds an object with texts that are known beside it, each in a column of its own.
  ///
  /// - Parameters:
  ///   - members: The object's members, whose names differ.
  ///   - json: Their values, in canonical JSON.
  ///   - texts: Each with the name of its column.
  ///   - table: The number of the table.
  /// - Throws: `StoreError.tooMany(path:what:count:limit:)` for more names than are distinguished.
  func add(
    _ members: [Member],
    of json: [UInt8],
    beside texts: [(name: JSONName, text: String)],
    to table: Int
  ) throws(StoreError) {
    var added: [Int: String] = [:]
    for (name, text) in texts { added[tables[table].place(ofAdded: name)] = text }
    var values: [Int: Range<Int>] = [:]
    for (name, value) in members { values[tables[table].place(of: name)] = value }
    try expectColumns(in: table)
    let count = max(values.keys.max() ?? -1, added.keys.max() ?? -1) + 1
    beginRow()
    for place in 0..<count {
      if let value = values[place] {
        unsafe json.withUnsafeBytes { json in
          unsafe write(UnsafeRawBufferPointer(rebasing: json[value]), place, to: table)
        }
      } else if let text = added[place] {
        tables[table].change(place) { $0.addText() }
        writer.string(text)
      } else {
        writer.null()
      }
      endValue()
    }
    writer.endArray()
    try insert(into: table)
  }

  /// Writes a value of canonical JSON.
  private func write(_ value: UnsafeRawBufferPointer, _ place: Int, to table: Int) {
    unsafe writer.raw(value)
    switch unsafe value.first {
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      tables[table].change(place) { $0.addStructure() }
    case UInt8(ascii: "\""):
      tables[table].change(place) { $0.addText() }
    default:
      do throws(JSONError) {
        unsafe try scalar.parse(value)
      } catch {
        preconditionFailure("canonical JSON can be read")
      }
      tables[table].change(place) { $0.add(scalar.root, of: scalar) }
    }
  }

  /// Gives the table a column for texts that are known beside its rows.
  func addColumn(_ name: JSONName, to table: Int) { _ = tables[table].place(ofAdded: name) }

  /// Whether the table has such a column, or fewer than so many.
  func canAdd(_ name: JSONName, to table: Int, limit: Int) -> Bool {
    tables[table].hasAdded(name) || tables[table].addedCount < limit
  }

  private func expectColumns(in table: Int) throws(StoreError) {
    let count = tables[table].names.count
    guard count <= FileTable.mostColumns else {
      throw .tooMany(
        path: sourcePath,
        what: "names of members in the objects of \(tables[table].name)",
        count: count,
        limit: FileTable.mostColumns
      )
    }
  }

  private func write(_ document: JSONDocument, key: String?, to table: Int) {
    beginRow()
    for (place, slot) in slots.enumerated() {
      if let slot {
        tables[table].change(place) { $0.add(slot, of: document) }
        document.write(slot, to: &writer)
      } else if let key, place == 0 {
        tables[table].change(place) { $0.addText() }
        writer.string(key)
      } else {
        writer.null()
      }
      endValue()
    }
    writer.endArray()
  }

  private func beginRow() {
    writer.reset()
    writer.beginArray()
    ends.removeAll(keepingCapacity: true)
  }

  private func endValue() { ends.append(UInt32(writer.count)) }

  private func insert(into table: Int) throws(StoreError) {
    let number = tables[table].addRow()
    let place = [Int64(table), Int64(number)]
    unsafe try writer.withBytes { (bytes) throws(StoreError) in
      unsafe try insertion.run(place, ends.withUnsafeBytes { unsafe Array($0) }, text: bytes)
    }
  }
}
