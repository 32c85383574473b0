/// Turns UTF-16 or UTF-32, in pieces of any size, into UTF-8, and refuses what is neither.
struct UnicodeTranscoder {
  private let width: Int
  private let isBigEndian: Bool
  /// The bytes of a unit whose end is in the next piece.
  private var begun: [UInt8] = []
  /// The first half of a surrogate pair.
  private var high: UInt32?

  /// Makes a transcoder, or `nil` for an encoding that needs none.
  init?(_ encoding: XMLEncoding) {
    switch encoding {
    case .utf8, .singleByte: return nil
    case .utf16BigEndian: (width, isBigEndian) = (2, true)
    case .utf16LittleEndian: (width, isBigEndian) = (2, false)
    case .utf32BigEndian: (width, isBigEndian) = (4, true)
    case .utf32LittleEndian: (width, isBigEndian) = (4, false)
    }
  }

  /// The piece as UTF-8, or `nil` when it holds what is no character.
  mutating func utf8(_ piece: [UInt8]) -> [UInt8]? {
    let bytes = begun.isEmpty ? piece : begun + piece
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var place = 0
    while place + width <= bytes.count {
      var unit: UInt32 = 0
      for index in 0..<width {
        unit = unit << 8 | UInt32(bytes[place + (isBigEndian ? index : width - 1 - index)])
      }
      place += width
      guard append(unit, to: &out) else { return nil }
    }
    begun = Array(bytes[place...])
    return out
  }

  /// Whether the document may end here: no unit and no pair is half.
  var isComplete: Bool { begun.isEmpty && high == nil }

  private mutating func append(_ unit: UInt32, to out: inout [UInt8]) -> Bool {
    if let first = high {
      guard (0xDC00...0xDFFF).contains(unit) else { return false }
      high = nil
      return appendScalar(0x10000 + (first - 0xD800) << 10 + (unit - 0xDC00), to: &out)
    }
    if width == 2, (0xD800...0xDBFF).contains(unit) {
      high = unit
      return true
    }
    return appendScalar(unit, to: &out)
  }

  private func appendScalar(_ value: UInt32, to out: inout [UInt8]) -> Bool {
    guard value != 0, let scalar = Unicode.Scalar(value) else { return false }
    if value < 0x80 {
      out.append(UInt8(value))
    } else {
      out.append(contentsOf: UTF8.encode(scalar) ?? .init())
    }
    return true
  }
}
