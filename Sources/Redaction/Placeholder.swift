import Patterns

/// A text in the place of another, of the same shape: blank or not, of a like length, of the same kind,
/// and still what the schema allows, where that can be.
///
/// | the text | represents it |
/// |---|---|
/// | is empty or blank | itself |
/// | is one of those that a schema lists | another one of them, or the same |
/// | a UUID, a date, a time, an address of mail or of the web | another one of the kind |
/// | hexadecimal or decimal digits, Base64 | as many others |
/// | any other | a code and letters, up to the next power of two in length |
struct Placeholder {
  let pseudonyms: Pseudonyms

  private static let longest = 1 << 16

  func text(for text: String, _ hints: SchemaHints?) -> String {
    guard text.contains(where: { !$0.isWhitespace }) else { return text }
    let choices = hints?.choices ?? []
    if !choices.isEmpty {
      let place = pseudonyms.number(text, in: "choice", below: UInt64(choices.count))
      return choices[Int(place)]
    }
    let plain = shaped(text) ?? formatted(text, hints) ?? filled(text, hints)
    guard let hints, !hints.patterns.isEmpty else { return plain }
    return [plain, mapped(text)].first { matches($0, hints.patterns) } ?? plain
  }

  private func matches(_ text: String, _ patterns: [String]) -> Bool {
    // Of several, each may belong to another alternative.
    patterns.contains { source in
      guard let pattern = try? Pattern(source) else { return false }
      return (try? pattern.matches(text)) == true
    }
  }

  // MARK: - By the kind of the text

  private func shaped(_ text: String) -> String? {
    if let known = uuid(for: text) ?? rowAddress(for: text) { return known }
    if text.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil { return day(text) }
    if let parts = text.wholeMatch(
      of: /\d{4}-\d\d-\d\d([Tt ])\d\d:\d\d:\d\d(\.\d+)?(Z|z|[+-]\d\d:\d\d)?/
    ) {
      let fraction = parts.output.2.map { "." + decimals(text, count: $0.count - 1) } ?? ""
      let zone = parts.output.3.map { $0.count == 1 ? String($0) : "+00:00" } ?? ""
      return "\(day(text))\(parts.output.1)\(time(text))\(fraction)\(zone)"
    }
    if text.wholeMatch(of: /\d\d:\d\d:\d\d/) != nil { return time(text) }
    if Self.isMail(text) {
      return "p\(pseudonyms.digits(text, in: "mail", count: 12))@example.com"
    }
    if let parts = text.wholeMatch(of: /([A-Za-z][A-Za-z0-9+.\-]*):\/\/\S*/) {
      return "\(parts.output.1)://example.com/\(pseudonyms.digits(text, in: "address", count: 12))"
    }
    if text.wholeMatch(of: /[0-9]+/) != nil { return decimals(text, count: text.count) }
    if text.count >= 8, text.count.isMultiple(of: 2),
      text.wholeMatch(of: /[0-9a-f]+|[0-9A-F]+/) != nil
    {
      let digits = pseudonyms.digits(text, in: "digits", count: text.count)
      return text.contains(where: \.isUppercase) ? digits.uppercased() : digits
    }
    if text.count >= 16, text.count.isMultiple(of: 4),
      text.wholeMatch(of: /[A-Za-z0-9+\/]+={0,2}/) != nil
    {
      return String(repeating: "A", count: min(lengthClass(text.count), Self.longest))
    }
    return nil
  }

  /// Whether the text is `name@place.end`, found in one pass.
  private static func isMail(_ text: String) -> Bool {
    let parts = text.split(separator: "@", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return false }
    return parts[1].dropFirst().dropLast().contains { $0 == "." }
      && !text.contains(where: \.isWhitespace)
  }

  /// The UUID in the place of another; `nil` for a text that is not one.
  func uuid(for text: String) -> String? {
    text.wholeMatch(
      of: /[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}/
    ) == nil ? nil : uuid(text)
  }

  /// The address of a row, as Core Data writes it, in the place of another; `nil` for any other text.
  func rowAddress(for text: String) -> String? {
    guard let parts = text.wholeMatch(of: /x-coredata:\/\/[^\/]+\/([^\/]+)\/p[0-9]+/) else {
      return nil
    }
    let row = 1 + pseudonyms.number(text, in: "identity", below: 1 << 48)
    return "x-coredata://redacted/\(parts.output.1)/p\(row)"
  }

  private func uuid(_ text: String) -> String {
    var digits = Array(pseudonyms.digits(text.uppercased(), in: "uuid", count: 32))
    digits[12] = "4"
    digits[16] = "8"
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
    let uuid = parts.joined(separator: "-")
    return text.contains(where: \.isLowercase) ? uuid : uuid.uppercased()
  }

  private func day(_ text: String) -> String {
    let code = pseudonyms.code(text, in: "day")
    return "20\(two(code[0] % 20))-\(two(1 + code[1] % 12))-\(two(1 + code[2] % 28))"
  }

  private func time(_ text: String) -> String {
    let code = pseudonyms.code(text, in: "time")
    return "\(two(code[0] % 24)):\(two(code[1] % 60)):\(two(code[2] % 60))"
  }

  private func two(_ number: UInt8) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private func decimals(_ text: String, count: Int) -> String {
    let code = pseudonyms.code(text, in: "digits")
    return (0..<count).map { place in
      let digit = code[place % code.count] % 9
      return String(place == 0 ? digit + 1 : digit)
    }.joined()
  }

  // MARK: - By what the schema says

  private func formatted(_ text: String, _ hints: SchemaHints?) -> String? {
    for format in hints?.formats ?? [] {
      switch format {
      case "uuid": return uuid(text.lowercased())
      case "date": return day(text)
      case "date-time": return "\(day(text))T\(time(text))Z"
      case "time": return "\(time(text))Z"
      case "email", "idn-email":
        return "p\(pseudonyms.digits(text, in: "mail", count: 12))@example.com"
      case "uri", "iri", "uri-reference":
        return "https://example.com/\(pseudonyms.digits(text, in: "address", count: 12))"
      default: continue
      }
    }
    return nil
  }

  // MARK: - Of no kind

  private func filled(_ text: String, _ hints: SchemaHints?) -> String {
    let own = text.unicodeScalars.count
    var count = min(lengthClass(own), Self.longest)
    // A text that was too long or too short for its schema stays so.
    if let longest = hints?.longest {
      count = own <= longest ? min(count, longest) : max(count, longest + 1)
    }
    if let shortest = hints?.shortest, own >= shortest { count = max(count, shortest) }
    let code = pseudonyms.digits(text, in: "text", count: min(count, 12))
    return code + String(repeating: "x", count: max(0, count - code.count))
  }

  /// The next power of two: how long a text is, and no more.
  private func lengthClass(_ count: Int) -> Int {
    var length = 1
    while length < count { length *= 2 }
    return length
  }

  /// The text with each letter and each digit exchanged, and its marks where they were.
  private func mapped(_ text: String) -> String {
    let code = pseudonyms.code(text, in: "letters")
    var mapped = ""
    for (place, character) in text.enumerated() {
      let number = code[place % code.count]
      switch character {
      case "0"..."9": mapped += String(number % 10)
      // What may be a hexadecimal digit stays one.
      case "a"..."f": mapped.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "a") + number % 6))
      case "A"..."F": mapped.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "A") + number % 6))
      case "g"..."z": mapped.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "g") + number % 20))
      case "G"..."Z": mapped.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "G") + number % 20))
      case _ where character.isASCII: mapped.append(character)
      default: mapped.append("x")
      }
    }
    return mapped
  }
}
