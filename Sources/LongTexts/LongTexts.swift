package import Files
import Synchronization

/// Where the long texts are that stand-ins stand for: in the files of a package, and of what came from
/// elsewhere in private files that go with the process.
package final class LongTexts: Sendable {
  private let places = Mutex<[LongText: LongTextPlace]>([:])
  private let own = Mutex<PrivateFolder?>(nil)

  package init() {}

  func note(_ text: LongText, _ place: LongTextPlace) {
    places.withLock { places in
      // What lies in a package stays there.
      if places[text]?.isLasting != true { places[text] = place }
    }
  }

  /// Notes that a long text is kept in pieces, which have so many bytes together.
  package func note(_ text: LongText, keptIn pieces: any LongTextPieces, size: Int) {
    note(text, LongTextPlace(pieces: pieces, size: size))
  }

  func place(of text: LongText) -> LongTextPlace? { places.withLock { $0[text] } }

  /// The folder of the private files.
  func folder() throws(FileError) -> String {
    let made = own.withLock { folder -> Result<PrivateFolder, FileError> in
      if let folder { return .success(folder) }
      do throws(FileError) {
        let new = try PrivateFolder()
        folder = new
        return .success(new)
      } catch {
        return .failure(error)
      }
    }
    return try made.get().path
  }
}

/// The content of a long text that is kept in pieces, in JSON's escapes.
package protocol LongTextPieces: Sendable {
  /// The piece with this number, counted from zero; none is asked for behind the last.
  func piece(_ number: Int) throws(LongTextFault) -> [UInt8]?
}

/// Where the content of a long text lies, in JSON's escapes.
struct LongTextPlace: Sendable {
  enum Bytes: Sendable {
    case file(FileSource, offset: Int64)
    case held([UInt8])
    case pieces(any LongTextPieces)
  }

  let bytes: Bytes
  let size: Int

  init(source: FileSource, offset: Int64, size: Int) {
    bytes = .file(source, offset: offset)
    self.size = size
  }

  init(held: [UInt8]) {
    bytes = .held(held)
    size = held.count
  }

  init(pieces: any LongTextPieces, size: Int) {
    bytes = .pieces(pieces)
    self.size = size
  }

  var isLasting: Bool { if case .held = bytes { false } else { true } }
}

// MARK: - Stand-ins in place of texts

extension LongTexts {
  /// JSON with a stand-in for each long text.
  package func standingIn(_ json: [UInt8]) throws(FileError) -> [UInt8] {
    guard json.count > LongText.mostHeld || LongText.mayBeIn(json) else { return json }
    var filter = LongTextFilter(self, .written)
    try filter.take(json)
    return filter.finished()
  }

  /// A line of a file with a stand-in for each long text; only the others are held.
  package func standingIn(
    lineOf source: FileSource,
    at offset: Int64,
    size: Int
  ) throws(FileError) -> [UInt8] {
    var filter = LongTextFilter(self, .inFile(source), from: offset)
    let file = try source.open()
    var done = 0
    while done < size {
      let piece = try file.bytes(at: offset + Int64(done), count: min(1 << 18, size - done))
      try filter.take(piece)
      done += piece.count
    }
    return filter.finished()
  }

  /// A line that was read whole from a file, with a stand-in for each text that has to have one.
  package func standingIn(
    _ line: [UInt8],
    lineOf source: FileSource,
    at offset: Int64
  ) throws(FileError) -> [UInt8] {
    guard line.count > LongText.mostHeld || LongText.mayBeIn(line) else { return line }
    var filter = LongTextFilter(self, .inFile(source), from: offset)
    try filter.take(line)
    return filter.finished()
  }
}

// MARK: - Texts in place of stand-ins

extension LongTexts {
  /// JSON as it is with its long texts, to be read in pieces; `nil` where it has none.
  package func body(of json: [UInt8]) throws(LongTextFault) -> LongBody? {
    guard LongText.mayBeIn(json) else { return nil }
    let found = LongText.all(in: json)
    guard !found.isEmpty else { return nil }
    var parts: [LongBody.Part] = []
    var end = 0
    for standIn in found {
      guard let place = place(of: standIn.text) else { throw .notAtHand(standIn.text) }
      parts.append(.bytes(Array(json[end..<standIn.range.lowerBound])))
      parts.append(.text(standIn.text, place))
      end = standIn.range.upperBound
    }
    parts.append(.bytes(Array(json[end...])))
    return LongBody(parts: parts)
  }

