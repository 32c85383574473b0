import CByteSearch

extension JSONParser {
  /// Reads one value from `start` on, with `depth` arrays around it, and gives the position after it and
  /// the space that follows.
  ///
  /// What the walk needs at every byte is held in local variables, which the compiler keeps in
  /// registers; `entryCount` is sent up to date before anything else looks at it.
  mutating func document(
    _ source: Source,
    from start: Int = 0,
    depth: Int = 0
  ) throws(Fault) -> Int {
    var position = unsafe source.skippingSpace(start)
    var tape = unsafe entries
    var next = unsafe tape
    // One turn writes at most a name and a value.
    var limit = unsafe tape + (capacity &- 2)
    /// The names of the open object; one place for each level.
    var filter = unsafe filters + depth
    let lastFilter = unsafe filters + maximumDepth
    /// The array or object around the value, or -1, and the byte that ends it.
    var open = -1
    var closing: UInt8 = 0
    /// How many members or elements of the open one are complete.
    var members: UInt32 = 0
    while true {
      if unsafe next > limit {
        entryCount = unsafe next - tape
        grow()
        unsafe tape = entries
        unsafe next = tape + entryCount
        unsafe limit = tape + (capacity &- 2)
      }
      if closing == UInt8(ascii: "}") {
        guard unsafe position < source.end, unsafe source[position] == UInt8(ascii: "\"") else {
          throw Fault("a member's name is missing", position)
        }
        let start = position &+ 1
        let end = unsafe Self.plainEnd(source, start)
        let fingerprint: UInt32
        if unsafe end < source.end, unsafe source[end] == UInt8(ascii: "\"") {
          let length = end &- start
          fingerprint = unsafe JSONName.fingerprint(
            of: UnsafeRawBufferPointer(start: source.base + start, count: length)
          )
          unsafe next.pointee = JSONTapeEntry(
            .string,
            flags: JSONTapeEntry.isName,
            offset: start,
            length: length,
            link: fingerprint
          )
          position = end &+ 1
        } else {
          position = unsafe try uncommonName(source, start, from: end, at: next - tape)
          fingerprint = unsafe next.pointee.link
        }
        unsafe next += 1
        if unsafe Self.hasSeen(fingerprint, filter), members < Self.scannedNames {
          entryCount = unsafe next - tape
          unsafe try refuseEarlierName(like: entryCount &- 1, in: open, source)
        }
        position = unsafe source.skippingSpace(position)
        guard unsafe position < source.end, unsafe source[position] == UInt8(ascii: ":") else {
          throw Fault("a colon is missing after a member's name", position)
        }
        position = unsafe source.skippingSpace(position &+ 1)
      }
      guard unsafe position < source.end else { throw Fault("the value is missing", position) }
      let byte = unsafe source[position]
      switch byte {
      case UInt8(ascii: "\""):
        let start = position &+ 1
        let end = unsafe Self.plainEnd(source, start)
        if unsafe end < source.end, unsafe source[end] == UInt8(ascii: "\"") {
          let length = end &- start
          let link = UInt32(truncatingIfNeeded: length)
          unsafe next.pointee = JSONTapeEntry(.string, offset: start, length: length, link: link)
          position = end &+ 1
        } else {
          let text = unsafe try Self.uncommonString(source, start, from: end)
          unsafe next.pointee = text.entry
          position = text.position
        }
        unsafe next += 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard unsafe filter < lastFilter else {
          throw Fault("more than \(maximumDepth) levels of arrays and objects", position)
        }
        // Each closing bracket is two places after its opening one.
        let close = byte &+ 2
        let first = unsafe source.skippingSpace(position &+ 1)
        guard unsafe first < source.end else { throw Self.unfinished(close, first) }
        let count = unsafe next - tape
        let isEmpty = unsafe source[first] == close
        unsafe next.pointee = JSONTapeEntry(
          byte == UInt8(ascii: "{") ? .object : .array,
          offset: position,
          length: 0,
          link: UInt32(truncatingIfNeeded: isEmpty ? count &+ 1 : open)
        )
        unsafe next += 1
        guard isEmpty else {
          if open >= 0 { unsafe tape[open].set(length: members, link: tape[open].link) }
          open = count
          closing = close
          members = 0
          unsafe filter += 1
          if close == UInt8(ascii: "}") { unsafe filter.pointee = .zero }
          position = first
          continue
        }
        position = first &+ 1
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        let number = unsafe try Self.number(source, position)
        unsafe next.pointee = number.entry
        position = number.position
        unsafe next += 1
      default:
        let word = unsafe try Self.word(source, position)
        unsafe next.pointee = word.entry
        position = word.position
        unsafe next += 1
      }
      // What follows a value, as often as it closes what lies around.
      while true {
        position = unsafe source.skippingSpace(position)
        guard open >= 0 else {
          entryCount = unsafe next - tape
          return position
        }
        guard unsafe position < source.end else { throw Self.unfinished(closing, position) }
        let byte = unsafe source[position]
        members &+= 1
        if byte == UInt8(ascii: ",") {
          position = unsafe source.skippingSpace(position &+ 1)
          break
        }
        guard byte == closing else { throw Self.expectedComma(closing, position) }
        position &+= 1
        let around = Int(Int32(truncatingIfNeeded: unsafe tape[open].link))
        let count = unsafe next - tape
        unsafe tape[open].set(length: members, link: UInt32(truncatingIfNeeded: count))
        if members > Self.scannedNames, closing == UInt8(ascii: "}") {
          entryCount = count
          unsafe try refuseRepeatedNames(open, source)
        }
        unsafe filter -= 1
        open = around
        guard around >= 0 else { continue }
        let isObject = unsafe tape[around].kindBit == 1 << JSONKind.object.rawValue
        closing = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        members = unsafe tape[around].length
      }
    }
  }

