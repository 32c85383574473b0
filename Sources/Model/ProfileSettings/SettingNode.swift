package import JSONText
import Yams

/// One value of a YAML file, with its place.
package struct SettingNode: Hashable, Sendable {
  package indirect enum Value: Hashable, Sendable {
    case scalar(JSONValue)
    case list([SettingNode])
    case section([Member])
  }

  package struct Member: Hashable, Sendable {
    package let name: String
    package let line: Int
    package let value: SettingNode

    package init(name: String, line: Int, value: SettingNode) {
      self.name = name
      self.line = line
      self.value = value
    }
  }

  package let value: Value
  /// The file or the preset that has it.
  package let file: String
  /// The line, counted from one; zero for a value that is in no file.
  package let line: Int
  /// The place in the profile, a JSON Pointer.
  package let pointer: String

  package init(value: Value, file: String, line: Int, pointer: String) {
    self.value = value
    self.file = file
    self.line = line
    self.pointer = pointer
  }

  /// The value without its places.
  package var json: JSONValue {
    switch value {
    case .scalar(let scalar): return scalar
    case .list(let elements): return .array(elements.map(\.json))
    case .section(let members):
      var object = JSONObject()
      for member in members { object[member.name] = member.value.json }
      return .object(object)
    }
  }

  /// What the value is, in the words of a message.
  package var kindName: String {
    switch value {
    case .scalar(let scalar): scalar.isNull ? "nothing" : "a \(scalar.kind)"
    case .list: "a list"
    case .section: "a section"
    }
  }
}

extension SettingNode {
  /// The deepest nesting and the most values that a profile may have.
  private static let deepest = 32
  private static let most = 100_000

  /// Reads one YAML document; faults go to `log`, and `nil` comes back when nothing can be read.
  package static func read(yaml file: String, log: FaultLog) -> SettingNode? {
    let text = file.withoutByteOrderMark
    if let end = text.unusualLineEnd {
      log.add(
        line: end.line,
        pointer: "",
        "\(end.name) is there, which ends a line for some readers of YAML alone",
        cure: "remove it, or write it between double quotes as an escape"
      )
      return nil
    }
    do {
      let unbound = text.withAliasesUnbound
      if unbound != text { _ = try Parser(yaml: unbound, resolver: .basic).singleRoot() }
      guard let root = try Parser(yaml: text, resolver: .basic).singleRoot() else {
        log.add(line: 1, pointer: "", "the file is empty", cure: "write a profile into it")
        return nil
      }
      var count = 0
      return convert(root, pointer: "", depth: 0, count: &count, log: log)
    } catch YamlError.composer(_, let problem, let mark, _) where problem.contains("alias") {
      log.add(
        line: mark.line,
        pointer: "",
        "the value is a YAML alias, and aliases are not expanded",
        cure: "write the value out here"
      )
    } catch YamlError.composer(_, let problem, let mark, _)
      where problem.contains("another document")
    {
      log.add(
        line: mark.line,
        pointer: "",
        "a second document begins there, and one is read",
        cure: "remove it, or keep it in a file of its own"
      )
    } catch let error as YamlError {
      log.add(
        line: error.line,
        pointer: "",
        "this is not YAML: \(error.summary)",
        cure: "correct the spelling at that line"
      )
    } catch {
      log.add(
        line: nil,
        pointer: "",
        "this is not YAML: \(error)",
        cure: "correct the file's spelling"
      )
    }
    return nil
  }

  private static func convert(
    _ node: Node,
    pointer: String,
    depth: Int,
    count: inout Int,
    log: FaultLog
  ) -> SettingNode? {
    let line = node.mark?.line ?? 1
    count += 1
    guard depth < deepest, count < most else {
      log.add(line: line, pointer: pointer, "the file is too deep or too large", cure: "shorten it")
      return nil
    }
    reportTag(of: node, line: line, pointer: pointer, log: log)
    let value: Value
    switch node {
    case .scalar(let scalar): value = .scalar(plain(scalar))
    case .sequence(let elements):
      var list: [SettingNode] = []
      for (index, element) in elements.enumerated() {
        let place = "\(pointer)/\(index)"
        guard
          let item = convert(element, pointer: place, depth: depth + 1, count: &count, log: log)
        else { return nil }
        list.append(item)
      }
      value = .list(list)
    case .mapping(let mapping):
      var members: [Member] = []
      for (key, item) in mapping {
        guard let name = key.scalar?.string else {
          log.add(line: line, pointer: pointer, "a name is not text", cure: "name it by a word")
          continue
        }
        let place = "\(pointer)/\(JSONPointer.escaped(name))"
        reportTag(of: key, line: key.mark?.line ?? line, pointer: place, log: log)
        guard
          let value = convert(item, pointer: place, depth: depth + 1, count: &count, log: log)
        else { return nil }
        members.append(Member(name: name, line: key.mark?.line ?? line, value: value))
      }
      value = .section(members)
    case .alias:
      log.add(
        line: line,
        pointer: pointer,
        "an alias leads nowhere",
        cure: "write the value out here"
      )
      return nil
    }
    return SettingNode(value: value, file: log.file, line: line, pointer: pointer)
  }

  /// Reports a tag that says something else of a value than what is there.
  private static func reportTag(of node: Node, line: Int, pointer: String, log: FaultLog) {
    guard let tag = node.foreignTag else { return }
    log.add(
      line: line,
      pointer: pointer,
      "the tag “\(tag)” is not followed",
      cure: "write the value itself; what is in quotes is text"
    )
  }

  /// A scalar by YAML 1.2's core rules, with numbers spelled as in JSON: `yes` and `on` are text,
  /// and so is all that is quoted.
  private static func plain(_ scalar: Node.Scalar) -> JSONValue {
    let isPlain = scalar.style == .plain || scalar.style == .any
    guard isPlain, !scalar.tag.rawValue.isTextTagInYAML else { return .string(scalar.string) }
    if scalar.string.isNullInYAML { return .null }
    switch scalar.string {
    case "true", "True", "TRUE": return true
    case "false", "False", "FALSE": return false
    default:
      if let number = JSONNumber(literal: scalar.string) { return .number(number) }
      return .string(scalar.string)
    }
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

extension YamlError {
  /// Where the parser stopped, counted from one.
  fileprivate var line: Int? {
    switch self {
    case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _):
      mark.line
    case .duplicatedKeysInMapping(_, let context): context.mark.line
    default: nil
    }
  }

  /// What the parser says, in one line.
  fileprivate var summary: String {
    switch self {
    case .scanner(_, let problem, _, _), .parser(_, let problem, _, _),
      .composer(_, let problem, _, _):
      problem
    case .duplicatedKeysInMapping(let keys, _): "the name “\(keys[0])” is there twice"
    default: description.split(separator: "\n").joined(separator: " ")
    }
  }
}
