import Crypto
package import JSONText

/// What a report keeps to itself.
///
/// Values of records are left out unless they are asked for. With a key, identities are replaced by
/// pseudonyms: the same record has the same pseudonym in every report made with that key, and
/// nobody without the key can tell which record it is. Paths become relative to a folder, so that
/// no report says on which machine it was made.
package struct ReportDiscretion: Sendable {
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
  package func discreet(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(let elements): return .array(elements.map(discreet))
    case .object(let object):
      if object["code"]?.text != nil, object["cause"]?.text != nil { return finding(object) }
      var result = JSONObject()
      for member in object.members {
        let isPath = member.name == "path" || member.name == "package"
        if isPath, let text = member.value.text {
          result[member.name] = .string(path(text))
        } else {
          result[member.name] = discreet(member.value)
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
    return "p-" + Array(code).prefix(8).hexadecimal
  }

  private func finding(_ object: JSONObject) -> JSONValue {
    var result = object
    let rule = ReportRule(code: object["code"]?.text ?? "")
    result["cause"] = .string(cause(object["cause"]?.text ?? "", of: rule))
    if let record = object["record"]?.text {
      result["record"] = .string(identity(record, of: object["entity"]?.text))
    }
    if let file = object["file"]?.text { result["file"] = .string(path(file)) }
    return .object(result)
  }

  private func cause(_ text: String, of rule: ReportRule) -> String {
    switch rule.discretion {
    case .plain: return text
    case .identities: return hidesIdentities ? rule.summary : text
    case .values:
      guard !showsValues || hidesIdentities else { return text }
      if rule.code.hasPrefix("schema."), let end = text.firstRange(of: ", found ") {
        return String(text[..<end.lowerBound])
      }
      return rule.summary
    }
  }
}

extension Sequence<UInt8> {
  /// Two digits for each byte.
  var hexadecimal: String {
    map { byte in
      let text = String(byte, radix: 16)
      return byte < 16 ? "0" + text : text
    }.joined()
  }
}
