import CByteSearch

extension JSONParser {
  /// Up to this many members, repeated names are looked for as they come; beyond, at the end.
  static let scannedNames: UInt32 = 32

  /// Reads a name that has more in it than printable ASCII, and gives the position after it.
  @inline(never)
  mutating func uncommonName(
    _ source: Source,
    _ start: Int,
    from middle: Int,
    at index: Int
  ) throws(Fault) -> Int {
    let text = unsafe try Self.uncommonString(source, start, from: middle)
    let raw = unsafe UnsafeRawBufferPointer(
      start: source.base + start,
      count: Int(text.entry.length)
    )
    guard text.entry.flags & JSONTapeEntry.hasEscapes != 0 else {
      unsafe entries[index] = name(raw, text.entry.flags, offset: start)
      return text.position
    }
    let offset = scratch.count
    let target = unsafe scratch.reserve(raw.count)
    let count = unsafe JSONEscapes.unescape(raw, to: target)
    scratch.commit(count)
    unsafe entries[index] = name(
      UnsafeRawBufferPointer(start: target, count: count),
      text.entry.flags | JSONTapeEntry.isInScratch,
      offset: offset
    )
    return text.position
  }

  private func name(
    _ bytes: UnsafeRawBufferPointer,
    _ flags: UInt8,
    offset: Int
  ) -> JSONTapeEntry {
    let fingerprint = unsafe JSONName.fingerprint(of: bytes)
    return JSONTapeEntry(
      .string,
      flags: flags | JSONTapeEntry.isName,
      offset: offset,
      length: bytes.count,
      link: fingerprint
    )
  }

  /// Notes a name's fingerprint, and says whether the object may have had the name before.
  @inline(__always)
  static func hasSeen(_ fingerprint: UInt32, _ filter: UnsafeMutablePointer<NameFilter>) -> Bool {
    let words = UnsafeMutableRawPointer(filter)
    let place = Int(fingerprint >> 26 & 7) &* 8
    let bit = 1 &<< UInt64(fingerprint & 63)
    let word = unsafe words.load(fromByteOffset: place, as: UInt64.self)
    unsafe words.storeBytes(of: word | bit, toByteOffset: place, as: UInt64.self)
    return word & bit != 0
  }

  @inline(__always)
  private func nameBytes(_ index: Int, _ source: Source) -> UnsafeRawBufferPointer {
    unsafe tape(over: source.base).name(at: index)
  }

  /// The tape so far.
  @inline(__always)
  func tape(over source: UnsafeRawPointer) -> JSONTape {
    unsafe JSONTape(entries: UnsafePointer(entries), source: source, scratch: scratch.base)
  }

  func refuseEarlierName(
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
  func refuseRepeatedNames(_ object: Int, _ source: Source) throws(Fault) {
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
    let longer = left.count - right.count
    guard let first = left.baseAddress, let second = right.baseAddress else { return longer }
    let order = unsafe ferry_order(first, second, min(left.count, right.count))
    return order != 0 ? order : longer
  }

  private func repeated(_ index: Int, _ source: Source) -> Fault {
    let name = unsafe String(decoding: nameBytes(index, source).prefix(120), as: UTF8.self)
    let isInScratch = unsafe entries[index].flags & JSONTapeEntry.isInScratch != 0
    let value = index + 1 < entryCount ? unsafe Int(entries[index + 1].offset) : 0
    let position = isInScratch ? value : unsafe Int(entries[index].offset)
    return Fault("the member \"\(name)\" comes twice in one object", position)
  }
}
