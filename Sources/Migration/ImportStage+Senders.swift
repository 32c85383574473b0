import ExportPackage
import JSONText
import LegacyFiles
import ResultImport
import ResultText

extension ImportStage {
  /// The settings with the only sender there is, where nobody said whose results are wanted.
  ///
  /// A message backup knows what its owner sent; other files only name senders. Where they name
  /// several, nobody but a person can tell which of them is the owner.
  func settingsForSenders(_ interruption: Interruption) throws(MigrationError) -> ImportSettings {
    guard settings.senders.isEmpty, !settings.takesOthers else { return settings }
    var unknown: [String: Int] = [:]
    var ofMessages: [String: Int] = [:]
    var knowsOwner = false
    for file in files {
      switch file.form {
      case .text: continue
      case .plist, .json:
        try countMessages(file, into: &unknown, interruption)
      case .whatsapp, .jsonl, .xml:
        try count(file, into: &unknown, interruption) { entry in entry.isOwn == nil }
      case .sms:
        try count(file, into: &ofMessages, interruption) { entry in
          if entry.isOwn == true { knowsOwner = true }
          return knowsOwner ? nil : entry.isOwn == false
        }
      }
    }
    if !knowsOwner { unknown.merge(ofMessages) { $0 + $1 } }
    guard unknown.count < 2 else { throw Self.severalSenders(unknown) }
    var settings = settings
    settings.soleSender = unknown.keys.first.map { name in
      ImportSettings.SoleSender(name: name, isOfMessages: !knowsOwner)
    }
    return settings
  }

  /// Counts the messages of each sender in a file of an app, which may be of anything: where none is
  /// a result, it does not matter whose they are.
  private func countMessages(
    _ file: LegacyFile,
    into senders: inout [String: Int],
    _ interruption: Interruption
  ) throws(MigrationError) {
    var reader = ResultReader(catalogue: catalogue)
    var hasResult = false
    var found: [String: Int] = [:]
    try count(file, into: &found, interruption) { entry in
      if !hasResult, entry.sender != nil { hasResult = reader.read(entry.text).bucket != .none }
      return entry.kind == .text
    }
    if hasResult { senders.merge(found) { $0 + $1 } }
  }

  /// Counts the texts of each sender; `isCounted` gives `nil` when the rest does not matter.
  private func count(
    _ file: LegacyFile,
    into senders: inout [String: Int],
    _ interruption: Interruption,
    where isCounted: (LegacyEntry) -> Bool?
  ) throws(MigrationError) {
    let reader = try importing { () throws(LegacyFileError) in
      try file.reader(options, catalogue: catalogue)
    }
    var count = 0
    while let item = try next(of: reader) {
      count += 1
      if count.isMultiple(of: 1_000), interruption.isWished { throw .interrupted }
      guard case .entry(let entry) = item else { continue }
      guard let isCounted = isCounted(entry) else { return }
      guard isCounted, let sender = entry.sender else { continue }
      // What comes after a thousand names is counted with none of them: two are too many.
      guard senders[sender] != nil || senders.count < 1_000 else { continue }
      senders[sender, default: 0] += 1
    }
  }

  private static func severalSenders(_ senders: [String: Int]) -> MigrationError {
    let ordered = senders.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var words = ordered.prefix(20).map { "\($0.key) (\($0.value))" }
    if ordered.count > 20 { words.append("and \(ordered.count - 20) more") }
    return .badImport(
      reason: "the texts have several senders, and nobody says whose results are wanted: "
        + words.joined(separator: ", "),
      cure: "say it with --sender NAME (more than once if need be), or take all with --all-senders"
    )
  }
}

/// The results of other players in a package, which may be looked at and never sent.
enum OthersResults {
  /// The member of the counts in a package's manifest that tells of them.
  static let member = "others"

  /// Refuses to send anything of a package that holds some.
  static func refuse(in package: PackageReader) throws(MigrationError) {
    let imports = package.manifest.unknown["imports"]?.array ?? []
    let count = imports.reduce(0) { sum, entry in
      sum + Int(entry["counts"]?[member]?.integer ?? 0)
    }
    if count > 0 { throw .othersResults(path: package.path, count: count) }
  }
}
