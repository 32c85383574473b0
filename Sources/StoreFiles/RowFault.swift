/// A row of a file that cannot be read, and why.
package struct RowFault: Hashable, Sendable, CustomStringConvertible {
  /// The document, where the source is a folder of them.
  package let file: String?
  /// The line on which the row begins, counted from one.
  package let line: Int
  package let reason: String
  /// Whether its bytes are text in another encoding than UTF-8.
  package let isOfEncoding: Bool

  /// What a person can do about text that is not UTF-8.
  package static let cureOfEncoding =
    "if the text is Latin-1, convert a copy: iconv -f ISO-8859-1 -t UTF-8"

  package init(file: String? = nil, line: Int, reason: String, isOfEncoding: Bool = false) {
    self.file = file
    self.line = line
    self.reason = reason
    self.isOfEncoding = isOfEncoding
  }

  package var description: String {
    (file.map { "\($0), " } ?? "") + "line \(line): \(reason)"
  }
}

/// The rows of a file that cannot be read: all of them counted, and the first ones named.
package struct RowFaults {
  package private(set) var named: [RowFault] = []
  package private(set) var count = 0

  static let mostNamed = 100

  package init() {}

  package mutating func add(_ fault: RowFault) {
    count += 1
    if named.count < Self.mostNamed { named.append(fault) }
  }

  package mutating func add(_ faults: RowFaults) {
    named += faults.named.prefix(Self.mostNamed - named.count)
    count += faults.count
  }
}
