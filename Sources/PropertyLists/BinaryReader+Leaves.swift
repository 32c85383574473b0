/// Numbers, text and data: the objects of a binary list that hold no others.
extension BinaryReader {
  /// The object without parts that begins at `offset`.
  mutating func leaf(
    at offset: Int,
    kind: UInt8,
    low: Int
  ) throws(PropertyListError) -> PropertyList {
    switch (kind, low) {
    case (0x0, 0x0): return .null
    case (0x0, 0x8): return .boolean(false)
    case (0x0, 0x9): return .boolean(true)
    case (0x1, 0...4): return try integer(at: offset, size: 1 << low)
    case (0x2, 2):
      let bits = try bytes.number(at: inside(offset + 1, 4, of: offset), size: 4)
      return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
    case (0x2, 3):
      let bits = try bytes.number(at: inside(offset + 1, 8, of: offset), size: 8)
      return .real(Double(bitPattern: bits))
    case (0x3, 3):
      let bits = try bytes.number(at: inside(offset + 1, 8, of: offset), size: 8)
      return .date(secondsSinceReferenceDate: Double(bitPattern: bits))
    case (0x4, _), (0x5, _), (0x6, _):
      return try run(at: offset, kind: kind, low: low)
    case (0x8, _): return try uid(at: offset, size: low + 1)
    default:
      throw .malformed(
        offset: offset,
        reason: "no object begins with the byte \(kind << 4 | UInt8(low))"
      )
    }
  }

  private func integer(at offset: Int, size: Int) throws(PropertyListError) -> PropertyList {
    let start = try inside(offset + 1, size, of: offset)
    guard size == 16 else {
      let number = try bytes.number(at: start, size: size)
      return .integer(Int64(bitPattern: number))
    }
    let high = try bytes.number(at: start, size: 8)
    let low = try bytes.number(at: start + 8, size: 8)
    // Two's complement of 128 bits; only what 64 bits can hold is accepted.
    if high == 0 { return Int64(exactly: low).map { .integer($0) } ?? .unsignedInteger(low) }
    guard high == .max, low >> 63 == 1 else {
      throw .malformed(offset: offset, reason: "an integer needs more than 64 bits")
    }
    return .integer(Int64(bitPattern: low))
  }

  private func uid(at offset: Int, size: Int) throws(PropertyListError) -> PropertyList {
    guard size <= 8 else { throw .malformed(offset: offset, reason: "a UID of \(size) bytes") }
    let number = try bytes.number(at: inside(offset + 1, size, of: offset), size: size)
    guard let uid = Int(exactly: number) else {
      throw .malformed(offset: offset, reason: "a UID beyond 2^63")
    }
    return .uid(uid)
  }

  /// Data and text: a count, then that many bytes or code units.
  private mutating func run(at offset: Int, kind: UInt8, low: Int) throws(PropertyListError)
    -> PropertyList
  {
    let (start, count) = try extent(at: offset, low: low)
    let width = kind == 0x6 ? 2 : 1
    let (size, isTooMany) = count.multipliedReportingOverflow(by: width)
    guard !isTooMany, size <= tableOffset - start else {
      throw .malformed(offset: offset, reason: "\(count) elements do not fit into the list")
    }
    if let file, let scratch {
      if kind == 0x6 ? count > scratch.mostHeld / 3 : size > scratch.mostHeld {
        return try longRun(in: file, start..<(start + size), kind: kind, of: offset)
      }
      scratch.hold(size)
    }
    let part = try bytes[start..<(start + size)]
    switch kind {
    case 0x4: return .data(Array(part))
    case 0x6:
      let (text, isWhole) = Self.textOfUTF16(part)
      if !isWhole { notes.append(.loneSurrogate(place: "byte \(offset)")) }
      return .string(text)
    default:
      // “ASCII” strings of old files hold UTF-8 or Latin-1.
      if let text = String(validating: part, as: UTF8.self) { return .string(text) }
      notes.append(.assumedLatin1(place: "byte \(offset)"))
      return .string(Self.textOfLatin1(part))
    }
  }

  static func textOfLatin1(_ part: ArraySlice<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for byte in part { text.append(Unicode.Scalar(byte)) }
    return String(text)
  }

  /// Lone surrogates, which no text can hold, become U+FFFD.
  static func textOfUTF16(
    _ part: ArraySlice<UInt8>
  ) -> (text: String, isWhole: Bool) {
    var units: [UInt16] = []
    units.reserveCapacity(part.count / 2)
    var place = part.startIndex
    while place + 1 < part.endIndex {
      units.append(UInt16(part[place]) << 8 | UInt16(part[place + 1]))
      place += 2
    }
    if let text = String(validating: units, as: UTF16.self) { return (text, true) }
    return (String(decoding: units, as: UTF16.self), false)
  }

  /// The place and the count of what follows a marker; a nibble of 15 says that an integer comes.
  func extent(
    at offset: Int,
    low: Int
  ) throws(PropertyListError) -> (start: Int, count: Int) {
    guard low == 0x0F else { return (offset + 1, low) }
    let place = try inside(offset + 1, 1, of: offset)
    let marker = try bytes.byte(at: place)
    guard marker >> 4 == 0x1, marker & 0x0F <= 3 else {
      throw .malformed(offset: place, reason: "the count is not an integer")
    }
    let size = 1 << Int(marker & 0x0F)
    let number = try bytes.number(at: inside(place + 1, size, of: offset), size: size)
    guard let count = Int(exactly: number) else {
      throw .malformed(offset: place, reason: "a count beyond 2^63")
    }
    return (place + 1 + size, count)
  }

  /// Gives `start` back when `size` bytes from there lie before the offset table.
  private func inside(
    _ start: Int,
    _ size: Int,
    of offset: Int
  ) throws(PropertyListError) -> Int {
    guard size <= tableOffset - start else {
      throw .malformed(offset: offset, reason: "the object runs into the offset table")
    }
    return start
  }
}
