import ResultGrammar
import ResultText
import Testing

/// Forms of texts that were collected after the reader of undescribed games was done.
struct `Texts of undescribed games, in forms that were collected later` {
  /// What a text must be read as.
  struct Meaning: Sendable, CustomTestStringConvertible {
    let text: String
    let name: String
    var puzzle: Int?
    var day: String?
    var score: String?
    var seconds: Int?
    var isCompleted: Bool?

    var testDescription: String { text }
  }

  private static func result(_ text: String) throws -> UndescribedResult {
    let reading = try ReadTexts.reading(text)
    #expect(reading.results.isEmpty && reading.refusals.isEmpty, "\(reading)")
    try #require(reading.undescribed.count == 1)
    return reading.undescribed[0]
  }

  private static let grid = "⬛🟨⬛⬛\n🟩⬛⬛🟨\n🟩🟩🟩⬛\n🟩🟩🟩🟩"

  @Test(arguments: [
    // A number is of the name where a sign is behind it, also in a sentence.
    Meaning(
      text: "I solved Zwonnect 5 #88 in 6 turns.\nhttps://zwonnect5.example",
      name: "Zwonnect 5",
      puzzle: 88,
      score: "6",
      isCompleted: true
    ),
    // A fire counts the days of a streak.
    Meaning(text: "Zwork Wurdle 🔥7\n4/6\n\n" + grid, name: "Zwork Wurdle", score: "4/6"),
    // Only a ratio of guesses is below a name and a day; a number alone behind a day is no puzzle's.
    Meaning(
      text: "Zwonedle 2026-4-3\n4/8 guesses",
      name: "Zwonedle",
      day: "2026-04-03",
      score: "4/8"
    ),
    Meaning(
      text: "Zwindle 2026-09-17 — 4\n" + grid,
      name: "Zwindle",
      day: "2026-09-17",
      score: "4",
      isCompleted: true
    ),
    Meaning(
      text: "Zwordle BA - 14. 6. 2026. 4/6\n" + grid,
      name: "Zwordle BA",
      day: "2026-06-14",
      score: "4/6"
    ),
    // Small words are a name above as many rows as the score says.
    Meaning(text: "zwonepiece wordle 4/8\n" + grid, name: "zwonepiece wordle", score: "4/8"),
    Meaning(
      text: "zNews Zdum - 2026-04-10\n4/6\n\n" + grid,
      name: "zNews Zdum",
      day: "2026-04-10",
      score: "4/6"
    ),
    Meaning(
      text: "z/edact #40 - 3/5\n\n🟥 🟥 🟩 ⬜ ⬜\n\nPlay at: zeddit.example/z/edact",
      name: "z/edact",
      puzzle: 40,
      score: "3/5"
    ),
    // The player who lost says so in a form that no one else uses.
    Meaning(
      text: "Zwilaindle 14/04/2026\n❌ Desisti! Era: Coringa",
      name: "Zwilaindle",
      day: "2026-04-14",
      isCompleted: false
    ),
    Meaning(
      text: "I solved today's Zwerive Duel challenge (Chain Rule) with 92% accuracy!",
      name: "Zwerive Duel",
      isCompleted: true
    ),
    Meaning(
      text:
        "I just caught 12 fish in Zwook-A-Fish!\nCan you beat my score?\n\nhttps://zwook.example",
      name: "Zwook-A-Fish",
      score: "12"
    ),
    // A unit in capitals is no name; what begins with a capital before a name is of it.
    Meaning(
      text: "🚀 I scored 92 WPM with 98% accuracy on ZwypeMaster!\n\nCan you beat my score?",
      name: "ZwypeMaster",
      score: "92"
    ),
    Meaning(
      text: "🐰 I scored 8,400 on La Zwueba! Can you beat me?",
      name: "La Zwueba",
      score: "8400"
    ),
    // Quotation marks behind a name hold the answer; two small words may be within a name.
    Meaning(
      text: "We solved today's Zwouple Wordle \"CRANE\" in 4/6 attempts! 💖",
      name: "Zwouple Wordle",
      score: "4/6",
      isCompleted: true
    ),
    Meaning(
      text: "I got 4/5 on Zwalk to the Nation's street quiz. Your turn: https://zwn.example/#play",
      name: "Zwalk to the Nation's",
      score: "4/5"
    ),
    Meaning(
      text: "OUTZWESSR #61 🐑 Herd Sense\n🎯 4 of 5 matched\n🔥 4 streak\noutzwessr.example",
      name: "OUTZWESSR",
      puzzle: 61,
      score: "4/5"
    ),
    // The path of an address names a game where its only part is a word with a capital.
    Meaning(
      text: "https://zwuhashi.example/FakeZwewsdle Apr 10, 2026\n6/8 (75%)\n\n🟩🟩🟥🟩\n🟩🟥🟩🟩",
      name: "FakeZwewsdle",
      day: "2026-04-10",
      score: "6/8"
    ),
    // A word for day behind a dash, in any language; a watch before a time in the head's line.
    Meaning(
      text: "⏳ 20 zwlov — den #60\n\n🔥 Získáno 14/20 slov\n\n🟩🟩🟥🟩🟩",
      name: "20 zwlov",
      puzzle: 60,
      score: "14/20"
    ),
    Meaning(
      text: "Zwoctamino!\n#41         ⏱ 2:13\nHard    ⭐⭐",
      name: "Zwoctamino",
      puzzle: 41,
      seconds: 133
    ),
    // A number of a number, and what they are, is all that a line has; guesses are before it.
    Meaning(
      text: "Zwacked — Apr 10\n🧱🧱🧱🧱⬜\n4 of 5 stacks\nzwacked.example",
      name: "Zwacked",
      score: "4/5"
    ),
    Meaning(
      text: "📖 Zwotline #212\n🟨🟨🟩\nGot it on guess 3 of 6",
      name: "Zwotline",
      puzzle: 212,
      score: "3/6"
    ),
  ])
  func `a text is read as it says`(meaning: Meaning) throws {
    let result = try Self.result(meaning.text)
    #expect(result.name == meaning.name)
    #expect(result.puzzle == meaning.puzzle)
    #expect(result.puzzleDay?.description == meaning.day)
    let score = result.score.map { [$0, result.maximum].compactMap { $0?.description } }
    #expect(score?.joined(separator: "/") == meaning.score)
    #expect(result.timeSeconds == meaning.seconds.map { ResultNumber($0) })
    if let isCompleted = meaning.isCompleted { #expect(result.completed == isCompleted) }
  }

  @Test(arguments: [
    "*SL* Wordle 123 4/6\n\n⬛🟨⬛⬛⬛\n🟩⬛⬛🟨⬛\n🟩🟩🟩⬛⬛\n🟩🟩🟩🟩🟩",
    "Sabrina Heardle #44 3/6\n🔇🟥🟩⬜⬜⬜",
  ])
  func `a word before a described name makes it another game, in marks or with other rows`(
    text: String
  ) throws {
    let result = try Self.result(text)
    #expect(result.puzzle == (text.contains("123") ? 123 : 44))
    #expect(result.name.hasSuffix("Wordle") || result.name == "Sabrina Heardle")
  }

  @Test(arguments: [
    "I finished Harbour today!\nhttps://harbour.example/login", "we lost the match 4/6\nbadly",
    "the harbour quiz 3/4\n🟩🟩🟩🟥", "Harbour 2026-03-04\n3 of 5 boxes", "Harbour 2026-03-04 — 12",
    "Harbour 🔥12", "Our backlog 🔥7\n4/6", "I caught 12 fish in Harbour!",
    "https://mill.example/Harbour Apr 10, 2026\n6/8", "I solved today's problem with 92% less fuel",
  ])
  func `a text that only looks like such a form is not a result`(text: String) throws {
    #expect(try ReadTexts.reading(text).undescribed.isEmpty)
  }
}
