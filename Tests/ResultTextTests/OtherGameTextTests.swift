import ResultGrammar
import ResultText
import Testing

struct `Texts of other games` {
  @Test(arguments: [
    ("Queens #321 | 1:05 and flawless\nFirst 👑s: 🟥 🟧 🟨\nlnkd.in/queens.", 321, 65),
    ("Queens #321\n1:05 👑\nlnkd.in/queens", 321, 65),
    ("Queens n. 321 | 0:59 e impeccabilePrimi 5", 321, 59),
    ("Queens Nr. 1.021 | 1:02:03 und fehlerfrei", 1021, 3723),
    ("Queens 第 321 期 | 0:59", 321, 59),
    ("Queens 321 | 0:59", 321, 59),
    ("Queens #321 | 45", 321, 45),
    ("Queens n.º 321 | 0:59 y sin fallos", 321, 59),
  ])
  func `a LinkedIn header is read in every language`(
    text: String,
    puzzle: Int,
    seconds: Int
  ) throws {
    let result = try ReadTexts.result(text)
    #expect(result.game == "linkedinqueens")
    #expect(result.puzzle == puzzle)
    #expect(result.timeSeconds == ResultNumber(seconds))
    #expect(result.completed)
  }

  @Test func `Zip keeps its backtracks`() throws {
    let result = try ReadTexts.result("Zip no. 12 | 3:21 🏁\nAvec 30 retours en arrière 🛑")
    #expect(result["backtracks"] == .number(ResultNumber(30)))
    let none = try ReadTexts.result("Zip #12 | 0:20 🏁\nWith no backtracks 🟢")
    #expect(none["backtracks"] == .number(ResultNumber(0)))
    #expect(none.puzzleDay?.description == "2025-03-29")
  }

  @Test(arguments: [
    ("Pinpoint #300 | 3 guesses\n1⃣ | 4% match\n2⃣ | 9% match\n3⃣ | 100% match 📌", 3),
    ("Pinpoint #300\n🤔 🤔 📌 ⬜ ⬜ (3/5)\nlnkd.in/pinpoint.", 3),
    ("Pinpoint nr. 300 | 3 încercări\n1⃣ | potrivire 8 %", 3),
    ("Pinpoint #300\n1⃣  | 4% match\n2⃣  | 9% match\n3⃣  | 100% match 📌", 3),
  ])
  func `Pinpoint is read in both forms`(text: String, score: Int) throws {
    let result = try ReadTexts.result(text)
    #expect(result.score == ResultNumber(score))
    #expect(result.completed)
  }

  @Test(arguments: [
    "Pinpoint #300\n🤔 🤔 🤔 🤔 🤔 (X/5)",
    "Pinpoint #300\n1⃣ | 4% match\n2⃣ | 9% match\n3⃣ | 1% match\n4⃣ | 2% match\n5⃣ | 3% match",
  ])
  func `a lost Pinpoint has no score`(text: String) throws {
    let result = try ReadTexts.result(text)
    #expect(result.score == nil)
    #expect(!result.completed)
  }

  @Test func `Connections counts groups and mistakes`() throws {
    let won = try ReadTexts.result(
      "Connections \nPuzzle #400\n🟨🟨🟩🟨\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪"
    )
    #expect(won.score == ResultNumber(4))
    #expect(won["mistakes"] == .number(ResultNumber(1)))
    #expect(won.completed)
    let lost = try ReadTexts.result("Connections Puzzle #400 🟨🟨🟩🟨 🟨🟩🟨🟨 🟦🟪🟦🟦 🟪🟪🟪🟦")
    #expect(lost.score == ResultNumber(0))
    #expect(!lost.completed)
  }

