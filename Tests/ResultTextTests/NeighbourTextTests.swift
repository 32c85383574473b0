import ResultGrammar
import ResultText
import Testing

/// Results beside something else: other games, words, addresses.
struct `Texts of several things` {
  /// Results of described games, each with a neighbour's squares and numbers to mistake for its own.
  private static let known = [
    "Wordle 1,607 5/6",
    "Wordle 900 3/6\n\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩",
    "Strands #692\n“Well-rounded”\n🔵🔵🟡🔵\n🔵🔵🔵🔵",
    "#Worldle #808 (08.04.2024) 2/6 (100%)\n🟩🟩🟩🟩🟨↘️\n🟩🟩🟩🟩🟩🎉\n\nhttps://worldle.teuteuf.fr",
    "🌎 Feb 26, 2022 🌍\nToday's guesses: 17\nCurrent streak: 2\n\nhttps://globle-game.com/",
    "Connections\nPuzzle #400\n🟨🟨🟩🟨\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪",
    "Daily Quordle 1074\n3️⃣5️⃣\n4️⃣6️⃣",
    "Spellcheck #74\n🟩🟥🟩🟥🟩\n🟩🟩🟩🟩🟩\n🟩🟥🟥🟥🟥",
    "🟩❌❌\n🟩❌❌\n❌❌❌\nScore: 722.2 | Rank: 4,718/4,882\nBoard #447 | Mode: Off\n"
      + "https://geogridgame.com",
    "joguei term.ooo #81 3/6 🔥 1\n\n⬛🟨🟨⬛🟨\n🟩🟩🟩⬛⬛\n🟩🟩🟩🟩🟩",
    "I found #cemantle #332 in 74 guesses!\n🥳\n🔥5️⃣",
  ]

  /// Results of games that no description knows.
  private static let unknown = [
    "Joguei zorbexo.ws 27/01/2026 e consegui em 12 tentativas e 2 dicas.\n\n❌🟩🟧❌❌❌💡💡❌❌\n❌❌🟦🟪",
    "Zorkle 20 3/6\n\n⬛🟨⬛⬛🟩\n🟩⬛🟨⬛🟩\n🟩🟩🟩🟩🟩",
    "⚾️ Grid of Gold 123 8/9:\nRarity: 145\n🟩🟩🟩\n⬜️🟩🟩\n🟩⬜️🟩",
    "Squorble 9/9\n🔼🟥🟩🔽🔽\n🟩🟩🟩🟩🟩",
    "I beat my opponent in Victordle!\n\n⬛🟨⬛⬛⬛\n⬛⬛⬛⬛🟨\n⬛⬛🟨🟨⬛\n🟩🟩🟩🟩🟩",
    "https://hellowordl.net/?challenge=b\n\n⬛⬛🟨⬛⬛\n🟩🟩🟩🟩🟩",
    "Zorble no. 7 💡💡💡\nScore: 7/9 | Rank: 12/30\n🔥 99 | Avg. Guesses: 99.5\n🟩🟨🟨🟩 = 4\nstreak: 77",
  ]

  private static func content(_ result: GameResult) -> GameResult {
    var result = result
    result.range = 0..<0
    return result
  }

