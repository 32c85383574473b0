import Crypto
package import JSONText
import TextCodecs

/// What a report keeps to itself.
///
/// Values of records are left out unless they are asked for. With a key, identities are replaced by
/// pseudonyms: the same record has the same pseudonym in every report made with that key, and
/// no one without the key can say which record it is. Paths become relative to a folder, so that
/// no report says on which machine it was made.
package struct ReportRedaction: Sendable {
  private let showsValues: Bool
  private let key: SymmetricKey?
  private let folder: String

  /// The fewest bytes a key for pseudonyms must have: fewer could be tried through.
  package static let shortestKey = 16

  /// - Parameters:
  ///   - showsValues: Whether words that may quote values are shown.
  ///   - key: The key for pseudonyms, or `nil` to show identities.
  ///   - folder: The folder that paths are made relative to.
  package init(showsValues: Bool, key: [UInt8]?, folder: String) {
    self.showsValues = showsValues
    self.key = key.map { SymmetricKey(data: $0) }
    self.folder = folder
  }

  /// Whether identities are replaced.
  package var hidesIdentities: Bool { key != nil }

  /// A stage's published form as a report may hold it.
  package func redacted(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(let elements): return .array(elements.map(redacted))
    case .object(let object):
      if object["code"]?.text != nil, object["cause"]?.text != nil { return finding(object) }
      var result = JSONObject()
      for member in object.members {
        let isPath = member.name == "path" || member.name == "package"
        if isPath, let text = member.value.text {
          result[member.name] = .string(path(text))
        } else if member.name == "code", object["count"] != nil, let text = member.value.text {
          // How many findings a rule has.
          result[member.name] = .string(code(text))
        } else if member.name == "value", object["kind"] != nil {
          // What a field holds, which is only in a report that shows values.
          result[member.name] = member.value
        } else if member.name == "account", let text = member.value.text {
          result[member.name] = .string(identity(text, of: nil))
        } else if member.name == "record", let text = member.value.text {
          result[member.name] = .string(identity(text, of: object["entity"]?.text))
        } else {
          result[member.name] = redacted(member.value)
        }
      }
      return .object(result)
    case .null, .boolean, .number, .string: return value
    }
  }

  /// A path relative to the folder; one that lies elsewhere is only its last name.
  package func path(_ text: String) -> String {
    guard text.hasPrefix("/") else {
      return text.hasPrefix("./") ? String(text.dropFirst(2)) : text
    }
    let base = folder.hasSuffix("/") ? folder : folder + "/"
    // Below the root lies every path of the machine.
    if base.count > 1, text.hasPrefix(base) { return String(text.dropFirst(base.count)) }
    return text.split(separator: "/").last.map(String.init) ?? text
  }

  /// Words about an error, without the folder they were said in; `nil` when identities are hidden.
  package func words(_ text: String) -> String? {
    guard !hidesIdentities else { return nil }
    let base = folder.hasSuffix("/") ? folder : folder + "/"
    return folder.count > 1 ? text.replacing(base, with: "") : text
  }

  /// The pseudonym of an identity, or the identity itself when there is no key.
  package func identity(_ text: String, of entity: String?) -> String {
    guard let key else { return text }
    let words = "\(entity?.utf8.count ?? 0):\(entity ?? "")\(text)"
    let code = HMAC<SHA256>.authenticationCode(for: Array(words.utf8), using: key)
    return "p-" + code.prefix(8).hexadecimal
  }

  /// The parts of a finding that the catalogue lets a report show; no other member of it is kept.
  private func finding(_ object: JSONObject) -> JSONValue {
    let text = object["code"]?.text ?? ""
    let rule = ReportRule(code: text)
    func part(_ name: String, _ redaction: ReportRule.Redaction) -> String? {
      object[name]?.text.flatMap { shows(redaction) ? $0 : nil }
    }
    var result: JSONObject = ["code": .string(code(text))]
    if let severity = object["severity"] { result["severity"] = severity }
    if rule.isListed || showsValues { keepPlace(of: object, in: &result) }
    result["cause"] = .string(part("cause", rule.cause) ?? rule.summary)
    if object["cure"] != nil { result["cure"] = .string(part("cure", rule.cure) ?? "") }
    if let pointer = object["pointer"]?.text {
      result["pointer"] = .string(self.pointer(pointer, rule.pointer, in: object))
    }
    if let file = part("file", rule.file) { result["file"] = .string(path(file)) }
    if let schema = result["schemaLocation"]?.text {
      result["schemaLocation"] = .string(Self.withoutFolder(schema))
    }
    return .object(result)
  }

  /// Keeps what every listed finding may show: which record it is about, under a pseudonym where
  /// identities are hidden, and where its rule is written.
  private func keepPlace(of object: JSONObject, in result: inout JSONObject) {
    for name in ["entity", "line", "number", "keyword", "keywordLocation", "schemaLocation"] {
      if let value = object[name] { result[name] = value }
    }
    if let record = object["record"]?.text {
      result["record"] = .string(identity(record, of: object["entity"]?.text))
    }
    if let place = object["place"], !hidesIdentities { result["place"] = place }
  }

  private func shows(_ redaction: ReportRule.Redaction) -> Bool {
    switch redaction {
    case .plain: true
    case .outermost, .identities: !hidesIdentities
    case .values: showsValues && !hidesIdentities
    }
  }

  /// The pointer as far as it may be shown.
  ///
  /// Where the place of the keyword is said, nothing else is needed.
  private func pointer(
    _ pointer: String,
    _ redaction: ReportRule.Redaction,
    in object: JSONObject
  ) -> String {
    if shows(redaction) { return pointer }
    guard redaction == .outermost, object["keywordLocation"] == nil else { return "" }
    return pointer.split(separator: "/").first.map { "/\($0)" } ?? ""
  }

  /// A code as it may be shown.
  private func code(_ text: String) -> String {
    ReportRule(code: text).isListed || Self.isCode(text) ? text : "unlisted.code"
  }

  /// Whether a text has the form of a code, so that it says nothing else.
  private static func isCode(_ text: String) -> Bool {
    text.utf8.count <= 64 && text.contains(".")
      && text.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      }
  }

  /// The address of a schema without the folder that its file lies in.
  private static func withoutFolder(_ address: String) -> String {
    guard address.hasPrefix("file:") else { return address }
    let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].split(separator: "/").last.map(String.init) ?? ""
    return parts.count > 1 ? "\(name)#\(parts[1])" : name
  }
}