  @Test(arguments: [
    "Connections\nPuzzle #400\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦",
    "Connections\nPuzzle #400\n🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪",
    "Connections\nPuzzle #400\n🟨🟨🟨🟨\n🟨🟨🟨🟨\n🟦🟦🟦🟦\n🟪🟪🟪🟪",
    "Connections 3x3\nBonus September 2, 2026\n\n🟨🟨🟨\n🟦🟦🟦\n🟪🟪🟪",
    "Queens #522\n👑\nlnkd.in/queens.", "Pips #40 Easy 🟢", "Daily Octordle #5",
    "Daily Quordle 900\n4⃣4⃣\n5⃣6⃣", "Daily Quordle 900\n4⃣\n5⃣6⃣", "Daily Quordle #17\n5⃣6⃣\n8⃣7⃣",
    "Daily Octordle #5\n1⃣2⃣\n3⃣4⃣\n5⃣6⃣\n7⃣8⃣\nScore: 40",
    "Color Daily - 2026-05-01 50.5/50\ndialed.gg",
  ])
  func `a result that breaks the rules of its game is refused`(text: String) throws {
    #expect(try ReadTexts.reading(text).bucket == .refused)
  }

  @Test(arguments: [
    ("🙂 Daily Quordle 1,430\n4⃣3⃣\n6⃣7⃣\nm-w.com/games/quordle/", "quordle:classic/1430", 5),
    ("🥵 Daily Extreme 512\n6⃣5⃣\n4⃣7⃣\nm-w.com/games/quordle/", "quordle:extreme/512", 5),
    ("Daily Rescue 55\n5⃣8⃣\n7⃣6⃣\nm-w.com/games/quordle/", "quordle:rescue/55", 6),
    ("Weekly Quordle Challenge 13 :seven::eight: :six::five:", "quordle:weekly/13", 6),
    ("Daily Octordle #5\n3⃣4⃣\n5⃣6⃣\n7⃣8⃣\n🕛🟥\nScore: 59", "octordle:classic/5", 59),
    ("Daily Octordle #5\n3⃣4⃣\n5⃣6⃣\n7⃣8⃣\n🔟🕚", "octordle:classic/5", 54),
  ])
  func `boards in keycaps are read`(text: String, identity: String, score: Int) throws {
    let result = try ReadTexts.result(text)
    #expect(result.identity == identity)
    #expect(result.score == ResultNumber(score))
  }

  @Test(arguments: [
    ("🐟💡🐟🐟\n💡🐙🐟", 2), ("🔵💡🔵🟡", 1), ("🔵🔵🔵🟡\n🔵", 0), ("🟡🟡⚪⚪\n📺🟢🟢🔵", 0), ("🔵🔵💡🔵🔵🟡", 1),
    ("🔵🔵🔵🟡\n🔵🔵\n\n💡💡💡", 0), ("🔵🔵🔵🟡\nno 💡💡💡 needed", 0),
  ])
  func `Strands counts the hints of its own block`(rows: String, hints: Int) throws {
    let result = try ReadTexts.result("Strands #500\n“Sea things”\n" + rows)
    #expect(result.score == ResultNumber(hints))
    #expect(result["theme"] == .text("Sea things"))
    #expect(result.completed)
  }

  @Test(arguments: ["🦴🦴🕯️🦴\n🦴💀🦴🦴\n🦴", "🎆🎆🎆🎆 🇺🇸🎆"])
  func `a Strands with unknown symbols alone has no hint count`(rows: String) throws {
    let result = try ReadTexts.result("Strands #500\n“Sea things”\n" + rows)
    #expect(result.score == nil)
    #expect(result.completed)
  }