  @Test func `the address of another game in the line of a head is refused at its own place`()
    throws
  {
    let reading = try ReadTexts.reading("Strands #1 https://wordle.com/\nPage: 1")
    #expect(
      reading.refusals.contains { $0.game == "wordle" && $0.range.lowerBound == 19 },
      "\(reading)"
    )
  }

  @Test(arguments: known, unknown)
  func `an unknown text beside a result does not change the result`(text: String, neighbour: String)
    throws
  {
    let alone = Self.content(try ReadTexts.result(text))
    #expect(Self.content(try ReadTexts.result(text + "\n\n" + neighbour)) == alone)
    #expect(Self.content(try ReadTexts.result(neighbour + "\n\n" + text)) == alone)
  }

  @Test(arguments: known, known)
  func `two results in one paste are read like each alone`(first: String, second: String) throws {
    let alone = try [first, second].map { Self.content(try ReadTexts.result($0)) }
    let reading = try ReadTexts.reading(first + "\n\n" + second)
    #expect(reading.results.map(Self.content) == alone)
    #expect(reading.refusals.isEmpty, "\(reading.refusals)")
  }

  @Test func `a result ends in the middle of a line where a head of any game begins`() throws {
    let text = "Wordle 900 1/6 🟩🟩🟩🟩🟩 Zorkle 20 2/6 ⬛🟨⬛⬛🟩 🟩🟩🟩🟩🟩"
    #expect(try ReadTexts.result(text).score == ResultNumber(1))
  }

  @Test func `squares below a neighbour's name do not belong to the next game`()
    throws
  {
    let reading = try ReadTexts.reading(
      "Grid of Gold 123 8/9:\nRarity: 145\n🟩🟩🟩\n🟩🟩🟩\n🟩🟩🟩\n\nBoard #45\nScore: 900\n"
        + "https://geogridgame.com"
    )
    #expect(reading.results.isEmpty)
    #expect(reading.undescribed.map(\.rows.count) == [3, 0])
  }

  @Test func `a game's missing part is not taken from the next result`() throws {
    let reading = try ReadTexts.reading(
      "I solved in 3 minutes what took him ten\n\nI just solved this Crossword in 5 minutes and 20 "
        + "seconds. https://indiamini.in/play"
    )
    #expect(reading.results.map(\.score) == [ResultNumber(320)])
    #expect(reading.refusals.isEmpty)
  }
}

/// Games whose names hold that of a described one.
struct `Names of other games` {
  @Test(arguments: [
    "🌎 Nov 12, 2025 🌍\n🔥 1 | Avg. Guesses: 6.88\n🟨🟩 = 2\nhttps://globle-capitals.com",
    "Globle Capitals\n🌎 Nov 12, 2025 🌍\n🔥 1 | Avg. Guesses: 6.88\n🟨🟩 = 2",
    "Taylor Swift Heardle #12\n🔊🟩⬜⬜⬜⬜⬜",
    "Dutch Wordle 12 3/6\n\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩",
    "reverse-wordle 12 3/6\n\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩",
    "maxi nerdlegame 411 1/6\n\n🟩🟩🟩🟩🟩🟩🟩🟩",
    "Wordle (ES) #30 3/6\n\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩",
    "Wordle Kids\n🍏🥚🥚🥚\n🍏🍏🥚🥚\n🍏🍏🍏🍏\neasy-16: 3/6\nhttps://wordlekids.com/",
    "Worldle Capitals #12 3/6 (100%)\n🟩🟩🟩🟩🟩🎉",
    "#Worldle #808 1/6 (100%)\n🟩🟩🟩🟩🟩🎉\nhttps://worldle-flags.example",
  ])
  func `a game with another word beside the name is not taken for its namesake`(
    text: String
  ) throws {
    let reading = try ReadTexts.reading(text)
    let namesakes: Set = ["globle", "heardle", "nerdle", "wordle", "worldle"]
    #expect(reading.results.allSatisfy { !namesakes.contains($0.game) })
    #expect(reading.bucket != .none)
  }

  @Test(arguments: [
    "My Wordle 900 3/6", "Today's Wordle 900 3/6", "Daily Wordle 900 3/6", "my Wordle 900 3/6",
    "No hints. Wordle 900 3/6", "#Wordle 900 3/6", "THE WORDLE 900 3/6",
  ])
  func `words before a game's name do not change the game`(head: String) throws {
    let text = head + "\n\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩"
    #expect(try ReadTexts.result(text).identity == "wordle/900")
  }

  @Test(arguments: ["Globle Stats\n", "Globle Game\n", ""])
  func `a result of Globle is not taken for another game`(title: String) throws {
    let text =
      "🌎 Oct 4, 2026 🌍\n🔥 5 | Avg. Guesses: 7.25\n🟥🟩 = 2\n\nhttps://globle-game.com\n#globle"
    #expect(try ReadTexts.result(title + text).identity == "globle/2026-10-04")
  }
}

/// Texts of described games in languages of which their descriptions know nothing.
struct `Described games in other languages` {
  @Test func `a sentence states the number and the score of a described game`() throws {
    let result = try ReadTexts.result("Ich habe #pedantix Nr. 293 in 632 Versuchen gefunden!")
    #expect(result.identity == "pedantix/293" && result.score == ResultNumber(632))
  }
}

