/// Strict JSON, read in one pass into a tape.
///
/// Accepts exactly RFC 8259 in well-formed UTF-8, and of that only what every reader understands
/// alike: no byte order mark, no member name twice in one object, no lone surrogate.
///
/// The parser keeps no stack: an open array or object holds the index of the one around it in its
/// `link` until it closes.
///
/// https://www.rfc-editor.org/rfc/rfc8259
@safe
struct JSONParser: ~Copyable {
  var entries: UnsafeMutablePointer<JSONTapeEntry>
  var entryCount = 0
  private var capacity = 256
  /// Names that had escapes, unescaped.
  var aside = ByteStore()
  /// For each open object, one bit for every name's fingerprint, folded to a few hundred bits.
  private var filters: UnsafeMutablePointer<NameFilter>
  private let maximumDepth: Int
  private let maximumBytes: Int

  init(limits: JSONLimits) {
    unsafe entries = .allocate(capacity: 256)
    unsafe filters = .allocate(capacity: limits.maximumDepth + 1)
    maximumDepth = limits.maximumDepth
    maximumBytes = limits.maximumBytes
  }

  deinit {
    unsafe entries.deallocate()
    unsafe filters.deallocate()
  }

  /// Writes the tape of `bytes`, which hold one value and the white space around it.
  mutating func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
    entryCount = 0
    aside.removeAll()
    guard bytes.count <= maximumBytes else {
      throw JSONError(
        offset: 0,
        line: 1,
        message: "the document has \(bytes.count) bytes; at most \(maximumBytes) are read"
      )
    }
    guard let base = bytes.baseAddress, bytes.count > 0 else {
      throw JSONError(offset: 0, line: 1, message: "the document is empty")
    }
    do throws(Fault) {
      let source = unsafe Source(base: base, end: bytes.count)
      let position = unsafe try document(source)
      guard position == bytes.count else {
        throw Fault("text after the end of the value", position)
      }
    } catch {
      entryCount = 0
      throw unsafe JSONError(error.message, at: error.position, in: bytes)
    }
  }

  /// The bits of the names that an object has had so far.
  typealias NameFilter = SIMD8<UInt64>

  /// The bytes being read.
  @unsafe
  struct Source {
    let base: UnsafeRawPointer
    let end: Int

    @inline(__always)
    subscript(position: Int) -> UInt8 {
      unsafe base.load(fromByteOffset: position, as: UInt8.self)
    }

    /// The first position from `position` on that is not white space.
    @inline(__always)
    func skippingSpace(_ position: Int) -> Int {
      var position = position
      while unsafe position < end {
        let byte = unsafe self[position]
        guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
          break
        }
        position &+= 1
      }
      return position
    }
  }

  /// A fault before its line is known.
  struct Fault: Error {
    let message: String
    let position: Int

    @inline(never)
    init(_ message: String, _ position: Int) {
      self.message = message
      self.position = position
    }
  }

  /// Adds an entry and gives its index.
  @inline(__always)
  @discardableResult
  mutating func append(_ entry: JSONTapeEntry) -> Int {
    let index = entryCount
    if index == capacity { grow() }
    unsafe (entries + index).initialize(to: entry)
    entryCount = index &+ 1
    return index
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<JSONTapeEntry>.allocate(capacity: capacity * 2)
    unsafe larger.initialize(from: entries, count: entryCount)
    unsafe entries.deallocate()
    unsafe entries = larger
    capacity *= 2
  }
}

// MARK: - Values