  @Test(arguments: [
    ("Betweenle 389 - 0/5:\n\n⬇️⬇️⬇️⬇️⬇️ - ⬇️⬇️⬇️ - ⬇️⬇️⬇️ - ⬇️⬇️ - ⬇️", false),
    ("Betweenle 391 - 1/5:\n\n🏆\n\n⬇️⬇️⬇️⬇️⬇️ - ⬇️⬇️⬇️ - ⬇️⬇️⬇️ - ⬇️⬇️ - 🟩", true),
    ("Picsey 04.08.24\nNature : Phenomena\n0p/49t/3g\n🟦🟦🟦\n🟠🟠🟠", false),
    ("Picsey 04.07.24\nIndustry : Companies\n60p/6t/2g\n🟦🟦🟦\n🟠🟠", true),
    ("Digits #50 (0/15⭐", false), ("Digits #50 (9/15⭐", true),
  ])
  func `no point at all counts as a loss if points mean solutions`(
    text: String,
    isWon: Bool
  ) throws {
    #expect(try ReadTexts.result(text).completed == isWon)
  }

  @Test func `three Pips puzzles of one day are read`() throws {
    let easy = try ReadTexts.result("Pips #40 Easy 🟢\n1:20")
    let hard = try ReadTexts.result("Pips #40 Hard 🔴\n35:28")
    #expect(easy.identity == "pips:easy/40")
    #expect(hard.identity == "pips:hard/40")
    #expect(hard.score == ResultNumber(2128))
  }

  @Test func `a date can identify a puzzle in place of a number`() throws {
    let result = try ReadTexts.result("🌎 Oct 4, 2026 🌍\n🔥 5 | Avg. Guesses: 7.25\n🟥🟥🟩 = 3")
    #expect(result.identity == "globle/2026-10-04")
    #expect(result["average"] == .number(ResultNumber(digits: 725, scale: 2)))
  }

  @Test func `a text without number and day is known by its digest`() throws {
    let text = "Cloudle 2/6\n\n⚫🟢⚫⚫🟢\n🟢🟢🟢🟢🟢"
    let first = try ReadTexts.result(text).identity
    #expect(first == (try ReadTexts.result("hello\r\n" + text + "\n").identity))
    #expect(first.hasPrefix("cloudle#"))
  }

  @Test func `squares before the head are found where a game writes them there`() throws {
    let result = try ReadTexts.result(
      "🟩🟩🟩\n🟩❌🟩\n🟩🟩🟩\nScore: 123.7 | Rank: 1,253/4,953\nBoard #910 | Mode: Off\nhttps://geogridgame.com"
    )
    #expect(result.score?.description == "123.7")
    #expect(result["correct"] == .number(ResultNumber(8)))
  }
}

/// Texts that are made to take long.
struct HostileTextTests {
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      "Daily Extreme 1 ", "Daily Rescue 12 ", "Wordle 1 3/6\n", "1:1:1:",
      "Connections\nPuzzle #1\n",
    ]
  )
  func `a text of the greatest length is read in linear time`(part: String) throws {
    var reader = ResultReader(catalogue: try BuiltInGames.catalogue())
    let count = ResultReader.longestText / part.utf8.count
    let text = Array(String(repeating: part, count: count).utf8)
    let time = ContinuousClock().measure { _ = reader.read(text) }
    #expect(time < .seconds(10), "\(part): \(time)")
  }

  @Test func `what is behind too many results is refused with a cure`() throws {
    var reader = ResultReader(catalogue: try BuiltInGames.catalogue())
    // No puzzle of a day that has not come.
    let heads = (0..<4_200).map { "Wordle \($0 % 1500 + 1) 3/6\n" }.joined()
    let text = Array(heads.utf8)
    let reading = reader.read(text)
    #expect(reading.results.count == 4_096 && reading.refusals.count == 1)
    #expect(reading.refusals[0].cause.contains("cut it into parts"))
    #expect(reading.refusals[0].range.upperBound == text.count)
  }

  @Test func `a text over the length limit is refused with a cure`() throws {
    var reader = ResultReader(catalogue: try BuiltInGames.catalogue())
    let reading = reader.read([UInt8](repeating: 0x78, count: ResultReader.longestText + 1))
    #expect(reading.bucket == .refused && reading.reason?.contains("cut it into parts") == true)
  }
}
