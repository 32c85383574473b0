import JSONText
import LegacyFiles
import Records
import ResultImport
import ResultText
import Testing

/// Results and streaks that an app stored.
struct StoredTests {
  // 002-56, 002-57.
  @Test func `a stored result keeps its id and its members`() {
    var ledger = Ledger.make()
    let outcome = ledger.take(Ledger.stored(), as: .plist)
    #expect(outcome.bucket == .imported && outcome.findings.isEmpty)
    let record = outcome.records[0]
    #expect(record["id"] == "11111111-0000-4000-8000-000000000001")
    #expect(record["parsedData"] == ["puzzleNumber": "990"] && record["puzzleNumber"] == 990)
    #expect(record["stored"] == nil)
  }

  @Test func `a stored score that differs from the text is kept as evidence and reported`() {
    var ledger = Ledger.make()
    let outcome = ledger.take(Ledger.stored(score: 5), as: .plist)
    #expect(outcome.records[0]["score"] == 3)
    #expect(outcome.records[0]["stored"] == ["score": 5])
    #expect(outcome.findings.map(\.code) == ["import.score-differs"])
  }

  private func stored(
    _ more: JSONObject,
    text: String = Ledger.wordle(990, 3)
  ) throws -> LegacyEntry {
    let entry = Ledger.stored(text: text)
    guard case .result(var object) = entry.kind else { throw CancellationError() }
    for member in more.members { object[member.name] = member.value }
    return LegacyEntry(
      .result(object),
      text: entry.text,
      date: entry.date,
      game: entry.game,
      place: entry.place,
      number: 1
    )
  }

  @Test func `a field that the text does not mention stays as it was stored`() throws {
    var ledger = Ledger.make()
    let outcome = ledger.take(try stored(["timeSeconds": 83]), as: .json)
    let record = try #require(outcome.records.first)
    #expect(record["timeSeconds"] == 83)
    #expect(record["stored"] == nil && outcome.findings.isEmpty)
  }

  @Test(arguments: ["puzzleNumber", "identity", "player", "origin"])
  func `a stored result that differs from its text is kept as evidence`(name: String) throws {
    var ledger = Ledger.make()
    let outcome = ledger.take(try stored([name: "old"]), as: .json)
    #expect(outcome.records.first?["stored"] == [name: "old"])
    #expect(outcome.findings.map(\.code) == ["import.\(name)-differs"])
  }

  @Test func `a completion that differs is kept too`() {
    var ledger = Ledger.make()
    let lost = "Wordle 990 X/6\n\n" + String(repeating: "⬛🟨⬛⬛⬛\n", count: 6)
    let outcome = ledger.take(Ledger.stored(score: .null, text: lost), as: .plist)
    #expect(outcome.records[0]["completed"] == false)
    #expect(outcome.records[0]["stored"] == ["completed": true])
  }

  // 002-58.
  @Test func `an id that was used again is resolved by name and text`() {
    var ledger = Ledger.make { $0.gameIDs = ["wordle": "G0", "connections": "G3"] }
    let outcome = ledger.take(Ledger.stored(gameID: "g3"), as: .plist)
    #expect(outcome.records[0]["gameId"] == "G0")
    #expect(outcome.records[0]["stored"] == ["gameId": "g3"])
    #expect(outcome.findings.map(\.code) == ["import.game-id-reused"])
  }

  @Test func `a name that differs from the text's game is reported`() {
    var ledger = Ledger.make()
    let outcome = ledger.take(Ledger.stored(game: "heardle"), as: .plist)
    #expect(outcome.records[0]["gameName"] == "wordle")
    #expect(outcome.findings.map(\.code) == ["import.game-differs"])
  }

  @Test(arguments: ["my own game 4/5", "Wordle 990 9/6"])
  func `a stored result whose text is unreadable is taken as it is, and reported`(text: String) {
    var ledger = Ledger.make()
    let outcome = ledger.take(Ledger.stored(score: 4, text: text), as: .plist)
    #expect(outcome.bucket == .imported && outcome.records[0]["score"] == 4)
    #expect(outcome.findings.map(\.code) == ["import.stored-only"])
  }

