import Files
import JSONText
import Yams

/// A settings file, `ferry.yaml`: a key for each flag, and a section for a verb where one is to have
/// settings of its own.
///
/// Every key is held against the flags there are. Credentials are in it only as references.
package struct SettingsFile: Hashable, Sendable {
  /// The name under which one is looked for.
  package static let name = "ferry.yaml"

  package let path: String
  private let general: [String: Entry]
  private let sections: [String: [String: Entry]]

  /// The values of a key, with its line.
  package struct Entry: Hashable, Sendable {
    package let values: [String]
    package let line: Int
  }

  /// The largest file that is read, in bytes; every flag there is has space in some KiB.
  private static let sizeLimit = 256 << 10

  /// Reads a file.
  ///
  /// - Throws: ``SettingsError`` with everything that is wrong with it.
  package init(_ path: String, catalogue: CommandCatalogue) throws(SettingsError) {
    let bytes: [UInt8]
    do throws(FileError) { bytes = try InputFile.contents(of: path, limit: Self.sizeLimit) } catch {
      throw SettingsError(place: path, reason: "\(error)", cure: "name another file with --config")
    }
    try self.init(yaml: bytes, path: path, catalogue: catalogue)
  }

  /// Reads the text of a file that lies at `path`.
  package init(
    yaml bytes: [UInt8],
    path: String,
    catalogue: CommandCatalogue
  ) throws(SettingsError) {
    self.path = path
    var reading = SettingsReading(path: path, catalogue: catalogue)
    guard let text = String(validating: bytes, as: UTF8.self)?.withoutByteOrderMark else {
      throw SettingsError(place: path, reason: "it is not UTF-8", cure: "save it as UTF-8")
    }
    if let end = text.unusualLineEnd {
      throw SettingsError(
        place: "\(path):\(end.line)",
        reason: "\(end.name) is there, which ends a line for some readers of YAML alone",
        cure: "remove it, or write it between double quotes as an escape"
      )
    }
    do {
      let unbound = text.withAliasesUnbound
      if unbound != text { _ = try Parser(yaml: unbound, resolver: .basic).singleRoot() }
      if let root = try Parser(yaml: text, resolver: .basic).singleRoot() { reading.readRoot(root) }
    } catch YamlError.composer(_, let problem, let mark, _) where problem.contains("alias") {
      throw SettingsError(
        place: "\(path):\(mark.line)",
        reason: "the value is a YAML alias, and aliases are not expanded",
        cure: "write the value out there"
      )
    } catch let error as YamlError {
      let words = "\(error)".split(separator: "\n").first.map(String.init) ?? ""
      throw SettingsError(
        place: path,
        reason: "this is not YAML: \(words)",
        cure: "correct its spelling"
      )
    } catch {
      throw SettingsError(place: path, reason: "this is not YAML", cure: "correct its spelling")
    }
    guard reading.faults.isEmpty else { throw SettingsError(reading.faults) }
    general = reading.general
    sections = reading.sections
  }

  /// What the file says about a flag: in the section of a verb, or for all verbs.
  package func entry(_ key: String, of verb: String?) -> Entry? {
    if let verb { return sections[verb]?[key] }
    return general[key]
  }

  /// The first line that has a program run.
  package var commandLine: Int? {
    ([general] + sections.values).flatMap(\.values)
      .filter { $0.values.contains(where: SecretReference.isCommand) }.map(\.line).min()
  }

  /// The keys that are in sections of verbs.
  package var sectionKeys: [(verb: String, key: String)] {
    sections.flatMap { verb, entries in entries.keys.map { (verb, $0) } }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
  }

  /// A key of a verb's section, with its value.
  package func setting(
    _ key: String,
    of verb: String,
    in catalogue: CommandCatalogue
  ) -> Setting? {
    guard let entry = sections[verb]?[key],
      let flag = catalogue.settings.first(where: { $0.key == key })
    else { return nil }
    return Setting(
      flag: flag,
      values: entry.values,
      origin: .file(path: path, line: entry.line)
    )
  }
}
