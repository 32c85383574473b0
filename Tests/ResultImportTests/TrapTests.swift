import JSONText
import LegacyFiles
import Records
import ResultImport
import ResultText
import Testing

/// What an app of this kind got wrong, lost or wrote in two ways, one trap a test.
struct TrapTests {
  @Test func `a day is that of the zone, not of the instant in UTC`() {
    // Late in one evening and early in the next: two days in London, one in Vienna.
    let dates = ["2024-03-05T23:30:00Z", "2024-03-06T20:00:00Z"]
    let streaks = [0, 3600].map { offset in
      var ledger = Ledger.make { $0.zone = TimeZoneRules(offset: offset) }
      for (number, date) in zip([990, 991], dates) {
        _ = ledger.take(Ledger.text(Ledger.wordle(number, 3), date: date))
      }
      return ledger.streaks()[0]["maxStreak"]
    }
    #expect(streaks == [2, 1])
  }

  @Test func `the date is that of the import, and the puzzle's day stands beside it`() {
    var ledger = Ledger.make()
    let record = ledger.take(Ledger.stored(date: "2024-06-01T10:11:12Z"), as: .plist).records[0]
    #expect(record["date"] == "2024-06-01T10:11:12Z")
    #expect(record["puzzleDay"] == "2024-03-05")
  }

  @Test func `a small x was stored as completed, and is a lost game`() {
    var ledger = Ledger.make()
    let text = "Wordle 990 x/6\n\n" + String(repeating: "⬛🟨⬛⬛⬛\n", count: 6)
    let outcome = ledger.take(Ledger.stored(score: .null, text: text), as: .plist)
    #expect(outcome.records[0]["completed"] == false)
    #expect(outcome.findings.map(\.code) == ["import.completed-differs"])
  }

  @Test func `hard mode and the time, which the app lost, are read from the text again`() {
    var ledger = Ledger.make()
    let hard = "Wordle 990 1/6*\n\n🟩🟩🟩🟩🟩"
    let wordle = ledger.take(Ledger.stored(score: 1, text: hard), as: .plist).records[0]
    #expect(wordle["hardMode"] == true)
    let queens = ledger.take(
      Ledger.stored(
        id: "2",
        game: "linkedinqueens",
        score: 124,
        text: "Queens #254\n2:04 👑\nlnkd.in/queens."
      ),
      as: .plist
    )
    #expect(queens.records[0]["timeSeconds"] == 124)
  }

  @Test func `the difficulty that Pips stored as its score gives way to the time`() {
    var ledger = Ledger.make()
    let outcome = ledger.take(
      Ledger.stored(game: "pips", score: 1, text: "Pips #12 Easy 🟢\n2:05"),
      as: .plist
    )
    #expect(outcome.records[0]["score"] == 125)
    #expect(outcome.records[0]["stored"] == ["score": 1])
  }

  @Test func `the three Pips of a day are three results, and each is there once`() {
    var ledger = Ledger.make()
    let texts = ["Easy 🟢", "Medium 🟡", "Hard 🔴"].map { "Pips #12 \($0)\n2:05" }
    let buckets = (texts + texts).map { ledger.take(Ledger.text($0)).bucket }
    #expect(buckets == [.imported, .imported, .imported, .duplicate, .duplicate, .duplicate])
  }

  @Test func `a number is the same puzzle in every grouping`() {
    var ledger = Ledger.make()
    let heads = ["1,932", "1.932", "1932", "1\u{202F}932"]
    let buckets = heads.map {
      ledger.take(Ledger.text("Wordle \($0) 1/6\n\n🟩🟩🟩🟩🟩")).bucket
    }
    #expect(buckets == [.imported, .duplicate, .duplicate, .duplicate])
  }

  @Test func `a text whose tail was cut off is kept as it was stored, and reported`() {
    var ledger = Ledger.make()
    let outcome = ledger.take(Ledger.stored(text: "Wordle 990 3/6\n\n⬛🟨⬛"), as: .plist)
    #expect(outcome.bucket == .imported && outcome.records[0]["score"] == 3)
    #expect(!outcome.findings.isEmpty)
  }

  @Test func `a failed result ends a streak, and the longest one stays`() {
    var ledger = Ledger.make()
    let lost = "Wordle 992 X/6\n\n" + String(repeating: "⬛🟨⬛⬛⬛\n", count: 6)
    let texts = [Ledger.wordle(990, 2), Ledger.wordle(991, 2), lost]
    for (day, text) in texts.enumerated() {
      _ = ledger.take(Ledger.text(text, date: "2024-03-0\(5 + day)T12:00:00Z"))
    }
    let streak = ledger.streaks()[0]
    #expect(streak["currentStreak"] == 0 && streak["maxStreak"] == 2)
    #expect(streak["totalGamesPlayed"] == 3 && streak["totalGamesCompleted"] == 2)
  }

  // MARK: Whose results

  @Test func `what the owner of a message backup sent is own, and what came is refused`() {
    var ledger = Ledger.make()
    let own = ledger.take(Ledger.text(Ledger.wordle(990, 3), isOwn: true))
    #expect(own.bucket == .imported && own.records[0]["player"] == .null)
    let received = ledger.take(Ledger.text(Ledger.wordle(991, 3), sender: "Bo", isOwn: false))
    #expect(received.bucket == .refused)
    #expect(received.reason?.contains("Bo sent it") == true)
    #expect(received.cure.contains("--sender"))
  }

  @Test func `with all senders a received result keeps its player and is counted`() {
    var ledger = Ledger.make { $0.takesOthers = true }
    let outcome = ledger.take(Ledger.text(Ledger.wordle(991, 3), sender: "Bo", isOwn: false))
    #expect(outcome.records.first?["player"] == "Bo" && outcome.othersCount == 1)
  }

  @Test func `the only sender of a chat is its owner`() {
    var ledger = Ledger.make {
      $0.soleSender = ImportSettings.SoleSender(name: "Ada", isOfMessages: false)
    }
    let chat = ledger.take(Ledger.text(Ledger.wordle(991, 3), sender: "Ada"))
    #expect(chat.records.first?["player"] == .null)
    // A message that somebody of that name sent to another is not the owner's own.
    let message = ledger.take(Ledger.text(Ledger.wordle(992, 3), sender: "Ada", isOwn: false))
    #expect(message.bucket == .refused)
  }
}
