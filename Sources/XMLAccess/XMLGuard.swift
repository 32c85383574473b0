/// Looks at the bytes before libxml2 does, and bounds what libxml2 would gather before it speaks.
///
/// libxml2 keeps a whole tag, comment or instruction and compares every attribute with every other
/// before the first callback. The guard counts them as they come, in one pass that knows just
/// enough of XML: where text, tags, quotes, comments, CDATA and the DOCTYPE begin and end. A DOCTYPE
/// with declarations of its own goes no further. The bytes are UTF-8 or another encoding that writes
/// ASCII as ASCII.
///
/// Where a reader asks for it, references to control characters (`&#8;`), which XML forbids and
/// property lists have, become instructions under a name of this run's own.
struct XMLGuard {
  private let limits: XMLLimits
  /// The name of instructions that represent a character, or `nil` when none may.
  private let characterTarget: String?

  private var state = State.text
  /// The bytes of the tag, comment or instruction so far.
  private var size = 0
  private var attributeCount = 0
  /// What follows `<`, as long as it could be one of several things.
  private var opening: [UInt8] = []
  /// The last two bytes seen in a comment, CDATA or an instruction.
  private var before: (UInt8, UInt8) = (0, 0)
  /// The beginning of a reference whose end is in the next piece.
  private var carried: [UInt8] = []

  private enum State {
    case text, opening, tag, comment, characterData, instruction, documentType
    case quoted(UInt8, Quoted)
  }

  /// What a quoted text is part of.
  private enum Quoted { case tag, documentType }

  /// What stops the reading.
  enum Refusal: Error {
    case nul, markupSize, attributeCount
    /// The DOCTYPE declares something; so many lines of the piece come before.
    case declarations(afterLines: Int)
  }

  init(_ limits: XMLLimits, characterTarget: String?) {
    self.limits = limits
    self.characterTarget = characterTarget
  }

  /// Checks a piece and gives the bytes to parse, mostly the piece itself.
  ///
  /// A reference that the piece leaves open waits for the next one, unless this is the last.
  mutating func pass(_ piece: [UInt8], isLast: Bool) throws(Refusal) -> [UInt8] {
    let bytes = carried.isEmpty ? piece : carried + piece
    carried = []
    guard Self.place(of: 0, in: bytes, from: 0) == bytes.count else { throw .nul }
    var rewritten: [UInt8] = []
    var copied = 0
    var end = bytes.count
    var place = 0
    // The next `&`, in text or not, once it was looked for.
    var mark = -1
    while place < end {
      guard case .text = state else {
        place = try markup(bytes, from: place)
        continue
      }
      let next = Self.place(of: UInt8(ascii: "<"), in: bytes, from: place)
      if let characterTarget {
        if mark < place { mark = Self.place(of: UInt8(ascii: "&"), in: bytes, from: place) }
        while mark < next {
          let found = CharacterReference(in: bytes, at: mark)
          if case .unfinished = found, !isLast {
            carried = Array(bytes[mark...])
            end = mark
            break
          }
          var after = mark + 1
          if case .forbidden(let scalar, let size) = found {
            rewritten += bytes[copied..<mark]
            rewritten += "<?\(characterTarget) \(scalar)?>".utf8
            copied = mark + size
            after = copied
          }
          mark = Self.place(of: UInt8(ascii: "&"), in: bytes, from: after)
        }
      }
      if next < end, let after = Self.shortTagEnd(bytes, from: next, longest: limits.markupSize) {
        place = after
        continue
      }
      place = next
      if place < end { begin() }
      place += 1
    }
    if copied == 0, end == bytes.count { return bytes }
    return rewritten + bytes[copied..<end]
  }

  private mutating func begin() {
    state = .opening
    opening.removeAll(keepingCapacity: true)
    size = 1
    attributeCount = 0
  }
}

// MARK: - Markup

extension XMLGuard {
  /// Walks through markup from `start` and says where the walk is at the next change of state.
  private mutating func markup(_ bytes: [UInt8], from start: Int) throws(Refusal) -> Int {
    var place = start
    var isCounted = true
    switch state {
    case .text: break
    case .opening:
      open(bytes[place])
      place += 1
    case .quoted(let quote, let inside):
      place = Self.place(of: quote, in: bytes, from: place)
      if place < bytes.count {
        place += 1
        switch inside {
        case .tag: state = .tag
        case .documentType: state = .documentType
        }
      }
    case .tag, .documentType:
      place = try plain(bytes, from: place)
    case .comment, .instruction:
      place = untilEnding(bytes, from: place)
    case .characterData:
      isCounted = false
      place = untilEnding(bytes, from: place)
    }
    guard isCounted else { return place }
    size += place - start
    guard size <= limits.markupSize else { throw .markupSize }
    return place
  }

  /// Decides by one more byte what began with `<`.
  private mutating func open(_ byte: UInt8) {
    before = (0, 0)
    if opening.isEmpty, byte != UInt8(ascii: "?"), byte != UInt8(ascii: "!") {
      state = byte == UInt8(ascii: ">") ? .text : .tag
      return
    }
    opening.append(byte)
    if opening == [UInt8(ascii: "?")] {
      state = .instruction
    } else if opening == Array("!--".utf8) {
      state = .comment
    } else if opening == Array("![CDATA[".utf8) {
      state = .characterData
    } else if !"!--".utf8.starts(with: opening) && !"![CDATA[".utf8.starts(with: opening) {
      if opening.first == UInt8(ascii: "!") {
        state = .documentType
      } else {
        state = byte == UInt8(ascii: ">") ? .text : .tag
      }
    }
  }

  /// Walks to the next quote or to the end of a tag or of the DOCTYPE.
  private mutating func plain(_ bytes: [UInt8], from start: Int) throws(Refusal) -> Int {
    var place = start
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      switch (byte, state) {
      case (UInt8(ascii: "\""), _), (UInt8(ascii: "'"), _):
        try quote(byte)
        return place
      case (UInt8(ascii: ">"), _):
        state = .text
        return place
      case (UInt8(ascii: "["), .documentType):
        throw .declarations(afterLines: bytes[..<place].count { $0 == 0x0A })
      default: break
      }
    }
    return place
  }

  private mutating func quote(_ byte: UInt8) throws(Refusal) {
    switch state {
    case .tag:
      attributeCount += 1
      guard attributeCount <= limits.attributeCount else { throw .attributeCount }
      state = .quoted(byte, .tag)
    default: state = .quoted(byte, .documentType)
    }
  }

  /// Walks to the end of a comment, of CDATA or of an instruction.
  private mutating func untilEnding(_ bytes: [UInt8], from start: Int) -> Int {
    let first: UInt8
    switch state {
    case .comment: first = UInt8(ascii: "-")
    case .characterData: first = UInt8(ascii: "]")
    default: first = UInt8(ascii: "?")
    }
    let isPair = first != UInt8(ascii: "?")
    var place = start
    while place < bytes.count {
      let end = Self.place(of: UInt8(ascii: ">"), in: bytes, from: place)
      for byte in bytes[max(place, end - 2)..<end] { before = (before.1, byte) }
      guard end < bytes.count else { return end }
      place = end + 1
      if before.1 == first, !isPair || before.0 == first {
        state = .text
        return place
      }
      before = (before.1, UInt8(ascii: ">"))
    }
    return place
  }
}
