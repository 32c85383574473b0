import Crypto
import JSONText
import TextCodecs

/// One store of a fleet, as a line of the list says.
package struct FleetEntry: Hashable, Sendable {
  /// What it is called: the line's `name`, or the store as the line has it.
  package let name: String
  package let store: String
  package let profile: String?
  package let destination: String?
  /// `NAME=file:PATH`, `NAME=env:VAR` or `NAME=command:CMD`; never a secret.
  package let credentials: [String]
  /// `NAME=VALUE` for variables of the profile.
  package let values: [String]
  /// The account that has to be signed in.
  package let account: String?
  /// The line's place in the list, from one.
  package let line: Int

  private static let members: Set<String> = [
    "store", "name", "profile", "to", "credentials", "set", "account",
  ]

  /// Reads one line, seen from `folder`; `nil` for one that is empty or a remark.
  ///
  /// - Throws: ``FleetError/badLine(list:line:reason:cure:)``.
  init?(
    _ text: String,
    line: Int,
    list: String,
    folder: String
  ) throws(FleetError) {
    let text = text.trimmedOfSpaces
    guard !text.isEmpty, !text.hasPrefix("#") else { return nil }
    func refuse(_ reason: String) -> FleetError {
      .badLine(
        list: list,
        line: line,
        reason: reason,
        cure: "write the path of a store, or an object with store and, where they differ, name, "
          + "profile, to, credentials, set, account"
      )
    }
    func placed(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }
    guard text.hasPrefix("{") else {
      (name, store, self.line) = (text, placed(text), line)
      (profile, destination, credentials, values, account) = (nil, nil, [], [], nil)
      return
    }
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: text) } catch {
      throw refuse("it is not a JSON object: \(error)")
    }
    guard let store = value["store"]?.text, !store.isEmpty else {
      throw refuse("it names no store")
    }
    for member in value.object?.members ?? [] where !Self.members.contains(member.name) {
      throw refuse("“\(member.name)” is not known")
    }
    func word(_ name: String) throws(FleetError) -> String? {
      guard let value = value[name], !value.isNull else { return nil }
      guard let text = value.text, !text.isEmpty else { throw refuse("“\(name)” is not a text") }
      return text
    }
    name = try word("name") ?? store
    self.store = placed(store)
    profile = try word("profile").map(placed)
    destination = try word("to")
    credentials = try Self.credentials(value["credentials"], folder: folder, refuse)
    values = try Self.values(value["set"], refuse)
    account = try word("account")
    self.line = line
  }

  private static func credentials(
    _ value: JSONValue?,
    folder: String,
    _ refuse: (String) -> FleetError
  ) throws(FleetError) -> [String] {
    guard let value, !value.isNull else { return [] }
    guard let object = value.object else { throw refuse("“credentials” is not an object") }
    var words: [String] = []
    for member in object.members {
      let kinds = ["file:", "env:", "command:"]
      guard let place = member.value.text, kinds.contains(where: place.hasPrefix) else {
        throw refuse("the credential “\(member.name)” is not file:PATH, env:VAR or command:CMD")
      }
      let path = place.dropFirst("file:".count)
      let isSeenFromList = place.hasPrefix("file:") && !path.hasPrefix("/")
      words.append("\(member.name)=" + (isSeenFromList ? "file:\(folder)/\(path)" : place))
    }
    return words
  }

  private static func values(
    _ value: JSONValue?,
    _ refuse: (String) -> FleetError
  ) throws(FleetError) -> [String] {
    guard let value, !value.isNull else { return [] }
    guard let object = value.object else { throw refuse("“set” is not an object") }
    var words: [String] = []
    for member in object.members {
      guard let text = member.value.settingText, !member.name.isEmpty,
        !member.name.contains("=")
      else { throw refuse("the value “\(member.name)” is not a text or a number") }
      words.append("\(member.name)=\(text)")
    }
    return words
  }

  /// A number made of the name, the same on every machine: the first 8 bytes of its SHA-256.
  package var hash: UInt64 {
    SHA256.hash(data: Array(name.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The name of the folder for everything about this store.
  package var folderName: String {
    let plain = name.unicodeScalars.suffix(40).map { scalar -> Character in
      let isPlain =
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
        || ("0"..."9").contains(scalar)
      return isPlain ? Character(scalar) : "-"
    }
    return String(plain) + "-" + Hexadecimal.text(hash)
  }

  /// What the line says, the same for the same; a result holds for it only.
  package var text: String {
    ([store, profile ?? "", destination ?? "", account ?? ""] + credentials + values)
      .map { "\($0.utf8.count):\($0)" }.joined()
  }
}

extension String {
  fileprivate var trimmedOfSpaces: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}

extension JSONValue {
  /// A text, a number in its own spelling, true or false; `nil` for anything else.
  fileprivate var settingText: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.literal
    case .boolean(let flag): "\(flag)"
    case .null, .array, .object: nil
    }
  }
}
