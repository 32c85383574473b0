import JSONText
package import LegacyFiles
import Records
import ResultGrammar
import ResultText

extension ResultLedger {
  /// Says what becomes of an entry, and takes note of it.
  ///
  /// - Parameters:
  ///   - entry: A text or a stored result of a legacy file.
  ///   - file: What the file is called.
  ///   - form: The file's form.
  ///   - makesRecords: Whether records are wanted; else only what was recognised.
  /// - Returns: The entry's one end. A candidate that is no result ends in `none` too, and is not
  ///   to be counted.
  package mutating func take(
    _ entry: LegacyEntry,
    file: String,
    form: LegacyForm,
    makesRecords: Bool = true
  ) -> ImportOutcome {
    if case .damaged(let cause, let cure) = entry.kind {
      return refused(TextReading(), cause, cure)
    }
    let entry = settings.named(entry, in: file)
    let origin = Origin(entry: entry, file: file, form: form)
    if let place = DoubleEncoding.place(in: entry.text) {
      guard settings.repairsDoubleEncoding, let text = DoubleEncoding.repaired(entry.text) else {
        return encodedTwice(at: place)
      }
      var repaired = entry
      (repaired.text, repaired.reading) = (text, nil)
      var outcome = take(repaired, origin, makesRecords: makesRecords)
      outcome.isRepaired = outcome.bucket != .none
      return outcome
    }
    return take(entry, origin, makesRecords: makesRecords)
  }

  /// Says what becomes of an entry whose text is as it was shared.
  private mutating func take(
    _ entry: LegacyEntry,
    _ origin: Origin,
    makesRecords: Bool
  ) -> ImportOutcome {
    let file = origin.file
    let reading = read(entry, file: file)
    let refusal = settings.refusal(of: entry, in: file)
    if case .result(let stored) = entry.kind {
      if let fault = entry.dateFault { return refused(reading, fault) }
      if let refusal { return unwanted(entry, reading, refusal) }
      return take(stored, reading, origin, makesRecords: makesRecords)
    }
    if reading.bucket != .none, !String.validates(entry.text) {
      return damaged(entry, "some of its bytes are not UTF-8")
    }
    // Which day a text was sent on may decide what it is read as.
    if reading.bucket != .none, let fault = entry.dateFault, refusal == nil {
      return refused(reading, fault)
    }
    switch reading.bucket {
    case .none: return ImportOutcome(bucket: .none, reading: reading)
    case .refused: return refused(reading, reading.reason ?? "", "correct the text in a copy")
    case .result, .undescribed: break
    }
    if let refusal { return unwanted(entry, reading, refusal) }
    return take(reading, origin, makesRecords: makesRecords)
  }

  /// Reads a text; what it quotes or forwards may be another person's, and is refused.
  private mutating func read(_ entry: LegacyEntry, file: String) -> TextReading {
    let day = day(sent: entry)
    var reading = entry.reading ?? reader.read(entry.text, sentOn: day)
    if case .result = entry.kind { return reading }
    if let ambiguous = settings.ambiguous[file], entry.sender == nil, entry.isOwn == nil {
      for result in reading.results where ambiguous.contains(result.identity) {
        let words = "the file has it twice with different scores, and names no senders"
        reading.refusals.append(Refusal(result, "\(words), so whose it is is not known"))
      }
      reading.results.removeAll { ambiguous.contains($0.identity) }
    }
    guard reading.bucket == .result || reading.bucket == .undescribed,
      let own = QuotedText.own(entry.text)
    else { return reading }
    let whole = reading
    reading = reader.read(own, sentOn: day)
    for result in whole.results {
      let isOwn = reading.results.contains { $0.game == result.game && $0.puzzle == result.puzzle }
      if isOwn, own[result.range.lowerBound] == entry.text[result.range.lowerBound] { continue }
      let words = "it is quoted or forwarded, so its sender is not known"
      reading.refusals.append(Refusal(result, words))
    }
    for result in whole.undescribed
    where !reading.undescribed.contains(where: { $0.identity == result.identity }) {
      let words = "it is quoted or forwarded, so its sender is not known"
      reading.refusals.append(
        Refusal(game: "", gameName: result.name, cause: words, range: result.range)
      )
    }
    return reading
  }

  /// The day the text was sent, when the file says it.
  private func day(sent entry: LegacyEntry) -> CalendarDay? {
    // The date of a stored result is that of its import, by a clock that may be wrong.
    if case .result = entry.kind { return nil }
    return entry.date.map { settings.zone.day(of: $0.seconds(in: settings.zone)) }
  }

  /// Refuses an entry whose results the settings do not want.
  private func unwanted(
    _ entry: LegacyEntry,
    _ reading: TextReading,
    _ refusal: (cause: String, cure: String)
  ) -> ImportOutcome {
    var outcome = refused(reading, refusal.cause, refusal.cure)
    outcome.isOfOther = settings.isOfOther(entry)
    return outcome
  }

