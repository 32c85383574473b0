/// The rules of one time zone, read from a compiled file of the IANA database.
///
/// The form is that of RFC 9636, <https://www.rfc-editor.org/rfc/rfc9636>. Instants behind the last
/// change that the file lists follow its last offset; files that end in a rule for the years to
/// come are read up to that rule, which is then used with the months and days it names.
package struct TimeZoneRules: Hashable, Sendable {
  private var changes: [Int64] = []
  private var offsets: [Int] = []
  private let firstOffset: Int
  private let footer: PosixZone?

  /// Coordinated Universal Time.
  package static let utc = TimeZoneRules(offset: 0)

  /// A zone that is always so many seconds ahead of UTC.
  package init(offset: Int) {
    firstOffset = offset
    footer = nil
  }

  /// Reads a compiled file, as it lies in `/usr/share/zoneinfo`.
  ///
  /// - Throws: ``TimeZoneError`` when the file is not whole or not in the form.
  package init(file bytes: [UInt8]) throws(TimeZoneError) {
    var reader = ZoneFileReader(bytes: bytes)
    var header = try reader.header()
    var width = 4
    if header.version >= 2 {
      try reader.skip(header.length(width: 4))
      header = try reader.header()
      width = 8
    }
    guard header.types > 0, header.changes < 10_000 else { throw .damaged("it lists no offsets") }
    for _ in 0..<header.changes { changes.append(try reader.integer(width)) }
    var types: [Int] = []
    for _ in 0..<header.changes { types.append(Int(try reader.integer(1)) & 255) }
    var all: [Int] = []
    for _ in 0..<header.types {
      all.append(Int(try reader.integer(4)))
      _ = try reader.integer(2)
    }
    for type in types {
      guard type < all.count else { throw .damaged("a change names an offset that is not listed") }
      offsets.append(all[type])
    }
    firstOffset = all[0]
    try reader.skip(header.characters + header.leaps * (width + 4) + header.marks)
    footer = header.version >= 2 ? PosixZone(reader.line()) : nil
  }

  /// How many seconds the zone is ahead of UTC at an instant, in seconds since 1970.
  package func offset(at instant: Int64) -> Int {
    guard let first = changes.first, instant >= first else {
      return changes.isEmpty ? footer?.offset(at: instant) ?? firstOffset : firstOffset
    }
    if let last = changes.last, instant >= last {
      return footer?.offset(at: instant) ?? offsets[offsets.count - 1]
    }
    var low = 0
    var high = changes.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if changes[middle] <= instant { low = middle } else { high = middle }
    }
    return offsets[low]
  }

  /// The calendar day of an instant in this zone.
  package func day(of instant: Int64) -> CalendarDay {
    let local = instant + Int64(offset(at: instant))
    return CalendarDay(number: Int(local >= 0 ? local / 86_400 : (local - 86_399) / 86_400))
  }
}

/// Why a time zone could not be read.
package enum TimeZoneError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes are no compiled zone, or end too early.
  case damaged(String)

  package var description: String {
    switch self {
    case .damaged(let cause):
      "the time zone's file is damaged: \(cause); take one from the system's zoneinfo folder"
    }
  }
}

/// Reads the numbers of a compiled zone.
private struct ZoneFileReader {
  let bytes: [UInt8]
  var place = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  struct Header {
    let version: Int
    let marks: Int
    let leaps: Int
    let changes: Int
    let types: Int
    let characters: Int

    func length(width: Int) -> Int {
      changes * (width + 1) + types * 6 + characters + leaps * (width + 4) + marks
    }
  }

  mutating func header() throws(TimeZoneError) -> Header {
    guard place + 44 <= bytes.count, bytes[place..<place + 4].elementsEqual("TZif".utf8) else {
      throw .damaged("it does not begin with TZif")
    }
    let version = bytes[place + 4] == 0 ? 1 : Int(bytes[place + 4]) - 0x30
    place += 20
    var counts: [Int] = []
    for _ in 0..<6 {
      let count = Int(try integer(4))
      guard count >= 0, count < 1_000_000 else { throw .damaged("a count is out of bounds") }
      counts.append(count)
    }
    return Header(
      version: version,
      marks: counts[0] + counts[1],
      leaps: counts[2],
      changes: counts[3],
      types: counts[4],
      characters: counts[5]
    )
  }

  mutating func skip(_ count: Int) throws(TimeZoneError) {
    guard place + count <= bytes.count else { throw .damaged("it ends too early") }
    place += count
  }

  /// A big-endian number with a sign.
  mutating func integer(_ width: Int) throws(TimeZoneError) -> Int64 {
    guard place + width <= bytes.count else { throw .damaged("it ends too early") }
    var value = Int64(Int8(bitPattern: bytes[place]))
    for index in 1..<max(width, 1) where width > 1 {
      value = value << 8 | Int64(bytes[place + index])
    }
    place += width
    return value
  }

  /// The text between the next two line ends.
  mutating func line() -> [UInt8] {
    guard place < bytes.count, bytes[place] == 0x0A else { return [] }
    return Array(bytes[(place + 1)...].prefix { $0 != 0x0A })
  }
}
