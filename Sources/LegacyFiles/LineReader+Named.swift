import Files

extension LineReader {
  /// The next line of a file that faults call `name`; `nil` at its end.
  func next(of name: String) throws(LegacyFileError) -> Line? {
    do throws(Failure) {
      return try next()
    } catch {
      switch error {
      case .file(let error): throw .file(error)
      case .tooLong(let line):
        throw .beyondLimit(
          file: name,
          place: "line \(line)",
          limit: "a line of more than \(longest) bytes"
        )
      }
    }
  }
}
