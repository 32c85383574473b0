package import JSONText
package import Records
package import ResultText

/// What became of one entry of a legacy file.
package struct ImportOutcome: Sendable {
  package var bucket: TextOutcome
  /// What the entry's text was read as.
  package var reading: TextReading
  /// The records that are new.
  package var records: [JSONObject] = []
  /// The records of results that no description knows, and that are new.
  package var undescribed: [JSONObject] = []
  /// The names of the games of new results that no description knows.
  package var undescribedGames: [String] = []
  /// How many of its results are new.
  package var newCount = 0
  /// How many of the new ones are those of other players.
  package var othersCount = 0
  /// How many of the new ones come from texts that were cut.
  package var truncatedCount = 0
  /// Whether it was refused because another person sent it.
  package var isOfOther = false
  /// How many of its results are there already.
  package var duplicateCount = 0
  package var findings: [Finding] = []
  /// What shows that a part of the text was refused, where the rest is a result.
  package static let partCode = "import.part-refused"
  /// Why parts of the text were refused, in one finding; `nil` where none was.
  package var partRefusal: Finding? {
    let parts = findings.filter { $0.code == Self.partCode }
    guard let first = parts.first else { return nil }
    return Finding(
      code: first.code,
      severity: first.severity,
      file: first.file,
      line: first.line,
      cause: parts.map(\.cause).joined(separator: "; "),
      cure: first.cure
    )
  }
  /// Why it is a duplicate, or was refused, for a person.
  package var reason: String?
  /// What was found where a refusal quotes a value of the entry.
  package var found: String?
  /// The code of the finding that reports a refusal.
  package var code = "import.refused"
  /// What can be done about a refusal.
  package var cure = ""
  /// Whether its text was encoded twice, and was repaired.
  package var isRepaired = false
}

/// The one end that every text comes to.
package enum TextOutcome: String, CaseIterable, Sendable {
  case imported
  /// It has only results of games that no description knows.
  case undescribed
  case duplicate
  case refused
  /// It is no result.
  case none

  /// What `--explain` calls it.
  package var word: String { self == .imported ? "result" : rawValue }
}

/// How many texts ended in which bucket.
package struct ImportCounts: Hashable, Sendable {
  package private(set) var texts = 0
  package private(set) var buckets: [TextOutcome: Int] = [:]
  /// Results that became records, and results that existed already.
  package private(set) var newResults = 0
  package private(set) var knownResults = 0
  /// New results of games that no description knows, by game as the texts write it.
  package private(set) var undescribedGames: [String: Int] = [:]
  /// New results of other players, which are never sent.
  package private(set) var othersResults = 0
  /// New results from texts that were cut.
  package private(set) var truncatedResults = 0
  /// Texts that were refused because another person sent them.
  package private(set) var othersMessages = 0
  /// Texts of which a part was refused; they lie among those that were refused, too.
  package private(set) var refusedParts = 0
  /// Texts that were encoded twice and were repaired, those that are no result left out.
  package private(set) var repaired = 0
  /// New results by game.
  package private(set) var games: [String: Int] = [:]
  /// How often each finding came up.
  package private(set) var findings: [String: Int] = [:]
  /// Values that were looked at and are no results.
  package var otherValues = 0
  package var storedStreaks = 0

  package init() {}

  package subscript(_ bucket: TextOutcome) -> Int { buckets[bucket] ?? 0 }

  package var undescribedResults: Int { undescribedGames.values.reduce(0, +) }

  /// How many texts were refused, whole or in part.
  package var refusals: Int { self[.refused] + refusedParts }

  /// Whether every text is in one bucket.
  package var isComplete: Bool { buckets.values.reduce(0, +) == texts }

  /// Counts an entry before it is looked at.
  package mutating func begin() { texts += 1 }

  /// Counts the end of an entry.
  package mutating func end(_ outcome: ImportOutcome) {
    buckets[outcome.bucket, default: 0] += 1
    newResults += outcome.newCount
    knownResults += outcome.duplicateCount
    othersResults += outcome.othersCount
    truncatedResults += outcome.truncatedCount
    if outcome.isOfOther { othersMessages += 1 }
    for game in outcome.undescribedGames { undescribedGames[game, default: 0] += 1 }
    for record in outcome.records { games[record["gameName"]?.text ?? "", default: 0] += 1 }
    if outcome.partRefusal != nil { refusedParts += 1 }
    if outcome.isRepaired { repaired += 1 }
    count(outcome.findings)
  }

  /// Counts a text that an earlier run refused, and what it said of it.
  package mutating func retell(_ refusal: Finding) {
    if refusal.code == ImportOutcome.partCode {
      refusedParts += 1
    } else {
      texts += 1
      buckets[.refused, default: 0] += 1
    }
    count([refusal])
  }

  package mutating func count(_ more: [Finding]) {
    for finding in more { findings[finding.code, default: 0] += 1 }
  }
}