  /// Where the first element of an array is that is the whole value; `nil` for an array without any.
  func firstElement(_ source: Source) throws(Fault) -> Int? {
    let position = unsafe source.skippingSpace(0)
    guard unsafe position < source.end, unsafe source[position] == UInt8(ascii: "[") else {
      throw Fault("an array is missing", position)
    }
    let first = unsafe source.skippingSpace(position &+ 1)
    guard unsafe first < source.end else { throw Self.unfinished(UInt8(ascii: "]"), first) }
    guard unsafe source[first] == UInt8(ascii: "]") else { return first }
    unsafe try expectEnd(source, source.skippingSpace(first &+ 1))
    return nil
  }

  /// Reads the element of that array that begins at `start`, and gives where the next one does; `nil`
  /// behind the last.
  mutating func element(_ source: Source, from start: Int) throws(Fault) -> Int? {
    let position = unsafe try document(source, from: start, depth: 1)
    guard unsafe position < source.end else { throw Self.unfinished(UInt8(ascii: "]"), position) }
    switch unsafe source[position] {
    case UInt8(ascii: ","): return position &+ 1
    case UInt8(ascii: "]"):
      unsafe try expectEnd(source, source.skippingSpace(position &+ 1))
      return nil
    default: throw Self.expectedComma(UInt8(ascii: "]"), position)
    }
  }

  /// Sees that nothing follows the value.
  func expectEnd(_ source: Source, _ position: Int) throws(Fault) {
    guard unsafe position == source.end else {
      throw Fault("text after the end of the value", position)
    }
  }

  /// A value that holds no others, and the position after it.
  struct Scalar {
    let entry: JSONTapeEntry
    let position: Int
  }

  /// The first position from `position` on that is a quote, a backslash, a control character, a
  /// byte above 127 or the end.
  @inline(__always)
  static func plainEnd(_ source: Source, _ start: Int) -> Int {
    unsafe ferry_plain_end(source.base, start, source.end)
  }

  @inline(never)
  private static func unfinished(_ closing: UInt8, _ position: Int) -> Fault {
    Fault("the \(closing == UInt8(ascii: "}") ? "object" : "array") does not end", position)
  }

  @inline(never)
  private static func expectedComma(_ closing: UInt8, _ position: Int) -> Fault {
    let bracket = closing == UInt8(ascii: "}") ? "a closing brace" : "a closing bracket"
    return Fault("a comma or \(bracket) is missing", position)
  }

  /// Reads `true`, `false` or `null`.
  @inline(__always)
  private static func word(_ source: Source, _ position: Int) throws(Fault) -> Scalar {
    switch unsafe source[position] {
    case UInt8(ascii: "t"):
      unsafe try expect("true", source, position)
      let flags = JSONTapeEntry.isTrue
      let entry = JSONTapeEntry(.boolean, flags: flags, offset: position, length: 4)
      return Scalar(entry: entry, position: position &+ 4)
    case UInt8(ascii: "f"):
      unsafe try expect("false", source, position)
      let entry = JSONTapeEntry(.boolean, offset: position, length: 5)
      return Scalar(entry: entry, position: position &+ 5)
    case UInt8(ascii: "n"):
      unsafe try expect("null", source, position)
      let entry = JSONTapeEntry(.null, offset: position, length: 4)
      return Scalar(entry: entry, position: position &+ 4)
    case UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ","):
      throw Fault("a value is missing", position)
    case 0xEF, 0xFE, 0xFF:
      throw Fault("a byte order mark, or another byte that begins no value", position)
    default:
      throw Fault("a byte that begins no value", position)
    }
  }

  @inline(__always)
  private static func expect(
    _ word: StaticString,
    _ source: Source,
    _ position: Int
  ) throws(Fault) {
    let count = word.utf8CodeUnitCount
    guard unsafe position + count <= source.end else {
      throw Fault("a byte that begins no value", position)
    }
    for index in 0..<count
    where unsafe source[position + index] != word.utf8Start[index] {
      throw Fault("a byte that begins no value", position)
    }
  }
}