extension JSONParser {
  /// Reads one value from the start and gives the position after it and the space that follows.
  private mutating func document(_ source: Source) throws(Fault) -> Int {
    var position = unsafe source.skippingSpace(0)
    var open = -1
    var isObject = false
    var depth = 0
    while true {
      guard unsafe position < source.end else { throw Fault("the value is missing", position) }
      let byte = unsafe source[position]
      var isOpening = false
      switch byte {
      case UInt8(ascii: "\""):
        position = unsafe try string(source, position &+ 1)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < maximumDepth else {
          throw Fault("more than \(maximumDepth) levels of arrays and objects", position)
        }
        isObject = byte == UInt8(ascii: "{")
        open = begin(isObject ? .object : .array, at: position, around: open)
        depth &+= 1
        if isObject { unsafe filters[depth] = .zero }
        isOpening = true
        position &+= 1
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        position = unsafe try number(source, position)
      default:
        position = unsafe try word(source, position)
      }
      // What follows a value, as often as it closes what lies around.
      while true {
        position = unsafe source.skippingSpace(position)
        guard open >= 0 else { return position }
        let closing = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        guard unsafe position < source.end else { throw unfinished(open, position) }
        let byte = unsafe source[position]
        if byte == closing {
          if !isOpening { unsafe entries[open].length &+= 1 }
          position &+= 1
          open = unsafe try end(open, source)
          isObject = unsafe open >= 0 && entries[open].kind == .object
          depth &-= 1
          isOpening = false
          continue
        }
        if !isOpening {
          guard byte == UInt8(ascii: ",") else { throw expectedComma(isObject, position) }
          unsafe entries[open].length &+= 1
          position = unsafe source.skippingSpace(position &+ 1)
        }
        if isObject {
          position = unsafe try name(source, position, of: open, depth: depth)
        }
        break
      }
    }
  }

  @inline(__always)
  private mutating func begin(_ kind: JSONKind, at position: Int, around open: Int) -> Int {
    append(
      JSONTapeEntry(kind, offset: position, length: 0, link: UInt32(truncatingIfNeeded: open))
    )
  }

  /// Closes the array or object at `index` and gives the one around it, or -1.
  @inline(__always)
  private mutating func end(_ index: Int, _ source: Source) throws(Fault) -> Int {
    let around = Int(Int32(truncatingIfNeeded: unsafe entries[index].link))
    unsafe entries[index].link = UInt32(truncatingIfNeeded: entryCount)
    if unsafe entries[index].length > Self.scannedNames, unsafe entries[index].kind == .object {
      unsafe try refuseRepeatedNames(index, source)
    }
    return around
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
  private mutating func word(_ source: Source, _ position: Int) throws(Fault) -> Int {
    switch unsafe source[position] {
    case UInt8(ascii: "t"):
      unsafe try expect("true", source, position)
      append(JSONTapeEntry(.boolean, flags: JSONTapeEntry.isTrue, offset: position, length: 4))
      return position + 4
    case UInt8(ascii: "f"):
      unsafe try expect("false", source, position)
      append(JSONTapeEntry(.boolean, offset: position, length: 5))
      return position + 5
    case UInt8(ascii: "n"):
      unsafe try expect("null", source, position)
      append(JSONTapeEntry(.null, offset: position, length: 4))
      return position + 4
    case UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ","):
      throw Fault("a value is missing", position)
    case 0xEF, 0xFE, 0xFF:
      throw Fault("a byte order mark, or another byte that begins no value", position)
    default:
      throw Fault("a byte that begins no value", position)
    }
  }

