import JSONText

/// Every verb and flag of the program as data: what its settings and its suggestions are made from.
package struct CommandCatalogue: Hashable, Sendable {
  /// The program itself, with its verbs.
  package let root: Verb

  /// Reads what the argument parser says about its commands (`--experimental-dump-help`).
  package init(dump: String) throws(SettingsError) {
    root = try Verb(dump: dump, above: [])
  }

  /// Reads what the argument parser says about one verb, of which alone this catalogue then knows.
  ///
  /// - Parameters:
  ///   - dump: The description of the verb.
  ///   - path: The words that call it, the program first.
  /// - Throws: ``SettingsError`` for what is no description.
  package init(dump: String, of path: [String]) throws(SettingsError) {
    var verb = try Verb(dump: dump, above: path.dropLast())
    for length in (1..<path.count).reversed() {
      verb = Verb(
        path: Array(path.prefix(length)),
        flags: [],
        operands: [],
        verbs: [verb]
      )
    }
    root = verb
  }

  /// Every verb that does something, in the order in which help lists them.
  package var leaves: [Verb] { root.leaves }

  /// Each flag that can be set otherwise, once, in the order of the alphabet.
  package var settings: [Flag] {
    var found: [String: Flag] = [:]
    for verb in [root] + root.descendants {
      for flag in verb.flags where flag.isSetting && found[flag.key] == nil {
        found[flag.key] = flag
      }
    }
    return found.values.sorted { $0.key < $1.key }
  }
}

/// The program, or one of its verbs.
package struct Verb: Hashable, Sendable {
  /// The words that call it, the program first.
  package let path: [String]
  package let flags: [Flag]
  package let operands: [Operand]
  package let verbs: [Verb]
  /// The verb below that a line means which names none of them; `nil` where each has to be named.
  package let defaultName: String?

  package init(
    path: [String],
    flags: [Flag],
    operands: [Operand],
    verbs: [Verb],
    defaultName: String? = nil
  ) {
    self.path = path
    self.flags = flags
    self.operands = operands
    self.verbs = verbs
    self.defaultName = defaultName
  }

  /// What is on the line without a flag.
  package struct Operand: Hashable, Sendable {
    package let name: String
    package let isOptional: Bool
  }

  package var name: String { path.last ?? "" }

  /// The words that call it, without the program.
  package var words: String { path.dropFirst().joined(separator: " ") }

  package func flag(_ key: String) -> Flag? { flags.first { $0.key == key } }

  package func verb(_ name: String) -> Verb? { verbs.first { $0.name == name } }

  /// The verb that a line means where no word names one: the default, where that takes operands.
  var usualVerb: Verb? {
    defaultName.flatMap { verb($0) }.flatMap { $0.operands.isEmpty ? nil : $0 }
  }

  /// All verbs below this one.
  var descendants: [Verb] { verbs.flatMap { [$0] + $0.descendants } }

  var leaves: [Verb] { verbs.isEmpty ? [self] : verbs.flatMap(\.leaves) }
}

/// A flag of a verb, with or without a value.
package struct Flag: Hashable, Sendable {
  /// Its long name without hyphens, which is also its key in a settings file.
  package let key: String
  /// Its names as they are typed.
  package let names: [String]
  package let isSwitch: Bool
  package let isRepeating: Bool
  package let valueName: String
  package let defaultValue: String?
  /// Whether its value names a file or folder.
  package let isPath: Bool

  /// The environment variable that represents it.
  package var variable: String {
    "FERRY_" + key.uppercased().replacing("-", with: "_")
  }

  /// Whether it can be given by a variable or a file; `--help` and `--version` cannot.
  package var isSetting: Bool { !["help", "version"].contains(key) }

  /// Whether its values say where a secret lies, and must never hold one.
  package var isReference: Bool { ["credential", "pseudonyms"].contains(key) }

  /// Whether each of its values has a name in front, of which the later value holds.
  var isNamed: Bool { isReference || key == "set" }
}

// MARK: - Reading the parser's description

extension Verb {
  fileprivate init(dump: String, above: some Sequence<String>) throws(SettingsError) {
    do throws(JSONError) {
      let value = try JSONValue(parsing: dump)
      self.init(value["command"] ?? .null, above: Array(above))
    } catch {
      throw SettingsError(place: "the program's own description", reason: "\(error)")
    }
  }

  fileprivate init(_ value: JSONValue, above: [String]) {
    let path = above + [value["commandName"]?.text ?? ""]
    let arguments = value["arguments"]?.array ?? []
    let shown = arguments.filter { $0["shouldDisplay"]?.boolean != false }
    self.init(
      path: path,
      flags: shown.filter { $0["kind"]?.text != "positional" }.map(Flag.init),
      operands: shown.filter { $0["kind"]?.text == "positional" }.map(Operand.init),
      verbs: (value["subcommands"]?.array ?? [])
        .filter { $0["commandName"]?.text != "help" && $0["shouldDisplay"]?.boolean != false }
        .map { Verb($0, above: path) },
      defaultName: value["defaultSubcommand"]?.text
    )
  }
}

extension Verb.Operand {
  fileprivate init(_ value: JSONValue) {
    self.init(
      name: value["valueName"]?.text ?? "",
      isOptional: value["isOptional"]?.boolean ?? false
    )
  }
}

extension Flag {
  fileprivate init(_ value: JSONValue) {
    let names = value["names"]?.array ?? []
    let preferred = value.value(at: "/preferredName/name")?.text ?? ""
    let completion = value["completionKind"]
    self.init(
      key: preferred,
      names: names.map { name in
        (name["kind"]?.text == "short" ? "-" : "--") + (name["name"]?.text ?? "")
      },
      isSwitch: value["kind"]?.text == "flag",
      isRepeating: value["isRepeating"]?.boolean ?? false,
      valueName: value["valueName"]?.text ?? preferred,
      defaultValue: value["defaultValue"]?.text,
      isPath: completion?["file"] != nil || completion?["directory"] != nil
    )
  }
}
