import JSONText
import LegacyFiles
import Records
import ResultGrammar
import ResultImport
import ResultText
import Testing

struct LedgerTests {
  @Test func `a text becomes a record with its content and its source`() throws {
    var ledger = Ledger.make { $0.gameIDs = ["wordle": "G0"] }
    let outcome = ledger.take(Ledger.text(Ledger.wordle(990, 3), date: "2024-03-05T10:11:12Z"))
    let record = try #require(outcome.records.first)
    #expect(outcome.bucket == .imported)
    #expect(record["gameId"] == "G0" && record["gameName"] == "wordle" && record["score"] == 3)
    #expect(record["puzzleNumber"] == 990 && record["puzzleDay"] == "2024-03-05")
    #expect(record["date"] == "2024-03-05T10:11:12Z" && record["hardMode"] == false)
    #expect(record["origin"] == ["file": "a.txt", "form": "text", "place": "line 1"])
    #expect(record["sharedText"]?.text == Ledger.wordle(990, 3))
  }

  @Test func `the id of a result is the same in every run, and of no other result`() {
    let ids = [(990, 3), (990, 3), (991, 3)].map { puzzle, guesses in
      var ledger = Ledger.make()
      return ledger.take(Ledger.text(Ledger.wordle(puzzle, guesses))).records.first?["id"]
    }
    #expect(ids[0] == ids[1] && ids[1] != ids[2])
    #expect(ids[0]?.text?.count == 36)
  }

  @Test func `a second text of the same puzzle is a duplicate of the first`() {
    var ledger = Ledger.make()
    _ = ledger.take(Ledger.text(Ledger.wordle(990, 3), number: 7))
    let again = ledger.take(Ledger.text("again: " + Ledger.wordle(990, 3), number: 9))
    #expect(again.bucket == .duplicate && again.records.isEmpty && again.findings.isEmpty)
    #expect(again.reason?.hasPrefix("duplicate of wordle/990, number 7") == true)
  }

  @Test func `a message of another person is counted beside what was refused`() {
    var ledger = Ledger.make { $0.senders = ["Ada"] }
    var counts = ImportCounts()
    for entry in [
      Ledger.text(Ledger.wordle(990, 3), sender: "Ada"),
      Ledger.text(Ledger.wordle(991, 3), sender: "Bob"), Ledger.text(Ledger.wordle(992, 3)),
    ] {
      counts.begin()
      counts.end(ledger.take(entry))
    }
    #expect(counts[.refused] == 2 && counts.othersMessages == 1)
  }

  @Test func `a result of a text that was cut is counted`() {
    var ledger = Ledger.make()
    var counts = ImportCounts()
    counts.begin()
    counts.end(ledger.take(Ledger.text("Wordle 990 4/6\n\n⬛🟨⬛⬛⬛\n🟩⬛🟨⬛⬛")))
    #expect(counts.truncatedResults == 1 && counts.newResults == 1)
  }

  @Test func `a duplicate with another score is reported`() {
    var ledger = Ledger.make()
    _ = ledger.take(Ledger.text(Ledger.wordle(990, 3)))
    let again = ledger.take(Ledger.text(Ledger.wordle(990, 4)))
    #expect(again.bucket == .duplicate)
    #expect(again.findings.map(\.code) == ["import.duplicate-differs"])
  }

  @Test func `texts without number or day are distinguished by the day they were sent`() {
    var ledger = Ledger.make()
    let text = "I just hit Genius on Spelling Bee."
    let buckets = ["2024-03-05T10:00:00Z", "2024-03-05T19:00:00Z", "2024-03-06T10:00:00Z"]
      .map { ledger.take(Ledger.text(text, date: $0)).bucket }
    #expect(buckets == [.imported, .duplicate, .imported])
  }

  @Test func `two players of one puzzle are two results`() {
    var ledger = Ledger.make()
    let ada = ledger.take(Ledger.text(Ledger.wordle(990, 3), sender: "Ada"))
    let bob = ledger.take(Ledger.text(Ledger.wordle(990, 3), sender: "Bob"))
    let own = ledger.take(Ledger.text(Ledger.wordle(990, 5), sender: "x", isOwn: true))
    #expect([ada, bob, own].map(\.bucket) == [.imported, .imported, .imported])
    #expect(ada.records.first?["player"] == "Ada" && own.records.first?["player"] == .null)
    #expect(ada.records.first?["id"] != bob.records.first?["id"])
  }

