import Files

/// The stores of a fleet.
package struct FleetList: Hashable, Sendable {
  /// Where it was read from, for messages.
  package let path: String
  package let entries: [FleetEntry]

  /// A longer line is no path and no object that anybody wrote.
  private static let longestLine = 1 << 20

  /// Reads a text with a store a line, or JSON Lines; `-` is standard input.
  ///
  /// Paths are seen from the folder of the list, those of standard input from where the program runs.
  ///
  /// - Throws: ``FleetError``, also when two lines have the same name.
  package init(_ path: String) throws(FleetError) {
    self.path = path
    let isStream = path == "-"
    let file: InputFile
    do throws(FileError) {
      file = isStream ? try .standardInput() : try InputFile(path)
    } catch {
      throw .file(error)
    }
    entries = try Self.entries(
      LineReader(file, longest: Self.longestLine),
      list: isStream ? "standard input" : path,
      folder: isStream ? "." : Folder.parentPath(of: path)
    )
  }

  private static func entries(
    _ reader: LineReader,
    list: String,
    folder: String
  ) throws(FleetError) -> [FleetEntry] {
    var entries: [FleetEntry] = []
    var lines: [String: Int] = [:]
    while let (text, number) = try next(of: reader, list: list) {
      guard let entry = try FleetEntry(text, line: number, list: list, folder: folder) else {
        continue
      }
      if let earlier = lines.updateValue(number, forKey: entry.name) {
        throw .badLine(
          list: list,
          line: number,
          reason: "“\(entry.name)” is in line \(earlier) already",
          cure: "name each store once, or give the lines names of their own"
        )
      }
      entries.append(entry)
    }
    return entries
  }

  private static func next(
    of reader: LineReader,
    list: String
  ) throws(FleetError) -> (String, Int)? {
    let line: LineReader.Line?
    do throws(LineReader.Failure) {
      line = try reader.next()
    } catch {
      switch error {
      case .file(let error): throw .file(error)
      case .tooLong(let line):
        throw .badLine(
          list: list,
          line: line,
          reason: "it is longer than \(longestLine) bytes",
          cure: "name a list of stores, one a line"
        )
      }
    }
    guard let line else { return nil }
    guard let text = String(validating: line.bytes, as: UTF8.self) else {
      throw .badLine(
        list: list,
        line: line.number,
        reason: "it is not UTF-8",
        cure: "write the list in UTF-8"
      )
    }
    return (text, line.number)
  }
}