  @inline(__always)
  private func expect(
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

// MARK: - Names

extension JSONParser {
  /// Up to this many members, repeated names are looked for as they come; beyond, at the end.
  private static let scannedNames: UInt32 = 32

  /// Reads a member's name and its colon, and gives where the value begins.
  @inline(__always)
  private mutating func name(
    _ source: Source,
    _ start: Int,
    of object: Int,
    depth: Int
  ) throws(Fault) -> Int {
    guard unsafe start < source.end, unsafe source[start] == UInt8(ascii: "\"") else {
      throw Fault("a member's name is missing", start)
    }
    let index = entryCount
    let end = unsafe Self.plainEnd(source, start &+ 1)
    var position = end
    let fingerprint: UInt32
    if unsafe end < source.end, unsafe source[end] == UInt8(ascii: "\"") {
      let count = end &- start &- 1
      fingerprint = unsafe JSONName.fingerprint(
        of: UnsafeRawBufferPointer(start: source.base + (start &+ 1), count: count)
      )
      append(JSONTapeEntry(.string, offset: start &+ 1, length: count, link: fingerprint))
      position = end &+ 1
    } else {
      position = unsafe try string(source, start &+ 1)
      fingerprint = unsafe finishName(index, source)
    }
    if hasSeen(fingerprint, depth), unsafe entries[object].length < Self.scannedNames {
      unsafe try refuseEarlierName(like: index, in: object, source)
    }
    position = unsafe source.skippingSpace(position)
    guard unsafe position < source.end, unsafe source[position] == UInt8(ascii: ":") else {
      throw Fault("a colon is missing after a member's name", position)
    }
    return unsafe source.skippingSpace(position &+ 1)
  }

  /// Notes a name's fingerprint, and tells whether the object may have had the name before.
  @inline(__always)
  private mutating func hasSeen(_ fingerprint: UInt32, _ depth: Int) -> Bool {
    let words = unsafe UnsafeMutableRawPointer(filters + depth)
    let place = Int(fingerprint >> 26 & 7) &* 8
    let bit = 1 &<< UInt64(fingerprint & 63)
    let word = unsafe words.load(fromByteOffset: place, as: UInt64.self)
    unsafe words.storeBytes(of: word | bit, toByteOffset: place, as: UInt64.self)
    return word & bit != 0
  }

  /// Unescapes a name that needs it and gives its fingerprint.
  @inline(never)
  private mutating func finishName(_ index: Int, _ source: Source) -> UInt32 {
    if unsafe entries[index].flags & JSONTapeEntry.hasEscapes != 0 {
      unsafe setAside(index, source)
    }
    let fingerprint = unsafe JSONName.fingerprint(of: nameBytes(index, source))
    unsafe entries[index].link = fingerprint
    return fingerprint
  }

  /// Unescapes the name at `index` into the names set aside.
  @inline(never)
  private mutating func setAside(_ index: Int, _ source: Source) {
    let entry = unsafe entries[index]
    let raw = unsafe UnsafeRawBufferPointer(
      start: source.base + Int(entry.offset),
      count: Int(entry.length)
    )
    let offset = aside.count
    let count = unsafe JSONEscapes.unescape(raw, to: aside.reserve(raw.count))
    aside.commit(count)
    unsafe entries[index].offset = UInt32(truncatingIfNeeded: offset)
    unsafe entries[index].length = UInt32(truncatingIfNeeded: count)
    unsafe entries[index].flags |= JSONTapeEntry.isAside
  }

  @inline(__always)
  private func nameBytes(_ index: Int, _ source: Source) -> UnsafeRawBufferPointer {
    unsafe tape(over: source.base).name(at: index)
  }

  /// The tape so far.
  @inline(__always)
  func tape(over source: UnsafeRawPointer) -> JSONTape {
    unsafe JSONTape(entries: UnsafePointer(entries), source: source, aside: aside.base)
  }

  private func refuseEarlierName(
    like index: Int,
    in object: Int,
    _ source: Source
  ) throws(Fault) {
    let tape = unsafe tape(over: source.base)
    let name = unsafe tape.name(at: index)
    let fingerprint = unsafe entries[index].link
    var other = object + 1
    while other < index {
      if unsafe entries[other].link == fingerprint,
        unsafe Self.order(tape.name(at: other), name) == 0
      {
        throw unsafe repeated(index, source)
      }
      other = unsafe tape.indexAfter(other + 1)
    }
  }

  /// Sorts the names of a large object to find one that comes twice.
  @inline(never)
  private func refuseRepeatedNames(_ object: Int, _ source: Source) throws(Fault) {
    let tape = unsafe tape(over: source.base)
    var names: [Int] = []
    names.reserveCapacity(Int(unsafe entries[object].length))
    var index = object + 1
    while index < entryCount {
      names.append(index)
      index = unsafe tape.indexAfter(index + 1)
    }
    names.sort { left, right in
      let order = unsafe Self.order(tape.name(at: left), tape.name(at: right))
      return order == 0 ? left < right : order < 0
    }
    var repeats: Int?
    for (left, right) in zip(names, names.dropFirst())
    where unsafe Self.order(tape.name(at: left), tape.name(at: right)) == 0 {
      repeats = min(right, repeats ?? right)
    }
    if let repeats { throw unsafe repeated(repeats, source) }
  }

  /// Orders two names by their bytes: negative, zero or positive.
  static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let count = min(left.count, right.count)
    for index in 0..<count where unsafe left[index] != right[index] {
      return unsafe Int(left[index]) - Int(right[index])
    }
    return left.count - right.count
  }

  private func repeated(_ index: Int, _ source: Source) -> Fault {
    let name = unsafe String(decoding: nameBytes(index, source).prefix(120), as: UTF8.self)
    let isAside = unsafe entries[index].flags & JSONTapeEntry.isAside != 0
    let value = index + 1 < entryCount ? unsafe Int(entries[index + 1].offset) : 0
    let position = isAside ? value : unsafe Int(entries[index].offset)
    return Fault("the member \"\(name)\" comes twice in one object", position)
  }
}
