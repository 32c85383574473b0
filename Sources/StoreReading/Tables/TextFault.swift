import LongTexts
import Records

/// What is wrong with the bytes of a text, if anything.
struct TextFault {
  let words: String
  /// Whether the bytes are text in another encoding than UTF-8.
  var isOfEncoding = false

  /// The first fault of several values that lie one behind the other, with the value's number.
  static func of(_ bytes: [UInt8], ends: [Int]) -> TextFault? {
    if let zero = bytes.firstIndex(of: 0) {
      return TextFault(words: zeroByte(inValue: ends.firstIndex { $0 > zero } ?? 0))
    }
    if bytes.allSatisfy({ $0 < 0x80 }) { return nil }
    var start = 0
    for (index, end) in ends.enumerated() {
      if String(validating: bytes[start..<end], as: UTF8.self) == nil {
        return TextFault(words: "its value \(index + 1) is not UTF-8", isOfEncoding: true)
      }
      start = end
    }
    return nil
  }

  /// The fault of a name that has a stand-in.
  static func of(name: some BidirectionalCollection<UInt8>) -> String? {
    guard name.starts(with: LongText.mark) else { return nil }
    let count = LongText(standIn: name)?.count ?? name.count
    return count > LongText.mostHeld ? tooLong : marked
  }

  /// The fault of a name as it is, which has no stand-in yet.
  static func of(wholeName name: [UInt8]) -> String? {
    guard name.count <= LongText.mostHeld else { return tooLong }
    return name.starts(with: LongText.mark) ? marked : nil
  }

  private static let tooLong = "a name has more than \(LongText.mostHeld >> 10) KiB"
  private static let marked = "a name begins with U+FDD0"

  /// The fault of a value, counted from zero, that holds a zero byte.
  static func zeroByte(inValue number: Int) -> String {
    "its value \(number + 1) holds a zero byte"
  }
}
