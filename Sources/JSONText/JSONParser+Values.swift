import CByteSearch

extension JSONParser {
  /// Reads one value from the start and gives the position after it and the space that follows.
  ///
  /// What the walk needs at every byte is held in local variables, which the compiler keeps in
  /// registers; `entryCount` is brought up to date before anything else looks at it.
  mutating func document(_ source: Source) throws(Fault) -> Int {
    var position = unsafe source.skippingSpace(0)
    var tape = unsafe entries
    // One turn writes at most a value and a name.
    var limit = capacity &- 2
    var count = 0
    var open = -1
    var isObject = false
    var depth = 0
    /// How many members or elements of the open one are complete.
    var members: UInt32 = 0
    while true {
      if count > limit {
        entryCount = count
        grow()
        unsafe tape = entries
        limit = capacity &- 2
      }
      guard unsafe position < source.end else { throw Fault("the value is missing", position) }
      let byte = unsafe source[position]
      var isOpening = false
      switch byte {
      case UInt8(ascii: "\""):
        let start = position &+ 1
        let end = unsafe Self.plainEnd(source, start)
        if unsafe end < source.end, unsafe source[end] == UInt8(ascii: "\"") {
          let length = end &- start
          let link = UInt32(truncatingIfNeeded: length)
          unsafe tape[count] = JSONTapeEntry(.string, offset: start, length: length, link: link)
          position = end &+ 1
        } else {
          let text = unsafe try Self.uncommonString(source, start, from: end)
          unsafe tape[count] = text.entry
          position = text.position
        }
        count &+= 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < maximumDepth else {
          throw Fault("more than \(maximumDepth) levels of arrays and objects", position)
        }
        if open >= 0 { unsafe tape[open].set(length: members, link: tape[open].link) }
        isObject = byte == UInt8(ascii: "{")
        unsafe tape[count] = JSONTapeEntry(
          isObject ? .object : .array,
          offset: position,
          length: 0,
          link: UInt32(truncatingIfNeeded: open)
        )
        open = count
        count &+= 1
        members = 0
        depth &+= 1
        if isObject { unsafe filters[depth] = .zero }
        isOpening = true
        position &+= 1
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        let number = unsafe try Self.number(source, position)
        unsafe tape[count] = number.entry
        position = number.position
        count &+= 1
      default:
        let word = unsafe try Self.word(source, position)
        unsafe tape[count] = word.entry
        position = word.position
        count &+= 1
      }
      // What follows a value, as often as it closes what lies around.
      while true {
        position = unsafe source.skippingSpace(position)
        guard open >= 0 else {
          entryCount = count
          return position
        }
        guard unsafe position < source.end else { throw unfinished(open, position) }
        let byte = unsafe source[position]
        if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          if !isOpening { members &+= 1 }
          position &+= 1
          let around = Int(Int32(truncatingIfNeeded: unsafe tape[open].link))
          unsafe tape[open].set(length: members, link: UInt32(truncatingIfNeeded: count))
          if members > Self.scannedNames, isObject {
            entryCount = count
            unsafe try refuseRepeatedNames(open, source)
          }
          open = around
          depth &-= 1
          isOpening = false
          guard around >= 0 else { continue }
          isObject = unsafe tape[around].kindBit == 1 << JSONKind.object.rawValue
          members = unsafe tape[around].length
          continue
        }
        if !isOpening {
          guard byte == UInt8(ascii: ",") else { throw expectedComma(isObject, position) }
          members &+= 1
          position = unsafe source.skippingSpace(position &+ 1)
        }
        if isObject {
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
            unsafe tape[count] = JSONTapeEntry(
              .string,
              flags: JSONTapeEntry.isName,
              offset: start,
              length: length,
              link: fingerprint
            )
            position = end &+ 1
          } else {
            position = unsafe try uncommonName(source, start, from: end, at: count)
            fingerprint = unsafe tape[count].link
          }
          count &+= 1
          if unsafe Self.hasSeen(fingerprint, filters + depth), members < Self.scannedNames {
            entryCount = count
            unsafe try refuseEarlierName(like: count &- 1, in: open, source)
          }
          position = unsafe source.skippingSpace(position)
          guard unsafe position < source.end, unsafe source[position] == UInt8(ascii: ":") else {
            throw Fault("a colon is missing after a member's name", position)
          }
          position = unsafe source.skippingSpace(position &+ 1)
        }
        break
      }
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
  private func unfinished(_ open: Int, _ position: Int) -> Fault {
    Fault("the \(unsafe entries[open].kind) does not end", position)
  }

  @inline(never)
  private func expectedComma(_ isObject: Bool, _ position: Int) -> Fault {
    Fault("a comma or \(isObject ? "a closing brace" : "a closing bracket") is missing", position)
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