  /// The content of a long text, in JSON's escapes.
  package func content(of text: LongText) throws(LongTextFault) -> LongBody {
    guard let place = place(of: text) else { throw .notAtHand(text) }
    return LongBody(parts: [.text(text, place)])
  }

  /// JSON with its long texts, held.
  package func whole(_ json: [UInt8]) throws(LongTextFault) -> [UInt8] {
    guard let body = try body(of: json) else { return json }
    var whole: [UInt8] = []
    whole.reserveCapacity(Int(body.size))
    let reader = body.reader()
    while let piece = try reader.next() { whole += piece }
    return whole
  }

  /// How a long text begins, by at most so many bytes, which may be as many as are digested at once; `nil` where
  /// it is not at hand.
  package func beginning(of text: LongText, upTo count: Int) -> String? {
    guard let place = place(of: text) else { return nil }
    var digester = TextDigester()
    let size = min(count, place.size, TextDigester.bufferSize)
    switch place.bytes {
    case .held(let bytes): bytes.withUnsafeBytes { digester.take(.init(rebasing: $0[..<size])) }
    case .file(let source, let offset):
      do throws(FileError) {
        let bytes = try source.open().bytes(at: offset, count: size)
        bytes.withUnsafeBytes { digester.take($0) }
      } catch {
        return nil
      }
    case .pieces(let pieces):
      guard let first = try? pieces.piece(0) else { return nil }
      first.prefix(size).withUnsafeBytes { digester.take($0) }
    }
    return digester.heldText
  }
}

/// Why the texts of some JSON cannot be put in.
package enum LongTextFault: Error, Hashable, Sendable, CustomStringConvertible {
  case notAtHand(LongText)
  /// It is no longer the one that it was.
  case changed(LongText)
  case file(FileError)
  /// What keeps it does not give it.
  case unreadable(LongText, reason: String)

  package var description: String {
    switch self {
    case .notAtHand(let text): "a long text is not at hand any more: \(text.description)"
    case .changed(let text): "a long text was changed while it was read: \(text.description)"
    case .file(let error): error.description
    case .unreadable(let text, let reason):
      "a long text cannot be read: \(text.description): \(reason)"
    }
  }
}

/// JSON of which the long texts are read from where they are when it is.
package struct LongBody: Sendable {
  enum Part: Sendable {
    case bytes([UInt8])
    case text(LongText, LongTextPlace)
  }

  let parts: [Part]

  /// How many bytes it has.
  package var size: Int64 {
    parts.reduce(0) { size, part in
      switch part {
      case .bytes(let bytes): size + Int64(bytes.count)
      case .text(_, let place): size + Int64(place.size)
      }
    }
  }

  /// Reads it from its beginning.
  package func reader() -> LongBodyReader { LongBodyReader(parts) }
}

/// Reads JSON with its long texts, in pieces.
package final class LongBodyReader {
  private var rest: ArraySlice<LongBody.Part>
  private var file: InputFile?
  /// How much of the text at the front was read, in how many pieces.
  private var done = 0
  private var pieceCount = 0
  private var digester = TextDigester()

  private static let pieceSize = 1 << 18

  init(_ parts: [LongBody.Part]) { rest = parts[...] }

  /// The next piece, or `nil` after the last.
  ///
  /// - Throws: ``LongTextFault``, also behind the last piece of a text that is no longer the same.
  package func next() throws(LongTextFault) -> [UInt8]? {
    while let part = rest.first {
      switch part {
      case .bytes(let bytes):
        rest.removeFirst()
        if !bytes.isEmpty { return bytes }
      case .text(let text, let place):
        if let piece = try piece(of: place) {
          piece.withUnsafeBytes { digester.take($0) }
          return piece
        }
        guard digester.finish() == text else { throw .changed(text) }
        file = nil
        (done, pieceCount, digester) = (0, 0, TextDigester())
        rest.removeFirst()
      }
    }
    return nil
  }

  private func piece(of place: LongTextPlace) throws(LongTextFault) -> [UInt8]? {
    let count = min(Self.pieceSize, place.size - done)
    guard count > 0 else { return nil }
    var piece: [UInt8]?
    switch place.bytes {
    case .held(let bytes): piece = Array(bytes[done..<(done + count)])
    case .file(let source, let offset):
      do throws(FileError) {
        if file == nil { file = try source.open() }
        piece = try file?.bytes(at: offset + Int64(done), count: count)
      } catch {
        throw .file(error)
      }
    case .pieces(let pieces): piece = try pieces.piece(pieceCount)
    }
    done += piece?.count ?? 0
    pieceCount += 1
    return piece
  }
}