  private func refused(_ reading: TextReading, _ cause: String, _ cure: String) -> ImportOutcome {
    ImportOutcome(bucket: .refused, reading: reading, reason: cause, cure: cure)
  }

  /// The text for a date and was not read as one is no reason to take another, or none.
  private func refused(_ reading: TextReading, _ fault: DateFault) -> ImportOutcome {
    var outcome = refused(reading, fault.cause, fault.cure)
    outcome.found = fault.found
    outcome.code = "import.date-\(fault.kind.rawValue)"
    return outcome
  }

  /// Text that is damaged is refused when it may have been a result, and else is not one.
  private mutating func damaged(_ entry: LegacyEntry, _ cause: String) -> ImportOutcome {
    refused(TextReading(), cause, "take it from where it was shared, as UTF-8")
  }

  private func encodedTwice(at place: Int) -> ImportOutcome {
    refused(
      TextReading(),
      "it was encoded twice (byte \(place)): UTF-8 was read as Windows-1252",
      "import it with --repair mojibake"
    )
  }

  // MARK: Texts

  private mutating func take(
    _ reading: TextReading,
    _ origin: Origin,
    makesRecords: Bool
  ) -> ImportOutcome {
    var outcome = ImportOutcome(bucket: .duplicate, reading: reading)
    let player = settings.player(of: origin.entry)
    let day = day(of: origin.entry.date)
    for result in reading.results {
      var identity = ResultIdentity(result.identity, recordedOn: day, player: player)
      identity.isPlayerKnown = settings.isPlayerKnown(of: origin.entry)
      let content = ResultContent(result)
      if let same = match(identity, content) {
        outcome.duplicateCount += 1
        noteDuplicate(of: same, identity, content, origin, in: &outcome)
        continue
      }
      note(identity, content, storedID: nil, number: origin.entry.number)
      outcome.findings += claim(identity, content, origin)
      outcome.bucket = .imported
      outcome.newCount += 1
      if result.isTruncated { outcome.truncatedCount += 1 }
      if player != nil { outcome.othersCount += 1 }
      guard makesRecords else { continue }
      let record = ResultRecord.make(result, identity, origin, of: reading, in: self)
      if record["date"]?.isNull == true { outcome.findings.append(origin.undated(result.gameName)) }
      if let day = streakDay(date: origin.entry.date, puzzleDay: result.puzzleDay) {
        let second = origin.entry.date?.seconds(in: settings.zone) ?? 0
        play(result.game, player, day: day, second: second, isCompleted: result.completed)
      }
      outcome.records.append(record)
    }
    takeUndescribed(origin, player, makesRecords: makesRecords, into: &outcome)
    for refusal in reading.refusals {
      outcome.findings.append(
        origin.finding(
          ImportOutcome.partCode,
          refusal.description,
          cure: "correct that part of the text in a copy"
        )
      )
    }
    if outcome.bucket == .imported { outcome.reason = reading.reason }
    return outcome
  }

  /// Says of which result another is a duplicate, and whether they differ.
  func noteDuplicate(
    of same: KnownResult,
    _ identity: ResultIdentity,
    _ content: ResultContent,
    _ origin: Origin,
    in outcome: inout ImportOutcome
  ) {
    if outcome.reason == nil {
      let id = same.storedID ?? ResultIdentity(key: identity.key, player: same.player).id
      outcome.reason =
        "duplicate of \(identity.key)"
        + (same.number > 0 ? ", number \(same.number)" : ", which the package holds") + " (\(id))"
    }
    guard same.content != content else { return }
    outcome.findings.append(
      origin.finding(
        "import.duplicate-differs",
        "\(identity.key) is there with the score \(same.content.score ?? "none") and comes again "
          + "with \(content.score ?? "none"); the first one stays",
        cure: "see which of the two is right"
      )
    )
  }
}

extension Refusal {
  /// A result that is not taken, although it is one.
  fileprivate init(_ result: GameResult, _ cause: String) {
    self.init(game: result.game, gameName: result.gameName, cause: cause, range: result.range)
  }
}

extension String {
  /// Whether bytes are UTF-8.
  fileprivate static func validates(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }
}

/// Where an entry comes from.
struct Origin {
  let entry: LegacyEntry
  let file: String
  let form: LegacyForm

  var json: JSONValue {
    [
      "file": .string(file), "form": .string(form.rawValue),
      "place": .string(entry.place.description),
    ]
  }

  /// Says that no one dates a result.
  func undated(_ game: String) -> Finding {
    finding(
      "import.no-date",
      "the input does not say when \(game) was played",
      cure: "give the day with --date"
    )
  }

  func finding(_ code: String, _ cause: String, cure: String) -> Finding {
    Finding(
      code: code,
      severity: .warning,
      file: file,
      line: entry.number,
      cause: "\(entry.place): \(cause)",
      cure: cure
    )
  }
}