  @Test func `if one file names the sender and another does not, the content decides`() {
    var ledger = Ledger.make()
    _ = ledger.take(Ledger.text(Ledger.wordle(990, 3)))
    #expect(ledger.take(Ledger.text(Ledger.wordle(990, 3), sender: "Ada")).bucket == .duplicate)
    #expect(ledger.take(Ledger.text(Ledger.wordle(990, 4), sender: "Bob")).bucket == .imported)
  }

  @Test func `if the file says whose two equal results are, they stay two`() {
    var ledger = Ledger.make { $0.takesOthers = true }
    let own = ledger.take(Ledger.text(Ledger.wordle(990, 3), isOwn: true))
    let bob = ledger.take(Ledger.text(Ledger.wordle(990, 3), sender: "Bob", isOwn: false))
    #expect(own.bucket == .imported && bob.bucket == .imported)
    #expect(bob.records.first?["player"] == "Bob")
    #expect(ledger.take(Ledger.text(Ledger.wordle(990, 3))).bucket == .duplicate)
  }

  @Test(arguments: [true, false])
  func `a result that may be the owner's is kept twice, and both places are reported`(
    isOwnFirst: Bool
  ) throws {
    var ledger = Ledger.make { $0.takesOthers = true }
    let own = Ledger.text(Ledger.wordle(990, 3), isOwn: true, number: 3)
    let ada = Ledger.text(Ledger.wordle(990, 3), sender: "Ada", number: 8)
    let first = ledger.take(isOwnFirst ? own : ada, file: "first", form: .text)
    let second = ledger.take(isOwnFirst ? ada : own, file: "second", form: .text)
    #expect([first, second].map(\.bucket) == [.imported, .imported])
    #expect(!first.findings.contains { $0.code == "import.perhaps-own" })
    let finding = try #require(second.findings.first { $0.code == "import.perhaps-own" })
    #expect(finding.file == "second" && finding.line == (isOwnFirst ? 8 : 3))
    #expect(finding.cause.contains("first, number \(isOwnFirst ? 3 : 8)"), "\(finding.cause)")
    #expect(finding.cure.contains("--sender Ada"))
  }

  @Test func `an ambiguous owner's name is reported once for each name`() {
    var ledger = Ledger.make { $0.takesOthers = true }
    var reported: [String] = []
    for puzzle in [990, 991] {
      for (sender, isOwn) in [("x", true), ("Ada", nil), ("Bob", nil)] as [(String, Bool?)] {
        let text = Ledger.text(Ledger.wordle(puzzle, 3), sender: sender, isOwn: isOwn)
        reported += ledger.take(text).findings.map(\.code).filter { $0 == "import.perhaps-own" }
      }
    }
    #expect(reported.count == 2)
  }

  @Test(arguments: [(3, false), (4, nil)] as [(Int, Bool?)])
  func `a received result, or one of another score, is surely not the owner's`(
    guesses: Int,
    isOwn: Bool?
  ) {
    var ledger = Ledger.make { $0.takesOthers = true }
    _ = ledger.take(Ledger.text(Ledger.wordle(990, 3), isOwn: true))
    let other = Ledger.text(Ledger.wordle(990, guesses), sender: "Bob", isOwn: isOwn)
    #expect(!ledger.take(other).findings.contains { $0.code == "import.perhaps-own" })
  }

  @Test func `a named owner has one result of a puzzle, whichever file holds it`() {
    var ledger = Ledger.make {
      $0.takesOthers = true
      $0.senders = ["Ada"]
    }
    _ = ledger.take(Ledger.text(Ledger.wordle(990, 3), isOwn: true))
    #expect(ledger.take(Ledger.text(Ledger.wordle(990, 3), sender: "Ada")).bucket == .duplicate)
  }

  @Test func `with a wanted sender, others' results are refused`() {
    var ledger = Ledger.make { $0.senders = ["Ada"] }
    let ada = ledger.take(Ledger.text(Ledger.wordle(990, 3), sender: "Ada"))
    #expect(ada.bucket == .imported && ada.records.first?["player"] == .null)
    let bob = ledger.take(Ledger.text(Ledger.wordle(990, 3), sender: "Bob"))
    #expect(bob.bucket == .refused && bob.reason?.contains("Bob") == true)
  }

