import StoreFiles

/// Why a file is not read to its end.
enum FileStop: Error {
  case store(StoreError)
  /// Nothing behind this place can be distinguished.
  case malformed(line: Int, reason: String)
}
