package import DestinationModel
import TextCodecs

/// What must not appear in any message: the credentials and tokens that were in use.
///
/// A secret is found as it is, and as an address or base64 would spell it, in letters of either case and
/// with white space or controls between them.
package struct Redaction: Sendable {
  private(set) var secrets: Set<Secret> = []
  /// How the secrets may be spelled, squeezed, the longest first.
  private var spellings: [[UInt8]] = []

  package init() {}

  /// Adds a secret; one too short to be distinguished from ordinary words is left out.
  package mutating func add(_ secret: Secret) {
    guard secret.exposed.utf8.count >= 4, secrets.insert(secret).inserted else { return }
    let found = Set(Self.spellings(of: secret.exposed)).union(spellings)
    spellings = found.sorted { $0.count > $1.count }
  }

  /// The text with every secret replaced.
  package func redacted(_ text: String) -> String {
    guard !secrets.isEmpty else { return text }
    let scalars = Array(text.unicodeScalars)
    // What is compared: each byte with the scalar that it comes from.
    var bytes: [UInt8] = []
    var places: [Int] = []
    for (place, scalar) in scalars.enumerated() {
      for byte in Self.squeezed(scalar) {
        bytes.append(byte)
        places.append(place)
      }
    }
    var hidden = [Bool](repeating: false, count: scalars.count)
    for spelling in spellings {
      var start = 0
      while let found = Self.first(spelling, in: bytes, from: start) {
        for place in places[found]...places[found + spelling.count - 1] { hidden[place] = true }
        start = found + spelling.count
      }
    }
    guard hidden.contains(true) else { return text }
    var redacted = ""
    for (place, scalar) in scalars.enumerated() {
      if !hidden[place] {
        redacted.unicodeScalars.append(scalar)
      } else if place == 0 || !hidden[place - 1] {
        redacted += Secret("").description
      }
    }
    return redacted
  }

  /// What another device wrote, with every secret replaced, before it is cut to a length and all is escaped
  /// that could steer a terminal: a secret of which a part was cut off would not be found any more.
  package func printable(_ text: String, limit: Int = ServerMessage.longestText) -> String {
    // More than is shown, and more than any secret is long.
    let part = String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit + 16_384)))
    return ServerMessage.printable(redacted(part), limit: limit)
  }

  // MARK: - Spellings

  /// A scalar as it is compared: none for white space and controls, a small letter for a capital one.
  private static func squeezed(_ scalar: Unicode.Scalar) -> [UInt8] {
    switch scalar.value {
    case 0...0x20, 0x7F...0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: []
    case UInt32(UInt8(ascii: "A"))...UInt32(UInt8(ascii: "Z")): [UInt8(scalar.value) + 0x20]
    case ..<0x80: [UInt8(scalar.value)]
    default: Array(String(scalar).utf8)
    }
  }

  private static func squeezed(_ text: some StringProtocol) -> [UInt8] {
    text.unicodeScalars.flatMap { squeezed($0) }
  }

  private static func spellings(of text: String) -> [[UInt8]] {
    var spellings = [
      squeezed(text),
      squeezed(PercentCoding.encoded(text, .lower, plain: PercentCoding.isUnreserved)),
      squeezed(PercentCoding.encoded(text, .lower) { _ in false }),
    ]
    let bytes = Array(text.utf8)
    // In base64 a text looks different at each of three places; its ends depend on its neighbours.
    for before in 0..<3 {
      let encoded = Base64.text([UInt8](repeating: 0, count: before) + bytes)
      let whole = encoded.prefix { $0 != "=" }
      let kept = whole.dropFirst(before == 0 ? 0 : before + 1).dropLast(bytes.isEmpty ? 0 : 1)
      guard kept.count >= 6 else { continue }
      spellings.append(squeezed(kept))
      let forAddresses = kept.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
      spellings.append(squeezed(String(forAddresses)))
    }
    return spellings.filter { $0.count >= 4 }
  }

  private static func first(_ pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard let head = pattern.first, bytes.count >= pattern.count else { return nil }
    var place = start
    while place <= bytes.count - pattern.count {
      if bytes[place] == head, bytes[place..<place + pattern.count].elementsEqual(pattern) {
        return place
      }
      place += 1
    }
    return nil
  }
}
