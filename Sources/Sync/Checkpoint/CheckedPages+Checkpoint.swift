package import CheckedDatabases
import Files

extension CheckedPages {
  /// Refuses another program's database by its header, before SQLite opens it and leaves files beside it, and
  /// a checkpoint whose header does not say that its pages have checksums.
  ///
  /// A checkpoint says of itself that it is one, or reserves space for checksums: one byte that
  /// changed by itself makes it no other program's. Before its first commit is taken into the file,
  /// only the log says so.
  package static func expectOurs(at path: String) throws(CheckpointError) {
    let isOurs: Bool
    let isChecked: Bool
    do throws(FileError) {
      guard let header = try header(of: path) else { return }
      var said = header
      if isBlank(header), let logged = try LogCheck.firstHeader(beside: path), isHeader(logged) {
        said = logged
      }
      isOurs = isReserved(said) || number(said, 68) == CheckpointSchema.applicationID
      isChecked = isReserved(header)
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
    guard isOurs else { throw .notACheckpoint(path: path) }
    guard isChecked else { throw unchecked(path) }
  }

  /// Whether a header is that of a database without a table, of which nothing says whose it is.
  private static func isBlank(_ header: [UInt8]) -> Bool {
    number(header, 28) <= 1 && number(header, 68) == 0
  }

  private static func number(_ header: [UInt8], _ place: Int) -> Int {
    header[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Refuses a file whose header does not say that its pages have checksums.
  static func expect(at place: String, calledAs path: String) throws {
    switch try areReserved(in: place) {
    case true?: return
    // SQLite read what is in it, so the first page is in the log.
    case nil where try LogCheck.isWritten(beside: place): return
    case nil, false?: throw unchecked(path)
    }
  }

  private static func unchecked(_ path: String) -> CheckpointError {
    .damaged(path: path, reason: "its header does not say that its pages have checksums")
  }
}
