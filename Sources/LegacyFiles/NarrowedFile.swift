import Files
import XMLAccess

/// A private copy in UTF-8 of a file whose mark declares UTF-16 or UTF-32.
struct NarrowedFile {
  let path: String
  /// The copy lives as long as this.
  let folder: PrivateFolder

  private static let pieceSize = 1 << 16

  /// Copies a file, or gives `nil` for one that needs no copy.
  init?(_ original: String, name: String) throws(LegacyFileError) {
    var damage: Int?
    let (encoding, isDeclared): (String, Bool)
    do throws(FileError) {
      var input = try InputFile(original)
      let first = try input.bytes(upTo: Self.pieceSize)
      guard let text = WideText(firstBytes: first) else { return nil }
      encoding = text.name
      folder = try PrivateFolder()
      path = "\(folder.path)/text"
      if text.markSize > 0 { damage = try Self.copy(first, &input, text, to: path) }
      isDeclared = text.markSize > 0
    } catch {
      throw .file(error)
    }
    guard isDeclared else {
      throw .unknownForm(
        file: name,
        reason: "byte 0: this looks like \(encoding), and no mark of byte order says so",
        cure: "save it as UTF-8, or as UTF-16 with a mark"
      )
    }
    guard let damage else { return }
    throw .malformed(
      file: name,
      place: "byte \(damage)",
      reason: "it declares \(encoding), and these bytes are not a character of it"
    )
  }

  /// Writes the text as UTF-8; gives the place of the first bytes that are no character.
  private static func copy(
    _ first: [UInt8],
    _ input: inout InputFile,
    _ text: WideText,
    to path: String
  ) throws(FileError) -> Int? {
    var (text, piece, place) = (text, Array(first.dropFirst(text.markSize)), text.markSize)
    var output = try OutputFile(creating: path)
    while !piece.isEmpty {
      let before = text
      guard let narrow = text.utf8(piece) else { return place + soundSize(of: piece, before) }
      try output.write(narrow)
      place += piece.count
      piece = try input.bytes(upTo: pieceSize)
    }
    _ = try output.finishUnsynced()
    return text.isComplete ? nil : place
  }

  /// How many bytes of a damaged piece come before the damage.
  private static func soundSize(of piece: [UInt8], _ text: WideText) -> Int {
    var (text, place) = (text, 0)
    while place < piece.count {
      let unit = Array(piece[place...].prefix(text.width))
      if text.utf8(unit) == nil { return place }
      place += unit.count
    }
    return place
  }
}

/// Reads the copy of a file, and keeps it for as long.
final class NarrowedReader: LegacyReader {
  private let file: NarrowedFile
  private let reader: any LegacyReader

  init(_ file: NarrowedFile, _ reader: any LegacyReader) {
    (self.file, self.reader) = (file, reader)
  }

  func next() throws(LegacyFileError) -> LegacyItem? { try reader.next() }
}
