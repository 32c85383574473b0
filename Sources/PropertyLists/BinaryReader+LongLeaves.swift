import Files

/// Text and data of a list's file that are too long to be held.
extension BinaryReader {
  /// The value in a range of the file.
  mutating func longRun(
    in file: ListFile,
    _ range: Range<Int>,
    kind: UInt8,
    of offset: Int
  ) throws(PropertyListError) -> PropertyList {
    switch kind {
    case 0x4:
      let start = try bytes[range.prefix(EncodedData.startSize)]
      // What is decoded is held.
      guard !EncodedData.mayBegin(with: Array(start)) else { return .data(Array(try bytes[range])) }
    case 0x6: return try longUTF16(range, of: offset)
    default:
      guard try isUTF8(range) else {
        notes.append(.assumedLatin1(place: "byte \(offset)"))
        return try longLatin1(range)
      }
    }
    let place = LongLeaf.Place.list(file, offset: range.lowerBound)
    return .long(LongLeaf(isText: kind != 0x4, place, count: range.count))
  }

  /// Lone surrogates, which no text can hold, become U+FFFD.
  private mutating func longUTF16(
    _ range: Range<Int>,
    of offset: Int
  ) throws(PropertyListError) -> PropertyList {
    var writer = LeafWriter(isText: true, scratch)
    var isWhole = true
    var rest = range
    while !rest.isEmpty {
      var piece = try bytes[rest.prefix(LongLeaf.pieceSize)]
      // The first half of a pair comes with the second.
      if piece.count < rest.count, piece[piece.endIndex - 2] & 0xFC == 0xD8 {
        piece = piece.dropLast(2)
      }
      let (text, isPieceWhole) = Self.textOfUTF16(piece)
      if !isPieceWhole { isWhole = false }
      try writer.take(Array(text.utf8))
      rest = rest.dropFirst(piece.count)
    }
    if !isWhole { notes.append(.loneSurrogate(place: "byte \(offset)")) }
    return try writer.finished()
  }

  private func longLatin1(_ range: Range<Int>) throws(PropertyListError) -> PropertyList {
    var writer = LeafWriter(isText: true, scratch)
    var rest = range
    while !rest.isEmpty {
      let piece = try bytes[rest.prefix(LongLeaf.pieceSize)]
      let text = Self.textOfLatin1(piece)
      try writer.take(Array(text.utf8))
      rest = rest.dropFirst(piece.count)
    }
    return try writer.finished()
  }

  private func isUTF8(_ range: Range<Int>) throws(PropertyListError) -> Bool {
    var rest = range
    while !rest.isEmpty {
      var piece = try bytes[rest.prefix(LongLeaf.pieceSize)]
      // A character that may go on behind the piece comes with the next.
      if piece.count < rest.count {
        let tail = piece.suffix(4).reversed().prefix { $0 & 0xC0 == 0x80 }.count
        piece = piece.dropLast(tail < 4 ? tail + 1 : 0)
      }
      guard String(validating: piece, as: UTF8.self) != nil else { return false }
      rest = rest.dropFirst(piece.count)
    }
    return true
  }
}
