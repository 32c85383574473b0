/// What is wrong with the bytes of a text, if anything.
enum TextFault {
  /// The first fault of several values that lie one behind the other, with the value's number.
  static func of(_ bytes: [UInt8], ends: [Int]) -> String? {
    if let zero = bytes.firstIndex(of: 0) {
      return "its value \(number(of: zero, ends)) holds a zero byte"
    }
    if bytes.allSatisfy({ $0 < 0x80 }) { return nil }
    var start = 0
    for (index, end) in ends.enumerated() {
      if String(validating: bytes[start..<end], as: UTF8.self) == nil {
        return "its value \(index + 1) is not UTF-8"
      }
      start = end
    }
    return nil
  }

  private static func number(of place: Int, _ ends: [Int]) -> Int {
    (ends.firstIndex { $0 > place } ?? 0) + 1
  }
}
