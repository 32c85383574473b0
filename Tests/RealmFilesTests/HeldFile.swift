import Files
import RealmFiles

/// A file that a test holds in memory.
final class HeldFile: FileContent {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var size: Int64 { Int64(bytes.count) }

  func read(
    at offset: Int64,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileError) -> Int {
    let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }
}

extension RealmFile {
  /// Opens bytes as a file.
  convenience init(bytes: [UInt8], key: [UInt8]? = nil) throws(RealmError) {
    let file = InputFile(reading: HeldFile(bytes), path: "test.realm")
    try self.init(file, key: key)
  }

  /// All values of a table, row by row, behind the row's key.
  func values(ofTable place: Int = 0, after key: Int64? = nil) throws(RealmError) -> [Int64:
    [RealmValue]]
  {
    let properties = Array(tables[place].properties.indices)
    let rows = try rows(ofTable: place, properties: properties, after: key)
    var values: [Int64: [RealmValue]] = [:]
    while try rows.next() {
      var row: [RealmValue] = []
      for column in properties { row.append(try rows.value(column)) }
      values[rows.key] = row
    }
    return values
  }

  /// The values of the only column of a table with one, in the order of the rows.
  func column(ofTable place: Int = 0) throws(RealmError) -> [RealmValue] {
    let rows = try rows(ofTable: place, properties: [0])
    var values: [RealmValue] = []
    while try rows.next() { values.append(try rows.value(0)) }
    return values
  }
}