  @Test func `a stored result without a required field is refused`() {
    var ledger = Ledger.make()
    let entry = LegacyEntry(
      .result(["sharedText": "nothing", "gameName": "wordle"]),
      text: Array("nothing".utf8),
      place: .line(1),
      number: 1
    )
    let outcome = ledger.take(entry, as: .plist)
    #expect(outcome.bucket == .refused && outcome.reason?.contains("date") == true)
  }

  @Test func `stored results without an id and a date are distinguished by all their content`() {
    var ledger = Ledger.make()
    let objects: [JSONObject] = [
      ["gameName": "tradle", "completed": true, "score": 2, "date": .null],
      ["gameName": "tradle", "completed": false, "score": 6, "date": .null],
    ]
    let outcomes = (objects + objects).map { object in
      ledger.take(LegacyEntry(.result(object), place: .line(1), number: 1), as: .json)
    }
    #expect(outcomes.map(\.bucket) == [.imported, .imported, .duplicate, .duplicate])
    #expect(outcomes[0].records.first?["id"] != outcomes[1].records.first?["id"])
    #expect(outcomes[0].findings.map(\.code).contains("import.no-date"))
  }

  @Test func `an id that comes again with another score is a duplicate, and reported`() {
    var ledger = Ledger.make()
    let outcomes = [4, 4, 5].map { (score: JSONValue) in
      ledger.take(Ledger.stored(score: score, text: "my own game"), as: .plist)
    }
    #expect(outcomes.map(\.bucket) == [.imported, .duplicate, .duplicate])
    #expect(outcomes[1].findings.isEmpty)
    #expect(outcomes[2].findings.map(\.code) == ["import.duplicate-differs"])
  }

  @Test func `streaks follow from the results, by the day rule`() {
    var ledger = Ledger.make()
    for (number, date) in [
      (990, "2024-03-05"), (991, "2024-03-06"), (992, "2024-03-07"), (994, "2024-03-09"),
    ] {
      _ = ledger.take(Ledger.text(Ledger.wordle(number, 3), date: date + "T12:00:00Z"))
    }
    let streaks = ledger.streaks()
    #expect(streaks.count == 1)
    #expect(streaks[0]["currentStreak"] == 1 && streaks[0]["maxStreak"] == 3)
    #expect(streaks[0]["totalGamesPlayed"] == 4 && streaks[0]["asOf"] == "2024-03-09")
  }

  @Test func `a day from a stored result counts as it does in its package`() throws {
    var ledger = Ledger.make { $0.dayRule = .puzzle }
    let entry = try stored(["puzzleDay": "2024-03-01"], text: "my own game 4/5")
    let outcome = ledger.take(entry, as: .plist)
    let record = try #require(outcome.records.first)
    var later = Ledger.make { $0.dayRule = .puzzle }
    later.adopt(record)
    #expect(ledger.streaks() == later.streaks())
  }

  @Test func `a streak that was stored and differs is reported`() {
    var ledger = Ledger.make()
    _ = ledger.take(Ledger.stored(), as: .plist)
    let stored: JSONObject = [
      "gameName": "wordle", "currentStreak": 4, "maxStreak": 1, "totalGamesPlayed": 1,
    ]
    let findings = ledger.differences(from: [(stored, "streaks, element 1", "a.plist")])
    #expect(findings.map(\.code) == ["import.streak-differs"])
    #expect(findings[0].cause.contains("currentStreak 4, and 1 follows"))
  }

  @Test func `counts add up over every bucket`() {
    var ledger = Ledger.make()
    var counts = ImportCounts()
    for text in [
      Ledger.wordle(1, 2), Ledger.wordle(1, 2), "Zorkle #3 4/6", "Wordle 1 0/6", "hello",
    ] {
      counts.begin()
      counts.end(ledger.take(Ledger.text(text)))
    }
    #expect(TextOutcome.allCases.map { counts[$0] } == [1, 1, 1, 1, 1])
    #expect(counts.isComplete && counts.texts == 5)
  }
}
