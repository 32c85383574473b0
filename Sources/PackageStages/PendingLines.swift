import ExportPackage
import JSONText
import RecordMapping
import Records
import StoreFiles

/// Records on their way into a package: many lines are handed over together.
struct PendingLines {
  /// The lines so far, and the record being written.
  var text = JSONWriter()
  private let entity: EntityName
  private let writer: PackageWriter
  private var count = 0
  private var lastPlace: Int64 = 0
  /// The size at which the lines are handed over; `nil` before the first record.
  private var limit: Int?

  /// Enough to be written to the disk without another copy.
  private static let usualSize = 1 << 18

  init(of entity: EntityName, to writer: PackageWriter) {
    self.entity = entity
    self.writer = writer
  }

  /// Ends the record; gives whether the lines have to be handed over now.
  mutating func end(at place: Int64) -> Bool {
    text.endLine()
    count += 1
    lastPlace = place
    return text.count >= limit ?? 0
  }

  /// Hands over what there is, the last record with the large values of its row.
  mutating func flush(_ records: RecordWriter, of row: Row) throws {
    let (writer, entity) = (writer, entity)
    let isWhole = try records.forEachPiece(of: text) { piece in
      try writer.add(piece: piece, of: entity)
    }
    guard isWhole else { throw row.unreadable(in: writer.path) }
    try writer.end(count, of: entity, lastPlace: lastPlace)
    try begin()
  }

  /// Hands over what there is.
  ///
  /// The first record goes alone: only then is it known how much the data file at hand still takes.
  mutating func flush() throws(PackageError) {
    guard count > 0 else { return }
    try text.withBytes { bytes throws(PackageError) in
      try writer.add(lines: bytes, count: count, of: entity, lastPlace: lastPlace)
    }
    try begin()
  }

  private mutating func begin() throws(PackageError) {
    text.reset()
    count = 0
    limit = Int(clamping: min(Int64(Self.usualSize), try writer.missingSize(of: entity)))
  }
}

extension Row {
  /// The error of a row whose values could not be read in pieces.
  func unreadable(in place: String) -> any Error {
    if let failure = failure as? StoreError { return failure }
    return PackageError.damaged(path: place, reason: "a value of row \(self.place) is not whole")
  }
}
