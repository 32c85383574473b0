import ResultGrammar
import ResultText
import Testing

struct `Wordle texts` {
  private static let grid = "\n\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩"

  @Test(arguments: [
    "Wordle 1,234 3/6", "Wordle 1.234 3/6", "Wordle 1234 3/6", "Wordle 1 234 3/6",
    "Wordle 1'234 3/6", "Wordle 1\u{A0}234 3/6", "Wordle 1\u{202F}234 3/6", "wordle 1,234 3/6",
    "Wordle 1,234 🎉 3/6", "Wordle ١٬٢٣٤ 3/6", "Wordle ١٢٣٤ ٣/٦", "Wordle ۱۲۳۴ 3/6",
    "Wordle १,२३४ 3/6", "Wordle １２３４ 3/6", "Wordle 1ʼ234 3/6",
    "\u{202B}Wordle \u{2066}\u{61C}1,234\u{2069} 3/6\u{202C}",
  ])
  func `a number is read in every grouping`(head: String) throws {
    let result = try ReadTexts.result(head + Self.grid)
    #expect(result.puzzle == 1234)
    #expect(result.score == ResultNumber(3))
    #expect(result.maxAttempts == 6)
    #expect(result.completed)
    #expect(result.hardMode == false)
    #expect(result.puzzleDay?.description == "2024-11-04")
    #expect(result.identity == "wordle/1234")
  }

  @Test func `an X is a lost game without a score`() throws {
    let rows = Array(repeating: "⬛🟨⬛⬛🟩", count: 6).joined(separator: "\n")
    let result = try ReadTexts.result("Wordle 900 x/6*\n\n" + rows)
    #expect(result.score == nil)
    #expect(!result.completed)
    #expect(result.hardMode == true)
  }

  @Test(arguments: [
    "Wordle 900 3/6\r\n\r\n⬛🟨⬛⬛🟩\r\n🟨⬛🟩⬛🟩\r\n🟩🟩🟩🟩🟩\r\n",
    "Wordle 900 3/6 ⬛🟨⬛⬛🟩 🟨⬛🟩⬛🟩 🟩🟩🟩🟩🟩",
    "Wordle 900 3/6\r\r⬛🟨⬛⬛🟩\r🟨⬛🟩⬛🟩\r🟩🟩🟩🟩🟩\r",
    "Wordle 900 3/6\r\r\n\r\r\n⬛🟨⬛⬛🟩\r\r\n🟨⬛🟩⬛🟩\r\r\n🟩🟩🟩🟩🟩\r\r\n",
    "Wordle 900 3/6\\n⬛🟨⬛⬛🟩\\n🟨⬛🟩⬛🟩\\n🟩🟩🟩🟩🟩",
    "  Wordle 900 3/6\n\n  ⬛\u{FE0F}🟨⬛⬛🟩\n  🟨⬛🟩⬛🟩\n  🟩🟩🟩🟩🟩 phew, that was close",
    "What a day\nso tired 🤔Wordle 900 3/6\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩\nand you?",
    "doneWordle 900 3/6\n⬛🟧⬛⬛🟦\n🟦⬛🟦⬛🟧\n🟧🟧🟧🟧🟧\nhttps://example.com/x",
    """
    Wordle 900 3/6
      :black_large_square::large_yellow_square::black_large_square::black_large_square::large_green_square:
      :large_yellow_square::black_large_square::large_green_square::black_large_square::large_green_square:
      :large_green_square::large_green_square::large_green_square::large_green_square::large_green_square:
    """,
    """
    Wordle 900 3/6

    :white_large_square::yellow_square::black_large_square::black_large_square::green_square:
    :yellow_square::white_large_square::green_square::white_large_square::green_square:
    :green_square::green_square::green_square::green_square::green_square:
    """,
  ])
  func `layout, chatter and names of emoji make no difference`(text: String) throws {
    let result = try ReadTexts.result(text)
    #expect(result.identity == "wordle/900")
    #expect(result.score == ResultNumber(3))
  }

