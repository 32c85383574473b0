import JSONText
import LegacyFiles
import Records
import ResultGrammar
import ResultText

extension ResultLedger {
  /// Takes a result that an app stored.
  ///
  /// It is a record of its own right: what it says is, but for the score, which is read again
  /// from the text. Where the two differ, the stored one is kept as evidence and reported.
  mutating func take(
    _ stored: JSONObject,
    _ reading: TextReading,
    _ origin: Origin,
    makesRecords: Bool
  ) -> ImportOutcome {
    var outcome = ImportOutcome(bucket: .refused, reading: reading)
    var record = StoredResult(stored, origin, settings)
    let result = record.result(of: reading)
    guard record.isWhole || result != nil else {
      outcome.reason = "the stored result has no “\(record.missing)”, and its text says nothing"
      outcome.cure = "correct it in the app, or in a copy of the file"
      return outcome
    }
    let date = origin.entry.date
    let player = settings.player(of: origin.entry)
    let identity = result.map {
      ResultIdentity($0.identity, recordedOn: day(of: date), player: player)
    }
    let id =
      record.id ?? identity?.id
      // Without a date that can be read, nothing less than the whole distinguishes one from another.
      ?? NameID.text(
        "stored",
        record.name,
        date?.text(in: settings.zone) ?? JSONValue.object(stored).canonicalText
      )
    record.merge(result, identity, id: id, reading: reading)
    if let player { record.give(to: player) }
    let content = ResultContent(record.object)
    if let identity, let same = match(identity, content) {
      outcome.bucket = .duplicate
      outcome.duplicateCount = 1
      noteDuplicate(of: same, identity, content, origin, in: &outcome)
      return outcome
    }
    if let same = held(withID: id) {
      outcome.bucket = .duplicate
      outcome.duplicateCount = 1
      outcome.reason = "duplicate of the result with the id \(id)"
      let again = HeldResult(name: identity?.key ?? record.name, content: content)
      if same != again { outcome.findings.append(Self.difference(same, again, id: id, origin)) }
      return outcome
    }
    note(
      identity,
      content,
      storedID: id,
      game: record.name,
      number: origin.entry.number
    )
    outcome.bucket = .imported
    outcome.newCount = 1
    if player != nil { outcome.othersCount = 1 }
    outcome.findings = record.findings
    if record.object["date"]?.isNull == true {
      outcome.findings.append(origin.undated(record.name))
    }
    guard makesRecords else { return outcome }
    let puzzleDay = record.object["puzzleDay"]?.text.flatMap { CalendarDay($0) }
    if let day = streakDay(date: date, puzzleDay: puzzleDay) {
      play(
        record.name,
        player,
        day: day,
        second: date?.seconds(in: settings.zone) ?? 0,
        isCompleted: record.object["completed"]?.boolean ?? false
      )
    }
    outcome.records = [record.object]
    return outcome
  }

  /// Says that an id comes again with another result.
  private static func difference(
    _ first: HeldResult,
    _ again: HeldResult,
    id: String,
    _ origin: Origin
  ) -> Finding {
    origin.finding(
      "import.duplicate-differs",
      "the id \(id) is there for \(first.name) with the score \(first.content.score ?? "none") "
        + "and comes again for \(again.name) with \(again.content.score ?? "none"); "
        + "the first one stays",
      cure: "see which of the two is right"
    )
  }
}

/// A stored result on its way to a record.
struct StoredResult {
  private(set) var object: JSONObject
  private(set) var findings: [Finding] = []
  private let stored: JSONObject
  /// Where the file has it; `nil` for a record of a package, which keeps its date and its origin.
  private let origin: Origin?
  private let settings: ImportSettings
  private var evidence = JSONObject()

  init(_ stored: JSONObject, _ origin: Origin?, _ settings: ImportSettings) {
    self.stored = stored
    self.origin = origin
    self.settings = settings
    object = stored
  }

  var name: String { object["gameName"]?.text ?? "" }
  var id: String? { stored["id"]?.text ?? stored["id"]?["$uuid"]?.text }

