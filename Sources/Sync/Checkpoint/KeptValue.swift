package import LongTexts
import Records

/// A long text of which the checkpoint keeps the content, beside the values that have a stand-in for it.
package struct KeptText: Hashable, Sendable {
  package let text: LongText
  /// How many bytes it has in JSON's escapes.
  package let size: Int

  package init(_ text: LongText, size: Int) {
    self.text = text
    self.size = size
  }
}

/// A value as a column of the checkpoint has it, behind the long texts that it has stand-ins for.
///
/// A value that names none is as it was given. Where there are any, a zero byte comes first, which begins neither
/// JSON nor what is encrypted; then how many there are, and of each its SHA-256, how many bytes of UTF-8 it has
/// and how many in JSON's escapes. Numbers have 8 bytes, the lowest first. So an encrypted value shows, too,
/// which texts it needs.
package struct KeptValue: Hashable, Sendable {
  package let texts: [KeptText]
  package let value: [UInt8]

  private static let mark: UInt8 = 0
  private static let numberSize = 8
  private static let textSize = 32 + 2 * numberSize

  package init(_ value: [UInt8], naming texts: [KeptText]) {
    self.texts = texts
    self.value = value
  }

  /// Reads what a column has.
  package init(column bytes: [UInt8]) {
    guard bytes.first == Self.mark else {
      self.init(bytes, naming: [])
      return
    }
    var rest = bytes.dropFirst()
    var left = Self.number(&rest)
    var texts: [KeptText] = []
    while left > 0, rest.count >= Self.textSize, let digest = Digest(bytes: rest.prefix(32)) {
      rest = rest.dropFirst(32)
      let text = LongText(digest: digest, count: Self.number(&rest))
      texts.append(KeptText(text, size: Self.number(&rest)))
      left -= 1
    }
    self.init(Array(rest), naming: texts)
  }

  /// What a column has.
  package var column: [UInt8] {
    guard !texts.isEmpty else { return value }
    var column = [Self.mark] + Self.bytes(texts.count)
    for kept in texts {
      column += kept.text.digest.bytes + Self.bytes(kept.text.count) + Self.bytes(kept.size)
    }
    return column + value
  }

  private static func bytes(_ number: Int) -> [UInt8] {
    (0..<numberSize).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Takes a number from the front.
  private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int {
    defer { bytes = bytes.dropFirst(numberSize) }
    return bytes.prefix(numberSize).reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