  @Test(arguments: [
    "Wordle 900 0/6", "Wordle 900 7/6", "Wordle 900 6/7",
    "Wordle 900 4/6\n\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩",
    "Wordle 900 2/6\n\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩",
    "Wordle 900 3/6\n\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩⬛",
    "Wordle 900 3/6\n\n⬛🟨⬛⬛🟩\n🟩🟩🟩🟩🟩\n🟩🟩🟩🟩🟩",
    "Wordle 900 3/6\n\n⬛🟨⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩",
    "Wordle 900 3/6\n\nno squares here",
  ])
  func `a text that breaks the rules is refused`(text: String) throws {
    let reading = try ReadTexts.reading(text)
    #expect(reading.bucket == .refused)
    #expect(reading.reason?.hasPrefix("Wordle at byte 0: ") == true)
  }

  @Test(arguments: [
    "Wordle #1,234 3/6", "Wordle Nr. 1.234 3/6", "Wordle 1,234 3 / 6", "Wordle - 1234 - 3/6",
    "Wordle № 1’234: 3/6",
  ])
  func `a head in another form is read by the same rules`(head: String) throws {
    let result = try ReadTexts.result(head + Self.grid)
    #expect(result.identity == "wordle/1234")
    #expect(result.score == ResultNumber(3))
    #expect(try ReadTexts.reading(head + Self.grid + "\n⬛⬛⬛⬛⬛").bucket == .refused)
  }

  @Test(arguments: [
    ("Wordle 900 3/6\n\n⬛🟨⬛⬛🟩", 3), ("Wordle 900 5/6\n\n⬛🟨⬛⬛🟩\n⬛🟨⬛", 5),
    ("Wordle 900 X/6\n\n⬛🟨⬛⬛🟩\n⬛🟨⬛⬛🟩…", nil),
  ])
  func `a text whose rows end before the game does was cut`(text: String, score: Int?) throws {
    let result = try ReadTexts.result(text)
    #expect(result.isTruncated)
    #expect(result.score?.integer == score)
  }

  @Test(arguments: ["Wordle 12,50 3/6", "Wordle 1_234 3/6"])
  func `squares behind a head that is not understood are refused, alone and behind another result`(
    head: String
  ) throws {
    #expect(try ReadTexts.reading(head + Self.grid).bucket == .refused)
    let both = try ReadTexts.reading("Wordle 900 3/6" + Self.grid + "\n\n" + head + Self.grid)
    #expect(both.results.map(\.identity) == ["wordle/900"])
    #expect(both.refusals.count == 1)
  }

  @Test(arguments: [
    "Wordle 3/5:\nWordle 900 3/6", "Wordle today: Wordle 900 3/6",
    "Wordle, Connections and Wordle again 3/5: Wordle 900 3/6",
    "WordleBot Skill 87/99 Luck 42/99 Wordle 900 3/6",
  ])
  func `words about Wordle before a result take nothing from it and are not refused`(
    text: String
  ) throws {
    #expect(try ReadTexts.result(text + Self.grid).identity == "wordle/900")
  }

  @Test(arguments: [
    ("**Wordle 900 3/6**", false), ("*Wordle 900 3/6*", false), ("**Wordle 900 3/6***", true),
    ("*Wordle 900 3/6**", true), ("* Wordle 900 3/6*", true),
  ])
  func `an asterisk that ends bold text does not mean hard mode`(
    head: String,
    isHard: Bool
  ) throws {
    #expect(try ReadTexts.result(head + Self.grid).hardMode == isHard)
  }

  @Test(arguments: [
    "wordle is too hard", "", "hello", "Wordle 900",
  ])
  func `chatter is not read as a result`(text: String) throws {
    #expect(try ReadTexts.reading(text).bucket == .none)
  }

