import JSONText
package import ProfileSettings

/// The mechanics of a kind of backend: a layer under the `api` of a profile.
package struct Preset {
  /// As a profile names it: `pocketbase`, or `./mine.yaml`.
  package let name: String
  package let title: String
  /// The YAML, as it is written.
  package let text: String
  /// What a profile gives it in `with`, with the values that hold otherwise; `null` for what a profile
  /// has to give.
  package let variables: SettingNode
  package let api: SettingNode

  /// The newest format of presets that this program reads.
  private static let format = 1

  /// Reads the preset that a profile names, or logs why it cannot be read.
  ///
  /// `beside` gives what a file beside the profile holds, or `nil`.
  package static func named(
    _ name: String,
    at node: SettingNode,
    beside: (String) -> [UInt8]?,
    log: FaultLog
  ) -> Preset? {
    guard let file = name.isNameOfFile ? String(name.dropFirst(2)) : nil else {
      if let text = ShippedPresets.text(named: name) {
        return Preset(yaml: text, name: name, file: "preset \(name)", log: log)
      }
      let nearest = NearestWord.to(name, among: ShippedPresets.names).map { "write “\($0)”, or " }
      log.add(
        at: node,
        "there is no preset “\(name)”",
        cure: "\(nearest ?? "")see “ferry preset list”; a file of yours begins with ./"
      )
      return nil
    }
    guard !file.contains("/"), let bytes = beside(file) else {
      log.add(
        at: node,
        "the preset “\(name)” cannot be read beside the profile",
        cure: "put it into the profile's folder; “ferry preset show” prints one to begin with"
      )
      return nil
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      log.add(at: node, "the preset “\(name)” is not UTF-8", cure: "save it as UTF-8")
      return nil
    }
    return Preset(yaml: text, name: name, file: file, log: log)
  }

  private init?(yaml text: String, name: String, file: String, log: FaultLog) {
    let own = FaultLog(file: file)
    defer { for fault in own.faults { log.add(fault) } }
    guard let root = SettingNode.read(yaml: text, log: own) else { return nil }
    let section = Section(root, log: own)
    let format = section.count("ferry-preset", within: 1...Self.format)
    self.name = name
    self.text = text
    title = section.text("title", else: name)
    variables = section.node("with") ?? root.holding(.section([]))
    api = section.requiredNode("api") ?? root.holding(.section([]))
    section.close()
    if format == nil {
      own.add(at: root, "the format is missing", cure: "begin with “ferry-preset: \(Self.format)”")
    }
    for setting in ["preset", "with", "entities"] {
      guard let node = api[setting] else { continue }
      own.add(at: node, "a preset has no “\(setting)”", cure: "remove it")
    }
    guard own.faults.isEmpty else { return nil }
  }
}

extension String {
  /// Whether it names a file beside the profile, and no preset of the program.
  package var isNameOfFile: Bool { hasPrefix("./") }
}