  /// The first of the members that every result has and this one lacks.
  var missing: String {
    ["gameName", "date", "completed"].first { stored[$0] == nil } ?? ""
  }

  var isWhole: Bool { missing.isEmpty }

  /// Says that it is the result of another player.
  mutating func give(to player: String) { object["player"] = .string(player) }

  /// The result in the text: of several the one of this game.
  func result(of reading: TextReading) -> GameResult? {
    reading.results.first { $0.game == name } ?? reading.results.first
  }

  /// Adds what the text says, and notes where the two differ.
  mutating func merge(
    _ result: GameResult?,
    _ identity: ResultIdentity?,
    id: String,
    reading: TextReading
  ) {
    object["id"] = .string(id)
    if let origin {
      // What is there and is no date refused the result before.
      object["date"] = ResultRecord.date(of: origin.entry, settings)
      takeExtra("origin", origin.json)
    }
    for name in ["score", "maxAttempts", "completed", "sharedText"] where object[name] == nil {
      object[name] = .null
    }
    if let result, let identity {
      compare(result)
      for (name, value) in ResultRecord.extras(result, identity) { takeExtra(name, value) }
    } else {
      let cause = reading.reason ?? "no game of the catalogue wrote its text"
      note("import.stored-only", "\(name): \(cause); what was stored is taken as it is")
    }
    resolveGame(result)
    guard !evidence.isEmpty else { return }
    if let before = stored["stored"], !before.isNull { evidence["stored"] = before }
    object["stored"] = .object(evidence)
  }

  /// Takes score, maximum and completion from the text, where it identifies them.
  private mutating func compare(_ result: GameResult) {
    take("score", result.score.map { ResultRecord.number($0) } ?? (result.completed ? nil : .null))
    take("completed", .boolean(result.completed))
    if object["maxAttempts"]?.isNull != false {
      object["maxAttempts"] = ResultRecord.integer(result.maxAttempts)
    }
  }

  /// Takes what the record may hold beside; what was stored stays where nothing else is reported.
  ///
  /// Whose a result is, is always stated: by that the next import knows it.
  private mutating func takeExtra(_ name: String, _ value: JSONValue) {
    guard stored[name]?.isNull != false else {
      if !value.isNull || name == "player" { take(name, value) }
      return
    }
    object[name] = value
  }

  private mutating func take(_ name: String, _ value: JSONValue?) {
    guard let value else { return }
    let before = stored[name] ?? .null
    guard before != value else { return }
    object[name] = value
    guard stored[name] != nil || !value.isNull else { return }
    evidence[name] = before
    note(
      "import.\(name)-differs",
      "\(self.name): \(before.canonicalText) is stored as “\(name)”, and what is read says "
        + value.canonicalText
    )
  }

  /// Names were kept when ids were used again, so the text and the name decide.
  private mutating func resolveGame(_ result: GameResult?) {
    if let result, name != result.game {
      evidence["gameName"] = stored["gameName"] ?? .null
      note(
        "import.game-differs",
        "“\(name)” is stored as the game, and the text is of \(result.game)"
      )
      object["gameName"] = .string(result.game)
    }
    guard !settings.gameIDs.isEmpty || object["gameId"] == nil else { return }
    let wanted = ResultRecord.gameID(of: name, settings)
    let given = object["gameId"]?.text ?? object["gameId"]?["$uuid"]?.text
    guard given?.uppercased() != wanted.uppercased() else { return }
    guard let given else {
      object["gameId"] = .string(wanted)
      return
    }
    let owner = settings.gameIDs.first { $0.value.uppercased() == given.uppercased() }?.key
    guard let owner else { return }
    evidence["gameId"] = .string(given)
    object["gameId"] = .string(wanted)
    note(
      "import.game-id-reused",
      "the id \(given) is that of \(owner), and the result is of \(name)"
    )
  }

  private mutating func note(_ code: String, _ cause: String) {
    let cure = "the stored value is kept in the record, under “stored”"
    let held = Finding(
      code: code,
      severity: .warning,
      record: id,
      cause: "the package that is added to: \(cause)",
      cure: cure
    )
    findings.append(origin?.finding(code, cause, cure: cure) ?? held)
  }
}
