import Files
import JSONText

/// What is known of the records that were quarantined, one at a time.
package final class QuarantineStream {
  private let path: String
  private let reader: LineReader

  init(_ path: String) throws(QuarantineError) {
    self.path = path
    reader = try Quarantine.files(LineReader(try InputFile(path)))
  }

  /// The next record, or `nil` after the last.
  package func next() throws(QuarantineError) -> QuarantinedRecord? {
    let line: LineReader.Line?
    do throws(LineReader.Failure) {
      line = try reader.next()
    } catch {
      switch error {
      case .file(let error): throw .file(error)
      case .tooLong(let line): throw .damaged(path: path, reason: "line \(line) is too long")
      }
    }
    guard let line else { return nil }
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(parsing: Array(line.bytes))
    } catch {
      throw .damaged(path: path, reason: "line \(line.number) is not JSON (\(error))")
    }
    guard let record = QuarantinedRecord(json: json) else {
      throw .damaged(path: path, reason: "line \(line.number) is not a quarantined record")
    }
    return record
  }
}
