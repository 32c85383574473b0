import Files
import JSONText
import LongTexts
import StoreFiles

/// One pass over a file of JSON, whose objects become rows.
struct JSONFileReading {
  private let rows: FileRows
  private let copy: StoreCopy
  private let document = JSONDocument()
  /// The entity of objects that no name in the file says.
  private let name: String
  /// The members of the outermost object that hold no objects.
  private var others: [String] = []

  private var source: FileSource { FileSource(copy.path) }

  /// How much of a file is looked at to see whether it holds a value a line.
  private static let lookSize = 1 << 20

  init(_ copy: StoreCopy, into rows: FileRows) {
    self.copy = copy
    self.rows = rows
    name = TableName.stem(of: Folder.lastName(of: copy.sourcePath))
  }

  /// Reads the whole file; what cannot be read is a fault of a row.
  mutating func run() throws(StoreError) {
    do throws(FileStop) {
      try holdsLines() ? readLines() : readValue()
    } catch {
      switch error {
      case .store(let error): throw error
      case .malformed(let line, let reason):
        rows.faults.add(
          RowFault(line: line, reason: "\(reason), and the rest of the file is not read")
        )
      }
    }
    rows.leaveOut(others)
  }

  // MARK: - A value a line

  /// Whether each line is a value: the file's name says so, or its first two lines.
  private func holdsLines() throws(FileStop) -> Bool {
    if TableName.holdsLines(copy.sourcePath) { return true }
    var start = try Self.filing { () throws(FileError) in
      var file = try InputFile(copy.path, followsLinks: false)
      return try file.bytes(upTo: Self.lookSize)
    }[...]
    start = start[JSONMargin.start(of: start)...].drop(while: JSONMargin.isSpace)
    guard let end = start.firstIndex(of: UInt8(ascii: "\n")),
      !start[end...].allSatisfy(JSONMargin.isSpace)
    else { return false }
    return parse(Array(start[..<end])) == nil
  }

  private mutating func readLines() throws(FileStop) {
    let table = rows.addTable(named: name)
    let reader = try Self.filing { () throws(FileError) in
      StandInLines(
        try source.open(followsLinks: false),
        of: source,
        rows.texts,
        holding: JSONStream.longestValue
      )
    }
    while let line = try Self.next(reader) {
      var bytes = line.bytes
      if line.number == 1 { bytes.removeFirst(JSONMargin.start(of: bytes)) }
      guard !bytes.allSatisfy(JSONMargin.isSpace) else { continue }
      if let reason = try add(bytes, key: nil, to: table) {
        rows.faults.add(RowFault(line: line.number, reason: reason))
      }
    }
  }

  private static func next(_ reader: StandInLines) throws(FileStop) -> StandInLines.Line? {
    do throws(LineReader.Failure) {
      return try reader.take()
    } catch {
      switch error {
      case .file(let error): throw .store(.file(error))
      case .tooLong(let line):
        throw .malformed(
          line: line,
          reason: "the line has more than \(JSONStream.longestValue >> 20) MiB"
        )
      }
    }
  }

  // MARK: - One value

  private mutating func readValue() throws(FileStop) {
    let stream = try Self.filing { () throws(FileError) in
      try JSONStream(source, rows.texts)
    }
    switch try stream.peek() {
    case UInt8(ascii: "["):
      let table = rows.addTable(named: name)
      var faults = RowFaults()
      _ = try readArray(stream, into: table, &faults)
      rows.faults.add(faults)
    case UInt8(ascii: "{"):
      try readMembers(stream)
      if rows.tables.isEmpty, rows.faults.count == 0 { throw .store(noObjects()) }
    default: throw .store(noObjects())
    }
    guard try stream.peek() == nil else {
      throw .malformed(line: stream.line, reason: "something follows the end of the value")
    }
  }

