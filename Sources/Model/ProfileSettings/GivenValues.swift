package import JSONText

/// Values that a person gives variables beside a profile: `--set NAME=VALUE`.
package struct GivenValues: Hashable, Sendable {
  /// The text of each value, by the name of its variable.
  package let texts: [String: String]

  /// No value.
  package static let none = GivenValues([:])

  package init(_ texts: [String: String]) {
    self.texts = texts
  }

  /// The names that requests fill in, which a profile does not.
  private static let reserved: Set = [
    "account", "body", "collection", "columns", "entity", "fields", "id", "ids", "since", "version",
  ]

  /// Whether requests fill a name in, so that no person can.
  package static func isReserved(_ name: String) -> Bool { reserved.contains(name) }

  /// Refuses names that have a value already, each where it is `named`.
  package static func check(
    _ named: [(name: String, node: SettingNode)],
    credentials: [String],
    log: FaultLog
  ) {
    for (name, node) in named where reserved.contains(name) {
      log.add(
        at: node,
        "“{\(name)}” is filled in when a request is made, and takes no value",
        cure: "give the variable another name"
      )
    }
    for (name, node) in named where credentials.contains(name) {
      log.add(
        at: node,
        "“\(name)” is a credential, whose value no profile has",
        cure: "give it with --credential \(name)=file:PATH, or rename the variable"
      )
    }
  }

  /// The values as settings; each is of the kind of the value that it replaces, and text where that is no
  /// number and not true or false.
  ///
  /// - Parameters:
  ///   - declared: The values that hold otherwise; `null` for those that a person has to give.
  ///   - log: Takes values of another kind.
  /// - Returns: The values by the names of their variables.
  package func settings(
    replacing declared: [String: SettingNode],
    log: FaultLog
  ) -> [String: SettingNode] {
    var settings: [String: SettingNode] = [:]
    for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
      let place = Self.place(of: name, .null)
      guard let value = Self.value(text, replacing: declared[name]) else {
        log.add(
          at: place,
          "expected \(declared[name]?.kindName ?? "text") and found “\(text)”",
          cure: "write one in its place"
        )
        continue
      }
      settings[name] = Self.place(of: name, value)
    }
    return settings
  }

  private static func value(_ text: String, replacing declared: SettingNode?) -> JSONValue? {
    guard case .scalar(let scalar) = declared?.value else { return .string(text) }
    switch scalar {
    case .number: return JSONNumber(literal: text).map { .number($0) }
    case .boolean: return ["true": true, "false": false][text].map { .boolean($0) }
    case .null, .string, .array, .object: return .string(text)
    }
  }

  /// A value in the place that faults name.
  package static func place(of name: String, _ value: JSONValue = .null) -> SettingNode {
    SettingNode(value: .scalar(value), file: "--set \(name)", line: 0, pointer: "")
  }
}
