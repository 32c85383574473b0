/// Text with `{names}` in it.
struct Template {
  enum Part: Equatable {
    case text(Substring)
    case name(Substring)
  }

  let parts: [Part]

  init(_ text: String) {
    var parts: [Part] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      if open > rest.startIndex { parts.append(.text(rest[..<open])) }
      parts.append(.name(rest[rest.index(after: open)..<close]))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { parts.append(.text(rest)) }
    self.parts = parts
  }

  /// The names that have to be filled in.
  var names: [String] {
    parts.compactMap { part in
      guard case .name(let name) = part else { return nil }
      return String(name)
    }
  }

  /// The text with every name replaced, or `nil` when one has no value.
  func filled(_ value: (String) -> String?) -> String? {
    var text = ""
    for part in parts {
      switch part {
      case .text(let plain): text += plain
      case .name(let name):
        guard let value = value(String(name)) else { return nil }
        text += value
      }
    }
    return text
  }

  /// The text as one segment of a URL's path: all but RFC 3986's unreserved characters encoded.
  static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
