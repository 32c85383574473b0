/// A flag with the value it has, and where that came from.
package struct Setting: Hashable, Sendable {
  package let flag: Flag
  package let values: [String]
  package let origin: Origin

  /// Where a value came from, the strongest first.
  package enum Origin: Hashable, Sendable {
    case line
    /// The run that the line is about, by its name.
    case run(String)
    case variable(String)
    case file(path: String, line: Int)
    case fallback
    /// No one says, and the program decides by itself.
    case none
  }

  /// Whether a run, a variable or a file says it.
  package var isFromElsewhere: Bool {
    switch origin {
    case .run, .variable, .file: true
    case .line, .fallback, .none: false
    }
  }

  /// The words that say the same on a command line.
  package var words: [String] {
    if flag.isSwitch { return values == ["true"] ? ["--\(flag.key)"] : [] }
    return values.map { "--\(flag.key)=\($0)" }
  }

  /// The values as they may be shown: what might be a secret is not.
  package var shownValues: [String] {
    values.map { flag.isReference ? SecretReference.shown($0) : $0.withoutUserInfo }
  }
}

extension Setting.Origin: CustomStringConvertible {
  package var description: String {
    switch self {
    case .line: "the command line"
    case .run(let name): "run \(name)"
    case .variable(let name): name
    case .file(let path, let line): "\(path):\(line)"
    case .fallback: "default"
    case .none: "not set"
    }
  }
}

/// Words that say where a secret lies.
package enum SecretReference {
  /// Whether a value is `[NAME=]file:…`, `env:…` or `command:…`, or `NAME=ask`, and so no secret itself.
  static func isOne(_ value: String) -> Bool { place(of: value) != nil || isAsked(value) }

  /// Whether the secret is typed at the terminal.
  private static func isAsked(_ value: String) -> Bool { value.hasSuffix("=ask") }

  /// Whether the secret lies in a file.
  static func isFile(_ value: String) -> Bool {
    place(of: value).map { value[$0].hasPrefix("file:") } ?? false
  }

  /// Whether the secret is what a program prints.
  static func isCommand(_ value: String) -> Bool {
    place(of: value).map { value[$0].hasPrefix("command:") } ?? false
  }

  /// The value without what may be secret: a command may hold anything, and so may what is no
  /// reference at all.
  package static func shown(_ value: String) -> String {
    guard let place = place(of: value) else { return isAsked(value) ? value : "(not shown)" }
    let name = value[..<place.lowerBound]
    return value[place.lowerBound...].hasPrefix("command:") ? "\(name)command:…" : value
  }

  /// Where the reference begins, behind the name.
  private static func place(of value: String) -> Range<String.Index>? {
    let start = value.firstIndex(of: "=").map { value.index(after: $0) } ?? value.startIndex
    let isNamed = start > value.startIndex
    for candidate in isNamed ? [start, value.startIndex] : [start] {
      let rest = value[candidate...]
      if ["file:", "env:", "command:"].contains(where: { rest.hasPrefix($0) && rest != $0 }) {
        return candidate..<value.endIndex
      }
    }
    return nil
  }
}

extension String {
  /// An address without the name and password that a person may have written into it.
  fileprivate var withoutUserInfo: String {
    guard let scheme = firstRange(of: "://") else { return self }
    let rest = self[scheme.upperBound...]
    let host = rest.prefix { $0 != "/" }
    guard let at = host.lastIndex(of: "@") else { return self }
    return self[..<scheme.upperBound] + "…" + rest[at...]
  }
}