  @Test func `a score in a sentence without squares is refused`() throws {
    let reading = try ReadTexts.reading("I so enjoyed Wordle 900 3/6 with my sister")
    #expect(reading.reason == "Wordle at byte 13: no rows of squares belong to it")
  }

  @Test(arguments: [
    "Wordle 900 3/6 *", "Wordle 900 3/6 (hard mode)", "Wordle 900 3/6 (Hard Mode)",
    "Wordle 900 3/6 hard mode", "Wordle 900 3/6 [hard]", "Wordle 900 3/6 - hard mode",
    "Wordle 900 3/6* (hard mode)",
  ])
  func `a mark of hard mode may be apart from the score`(head: String) throws {
    #expect(try ReadTexts.result(head + Self.grid).hardMode == true)
    #expect(try ReadTexts.result(head).hardMode == true)
  }

  @Test(arguments: ["Wordle 900 3/6\n* * *", "*Wordle 900 3/6 *", "Wordle 900 3/6"])
  func `an asterisk in another line does not mean hard mode`(text: String) throws {
    #expect(try ReadTexts.result(text).hardMode == false)
  }

  @Test func `a puzzle of a later day than the text is refused`() throws {
    let day = try #require(CalendarDay("2023-12-05"))
    #expect(try ReadTexts.reading("Wordle 899 3/6", sentOn: day).bucket == .result)
    #expect(try ReadTexts.reading("Wordle 900 3/6", sentOn: day).bucket == .result)
    #expect(try ReadTexts.reading("Wordle 901 3/6", sentOn: day).bucket == .refused)
  }

  @Test(arguments: ["Wordle 9,607 3/6", "Wordle 1,000,000 3/6", "Wordle 99999999999 3/6"])
  func `a number of a day that has not come is refused`(text: String) throws {
    #expect(try ReadTexts.reading(text).bucket == .refused)
  }

  @Test func `a puzzle may be of tomorrow and the day after, for other time zones`() throws {
    // 2023-12-06 is the day of puzzle 900.
    let today = try #require(CalendarDay("2023-12-04"))
    var reader = ResultReader(catalogue: try BuiltInGames.catalogue(), today: today)
    #expect(reader.read(Array("Wordle 900 3/6".utf8)).bucket == .result)
    let later = reader.read(Array("Wordle 901 3/6".utf8))
    #expect(
      later.reason
        == "Wordle at byte 0: its puzzle is of 2023-12-07, and the clock of this machine shows "
        + "2023-12-04"
    )
  }

  @Test func `the replay's more than six guesses are a lost game`() throws {
    let lost = try ReadTexts.result("Wordle: #40 2021-07-29\nGuesses: 9")
    #expect(!lost.completed)
    #expect(lost.score == nil)
    let won = try ReadTexts.result("Wordle: #40 2021-07-29\nGuesses: 5")
    #expect(won.score == ResultNumber(5))
  }

  @Test func `bytes that are not UTF-8 do not spoil a result`() throws {
    var reader = ResultReader(catalogue: try BuiltInGames.catalogue())
    let bytes: [UInt8] = [0xFF, 0xC0, 0x0A] + Array("Wordle 900 3/6".utf8) + [0xE2, 0xAC]
    #expect(reader.read(bytes).bucket == .result)
  }

  @Test func `several results in one paste are found one by one, with their places`() throws {
    let first = "Wordle 900 3/6" + Self.grid
    let second = "Framed #700\n🎥 🟥 🟩 ⬛ ⬛ ⬛ ⬛\n\nhttps://framed.wtf"
    let text = first + "\n\n" + second
    let reading = try ReadTexts.reading(text)
    #expect(reading.results.map(\.identity) == ["wordle/900", "framed/700"])
    #expect(reading.results.map(\.score) == [ResultNumber(3), ResultNumber(2)])
    #expect(reading.results[0].range == 0..<first.utf8.count)
    #expect(reading.results[1].range == first.utf8.count + 2..<text.utf8.count)
  }
}