  /// Reads the members of the outermost object, each a table or none.
  private mutating func readMembers(_ stream: JSONStream) throws(FileStop) {
    try readObject(stream) { (name, stream) throws(FileStop) in
      guard let next = try stream.peek(),
        next == UInt8(ascii: "[") || next == UInt8(ascii: "{")
      else {
        _ = try stream.value()
        return others.append(name)
      }
      var faults = RowFaults()
      let before = rows.tables.count
      let table = rows.addTable(named: name)
      let count =
        next == UInt8(ascii: "[")
        ? try readArray(stream, into: table, &faults) : try readMap(stream, into: table, &faults)
      if count > 0 {
        rows.faults.add(faults)
      } else {
        // No records: numbers, texts, or nothing at all.
        rows.removeTables(from: before)
        others.append(name)
      }
    }
  }

  /// Reads an array of objects, and gives how many of its elements are objects.
  private func readArray(
    _ stream: JSONStream,
    into table: Int?,
    _ faults: inout RowFaults
  ) throws(FileStop) -> Int {
    var count = 0
    _ = try stream.take("[")
    if try stream.take("]") { return count }
    repeat {
      count += try readRow(stream, key: nil, to: table, &faults)
    } while try stream.take(",")
    guard try stream.take("]") else {
      throw .malformed(line: stream.line, reason: "a comma or the end of an array is missing")
    }
    return count
  }

  /// Reads an object of objects, and gives how many of its members are objects.
  private func readMap(
    _ stream: JSONStream,
    into table: Int?,
    _ faults: inout RowFaults
  ) throws(FileStop) -> Int {
    var count = 0
    try readObject(stream) { (key, stream) throws(FileStop) in
      count += try readRow(stream, key: key, to: table, &faults)
    }
    return count
  }

  /// Calls `body` at the value of each member, which it takes.
  private func readObject(
    _ stream: JSONStream,
    _ body: (String, JSONStream) throws(FileStop) -> Void
  ) throws(FileStop) {
    _ = try stream.take("{")
    if try stream.take("}") { return }
    repeat {
      let (bytes, line) = try stream.value()
      guard parse(bytes) == nil, document.kind(of: document.root) == .string,
        case let name = document.text(of: document.root), try stream.take(":")
      else { throw .malformed(line: line, reason: "the name of a member is missing") }
      try body(name, stream)
    } while try stream.take(",")
    guard try stream.take("}") else {
      throw .malformed(line: stream.line, reason: "a comma or the end of an object is missing")
    }
  }

  /// Adds the next value as a row; gives 1 for an object, be it at fault, and 0 for any other value.
  private func readRow(
    _ stream: JSONStream,
    key: String?,
    to table: Int?,
    _ faults: inout RowFaults
  ) throws(FileStop) -> Int {
    let (bytes, line) = try stream.value()
    if let reason = try add(bytes, key: key, to: table) {
      faults.add(RowFault(line: line, reason: reason))
    }
    return bytes.first == UInt8(ascii: "{") ? 1 : 0
  }

  // MARK: - Rows

  /// Adds an object; gives what is wrong with it.
  private func add(
    _ bytes: [UInt8],
    key: String?,
    to table: Int?
  ) throws(FileStop) -> String? {
    defer { document.forget() }
    if let fault = parse(bytes) { return fault }
    guard document.kind(of: document.root) == .object else {
      return "it is JSON of the type \(document.kind(of: document.root)), not an object"
    }
    guard let table else { return nil }
    do throws(StoreError) {
      return try rows.add(document, key: key, to: table)
    } catch {
      throw .store(error)
    }
  }

  /// Parses a value; gives what is wrong with it.
  private func parse(_ bytes: [UInt8]) -> String? {
    do throws(JSONError) {
      try document.parse(keeping: bytes)
      return nil
    } catch {
      return "it is not JSON: \(error.message)"
    }
  }

  private func noObjects() -> StoreError {
    .unusableTable(
      path: copy.sourcePath,
      reason: "it holds no objects that could be records",
      cure:
        "give an array of objects, an object of such arrays, or an object a line in a file that "
        + "ends in .jsonl"
    )
  }

  static func filing<Value: ~Copyable>(
    _ body: () throws(FileError) -> Value
  ) throws(FileStop) -> Value {
    do throws(FileError) { return try body() } catch { throw .store(.file(error)) }
  }
}
