import Files
import JSONText
import Yams

/// A settings file while it is read: what it says, and everything that is wrong with it.
struct SettingsReading {
  let path: String
  let catalogue: CommandCatalogue
  private(set) var general: [String: SettingsFile.Entry] = [:]
  private(set) var sections: [String: [String: SettingsFile.Entry]] = [:]
  private(set) var faults: [SettingsError.Fault] = []

  /// The most faults that are informed of a file; one that has more is another program's.
  private static let mostFaults = 100

  init(path: String, catalogue: CommandCatalogue) {
    self.path = path
    self.catalogue = catalogue
  }

  mutating func readRoot(_ root: Node) {
    guard !refusesTag(of: root) else { return }
    guard case .mapping(let mapping) = root else {
      // A file with nothing but remarks says nothing.
      if root.scalar?.string.isEmpty != true {
        fault(root, "keys and values are expected", "write them like “rate: 5”")
      }
      return
    }
    read(mapping, below: catalogue.root)
  }

  private mutating func read(_ mapping: Node.Mapping, below verb: Verb) {
    for (key, value) in mapping {
      guard faults.count < Self.mostFaults else { return }
      read(key, value, below: verb)
    }
  }

  /// Reads a key: a flag, or a verb with a section of its own.
  private mutating func read(_ key: Node, _ value: Node, below verb: Verb) {
    guard let name = key.scalar?.string else {
      return fault(key, "a key is not a word", "name a flag, without its hyphens")
    }
    guard !refusesTag(of: key), !refusesTag(of: value) else { return }
    if case .mapping(let mapping) = value, let inner = verb.verb(name) {
      return read(mapping, below: inner)
    }
    let isRoot = verb.path.count == 1
    let flags = (isRoot ? catalogue.settings : verb.flags).filter {
      $0.isSetting && $0.key != "config"
    }
    guard let flag = flags.first(where: { $0.key == name }) else {
      return unknown(key, name, flags: flags, verb: verb)
    }
    guard let values = values(of: value, for: flag) else { return }
    let entry = SettingsFile.Entry(values: values, line: key.mark?.line ?? 1)
    if isRoot { general[name] = entry } else { sections[verb.words, default: [:]][name] = entry }
  }

  private mutating func unknown(_ key: Node, _ name: String, flags: [Flag], verb: Verb) {
    let known = flags.map(\.key) + verb.verbs.map(\.name)
    let place = verb.path.count == 1 ? "" : " of \(verb.words)"
    let isFlag = catalogue.settings.contains { $0.key == name && $0.key != "config" }
    fault(
      key,
      "“\(name)” is not a setting\(place)" + NearestWord.question(name, among: known),
      isFlag && verb.path.count > 1
        ? "\(verb.words) has no such flag; remove it, or write it outside the section"
        : "correct or remove it; `ferry config` lists the settings"
    )
  }

  private mutating func values(of node: Node, for flag: Flag) -> [String]? {
    let nodes: [Node]
    switch node {
    case .sequence(let elements) where flag.isRepeating: nodes = Array(elements)
    case .scalar: nodes = [node]
    case .sequence:
      fault(node, "“\(flag.key)” takes one value, not a list", "write one value")
      return nil
    case .mapping, .alias:
      fault(node, "“\(flag.key)” takes a value, not a section", "write the value behind the colon")
      return nil
    }
    var values: [String] = []
    for node in nodes {
      guard !refusesTag(of: node), let value = value(of: node, for: flag) else { return nil }
      values.append(value)
    }
    return values
  }

  private mutating func value(of node: Node, for flag: Flag) -> String? {
    guard let scalar = node.scalar, !scalar.isNothing else {
      fault(node, "“\(flag.key)” has no value", "write one, or remove the key")
      return nil
    }
    let text = scalar.string
    if flag.isSwitch {
      guard let isOn = SettingSources.boolean(text) else {
        fault(node, "“\(flag.key)” is on or off, not “\(text)”", "write true or false")
        return nil
      }
      return isOn ? "true" : "false"
    }
    if flag.isReference, !SecretReference.isOne(text) {
      // What is there may be the secret itself, and is not repeated.
      fault(
        node,
        "“\(flag.key)” has to say where the secret lies",
        "write \(flag.valueName); a secret does not belong into this file"
      )
      return nil
    }
    // A path that is not whole begins where the file lies.
    let folder = path.contains("/") ? Folder.parentPath(of: path) : "."
    return folder == "." ? text : flag.value(text, from: folder)
  }

  /// Whether a tag says something else of a value than what is there, which is reported.
  private mutating func refusesTag(of node: Node) -> Bool {
    guard let tag = node.foreignTag else { return false }
    fault(node, "the tag “\(tag)” is not followed", "write the value itself")
    return true
  }

  private mutating func fault(_ node: Node, _ reason: String, _ cure: String) {
    faults.append(
      SettingsError.Fault(place: "\(path):\(node.mark?.line ?? 1)", reason: reason, cure: cure)
    )
  }
}

extension Node {
  /// The tag that it was given, where that says something else of it than what is there.
  fileprivate var foreignTag: String? {
    switch self {
    case .scalar(let scalar): scalar.tag.rawValue.foreignTagInYAML(on: "str")
    case .sequence(let sequence): sequence.tag.rawValue.foreignTagInYAML(on: "seq")
    case .mapping(let mapping): mapping.tag.rawValue.foreignTagInYAML(on: "map")
    case .alias: nil
    }
  }
}

extension Node.Scalar {
  /// Whether no value is there, or one that says so.
  fileprivate var isNothing: Bool {
    if string.isEmpty { return true }
    return style == .plain && !tag.rawValue.isTextTagInYAML && string.isNullInYAML
  }
}
