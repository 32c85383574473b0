/// A text in the one form that patterns are held against, and where each part of it came from.
///
/// ASCII letters are lower case, digits of every script are ASCII, spaces of every width are one kind,
/// quotation marks and dashes are straight, marks of direction and variation selectors are gone,
/// carriage returns, with line feeds or without, and a written `\n` are line ends, and Slack's names of
/// emoji are the emoji. Bytes that are not UTF-8 become U+FFFD, one each.
package struct NormalText {
  /// The Unicode scalars that are left, and behind them whatever an earlier text left.
  package private(set) var scalars: [UInt32] = []
  /// For each scalar, the byte of the text it begins at; one more for the end.
  package private(set) var places: [Int32] = []
  /// How many scalars there are.
  package private(set) var count = 0
  /// The places where words begin: behind no letter or digit, or glued behind a small letter with a
  /// capital; as many as ``startCount``, and behind them whatever an earlier text left.
  package private(set) var starts: [Int32] = []
  package private(set) var startCount = 0
  /// Whether a digit or a square is in the text, as in every result.
  package private(set) var mayShowResult = false

  package init() {}

  package mutating func read(_ bytes: [UInt8]) {
    // No scalar takes less than a byte, so there is space for all of them.
    if scalars.count < bytes.count {
      scalars = [UInt32](repeating: 0, count: max(1024, bytes.count))
      places = []
      starts = []
    }
    if places.count <= scalars.count {
      places = [Int32](repeating: 0, count: scalars.count + 1)
    }
    if starts.count < scalars.count { starts = [Int32](repeating: 0, count: scalars.count) }
    var scalars: [UInt32] = []
    var places: [Int32] = []
    var starts: [Int32] = []
    swap(&scalars, &self.scalars)
    swap(&places, &self.places)
    swap(&starts, &self.starts)
    (count, startCount, mayShowResult) = unsafe scalars.withUnsafeMutableBufferPointer { scalars in
      unsafe places.withUnsafeMutableBufferPointer { places in
        unsafe starts.withUnsafeMutableBufferPointer { starts in
          var writer = unsafe Writer(scalars: scalars, places: places, starts: starts)
          writer.read(bytes)
          return (writer.count, writer.startCount, writer.mayShowResult)
        }
      }
    }
    swap(&scalars, &self.scalars)
    swap(&places, &self.places)
    swap(&starts, &self.starts)
  }

  /// Forgets what is behind a place.
  package mutating func cut(at place: Int) {
    count = place
    while startCount > 0, Int(starts[startCount - 1]) >= place { startCount -= 1 }
  }

  /// Whether what is at a place was written with a capital, or has no case.
  package func isCapital(_ place: Int, _ bytes: [UInt8]) -> Bool {
    guard place < count else { return false }
    let scalar = scalars[place]
    if scalar < 0x80 { return bytes[Int(places[place])] &- 0x61 > 25 }
    return Unicode.Scalar(scalar).map { !$0.properties.isLowercase } ?? false
  }

  /// Writes scalars and places into space that is known to be enough.
  @safe
  private struct Writer {
    let scalars: UnsafeMutableBufferPointer<UInt32>
    let places: UnsafeMutableBufferPointer<Int32>
    let starts: UnsafeMutableBufferPointer<Int32>
    var count = 0
    var startCount = 0
    var mayShowResult = false
    /// Whether the character before is an ASCII letter or a digit, and whether it was written as a
    /// small letter.
    private var isInWord = false
    private var isBehindSmall = false

    init(
      scalars: UnsafeMutableBufferPointer<UInt32>,
      places: UnsafeMutableBufferPointer<Int32>,
      starts: UnsafeMutableBufferPointer<Int32>
    ) {
      unsafe self.scalars = scalars
      unsafe self.places = places
      unsafe self.starts = starts
    }

    @inline(__always)
    private mutating func append(_ scalar: UInt32, at place: Int) {
      unsafe scalars[count] = scalar
      unsafe places[count] = Int32(truncatingIfNeeded: place)
      count += 1
    }

    /// Takes note that a word may begin with the next character.
    @inline(__always)
    private mutating func begin() {
      unsafe starts[startCount] = Int32(truncatingIfNeeded: count)
      startCount += 1
    }

    /// Adds what was no ASCII letter: a character of which a word may begin with each.
    @inline(__always)
    private mutating func appendOther(_ scalar: UInt32, at place: Int, isWritten: Bool) {
      if isWritten || !isInWord { begin() }
      append(scalar, at: place)
      isBehindSmall = false
      isInWord = scalar &- 0x30 < 10 || scalar &- 0x61 < 26
      if scalar &- 0x30 < 10 || Symbols.isSquare(scalar) { mayShowResult = true }
    }

    mutating func read(_ bytes: [UInt8]) {
      var place = 0
      let end = bytes.count
      while place < end {
        let byte = bytes[place]
        if byte &- 0x61 < 26 {
          if !isInWord { begin() }
          append(UInt32(byte), at: place)
          (isInWord, isBehindSmall) = (true, true)
          place += 1
        } else if byte &- 0x41 < 26 {
          if !isInWord || isBehindSmall { begin() }
          append(UInt32(byte) + 32, at: place)
          (isInWord, isBehindSmall) = (true, false)
          place += 1
        } else if byte < 0x80 {
          switch byte {
          case 0x09, 0x0D, 0x3A, 0x5C:
            place = readSpecial(byte, at: place, of: bytes)
          default:
            appendOther(UInt32(byte), at: place, isWritten: false)
            place += 1
          }
        } else {
          let (scalar, length) = NormalText.decode(bytes, at: place)
          if let folded = NormalText.fold(scalar) {
            appendOther(folded, at: place, isWritten: true)
          }
          place += length
        }
      }
      unsafe places[count] = Int32(truncatingIfNeeded: end)
    }

    /// Reads what begins with an ASCII byte of a meaning, and answers where the next begins.
    private mutating func readSpecial(_ byte: UInt8, at place: Int, of bytes: [UInt8]) -> Int {
      switch byte {
      case UInt8(ascii: "\r"):
        let next = place + 1 < bytes.count ? bytes[place + 1] : 0
        if next != 0x0A, next != 0x0D { appendOther(0x0A, at: place, isWritten: false) }
        return place + 1
      case UInt8(ascii: "\t"):
        appendOther(0x20, at: place, isWritten: false)
        return place + 1
      case UInt8(ascii: "\\"):
        if place + 1 < bytes.count {
          if bytes[place + 1] == UInt8(ascii: "n") {
            appendOther(0x0A, at: place, isWritten: false)
            return place + 2
          }
          if bytes[place + 1] == UInt8(ascii: "r") { return place + 2 }
        }
      default:
        if let name = EmojiNames.find(in: bytes, at: place) {
          for scalar in name.scalars { appendOther(scalar, at: place, isWritten: false) }
          return place + name.length
        }
      }
      appendOther(UInt32(byte), at: place, isWritten: false)
      return place + 1
    }
  }

  /// The one form of `scalar`, or `nil` for what only changes how its neighbour looks.
  package static func fold(_ scalar: UInt32) -> UInt32? {
    // Squares and faces represent themselves.
    if scalar > 0x3000, scalar < 0xFE0E || scalar > 0x1F3FF { return scalar }
    return switch scalar {
    case 0x41...0x5A: scalar + 32
    case 0x09, 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: 0x20
    case 0xFE0E, 0xFE0F, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, 0x0D, 0x1F3FB...0x1F3FF: nil
    case 0xAD, 0x61C, 0x202A...0x202E, 0x2066...0x2069: nil
    case 0x660...0x669: scalar - 0x630
    case 0x6F0...0x6F9: scalar - 0x6C0
    case 0x966...0x96F: scalar - 0x936
    case 0x9E6...0x9EF: scalar - 0x9B6
    case 0xFF10...0xFF19: scalar - 0xFEE0
    // The Arabic marks of thousands and of the decimal point.
    case 0x66B: 0x2E
    case 0x66C: 0x2C
    case 0x2BB, 0x2BC, 0x2018, 0x2019: 0x27
    case 0xAB, 0xBB, 0x201C, 0x201D, 0x201E: 0x22
    case 0x5BE, 0x2010...0x2015: 0x2D
    case 0x2028, 0x2029, 0x85: 0x0A
    default: scalar
    }
  }

  /// The scalar at `place` and its length; a byte that begins none is U+FFFD.
  fileprivate static func decode(_ bytes: [UInt8], at place: Int) -> (UInt32, Int) {
    let first = UInt32(bytes[place])
    let length: Int
    var scalar: UInt32
    switch first {
    case 0xC2...0xDF: (length, scalar) = (2, first & 0x1F)
    case 0xE0...0xEF: (length, scalar) = (3, first & 0x0F)
    case 0xF0...0xF4: (length, scalar) = (4, first & 0x07)
    default: return (0xFFFD, 1)
    }
    guard place + length <= bytes.count else { return (0xFFFD, 1) }
    for index in 1..<length {
      let next = UInt32(bytes[place + index])
      guard next & 0xC0 == 0x80 else { return (0xFFFD, 1) }
      scalar = scalar << 6 | next & 0x3F
    }
    let isShortest = length == 2 || (length == 3 ? scalar >= 0x800 : scalar >= 0x10000)
    guard isShortest, scalar <= 0x10FFFF, !(0xD800...0xDFFF).contains(scalar) else {
      return (0xFFFD, 1)
    }
    return (scalar, length)
  }
}