/// Texts of described games in forms that are not read.
struct `Unread texts of described games` {
  @Test(arguments: [
    ("I scored 12000 points\nPlay at https://foodguessr.com", "FoodGuessr"),
    ("Crossclimb\n0:45 🪜", "Crossclimb"),
    ("Connections MONDAY\nPuzzle #988\n🟩🟩🟩🟩", "Connections"),
    ("Wordle in 3/6!", "Wordle"),
    ("Got it 🟩🟩🟩 https://www.nytimes.com/games/wordle", "Wordle"),
  ])
  func `a name with a score, a number or squares is refused where no form reads it`(
    text: String,
    game: String
  ) throws {
    let reading = try ReadTexts.reading(text)
    #expect(reading.results.isEmpty)
    #expect(reading.refusals.map(\.gameName) == [game])
  }

  @Test(arguments: [
    (
      "FoodGuessr - 30 Jul 2025 GMT\n  Round 1 🌕🌕🌕🌘\nTotal score: 12,000 / 15,000",
      "foodguessr/2025-07-30"
    ),
    (
      "Movie Grid - 12/16/2025:\n\n6/9 Correct\n\nScore: 1760\n\n🟩🟩🟩\n🟩🟩🟩\n⬜⬜⬜",
      "moviegrid:off script/2025-12-16"
    ),
    ("tradle 12 3/6", "tradle/12"), ("Numble 386\nSOLVED: ✅\n5.878s", "numble/386"),
    ("Gamedle\n🕹️ (Capa) #1375:\n🟥🟥🟥🟥🟥🟥", "gamedle:capa/1375"),
    ("Connections MONDAY\nPuzzle #988\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪\n🟨🟨🟨🟨", "connections/988"),
  ])
  func `a form that a description lacks is read by the game's rules`(
    text: String,
    identity: String
  ) throws {
    #expect(try ReadTexts.result(text).identity == identity)
  }

  @Test(arguments: [
    "I love strands of hair", "I love talking about Connections with friends", "Strands",
    "Have you tried https://worldle.teuteuf.fr/ ?", "Time to play Wordle!", "Wordle was hard today",
    "Framed it and hung it on the wall at 3/4 height", "My strands are 3/4 grey", "zip 94107",
    "We made connections #3 at the party", "Waffle time! 3/4 cup of flour, then bake",
    "Queens is a good game", "This is not a valid Pinpoint result", "Not a Spelling Bee result",
    "server.connections.push(3/4)", "I began with https://www.nytimes.com/games/wordle in 2022",
  ])
  func `the names of games alone are not read as results`(text: String) throws {
    #expect(try ReadTexts.reading(text).bucket == .none)
  }

  @Test func `an unread text beside a result is reported, and takes nothing from it`() throws {
    let wordle = "Wordle 900 3/6\n\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩"
    let other = "Crossclimb\n0:45 🪜"
    for text in [wordle + "\n\n" + other, other + "\n\n" + wordle] {
      let reading = try ReadTexts.reading(text)
      #expect(reading.results.map(\.identity) == ["wordle/900"])
      #expect(reading.refusals.map(\.gameName) == ["Crossclimb"])
    }
  }

  @Test(arguments: [
    "Zip #1\n", "Zip\nQueens 5\n", "⬛⬛⬛ab 1 2/3 ", "foodguessr.com 3/4\n", "ab: ",
    "Board #1 geogridgame.com\n", "🟩🟩🟩\nBoard #1 geogridgame.com\n", "Foo #12 3/6\n🟩🟩🟩\n",
    "Wordle 1 3/6\nhi\n\n⬛⬛⬛⬛⬛\n", "Taylor Wordle 1 3/6 ", "globle-a.com/globle-b ",
  ])
  func `a text full of names is read in linear time`(part: String) throws {
    let count = ResultReader.longestText / part.utf8.count
    let text = String(repeating: part, count: count)
    let time = try ContinuousClock().measure { _ = try ReadTexts.reading(text) }
    #expect(time < .seconds(10), "\(part): \(time)")
  }
}
