/// What a file holds where that is not what lies on the disk: the plain text of an encrypted one.
package protocol FileContent: AnyObject, Sendable {
  /// How many bytes there are.
  var size: Int64 { get }

  /// Fills `buffer` with what begins at `offset`; fewer bytes come back only at the end.
  func read(
    at offset: Int64,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileError) -> Int
}

/// A person who knows how to get at what files hold.
package protocol FileOpening: Sendable {
  func content(of file: consuming InputFile) throws(FileError) -> any FileContent
}

/// Where bytes are read from: a file as it lies on the disk, or what it holds.
package struct FileSource: Sendable {
  /// The file's path on this machine.
  package let path: String
  private let opening: (any FileOpening)?

  /// - Parameters:
  ///   - path: The file's path.
  ///   - opening: Anyone who gets at what the file holds; `nil` for one that is read as it is.
  package init(_ path: String, opening: (any FileOpening)? = nil) {
    self.path = path
    self.opening = opening
  }

  /// Opens the file for reading; a link at the end of the path is followed only where that is said.
  package func open(followsLinks: Bool = true) throws(FileError) -> InputFile {
    let file = try InputFile(path, followsLinks: followsLinks)
    guard let opening else { return file }
    return InputFile(reading: try opening.content(of: file), path: path)
  }

  /// The whole content, refused when it is larger than `limit` bytes.
  package func contents(limit: Int = 64 << 20) throws(FileError) -> [UInt8] {
    try open().contents(limit: limit)
  }

  /// The SHA-256 digest of the whole content, as 32 bytes, and its size.
  package func sha256(
    followsLinks: Bool = true
  ) throws(FileError) -> (digest: [UInt8], size: Int64) {
    try open(followsLinks: followsLinks).sha256()
  }
}

extension FileSource: Hashable {
  package static func == (left: FileSource, right: FileSource) -> Bool { left.path == right.path }

  package func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
