import JSONText
import LegacyFiles
import Records
import ResultGrammar
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

  @Test func `the date is that of the import, and the puzzle's day is a field beside it`() {
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
    let heads = ["1,032", "1.032", "1032", "1\u{202F}032"]
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

  @Test func `messages that the owner of a backup sent are own, and received ones are refused`() {
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
    var ledger = Ledger.make { $0.soleSender = "Ada" }
    let chat = ledger.take(Ledger.text(Ledger.wordle(991, 3), sender: "Ada"))
    #expect(chat.records.first?["player"] == .null)
    // A message that a person of that name sent to another is not the owner's own.
    let message = ledger.take(Ledger.text(Ledger.wordle(992, 3), sender: "Ada", isOwn: false))
    #expect(message.bucket == .refused)
  }

  @Test func `with --sender, a text without a sender is refused, and a stored result is imported`()
  {
    var ledger = Ledger.make { $0.senders = ["Ada"] }
    let text = ledger.take(Ledger.text(Ledger.wordle(990, 3)))
    #expect(text.bucket == .refused)
    #expect(
      text.reason == "the file does not name its sender, and only the results of Ada are wanted"
    )
    #expect(ledger.take(Ledger.text(Ledger.wordle(991, 3), isOwn: true)).bucket == .imported)
    #expect(ledger.take(Ledger.stored(text: Ledger.wordle(992, 3))).bucket == .imported)
    #expect(ledger.take(Ledger.text("well done")).bucket == .none)
  }

  @Test func `a text that names no sender in a file that names others is refused`() {
    var ledger = Ledger.make {
      $0.soleSender = "Ada"
      $0.senderFiles["a.txt"] = ImportSettings.SenderFile(sharedNames: [])
    }
    #expect(ledger.take(Ledger.text(Ledger.wordle(990, 3))).bucket == .refused)
    #expect(ledger.take(Ledger.text(Ledger.wordle(990, 3), sender: "Ada")).bucket == .imported)
    let other = ledger.take(Ledger.text(Ledger.wordle(991, 3)), file: "b.txt", form: .text)
    #expect(other.bucket == .imported)
  }

  @Test
  func `a result that a file without senders gives twice is refused in each place`() {
    var reader = ResultReader(catalogue: Ledger.catalogue)
    let key = reader.read(Array(Ledger.wordle(990, 3).utf8)).results.first?.identity ?? ""
    var ledger = Ledger.make { $0.ambiguous["a.txt"] = [key] }
    for guesses in [3, 5] {
      let outcome = ledger.take(Ledger.text(Ledger.wordle(990, guesses)))
      #expect(outcome.bucket == .refused && outcome.reason?.contains("names no senders") == true)
    }
    #expect(ledger.take(Ledger.text(Ledger.wordle(991, 3))).bucket == .imported)
    #expect(ledger.take(Ledger.text(Ledger.wordle(990, 3), isOwn: true)).bucket == .imported)
  }

  @Test(arguments: [[], ["Ada"]], [false, true])
  func `a text without a known player is rejected for every --sender`(
    senders: [String],
    takesOthers: Bool
  ) {
    var ledger = Ledger.make { ($0.senders, $0.takesOthers) = (senders, takesOthers) }
    var entry = Ledger.text(Ledger.wordle(990, 3), sender: "Ada")
    entry.authorFault = "it was forwarded"
    let outcome = ledger.take(entry)
    #expect(outcome.bucket == .refused)
    #expect(outcome.reason == "it was forwarded, so its sender is not known")
  }

  @Test func `senders of one name are wanted by their ids, and each has results of their own`() {
    func text(_ guesses: Int, id: String?) -> LegacyEntry {
      var entry = Ledger.text(Ledger.wordle(990, guesses), sender: "Alex")
      entry.senderID = id
      return entry
    }
    let files = ["a.txt": ImportSettings.SenderFile(sharedNames: ["Alex"])]
    var ledger = Ledger.make { ($0.senders, $0.takesOthers, $0.senderFiles) = (["7"], true, files) }
    let own = ledger.take(text(3, id: "7"))
    let other = ledger.take(text(5, id: "8"))
    #expect(own.records.first?["player"] == .null)
    #expect(other.records.first?["player"] == "Alex (8)")
    let third = ledger.take(text(4, id: nil))
    #expect(
      third.bucket == .refused && third.reason?.contains("several senders are called Alex") == true
    )
  }

  @Test func `a stored result that names another player is not the owner's`() {
    var entry = Ledger.stored()
    entry.sender = "Bob"
    var wanted = Ledger.make { $0.senders = ["Ada"] }
    #expect(wanted.take(entry).bucket == .refused)
    var all = Ledger.make { $0.takesOthers = true }
    let outcome = all.take(entry)
    #expect(outcome.records.first?["player"] == "Bob" && outcome.othersCount == 1)
  }

  // MARK: Quoted and forwarded results

  private static func quoted(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { "> \($0)" }
      .joined(separator: "\n")
  }

  @Test(
    arguments: [
      "Bob wrote:\n\(quoted(Ledger.wordle(990, 3)))", quoted(Ledger.wordle(990, 3)),
      quoted(Ledger.wordle(990, 3)).replacing(">", with: "&gt;"), "Fwd: \(Ledger.wordle(990, 3))",
      "On Tue, Mar 5, 2024 at 10:11 AM Bob <b@x.y> wrote:\n\n\(Ledger.wordle(990, 3))",
      "so good\n---------- Forwarded message ---------\nFrom: Bob\n\(Ledger.wordle(990, 3))",
      "so good\n\nVon: Bob\nGesendet: Dienstag\nBetreff: heute\n\n\(Ledger.wordle(990, 3))",
      "Am 14.01.2024 um 09:05 schrieb Bob Maria Smith:\n\n\(Ledger.wordle(990, 3))",
      "Le dim. 14 janv. 2024 à 09:05, Bob <b@x.y> a écrit :\n\n\(Ledger.wordle(990, 3))",
      "вс, 14 янв. 2024 г. в 09:05, Bob <b@x.y>:\n\n\(Ledger.wordle(990, 3))",
      "On Sun, Jan 14, 2024 at 9:05 AM Bob Smith <b@x.y>\nwrote:\n\n\(Ledger.wordle(990, 3))",
      "Från: Bob\nSkickat: söndag\nÄmne: idag\n\n\(Ledger.wordle(990, 3))",
      "发件人：Bob\n发送时间：星期日\n\n\(Ledger.wordle(990, 3))",
      "-----Ursprüngliche Nachricht-----\n\(Ledger.wordle(990, 3))",
      "Begin forwarded message:\n\n\(Ledger.wordle(990, 3))",
      "Forwarded from Bob\n\(Ledger.wordle(990, 3))",
      "[quote=Bob]\(Ledger.wordle(990, 3))[/quote]\nwow",
      "<blockquote>\(Ledger.wordle(990, 3))</blockquote>",
      "> x\n\(quoted(Ledger.wordle(990, 3)))\n\nwell done",
      quoted(Ledger.wordle(990, 3)).replacing(">", with: "＞"),
      "*From:* Bob\n*Sent:* Sunday\n\n\(Ledger.wordle(990, 3))",
      "  Od:\tBob\nDo: Ada\n\n\(Ledger.wordle(990, 3))",
      "👉 FW: \(Ledger.wordle(990, 3))", "Bob said：\n\(Ledger.wordle(990, 3))",
      "🟩 Bob said:\u{A0}\n\(Ledger.wordle(990, 3))",
    ]
  )
  func `a quoted or forwarded result is not that of who quotes it`(text: String) {
    var ledger = Ledger.make { $0.senders = ["Ada"] }
    let outcome = ledger.take(Ledger.text(text, sender: "Ada"))
    #expect(outcome.bucket == .refused, "\(outcome.bucket)")
    #expect(outcome.reason?.contains("quoted or forwarded") == true, "\(outcome.reason ?? "")")
  }

  @Test(
    arguments: [
      "> Wordle 990 3/6\n\n\(Ledger.wordle(990, 5))",
      "\(Ledger.wordle(990, 5))\n\n\(quoted(Ledger.wordle(990, 3)))",
      "On Tuesday Bob wrote:\n\(quoted(Ledger.wordle(990, 3)))\nMine:\n\(Ledger.wordle(990, 5))",
    ]
  )
  func `the own result beside a quoted one is imported`(text: String) {
    var ledger = Ledger.make()
    let outcome = ledger.take(Ledger.text(text, date: "2024-03-05"))
    #expect(outcome.records.map { $0["score"] } == [5])
    #expect(outcome.findings.map(\.code) == ["import.part-refused"])
  }

  @Test(
    arguments: [
      "Look what I wrote:\n\(Ledger.wordle(990, 3))", "\(Ledger.wordle(990, 3))\n-> so good",
      "Gestern um 9 schrieb ich:\n\(Ledger.wordle(990, 3))",
      "Here is mine:\n\(Ledger.wordle(990, 3))", "\(Ledger.wordle(990, 3))\n> next one tomorrow",
    ]
  )
  func `a text without a quotation keeps its result`(text: String) {
    var ledger = Ledger.make()
    let outcome = ledger.take(Ledger.text(text, date: "2024-03-05"))
    #expect(outcome.bucket == .imported && outcome.findings.isEmpty)
  }
}
