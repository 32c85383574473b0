package import ExportPackage
import JSONText
import LegacyFiles
import ResultGrammar
import ResultImport
import ResultText
import StageSupport

extension ImportStage {
  /// The settings with what the files say of their senders; what was read for it is kept.
  ///
  /// A file that says what its owner sent only names others beside it. Where the other files name several
  /// senders and no one said whose results are wanted, only a person can say which of them is the owner.
  func settingsForSenders(
    _ interruption: CancellationToken,
    _ kept: KeptReadings,
    asks: Bool = true
  ) throws -> ImportSettings {
    var settings = settings
    var unknown: [String: Int] = [:]
    // A person who gives the form of a text says that all of it is the owner's.
    for (number, file) in files.enumerated() where file.form != .text || !file.isFormGiven {
      let senders = try senders(of: file, interruption) { kept.keep($0, of: $1, number, $2) }
      // Files of several folders may have one name: what one of them says counts for all.
      if !senders.ambiguous.isEmpty {
        settings.ambiguous[file.name, default: []].formUnion(senders.ambiguous)
      }
      guard senders.areNamed(in: file) else { continue }
      let known = settings.senderFiles[file.name]?.sharedNames ?? []
      settings.senderFiles[file.name] = ImportSettings.SenderFile(
        sharedNames: senders.sharedNames.union(known)
      )
      for name in settings.senders where senders.sharedNames.contains(name) {
        throw Self.sharedName(name, senders)
      }
      unknown.merge(senders.counts) { $0 + $1 }
    }
    guard asks, settings.senders.isEmpty, !settings.takesOthers else { return settings }
    guard unknown.count < 2 else { throw Self.severalSenders(unknown) }
    settings.soleSender = unknown.keys.first
    return settings
  }

  /// Who sent the texts of a file, as far as it says.
  private func senders(
    of file: LegacyFile,
    _ interruption: CancellationToken,
    _ keep: (TextReading, LegacyEntry, Int) -> Void
  ) throws -> FileSenders {
    let texts = try file.reader(options, catalogue: catalogue)
    var reader = ResultReader(catalogue: catalogue)
    var senders = FileSenders()
    var count = 0
    while let item = try next(of: texts) {
      count += 1
      if count.isMultiple(of: 1_000), interruption.isCancelled { throw MigrationError.interrupted }
      guard case .entry(let entry) = item else { continue }
      senders.add(entry) {
        let reading = entry.reading ?? reader.read(entry.text)
        keep(reading, entry, count)
        return reading
      }
    }
    return senders
  }

  private static func severalSenders(_ senders: [String: Int]) -> MigrationError {
    .badImport(
      reason:
        "the texts have several senders, and --sender does not name whose results are wanted: "
        + words(for: senders),
      cure: "give it with --sender NAME (more than once if need be), or take all with --all-senders"
    )
  }

  private static func sharedName(_ name: String, _ senders: FileSenders) -> MigrationError {
    .badImport(
      reason: "several senders are called \(name): "
        + words(for: senders.counts.filter { $0.key.hasPrefix("\(name) (") }),
      cure: "name the wanted sender with --sender ID, the id in parentheses"
    )
  }

  private static func words(for senders: [String: Int]) -> String {
    let ordered = senders.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var words = ordered.prefix(20).map { "\($0.key) (\($0.value))" }
    if ordered.count > 20 { words.append("and \(ordered.count - 20) more") }
    return words.joined(separator: ", ")
  }
}

/// How many texts each sender of a file sent.
private struct FileSenders {
  private struct Sender: Hashable {
    let name: String
    let id: String?
  }

  /// What a text says that a result came to.
  private struct Stated: Equatable {
    let score: ResultNumber?
    let isCompleted: Bool
  }

  private var found: [Sender: Int] = [:]
  /// Whether the file says of a text that its owner sent or received it.
  private var hasDirections = false
  private var hasResult = false
  /// What the results came to of texts that name no sender, by what they are of.
  private var unnamed: [String: Stated] = [:]
  /// The results that such texts state differently.
  private(set) var ambiguous: Set<String> = []

  /// What comes after so many senders is counted with none of them: two are too many.
  private static let mostSenders = 1_000

  /// Takes note of an entry; `read` reads its text.
  mutating func add(_ entry: LegacyEntry, _ read: () -> TextReading) {
    guard entry.sender != nil || entry.isOwn != nil else { return compare(entry, read) }
    var isCounted = entry.kind != .candidate
    if !hasResult || !isCounted {
      if case .result = entry.kind {
        hasResult = true
      } else if read().bucket != .none {
        (hasResult, isCounted) = (true, true)
      }
    }
    // A value among others that is no result may be of anything.
    guard isCounted else { return }
    if entry.isOwn != nil { hasDirections = true }
    guard let name = entry.sender else { return }
    let sender = Sender(name: name, id: entry.senderID)
    guard found[sender] != nil || found.count < Self.mostSenders else { return }
    found[sender, default: 0] += entry.isOwn == nil ? 1 : 0
  }

  /// Takes note of the results of a text that names no sender.
  private mutating func compare(_ entry: LegacyEntry, _ read: () -> TextReading) {
    switch entry.kind {
    case .text, .candidate: break
    case .result, .streak, .damaged: return
    }
    // One without a number of its own may be of another day.
    for result in read().results where !result.identity.utf8.contains(UInt8(ascii: "#")) {
      let stated = Stated(score: result.score, isCompleted: result.completed)
      guard let first = unnamed[result.identity] else {
        unnamed[result.identity] = stated
        continue
      }
      if first != stated { ambiguous.insert(result.identity) }
    }
  }

  /// Whether it says of any text whose it is.
  ///
  /// A file of an app may be of anything: where none of its messages is a result, it does not matter.
  func areNamed(in file: LegacyFile) -> Bool {
    switch file.form {
    case .plist, .json: hasResult
    case .jsonl, .xml, .csv, .sms, .chat, .text: hasDirections || !found.isEmpty
    }
  }

  /// The names that several ids have.
  var sharedNames: Set<String> {
    var ids: [String: Set<String>] = [:]
    for sender in found.keys { if let id = sender.id { ids[sender.name, default: []].insert(id) } }
    return Set(ids.filter { $0.value.count > 1 }.keys)
  }

  /// How many texts each one sent of which the file does not say whether its owner did.
  var counts: [String: Int] {
    let shared = sharedNames
    var counts: [String: Int] = [:]
    for (sender, count) in found where count > 0 {
      let isShared = shared.contains(sender.name)
      let word = isShared ? sender.id.map { ImportSettings.word(for: sender.name, $0) } : nil
      counts[word ?? sender.name, default: 0] += count
    }
    return counts
  }
}

/// The results of other players in a package, which may be looked at and never sent.
package enum OthersResults {
  /// The member of the counts in a package's manifest that reports them.
  static let member = "others"

  /// Refuses to send anything of a package that holds some.
  package static func refuse(in package: PackageReader) throws {
    let imports = package.manifest.unknown["imports"]?.array ?? []
    let count = imports.reduce(0) { sum, entry in
      sum + Int(entry["counts"]?[member]?.integer ?? 0)
    }
    if count > 0 { throw MigrationError.othersResults(path: package.path, count: count) }
  }
}