  @Test(arguments: [
    ("hello there", TextOutcome.none), ("Wordle 990 7/6", .refused),
    ("Wordle 990 3/6 ðŸŸ©", .refused),
  ])
  func `every text has exactly one outcome`(text: String, bucket: TextOutcome) {
    var ledger = Ledger.make()
    #expect(ledger.take(Ledger.text(text)).bucket == bucket)
  }

  @Test func `several results in one text keep their own parts`() {
    var ledger = Ledger.make()
    let both = Ledger.wordle(990, 3) + "\n" + Ledger.wordle(991, 2)
    let outcome = ledger.take(Ledger.text(both))
    #expect(outcome.records.map { $0["puzzleNumber"] } == [990, 991])
    #expect(outcome.records.last?["sharedText"]?.text == Ledger.wordle(991, 2))
  }

  @Test func `an undated result of an undated text is imported without a date, and reported`() {
    var ledger = Ledger.make()
    let outcome = ledger.take(Ledger.text(Ledger.wordle(990, 3)))
    #expect(outcome.records.first?["date"] == .null)
    #expect(outcome.findings.map(\.code) == ["import.no-date"])
  }

  private static let fault = DateFault(kind: .form, cause: "it is not a date", cure: "write one")

  @Test func `a result whose date cannot be read is refused, whatever day is given`() {
    var ledger = Ledger.make { $0.day = CalendarDay(number: 19_800) }
    let outcome = ledger.take(Ledger.text(Ledger.wordle(990, 3), dateFault: Self.fault))
    #expect(outcome.bucket == .refused && outcome.code == "import.date-form")
    #expect(outcome.reason == "it is not a date" && outcome.cure == "write one")
    #expect(ledger.take(Ledger.text(Ledger.wordle(990, 3))).bucket == .imported)
  }

  @Test func `a text without a result stays without one, regardless of its date`() {
    var ledger = Ledger.make()
    #expect(ledger.take(Ledger.text("hello", dateFault: Self.fault)).bucket == .none)
  }

  @Test func `a result of a sender who is not wanted is refused for that, regardless of its date`()
  {
    var ledger = Ledger.make { $0.senders = ["Ada"] }
    let entry = Ledger.text(Ledger.wordle(990, 3), dateFault: Self.fault, sender: "Bob")
    #expect(ledger.take(entry).code == "import.refused")
  }

  @Test func `results in a package are not imported again`() {
    var first = Ledger.make()
    let record = first.take(Ledger.text(Ledger.wordle(990, 3))).records[0]
    var second = Ledger.make()
    second.adopt(record)
    #expect(second.take(Ledger.text(Ledger.wordle(990, 3))).bucket == .duplicate)
    var third = Ledger.make()
    guard case .result(let exported) = Ledger.stored().kind else {
      Issue.record("what is stored is not a result")
      return
    }
    third.adopt(exported)
    #expect(third.take(Ledger.text(Ledger.wordle(990, 3))).bucket == .duplicate)
    #expect(third.take(Ledger.stored()).bucket == .duplicate)
  }

  @Test func `a record that an app stored gets what its text says, and keeps the rest as evidence`()
    throws
  {
    guard case .result(var exported) = Ledger.stored().kind else {
      Issue.record("what is stored is not a result")
      return
    }
    exported["score"] = 5
    var ledger = Ledger.make()
    let held = ledger.adopt(exported)
    #expect(held.object["score"] == 3 && held.object["stored"] == ["score": 5])
    #expect(held.object["date"] == exported["date"] && held.object["origin"] == nil)
    #expect(held.findings.map(\.code) == ["import.score-differs"])
    // An import has read it: the next one takes it as it is.
    let again = ledger.adopt(held.object)
    #expect(again.object == held.object && again.findings.isEmpty)
  }

  @Test(arguments: [true, false])
  func `text that was encoded twice is imported only where its repair is asked for`(asked: Bool) {
    var damaged = ""
    for byte in "Wordle 990 1/6\n\n🟩🟩🟩🟩🟩".utf8 {
      damaged.unicodeScalars.append(Unicode.Scalar(byte))
    }
    var ledger = Ledger.make { $0.repairsDoubleEncoding = asked }
    let outcome = ledger.take(Ledger.text(damaged), file: "a.json", form: .json)
    #expect(outcome.bucket == (asked ? .imported : .refused))
    #expect(outcome.isRepaired == asked)
  }
}
