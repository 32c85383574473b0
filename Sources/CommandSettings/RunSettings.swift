/// What a run remembers of the command that began it: flags with their values, the places of its
/// credentials among them, and never a secret.
package struct RunSettings: Hashable, Sendable {
  /// The flags that a later command about a run takes over.
  ///
  /// The profile is not one of them: a run ends, and is rolled back, with its own copy of it.
  private static let keys: Set<String> = [
    "to", "credential", "set", "identity", "only", "skip", "delete", "max-delete", "decisions",
    "on-conflict", "on-invalid", "max-rejects", "batch-size", "concurrency", "rate", "retries",
    "timeout", "full", "accept-change", "allow-empty-source", "on-failure",
  ]

  /// The run's name.
  package let name: String
  private let flags: [String: [String]]

  /// - Parameters:
  ///   - name: The run's name.
  ///   - flags: The names of flags, without hyphens, and their values, in their order.
  package init(_ name: String, _ flags: [(name: String, value: String)]) {
    self.name = name
    self.flags = Dictionary(grouping: flags, by: \.name).mapValues { $0.map(\.value) }
  }

  /// Whether the run alone says what a flag has that is not typed: of a run that remembers nothing,
  /// variables and settings files are read.
  func decides(_ flag: Flag) -> Bool {
    !flags.isEmpty && (Self.keys.contains(flag.key) || flag.key == "profile")
  }

  func values(of flag: Flag) -> [String]? {
    Self.keys.contains(flag.key) ? flags[flag.key] : nil
  }

  /// What a line leaves to later commands about its run, with whole paths.
  ///
  /// - Parameters:
  ///   - words: The line, with what variables and files add to it.
  ///   - folder: The folder that its paths begin in.
  /// - Returns: The flags in the order of the verb.
  package static func flags(
    of words: CommandLineWords,
    in folder: String
  ) -> [(name: String, value: String)] {
    words.verb.flags.filter { keys.contains($0.key) }.flatMap { flag in
      let values = words.given[flag.key] ?? []
      return (flag.isRepeating ? values[...] : values.suffix(1)).map { value in
        (name: flag.key, value: flag.wholeValue(value, in: folder))
      }
    }
  }
}

extension Flag {
  /// A value whose path begins with the first folder of all; one without a path as it is.
  fileprivate func wholeValue(_ value: String, in folder: String) -> String {
    // An address is a folder, or begins with another scheme.
    guard key == "to" else { return self.value(value, from: folder) }
    let scheme = "file:"
    guard value.hasPrefix(scheme), !value.hasPrefix("\(scheme)/") else { return value }
    return "\(scheme)\(folder)/\(value.dropFirst(scheme.count))"
  }

  /// A value as it is meant from another folder: a path that is not whole begins in `folder`.
  func value(_ text: String, from folder: String) -> String {
    func whole(_ path: Substring) -> String {
      path.hasPrefix("/") || path == "-" ? String(path) : "\(folder)/\(path)"
    }
    if isReference {
      guard let mark = text.firstRange(of: "file:") else { return text }
      let before = text[..<mark.upperBound]
      return SecretReference.isFile(text) ? before + whole(text[mark.upperBound...]) : text
    }
    // Where a file of keys may be named, a key may count as well.
    let isKey = key == "encrypt-to" && text.hasPrefix("age1")
    // A flag that takes an address or a file is a path only for the file.
    guard isPath, !isKey, !text.contains("://") else { return text }
    // A report's form may appear before its file.
    if let sign = text.firstIndex(of: "="), text[..<sign].allSatisfy(\.isLetter) {
      return text[...sign] + whole(text[text.index(after: sign)...])
    }
    return whole(text[...])
  }
}
