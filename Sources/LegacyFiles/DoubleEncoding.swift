/// Finds text that was UTF-8, was read as Windows-1252 or Latin-1, and was written as UTF-8 again.
///
/// An emoji begins with the bytes F0 9F, which that round turns into `ð` and `Ÿ` (or U+009F);
/// squares and keycaps begin with E2, which becomes `â` before another sign of those code pages.
/// No language writes these pairs. The exports of Facebook and Instagram are damaged so as a whole.
package enum DoubleEncoding {
  /// The first byte of the damage, or `nil`.
  package static func place(in bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    var place = 0
    let last = bytes.count - 3
    while place < last {
      guard bytes[place] == 0xC3 else {
        place += 1
        continue
      }
      let follows = (bytes[place + 1], bytes[place + 2], bytes[place + 3])
      switch follows {
      // U+00F0, then U+0178 or U+009F.
      case (0xB0, 0xC5, 0xB8), (0xB0, 0xC2, 0x9F): return place
      // U+00E2, then U+00AC or U+00AD: ⬛, ⬜ and their kind.
      case (0xA2, 0xC2, 0xAC), (0xA2, 0xC2, 0xAD): return place
      // U+00E2, then U+0192, which begins the keycap's sign U+20E3.
      case (0xA2, 0xC6, 0x92): return place
      // U+00EF, then U+00B8: a variation selector.
      case (0xAF, 0xC2, 0xB8): return place
      default: place += 1
      }
    }
    return nil
  }

  /// The text as it was before the round; `nil` where a character is of neither code page, or what
  /// comes out is not UTF-8: then bytes were lost.
  package static func repaired(_ bytes: [UInt8]) -> [UInt8]? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    var found: [UInt8] = []
    found.reserveCapacity(bytes.count)
    for scalar in text.unicodeScalars {
      if scalar.value < 0x100 {
        found.append(UInt8(scalar.value))
      } else if let byte = windows1252[scalar] {
        found.append(byte)
      } else {
        return nil
      }
    }
    return String(validating: found, as: UTF8.self) == nil ? nil : found
  }

  /// The characters of Windows-1252 that Latin-1 has not, from 0x80 on; 81, 8D, 8F, 90 and 9D are
  /// unused. https://encoding.spec.whatwg.org/index-windows-1252.txt
  private static let windows1252: [Unicode.Scalar: UInt8] = {
    let characters = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars
    return Dictionary(uniqueKeysWithValues: zip(characters, 0x80...0x9F))
  }()
}
