package import JSONText
import ExportPackage
import LegacyFiles
import Records
import ResultGrammar
package import ResultImport
package import ResultStages
import ResultText

/// What an import came to, for a person and for a machine.
package enum ImportText {
  package static func lines(of result: ImportResult) -> [String] {
    var lines: [String] = []
    if let package = result.package {
      lines.append("package written: \(package.path)")
      if result.alreadyExisted {
        let there = "the same package exists already: \(package.path)"
        let refused = result.counts.refusals
        let more = refused > 0 ? ["  \(refused) texts were refused"] + findingLines(of: result) : []
        return ([there] + more).map(\.plainForTerminal)
      }
      if result.heldCount > 0 {
        lines.append("  \(Figures.count(result.heldCount, "result")) held already")
      }
    }
    lines += countLines(of: result.counts)
    if result.counts.repaired > 0 {
      lines.append("  \(result.counts.repaired) texts were encoded twice, and were repaired")
    }
    if result.counts.othersResults > 0 {
      lines.append(
        "  \(result.counts.othersResults) of them are those of other players: the package can be "
          + "looked at, and is never sent"
      )
    }
    for (game, count) in result.counts.games.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) })
    {
      lines.append("    \(game): \(count)")
    }
    let undescribed = result.counts.undescribedGames
    if !undescribed.isEmpty {
      lines.append(
        "  \(result.counts.undescribedResults) results of games that no description knows"
          + " count for no streak; ferry games draft FILE drafts a description"
      )
    }
    for (game, count) in undescribed.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      lines.append("    \(game): \(count)")
    }
    if let day = result.streakDay {
      lines.append(
        "  \(Figures.count(result.streakCount, "streak")) from the results, as of \(day)"
      )
    }
    for file in result.files {
      lines.append("  \(file.name) (\(file.form.rawValue)): \(Figures.count(file.texts, "text"))")
    }
    lines += findingLines(of: result)
    return lines.map(\.plainForTerminal)
  }

  /// The texts by bucket, with the sum.
  package static func countLines(of counts: ImportCounts) -> [String] {
    var parts: [String] = []
    for bucket in TextOutcome.allCases {
      let others = bucket == .refused ? counts.othersMessages : 0
      parts.append("\(counts[bucket] - others) \(words(bucket))")
      if bucket == .refused { parts.append("\(others) of other people") }
    }
    let sign = counts.isComplete ? "=" : "≠"
    let refused =
      counts.refusedParts > 0 ? ", \(counts.refusedParts) texts were refused in part" : ""
    return [
      "  \(Figures.count(counts.texts, "text")) \(sign) " + parts.joined(separator: " + ")
        + ", \(counts.truncatedResults) truncated",
      "  \(Figures.count(counts.newResults, "new result")), "
        + Figures.count(counts.knownResults, "duplicate") + refused,
    ]
  }

  private static func words(_ bucket: TextOutcome) -> String {
    switch bucket {
    case .imported: "described"
    case .none: "not a result"
    case .undescribed, .duplicate, .refused: bucket.rawValue
    }
  }

  private static func findingLines(of result: ImportResult) -> [String] {
    var lines: [String] = []
    for (code, count) in result.counts.findings.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(code): \(count)")
      let shown = result.findings.filter { $0.code == code }.prefix(10)
      for finding in shown {
        lines.append("    \(finding.file ?? finding.record ?? ""), \(finding.messageCause)")
      }
      if let cure = shown.first?.cure, !cure.isEmpty { lines.append("    cure: \(cure)") }
    }
    for note in result.notes.prefix(40) {
      let place = note.note.place.isEmpty ? "" : ", \(note.note.place)"
      lines.append("  \(note.note.code): \(note.file)\(place): \(note.note.cause)")
    }
    return lines
  }

  package static func value(of result: ImportResult) -> JSONValue {
    var object: JSONObject = [
      "type": "import", "package": .text(result.package?.path),
      "alreadyPresent": .boolean(result.alreadyExisted), "held": .whole(result.heldCount),
      "streaks": .whole(result.streakCount), "streaksAsOf": .text(result.streakDay?.description),
    ]
    object["counts"] = value(of: result.counts)
    object["files"] = .list(result.files) { file in
      [
        "name": .string(file.name), "form": .string(file.form.rawValue),
        "texts": .whole(file.texts),
      ]
    }
    object["findings"] = .list(result.findings) { finding in
      [
        "code": .string(finding.code), "severity": .string(finding.severity.rawValue),
        "file": .text(finding.file),
        "number": finding.line.map { .whole($0) } ?? .null, "cause": .string(finding.messageCause),
        "cure": .string(finding.cure),
      ]
    }
    object["notes"] = .list(result.notes) { note in
      [
        "code": .string(note.note.code), "file": .string(note.file),
        "place": .string(note.note.place), "cause": .string(note.note.cause),
      ]
    }
    return .object(object)
  }

  private static func value(of counts: ImportCounts) -> JSONValue {
    var object: JSONObject = [
      "texts": .whole(counts.texts), "complete": .boolean(counts.isComplete),
      "newResults": .whole(counts.newResults), "knownResults": .whole(counts.knownResults),
      "othersResults": .whole(counts.othersResults),
      "othersMessages": .whole(counts.othersMessages),
      "truncatedResults": .whole(counts.truncatedResults),
      "refusedParts": .whole(counts.refusedParts),
      "repaired": .whole(counts.repaired), "otherValues": .whole(counts.otherValues),
      "storedStreaks": .whole(counts.storedStreaks),
      "games": .counts(counts.games), "undescribedGames": .counts(counts.undescribedGames),
      "findings": .counts(counts.findings),
    ]
    for bucket in TextOutcome.allCases { object[bucket.rawValue] = .whole(counts[bucket]) }
    return .object(object)
  }
}

