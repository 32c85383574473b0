import Files
import JSONText
import Records
import StoreFiles

/// One pass over a file of delimited text, whose header names the columns.
struct DelimitedReading {
  private let rows: FileRows
  private let copy: StoreCopy

  init(_ copy: StoreCopy, into rows: FileRows) {
    self.copy = copy
    self.rows = rows
  }

  /// Reads the whole file; what cannot be read is a fault of a row.
  ///
  /// - Throws: `StoreError.unusableTable(path:reason:cure:)` for a header that names no columns, or two
  ///   by one name.
  func run() throws(StoreError) {
    let reader = try mapping { () throws(FileError) in
      try DelimitedReader(
        InputFile(copy.path, followsLinks: false),
        isTabbed: TableName.isTabbed(copy.sourcePath),
        rows.texts
      )
    }
    guard try next(reader) else {
      throw refusal("it has no header", "give a file whose first line names the columns")
    }
    let names = try columns(of: reader)
    guard
      let table = rows.addTable(
        named: TableName.stem(of: Folder.lastName(of: copy.sourcePath)),
        isTextual: true
      )
    else {
      throw refusal("its name can be no entity's", "give a copy of it another, shorter name")
    }
    rows.addColumns(names, to: table)
    while try next(reader) { try rows.add(reader, to: table) }
  }

  private func next(_ reader: DelimitedReader) throws(StoreError) -> Bool {
    try mapping { () throws(FileError) in try reader.next() }
  }

  /// The names of the columns; one without a name is called by its number.
  private func columns(of header: DelimitedReader) throws(StoreError) -> [JSONName] {
    let fault =
      header.fault.map { TextFault(words: $0) } ?? TextFault.of(header.bytes, ends: header.ends)
    if let fault {
      throw refusal(
        "its header, on line \(header.line), cannot be read: \(fault.words)",
        fault.isOfEncoding
          ? RowFault.cureOfEncoding
          : "correct the header in a copy of the file; it is read as UTF-8"
      )
    }
    guard header.ends.count <= FileTable.mostColumns else {
      throw .tooMany(
        path: copy.sourcePath,
        what: "columns",
        count: header.ends.count,
        limit: FileTable.mostColumns
      )
    }
    var names: [JSONName] = []
    var places: [JSONName: Int] = [:]
    var start = 0
    for (place, end) in header.ends.enumerated() {
      let bytes = Array(header.bytes[start..<end])
      start = end
      if let fault = TextFault.of(name: bytes) {
        throw refusal(
          "its header cannot be read: \(fault)",
          "correct the header in a copy of the file"
        )
      }
      let name = bytes.isEmpty ? JSONName(DistinctNames.unnamed(place)) : JSONName(bytes: bytes)
      if let first = places.updateValue(place, forKey: name) {
        throw refusal(
          "its columns \(first + 1) and \(place + 1) are both called “\(name)”",
          "give each column another name in the header of a copy of the file"
        )
      }
      if bytes.isEmpty {
        rows.note(.renamed("column \(place + 1) of the header", "", to: name.description))
      }
      names.append(name)
    }
    return names
  }

  private func refusal(_ reason: String, _ cure: String) -> StoreError {
    .unusableTable(path: copy.sourcePath, reason: reason, cure: cure)
  }
}
