import Files

/// A private copy of the chat that a file holds in a form of its own: an archive, or a page of messages.
final class UnpackedFile: Sendable {
  let path: String
  /// What the chat is called within the file; empty where it is all of the file.
  let name: String
  private let folder: PrivateFolder

  /// Copies what a file holds, or gives `nil` for one that holds its text itself.
  ///
  /// - Parameters:
  ///   - original: The file's path.
  ///   - bytes: Its first bytes.
  ///   - file: What messages call it.
  /// - Returns: The copy, or `nil`.
  /// - Throws: ``LegacyFileError`` when the file is damaged, or an archive has no chat.
  static func unpack(
    _ original: String,
    _ bytes: [UInt8],
    file: String
  ) throws(LegacyFileError) -> UnpackedFile? {
    if ChatArchive.isOne(bytes) {
      let (name, text) = try ChatArchive(original, file: file).chat()
      return try UnpackedFile(text, name)
    }
    guard MessagePage.isOne(bytes) else { return nil }
    let page: [UInt8]
    do throws(FileError) {
      page = try InputFile.contents(of: original, limit: MessagePage.longest)
    } catch {
      throw .file(error)
    }
    return try UnpackedFile(MessagePage.text(of: page), "")
  }

  private init(_ text: [UInt8], _ name: String) throws(LegacyFileError) {
    self.name = name
    do throws(FileError) {
      folder = try PrivateFolder()
      path = "\(folder.path)/chat"
      var output = try OutputFile(creating: path)
      try output.write(text)
      _ = try output.finishUnsynced()
    } catch {
      throw .file(error)
    }
  }
}

/// Reads the copy of a chat, and keeps it for as long.
final class UnpackedReader: LegacyReader {
  private let file: UnpackedFile
  private let reader: any LegacyReader

  init(_ file: UnpackedFile, _ reader: any LegacyReader) {
    (self.file, self.reader) = (file, reader)
  }

  func next() throws(LegacyFileError) -> LegacyItem? { try reader.next() }
}
