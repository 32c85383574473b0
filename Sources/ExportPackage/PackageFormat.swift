/// A version of the package's form: `major.minor`.
package struct PackageFormat: Hashable, Sendable, CustomStringConvertible {
  package let major: Int
  package let minor: Int

  /// The format that this program writes.
  package static let current = PackageFormat(major: 1, minor: 0)

  package init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Takes two numbers without leading zeros and a point between them.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let major = Self.number(parts[0]), let minor = Self.number(parts[1])
    else { return nil }
    self.init(major: major, minor: minor)
  }

  private static func number(_ text: Substring) -> Int? {
    guard text.utf8.count <= 6, text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
      text == "0" || !text.hasPrefix("0")
    else { return nil }
    return Int(text)
  }

  package var description: String { "\(major).\(minor)" }
}
