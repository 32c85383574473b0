import Files
package import JSONText
import Records

extension QuarantineFolder {
  /// The first records that are set apart, each as its line has it.
  ///
  /// - Parameter limit: The most records that are given.
  /// - Returns: The records in the order in which they were found; the content of one whose line is gone or is
  ///   no object is empty.
  /// - Throws: ``QuarantineError`` when a file of the folder cannot be read.
  package func contents(
    _ limit: Int
  ) throws(QuarantineError) -> [(record: QuarantinedRecord, content: JSONObject)] {
    let records = try records()
    var readers: [String: LineReader] = [:]
    var found: [(record: QuarantinedRecord, content: JSONObject)] = []
    while found.count < limit, let record = try records.next() {
      let path = recordsPath(of: record.entity)
      let reader: LineReader
      if let known = readers[path] {
        reader = known
      } else {
        reader = try Quarantine.files(LineReader(try InputFile(path)))
        readers[path] = reader
      }
      found.append((record: record, content: try Self.object(in: reader, path)))
    }
    return found
  }

  private static func object(
    in reader: LineReader,
    _ path: String
  ) throws(QuarantineError) -> JSONObject {
    do throws(LineReader.Failure) {
      guard let line = try reader.next() else { return JSONObject() }
      do throws(JSONError) {
        return try JSONValue(parsing: Array(line.bytes)).object ?? JSONObject()
      } catch {
        return JSONObject()
      }
    } catch {
      switch error {
      case .file(let error): throw .file(error)
      case .tooLong(let line): throw .damaged(path: path, reason: "line \(line) is too long")
      }
    }
  }
}