/// What was recognised in one text.
package enum ExplanationText {
  /// One line of JSON, without its end.
  package static func write(_ text: ExplainedText, to writer: inout JSONWriter) {
    let isLines = text.file.form == .jsonl
    text.outcome.reading.write(
      line: text.entry.number,
      bucket: text.outcome.bucket.word,
      reason: text.messageReason,
      place: isLines ? nil : (text.file.name, text.entry.place.description),
      to: &writer
    )
  }

  package static func lines(of text: ExplainedText) -> [String] {
    let bucket = text.outcome.bucket == .none ? "not a result" : text.outcome.bucket.word
    let reason = text.messageReason.map { ": \($0)" } ?? ""
    var lines = ["\(text.file.name), \(text.entry.place): \(bucket)\(reason)"]
    for result in text.outcome.reading.results { lines.append("  " + words(result)) }
    for result in text.outcome.reading.undescribed { lines.append("  " + words(result)) }
    for finding in text.outcome.findings {
      lines.append("  \(finding.code): \(finding.messageCause)")
    }
    return lines.map(\.plainForTerminal)
  }

  private static func words(_ result: UndescribedResult) -> String {
    var words = "not described: " + result.name
    if let mode = result.mode { words += " (\(mode))" }
    if let puzzle = result.puzzle { words += " #\(puzzle)" }
    if let day = result.puzzleDay { words += " of \(day)" }
    if let score = result.score { words += ", score \(score)" }
    if let maximum = result.maximum { words += " of \(maximum)" }
    if let seconds = result.timeSeconds { words += ", \(seconds) seconds" }
    return words + " [bytes \(result.range.lowerBound)–\(result.range.upperBound)]"
  }

  private static func words(_ result: GameResult) -> String {
    var words = result.gameName
    if let variant = result.variant { words += " (\(variant))" }
    if let puzzle = result.puzzle { words += " #\(puzzle)" }
    if let day = result.puzzleDay { words += " of \(day)" }
    if let score = result.score { words += ", score \(score)" }
    if let maximum = result.maxAttempts { words += " of at most \(maximum)" }
    words += result.completed ? ", completed" : ", not completed"
    if result.hardMode == true { words += ", hard mode" }
    if let seconds = result.timeSeconds { words += ", \(seconds) seconds" }
    return words + " [bytes \(result.range.lowerBound)–\(result.range.upperBound)]"
  }
}

extension ExplainedText {
  /// The reason as it is printed.
  fileprivate var messageReason: String? {
    outcome.reason.map { MessageValues.cause($0, found: outcome.found) }
  }
}
