import ResultGrammar
import ResultText
import Testing

struct `Texts of games that nobody described` {
  @Test(arguments: [
    // A maximum may be first. Days, a year, or a number below the score have another meaning.
    ("6回中2回目で成功", "2/6"), ("7문제 중 5개 정답", "5/7"), ("6回中7回目", ""), ("2024年中3月", ""),
    ("3日中5", ""), ("7日中5", ""), ("1週間中10回", ""), ("30週間中10回", ""), ("2000回中3回", ""),
    // A space groups the digits of a score. It parts a puzzle's number from one that has a maximum below both.
    ("Score: 1 234/1000", "1234/1000"), ("Score 1 234/1000", "1234/1000"),
    ("#41 812/1000", "812/1000"), ("Day 41 812/1000", "812/1000"),
    ("Zorkle 41 812/1000", "812/1000"), ("#1 234/5000", "1234/5000"),
  ])
  func `a line has the ratios that it states`(line: String, ratios: String) {
    // A reader is given small letters.
    let text = line.lowercased().unicodeScalars.map(\.value)
    var tokens = LineTokens()
    tokens.begin(lines: 1)
    let range = tokens.cut(0, from: 0, before: text.count, of: text)
    let found = tokens.tokens[range].filter { $0.kind == .ratio }
    let stated = found.map { "\($0.value)/" + ($0.maximum?.description ?? "∞") }
    #expect(stated.joined(separator: " ") == ratios, "\(tokens.tokens)")
  }

  private static func result(_ text: String) throws -> UndescribedResult {
    let reading = try ReadTexts.reading(text)
    #expect(reading.results.isEmpty && reading.refusals.isEmpty, "\(reading)")
    try #require(reading.undescribed.count == 1)
    return reading.undescribed[0]
  }

  @Test(arguments: [
    ("Zorkle 123 4/6\n\n⬛🟨⬛\n🟩🟩🟩", "Zorkle", 123, 4),
    ("#Zorkle #1,234 2/6\n🟩⬛🟩", "Zorkle", 1234, 2),
    ("My day 🙈 Zorkle 12 3/5\n🟣⚪⚪\n⚪🟣⚪\n🟣🟣🟣", "Zorkle", 12, 3),
    ("#zorkle7 5/5\n💛💚💚\n💚💚💚", "zorkle", 7, 5),
    ("Grün und Rot Nr. 31\n🟥🟥🟩⬜\ngruenrot.example", "Grün und Rot", 31, 3),
    ("I found #zorkle #77 in 45 guesses!\n🔥🧊🧊", "zorkle", 77, 45),
    ("J'ai trouvé #zorkle nº77 en 45 coups !\nzorkle.example", "zorkle", 77, 45),
    ("zorkle.example\n#9 - 7/10\n🟢🟢🔴\n🔴🟢🟢", "zorkle", 9, 7),
  ])
  func `name, number and score are read in every usual form`(
    text: String,
    name: String,
    puzzle: Int,
    score: Int
  ) throws {
    let result = try Self.result(text)
    #expect(result.name == name)
    #expect(result.puzzle == puzzle)
    #expect(result.score == ResultNumber(score))
  }

  @Test(arguments: [
    ("I solved Zorkle #77 with 45 guesses and no hints!", "Zorkle", 77, 45),
    ("I got #zorkle game 77 in 9 guesses:\n⬆️⬇️↗️🏡", "zorkle", 77, 9),
    ("squorble.example 77: 12 guesses\n🟩🟨🟩\n🟨🟩🟧", "squorble", 77, 12),
    (
      "Arrow Maze · Day 77 · Streak 3 🔥\nSolved in 14 moves ⭐⭐⭐\nhttps://arrowmaze.example",
      "Arrow Maze", 77, 14
    ),
    ("Subzorkle 77 (Weekend Edition) 2/6\n\n🟢🟢🟢", "Subzorkle", 77, 2),
    ("Fishing #77 🦐\n385\n\n🐟🐟🦑🏮🦑🦑🦑\n\nhttps://fishing.example", "Fishing", 77, 385),
    ("Wortrate #77 in 4 von 6 Versuchen gelöst\n🟥🟨🟨🟩", "Wortrate", 77, 4),
    ("Woordrij dag 77: 3 van de 6 beurten\n⬛⬛🟩", "Woordrij", 77, 3),
    ("bandeiras #77 · 1.234 pts (fácil)\n🟩🟥🟩\nhttps://bandeiras.example/", "bandeiras", 77, 1234),
    ("Career Ladder #77\n⚡ 45s | 3 guesses\n🟩🟨⬛⬛", "Career Ladder", 77, 3),
    ("Zeds #77 “A healthy breakfast”\n5/7\n🟡🔵🔵🔵\n🔵🔵🔵", "Zeds", 77, 5),
    (
      "Sort Them\n🟩🟩🟥\n🟥🟩🟩\nScore: 812 | Rank: 12/30\nBoard #77\nsortthem.example", "Sort Them", 77,
      812
    ),
    ("Kette #77 ⭐\nScore: 1.240 | Versuche: 2/3\nkette.example", "Kette", 77, 1240),
    ("Zorkle 177 3/6", "Zorkle", 177, 3),
    // The score is first, or behind a small square; an ordinal counts guesses; a unit and a grade are
    // no prose; a word for number is before the number.
    ("4/6 🟥🟥🟥🟩 #Zorkreel #77", "Zorkreel", 77, 4),
    ("Score: 18/20 – Zork Frenzy #77 🏁", "Zork Frenzy", 77, 18),
    ("ZorkWhere #77 ▪️ 3/5 ▪️ 412 km away", "ZorkWhere", 77, 3),
    ("Zorkhádač #77: uhodl jsem na 4. pokus!", "Zorkhádač", 77, 4),
    ("Zork Quiz #77: 3rd try!", "Zork Quiz", 77, 3),
    ("F1-zork #77 🏎️ 5/8 P3", "F1-zork", 77, 5),
    ("Zorkmap 🗺 Day 77 · 4,120 pts", "Zorkmap", 77, 4120),
    ("I needed 7 guesses to find today's #Zorkdle (#77)", "Zorkdle", 77, 7),
    ("He trobat la paraula #zorkada 177 amb 31 intents i 2 pistes", "zorkada", 177, 31),
    ("¡He encontrado Zorkle en español #77 en 58 intentos!", "Zorkle en español", 77, 58),
    ("I scored 21 in the Guardian Zork Wordwheel 18,412", "Guardian Zork Wordwheel", 18412, 21),
    ("Pinnacle #77 | 3 guesses | 95% accuracy", "Pinnacle", 77, 3),
    // A name has a number, a word for day behind an article, an apostrophe.
    ("Zorkle Decades 80s #77\n🔊🟥🟥🟩⬜⬜⬜", "Zorkle Decades 80s", 77, 3),
    ("зоркли 5 букв 77 3/6\n⬜🟨⬜\n🟩🟨⬜\n🟩🟩🟩", "зоркли 5 букв", 77, 3),
    ("La zorka del día #77 2/6\n⬜🟨⬜\n🟩🟩🟩", "La zorka del día", 77, 2),
    ("#Zorkua: Ne Te 'Olo Zork 77 2/8\n⬛🟨⬛\n🟩🟩🟩", "Zorkua: Ne Te 'Olo Zork", 77, 2),
    (
      "Arrow Puzzle · Day 77\nSolved in 14 moves\nhttps://arrowpuzzle.example", "Arrow Puzzle", 77,
      14
    ),
    // The game has its number behind its address, or its rows are as many cells as the score.
    ("zorkle.io/daily #77 3/6 🟥🟥🟩", "zorkle", 77, 3), ("Map Zorkle #77 ❌❌✅", "Map Zorkle", 77, 3),
    ("Zorkle Day 77\n📕📕📗\nGuessed in 3", "Zorkle", 77, 3),
    ("ゾルクル #77 クリア！ 3回で正解\nhttps://zorkle.example", "ゾルクル", 77, 3),
    ("HERZL (Game #77): 5/8 🟨🟨🟩", "HERZL", 77, 5),
    // A column of cells; a number before the name; whatever a solved puzzle took; a number and its maximum.
    ("Zorkle #77\n😀 🟥\n🎭 🟥\n📖 🟩", "Zorkle", 77, 3), ("第77回 もじゾル 3/8\n⬜🟨⬜\n🟩🟩🟩", "もじゾル", 77, 3),
    ("12번째 모지졸 3/8\n⬜🟨⬜\n🟩🟩🟩", "모지졸", 12, 3),
    ("Zorkrace Daily #77\n5 clicks in 1:34\nzorkrace.example", "Zorkrace Daily", 77, 5),
    ("Zorkfilm #77\n🎭 Got it in 3!\nPlay at: zork.example", "Zorkfilm", 77, 3),
    ("Zork Quiz #77: 7 von 10 Punkten", "Zork Quiz", 77, 7),
    ("Zork Quiz #77: 7 of 10", "Zork Quiz", 77, 7),
    ("Zork Snap (80s) #77\n🎧🟥🟥🟩", "Zork Snap (80s)", 77, 3),
    ("Zorkver (cold → warm) #77\n4 moves\n🟩🟩⬜🟩\n🟩🟩🟩🟩", "Zorkver (cold → warm)", 77, 4),
    // Signs of other scripts, no spaces around a number, a symbol before the day, a word for points.
    ("猜佐克 第77期\n用了5次\n⬜🟨🟩🟩\n🟩🟩🟩🟩", "猜佐克", 77, 5), ("Слово зорк №77 — 5 спроб", "Слово зорк", 77, 5),
    ("Zorkle 🐍 Day 77: 312 points", "Zorkle", 77, 312),
    ("Zorkle 77 score 4/6\n⬜🟨⬜\n🟩🟩🟩", "Zorkle", 77, 4),
    // What counts puzzles is behind the number, a word for number before it; a point makes an ordinal.
    ("모지졸 77번째 정답을 54번 만에 맞혔습니다!\nhttps://mojijol.example/", "모지졸", 77, 54),
    ("كلمة زورك رقم 77 حللتها في 3 محاولات ✅", "كلمة زورك", 77, 3),
    ("Bugünün zorkunu 4. tahminde bildim! Zork Bul #77", "Zork Bul", 77, 4),
    // The maximum is first, and a particle is joined to the score.
    ("조르크 퀴즈 #77 7문제 중 5개 정답!", "조르크 퀴즈", 77, 5),
    // A number begins the name; the address alone has name and number; any miss before the hit.
    ("6-letter Wordle 77 2/6\n🟧⬛⬛🟩⬛⬛\n🟩🟩🟩🟩🟩🟩", "6-letter Wordle", 77, 2),
    ("https://www.zorkle.example/daily/77 — 4/6 🎹", "zorkle", 77, 4),
    ("Zork Who? #77\n❓❓✅", "Zork Who", 77, 3),
    ("Zorkle 77 🏁 steps: 14 (best 11)", "Zorkle", 77, 14),
    // No space groups the digits of two numbers; a mark may be within a name.
    ("Zorksong #41 812/1000 (4/5 🎵)\n🟩\n⬛🟩\n🟥🟥🟩", "Zorksong", 41, 812),
    ("ZORK! Zork ng Araw #77\n4/5\n\n🟩🟩🟥🟩🟩", "ZORK! Zork ng Araw", 77, 4),
    // A few words that no list has cost a sure head nothing; a word for tries makes a small number one.
    ("Zorkordet #77: 3/6 snyggt", "Zorkordet", 77, 3),
    ("Ζορκάκι #77: 5/6 δύσκολο", "Ζορκάκι", 77, 5),
    ("ゾルク #77: 4/6 ぎりぎり", "ゾルク", 77, 4), ("זורק #77: 5/6 קשה מאוד", "זורק", 77, 5),
    ("Zorkabra Nº 77: 6/6 por los pelos", "Zorkabra", 77, 6),
    ("Zorkquiz #77: vau 4/6", "Zorkquiz", 77, 4),
    ("Зоркокруг №77: 12 из 15 слов за 3:05", "Зоркокруг", 77, 12),
    ("Zorklek 77 – 4/6 försök", "Zorklek", 77, 4),
  ])
  func `a score is found in whatever way it is stated`(
    text: String,
    name: String,
    puzzle: Int,
    score: Int
  ) throws {
    let result = try Self.result(text)
    #expect(result.name == name)
    #expect(result.puzzle == puzzle)
    #expect(result.score == ResultNumber(score))
  }

  @Test(arguments: [
    // Sentences, with the number in parentheses, the score behind the verb, and at the end.
    ("I solved today's Zorkle (386) in 4/6 guesses!\n🟦🟩🟦\n🟩🟩🟩", "Zorkle", "4"),
    ("I scored 4250 on today's Zorkeracity ! https://zorkeracity.example/", "Zorkeracity", "4250"),
    (
      "Aujourd'hui j'ai fait 1186 – Moyenne 593 à Zorkerie ! – https://zorkerie.example/",
      "Zorkerie", "1186"
    ),
    ("I solved today's Zorkul in 3. https://zorkul.example/daily", "Zorkul", "3"),
    (
      "I scored 18/20 on Capitals of Nowhere (All) in 1:32 — Zorkle\nhttps://zorkle.example",
      "Capitals of Nowhere", "18"
    ),
    (
      "I scored 84 points on Zorkemory! Can you beat my score? https://zorkemory.example/",
      "Zorkemory", "84"
    ),
    (
      "Zgadłem dzisiejsze słowo w Zorknie w 4 próbach! #zorknie\n🟩⬜🟨⬜⬜\nhttps://zorknie.example",
      "zorknie", "4"
    ),
    // Titles.
    ("Find 5 letters #210 4/6\n⬜🟨⬜\n⬜🟨🟨\n🟨🟩🟨\n🟩🟩🟩", "Find 5 letters", "4"),
    ("Kelebek 88. gün 2/6 🔥12\n⬜🟨⬜⬜⬜\n🟩🟩🟩🟩🟩", "Kelebek", "2"),
    ("じまんモンスター 結果: 7/10 正解!\n#じまんモンスター\nhttps://zorkle.example/", "じまんモンスター", "7"),
    ("zorkle.sh Le Mot #81 · 2/6\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩", "Le Mot", "2"),
    ("4×7 · Oct 7, 2026\n🟨🟨🟨🟨\n🟩🟦🟩🟩\n9/12 moves · 840 pts", "4×7", "840"),
    (
      "LADDER OF WORK #57\n⚡ 83s | 3 guesses | 42 pts\n🟩🟨⬛⬛\n\nPlay at: ladder-of-work.pages.dev",
      "LADDER OF WORK", "42"
    ),
    ("📚 Zorkenberg #88\n🟥🟥🟩⬜⬜⬜\n⭐⭐⭐⭐\nhttps://zorkenberg.example", "Zorkenberg", "3"),
    ("Zorkordle 7/8 tries", "Zorkordle", "7"),
    // The verb is last, or is not known; the name is right before its number.
    ("Ich habe 1.240 Punkte bei ZorkQuiz #12 erreicht! zorkquiz.example", "ZorkQuiz", "1240"),
    ("Я отгадал слово дня #412 за 4 попытки! slovo.example", "слово дня", "4"),
    ("Obtuve 1.240 puntos en ZorkQuiz #12 🗺️ zorkquiz.example", "ZorkQuiz", "1240"),
    ("I got 7 out of 10 on ZorkMaster Daily #44", "ZorkMaster Daily", "7"),
    (
      "I completed today's zorksearch in 2:31! Score: 812\nhttps://zork.example", "zorksearch",
      "812"
    ),
    ("Mapguessr: 18,233 / 25,000 😎", "Mapguessr", "18233"),
    // A small name before a day; any unit that ends a sentence; a name, a day and values alone.
    (
      "zorkguessr 14/03/2026\n\n⬛⬛🟩⬜⬜⬜\n\nI guessed today's zork in 3/6 turns!\n\n"
        + "Play at https://zorkguessr.example", "zorkguessr", "3"
    ),
    (
      "#Zorker\nTea → Moon in 5 links!\nTry to beat me: https://zorkergame.example/?a=b", "Zorker",
      "5"
    ),
    (
      "I solved today's Zork Boxed in 2 words! Can you beat that? https://zork.example/boxed",
      "Zork Boxed", "2"
    ),
    ("#Wortzork vom 4.3.2026: 7 von 9 Wörtern gefunden 🟩🟩⬜ wortzork.example", "Wortzork", "7"),
    ("ZorkMoves 2026-03-04 • 14 moves • 0:52", "ZorkMoves", "14"),
    // A share behind a day; a large maximum; a list below a title and a day; a puzzle's address.
    ("Zorkdle 2026-03-05 🎨 96.2% in 4 guesses", "Zorkdle", "4"),
    ("🌍 ZorkQuest Daily — 21,430/25,000\n📍 12 km · 340 km\nTime 3:02", "ZorkQuest Daily", "21430"),
    ("Zorkiles\nMar 14, 2026\nExpert ⭐ 104 points\nTime 6:41", "Zorkiles", "104"),
    (
      "ZorkTower\n2,345 points\nhttps://www.z.example/puzzle/2025-12-30/zorktower", "ZorkTower",
      "2345"
    ),
    ("#ZorkològicCAT 2026-03-14 🏆 112 punts", "ZorkològicCAT", "112"),
    ("Я набрал 1450 очков в Zork Flip! Попробуй побить мой результат! 🎮", "Zork Flip", "1450"),
    ("I solved today's Zorkword from The Mill Post with a score of 7/8! 🎉", "Zorkword", "7"),
    ("Zorkle Oct 3 ✅ 3/6", "Zorkle", "3"), ("Map Zorkle 2024-01-15 2/5\n🟥🟩", "Map Zorkle", "2"),
    // No sign at all in a sentence; a small word for puzzles behind the name; keycaps; words for tries.
    ("I solved today's Zork? in 3 guesses! What's your score?", "Zork", "3"),
    (
      "I got 17 out of 20 questions right at Zork Wars trivia! Play here: "
        + "https://roe.example/zork-wars-trivia/", "Zork Wars trivia", "17"
    ),
    // The verb ends the sentence; a word for games; an invitation to do better.
    (
      "Ich habe bei Zorkschätz 640 von 1000 Punkten geholt (64 %). Schaffst du mehr?",
      "Zorkschätz", "640"
    ),
    ("Eu acertei 80% no jogo Zorkar! 🎉", "Zorkar", "80"),
    ("Ho realizzato 1240 punti su Zorknake! Tu riesci a fare di meglio?", "Zorknake", "1240"),
    (
      "I scored 700/900 on the Zorkest Game Show!\nRank: First One 🔥\n\nTest your Zork knowledge!",
      "Zorkest Game Show", "700"
    ),
    // A quoted name, a name of a word for a quiz, small words within a name; the speaker in the middle.
    ("Я набрал 77 в игре «Зоркейка» — побьёшь? https://z.example/g/zork", "Зоркейка", "77"),
    ("Ich habe 7/10 Punkte im Zorkwissen Quiz erreicht! 🎯", "Zorkwissen Quiz", "7"),
    (
      "J'ai obtenu 14/20 au Quiz Zork du Monde ! Teste tes connaissances !", "Quiz Zork du Monde",
      "14"
    ),
    ("Ho ottenuto 8/10 al quiz zorkale 🌍 - Livello: Esperto!", "quiz zorkale", "8"),
    ("¡He hecho 42 puntos en Zorki Pro! ¿Puedes superarme? 🐦", "Zorki Pro", "42"),
    ("🎮 Я набрал 540 очков в Zork Dash!", "Zork Dash", "540"),
    ("I solved Zorks to Say in 9 guesses! Try it yourself!", "Zorks to Say", "9"),
    ("I completed the Lost Zork hunt!\n\nTime: 12:31\nScore: 450 points", "Lost Zork", "450"),
    // A negative score, a label without a colon, a unit that is joined.
    ("🏌️ Daily Zorkgolf #27\nScore: -3\nStrokes: 33", "Daily Zorkgolf", "-3"),
    ("Daily Zorkyrinth #7 — Tid 1:12 • Drag 34", "Daily Zorkyrinth", "34"),
    ("字ゾ #33 🟩🟨🟩🟩\n到達: 龍 / 12,480pt クリア!", "字ゾ", "12480"),
    ("Zorkidle 3️⃣/6️⃣\n🟥🟥🟩", "Zorkidle", "3"), ("Zorkpeli 2.12.2025: 4/6 arvausta", "Zorkpeli", "4"),
    ("ぞるくワード 7月15日\n6回中2回目で成功！\n🟨⬜⬜\n🟩🟩🟩", "ぞるくワード", "2"),
  ])
  func `a score is found in sentences and titles of many languages`(
    text: String,
    name: String,
    score: String
  ) throws {
    let result = try Self.result(text)
    #expect(result.name == name)
    #expect(result.score?.description == score)
  }

  @Test(arguments: [
    ("Zorkelo.com.ar\n  \nDía #123\n🟨🟨🟨🟨\n🟩🟦🟩🟩\n#Zorkelo", "zorkelo"),
    ("Día #123\n🟨🟨🟨🟨\n🟩🟦🟩🟩\nzorkelo.vercel.app", "zorkelo"),
  ])
  func `the address names a game whose number is behind a word for day`(
    text: String,
    name: String
  ) throws {
    let result = try Self.result(text)
    #expect(result.name.lowercased() == name && result.puzzle == 123)
  }

  @Test(arguments: [
    "Zorkli 🖼️ 15 mars 2026\n\nPas trouvé en 8 essais\n\nhttps://www.zorkli.example",
    "💀 I failed today's ZORKLE RECALL...\n\n⬜⬜⬜⬜⬜⬜\n\nCan you beat me? 👊",
    "I did not solve today's Zorkle #12. 8 guesses\n🟥🟥🟥🟥", "Zorkejo #88: no lo conseguí (X/6) 💀",
    "Зорко №88: не вгадав 😢 X/6", "Zorkaplot du 12/03/2026 : perdu 😭 (6/6)",
    "Zorkposter #77 ❌\nRan out of time!", "Zorkle #77 gave up after 14",
    "Зорко 301 не відгадав X/6", "Zorkordet #77 løste ikke 😢 6/6", "Zorkful #77\nDNF 💀",
    "ぞるく #77 正解できず…\n🟨⬜⬜\n🟩⬜⬜",
  ])
  func `a denial before a verb says that the game was lost`(text: String) throws {
    #expect(try Self.result(text).completed == false)
  }

  @Test(arguments: [
    "I scored 84 points on Zorkemory! Can you beat my score? https://zorkemory.example/",
    "#Zorker\nTea → Moon in 5 links!\nTry to beat me: https://zorkergame.example/?a=b",
  ])
  func `an invitation says nothing of the end`(text: String) throws {
    #expect(try Self.result(text).completed == nil)
  }

  @Test func `a time behind the name that an address has is that of a game`() throws {
    let result = try Self.result(
      "zorkspeed Ann Roe -> Nowhere (10 clicks) 02:27.5\nhttps://zorkspeed.example/settings?a=b"
    )
    #expect(result.name == "zorkspeed" && result.timeSeconds?.description == "147.5")
  }

  @Test func `a described game in a form of another way of scoring is undescribed`() throws {
    let result = try Self.result("I solved today's Numble in 2/6 guesses!\n🟦🟩🟦\n🟩🟩🟩")
    #expect(result.name == "Numble" && result.score == ResultNumber(2))
  }

  @Test(arguments: [
    ("Unlatch 2024/11/03\n\nPuzzle réussi.\n\nhttps://unlatch.example", "2024-11-03"),
    ("Szóvadász - 23. nap, 2024. 11. 03. - 4/6\n\n⬜🟨⬜\n🟩🟩🟩", "2024-11-03"),
    ("#Rogues 2024-11-3\n🧝 5xp ⛩ 128 👣\n🟩🟩🟩🟩🟩\n🌰🌰🌰🌰🍄", "2024-11-03"),
    ("🟩🟥🟥🟩🟩🟩🟩🟩 6/8 | 2024-11-03 | https://scranbled.example", "2024-11-03"),
    ("ぞるクイズ 2024年11月3日 4/6\n⬜🟨⬜\n🟩🟩🟩", "2024-11-03"),
    ("조르크 2024년 11월 3일 4/6\n⬜🟨⬜\n🟩🟩🟩", "2024-11-03"),
    ("Zorkaplot du 03/11/2024 : perdu 😭 (6/6)", "2024-11-03"),
  ])
  func `a result is known by its day where no number is`(text: String, day: String) throws {
    #expect(try Self.result(text).puzzleDay?.description == day)
  }

  @Test func `modes below a sentence about all of them are results of their own`() throws {
    let reading = try ReadTexts.reading(
      "I completed all the modes of #Zorkdle today:\n❓ Classic: 9\n🃏 Card: 2\n👤 Shadow: X\n"
        + "https://zorkdle.example"
    )
    #expect(reading.undescribed.map(\.mode) == ["Classic", "Card", "Shadow"])
    #expect(reading.undescribed.map(\.score) == [ResultNumber(9), ResultNumber(2), nil])
    #expect(reading.undescribed.map(\.completed) == [true, true, false])
  }

  @Test func `rows of groups say neither a score nor an end`() throws {
    let result = try Self.result(
      "Reverse Zorkles #12 🎧\n\n🟪🟩🟩🟪\n🟪🟪🟪🟪\n🟧🟧🟧🟧\n🟦🟦🟦🟦\n🟩🟩🟩🟩"
    )
    #expect(result.score == nil && result.completed == nil && result.rows.count == 5)
  }

  @Test(arguments: [
    "Zorkle 112 13/6", "Zorkle 12 13/6\n🟩🟩🟨\n🟩🟩🟩", "Zorkle 112 7/6",
    "Zorkle 112 7/6\n🟩🟩🟨\n🟩🟩🟩", "Zorkle 112 13.5/6", "Zorkle 112 6.01/6", "Zorkle 112 13.0/6",
    // Cells of one row among others show no score.
    "Zorkle 112 7/6\n🟩⬛🟨⬛⬛🟨⬛\n🟩🟩🟩🟩🟩🟩🟩",
    "Zorkle 112 8/6\n🟩⬛🟨⬛⬛\n🟩⬛⬛⬛⬛\n🟨⬛🟩⬛🟩⬛⬛🟩\n🟩🟩🟩🟩🟩",
  ])
  func `a score above its maximum is refused with both numbers`(text: String) throws {
    let reading = try ReadTexts.reading(text)
    #expect(reading.results.isEmpty && reading.undescribed.isEmpty)
    try #require(reading.refusals.count == 1)
    let scores = ["13/6": "13", "13.0/6": "13", "13.5/6": "13.5", "6.01/6": "6.01", "8/6": "8"]
    let score = scores.first { text.contains(" \($0.key)") }?.value ?? "7"
    #expect(reading.refusals[0].cause == "its score \(score) is above its maximum 6")
    #expect(reading.refusals[0].gameName == "Zorkle")
  }

  @Test func `a score above par is kept where as many cells are below it, and is not lost`() throws
  {
    let result = try Self.result(
      "Zorkputt #32 ⛳ 11/9 Double bogey\n🟢🟡🟡🟡🔴🟡🟡🟡🟡🟡🟢\nhttps://zorkputt.example"
    )
    #expect(result.score == ResultNumber(11) && result.maximum == ResultNumber(9))
    #expect(result.completed == nil)
  }

  @Test(arguments: [
    "Zorkputt #32 11/9\n🟢🟡🟡🟡🔴🟡\n🟡🟡🟡🟡🟢",
    "Zorkle 12 8/6" + String(repeating: "\n🟩⬛🟨⬛⬛", count: 7) + "\n🟩🟩🟩🟩🟩",
    "Zorkle 12 8/6" + String(repeating: "\n🟩⬛🟨 ⬛⬛🟩", count: 7) + "\n🟩🟩🟩 🟩🟩🟩",
  ])
  func `a score above its maximum is kept where all cells or the rows are as many`(text: String)
    throws
  {
    let result = try Self.result(text)
    let (score, maximum) = text.contains("11/9") ? (11, 9) : (8, 6)
    #expect(result.score == ResultNumber(score) && result.maximum == ResultNumber(maximum))
  }

  @Test func `one more than the maximum above as many rows as it says is a lost game`() throws {
    let result = try Self.result("Zorkle 112 4/3\n⬛🟨⬛\n🟨⬛🟩\n🟩⬛🟩")
    #expect(result.score == ResultNumber(4) && result.completed == false)
  }

  @Test func `a described game in a form that lacks its score is undescribed`() throws {
    let result = try Self.result("Framed #12 ✅ 3/6")
    #expect(result.name == "Framed" && result.puzzle == 12 && result.score == ResultNumber(3))
  }

  @Test func `a game on the host of a country is not its namesake`() throws {
    let result = try Self.result("wordle.at #12 2/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩")
    #expect(result.name == "wordle.at" && result.puzzle == 12)
  }

  @Test(arguments: [
    "TriviaBox 11/26\nScore: 45/90\n\n🟦🟦🟦⬜\n🟪🟪⬜⬜", "kinda.example 01/25\n\n📝 45\n\n2.⛳ 13",
    "TriviaBox - 10/3 - 45/90\n🟦🟦🟦⬜\n🟪🟪⬜⬜", "zorkle.app 10/21:\nScore: 45",
  ])
  func `a month and a day are not the score`(text: String) throws {
    #expect(try Self.result(text).score == ResultNumber(45))
  }

  @Test func `a date of two digits a part is no day that is known`() throws {
    let result = try Self.result("Zorkle 25/05/17\n🟩🟨🟩🟩\nsolved in 0:24")
    #expect(result.puzzleDay == nil && result.timeSeconds == ResultNumber(24))
  }

  @Test(arguments: [
    ("Little #12\n\n⏱ 3:45", 225), ("Zorkle #12 | 0:59", 59),
    ("speed zorkle 12 in 1:04\n⬛🟪⬛\n🟩🟩🟩", 64), ("Zorkle #12 | 9:15", 555),
    ("Dominoes #12 Easy\n9:15", 555), ("🥇 CHROMO #12\n🟢🟢🟢🟢\n⏱: 50", 50),
    ("Zorkle #12 1'23\"", 83), ("Zorkmatch - Level 41 - 00:52", 52),
  ])
  func `a time below or behind a number is that of a puzzle`(text: String, seconds: Int) throws {
    #expect(try Self.result(text).timeSeconds == ResultNumber(seconds))
  }

  @Test func `numbers and times in several lines are appointments`() throws {
    let text = "Harbour #3 | 10:15\nHarbour #4 | 11:30\nMill #1 | 12:00"
    #expect(try ReadTexts.reading(text).undescribed.isEmpty)
  }

  @Test(arguments: [
    ("Frames #12 - 🟥 🟥 🟥 - https://frames.example", 12), ("Zorkle #12 😔/6\n🟨⬜⬜\n⬜⬜🟨", 12),
    ("I gave up on Zorkle #12 after 25 guesses.", 12),
    ("Zorkle #12 ✗ — 5/5 clues\n🟧🟧🟧🟧🟧\nzorkle.example", 12),
    ("Zorkle #12\n❌ 6/6 · 12 km\nhttps://zorkle.example", 12),
    ("Zorkle #12 X/∞\n\n⚫🟡⚫🟢\n⚫⚫🟢🟢", 12),
    ("Daily Zork #77\nResult: 🟥\nzork.example", 77),
  ])
  func `a player who says that a game was lost has not completed it`(text: String, puzzle: Int)
    throws
  {
    let result = try Self.result(text)
    #expect(result.puzzle == puzzle && result.completed == false && result.score == nil)
  }

  @Test(arguments: [
    ("Daily Zork #77\nKind: Words\n✅ Correct!\n🔥 4 day streak!", true),
    ("Daily Zork #77\nKind: Words\n❌ Incorrect\n🔥 0 day streak!", false),
  ])
  func `a tick or a cross and one word say how the game ended`(text: String, isCompleted: Bool)
    throws
  {
    let result = try Self.result(text)
    #expect(result.puzzle == 77 && result.completed == isCompleted)
  }

  @Test func `ticks and crosses of several questions do not say how the game ended`() throws {
    let result = try Self.result("Zorkle Quiz #12\n✅ Correct\n❌ Wrong\n✅ Correct\nScore: 2/3")
    #expect(result.score == ResultNumber(2) && result.completed != false)
  }

  @Test func `a cross before a hint is no loss`() throws {
    #expect(try Self.result("Zorkle #12\nSolved in 14 moves\n❌ Hints").completed != false)
  }

  @Test func `a puzzle's number may read as a year, and a weekday may be behind it`() throws {
    #expect(try Self.result("I solved Zorkle puzzle 2050 in 2:31!").puzzle == 2050)
    #expect(try Self.result("I solved Zorkle 123 Wednesday in 2:01").puzzle == 123)
  }

  @Test func `a medal is a result of the game that a title and its address name`() throws {
    let result = try Self.result(
      "ZRK\n\nPuzzle #77 - November 13, 2025\n\n🥇 - Gold\n\nPlay Here | https://playzrk.example"
    )
    #expect(result.name == "ZRK" && result.puzzle == 77)
    #expect(result.puzzleDay?.description == "2025-11-13")
  }

  @Test(arguments: [
    "Ich habe bei Zorkschätz 640 von 1000 Punkten geholt (64 %). Schaffst du mehr?",
    "I scored 14/20 on the Quiz Zork Cup 2026! Test your Zork knowledge!",
    "I scored 700/900 on the Zorkest 9 Game Show!\n\nTest your Zork knowledge!",
  ])
  func `a score or a year behind a name in a sentence is no puzzle's number`(text: String) throws {
    #expect(try Self.result(text).puzzle == nil)
  }

  @Test func `a title two lines above its rows is one`() throws {
    let result = try Self.result("Song to Song\nOne ➡ Two\n🎵🧑🎵🧑🎵\nhttps://songtosong.example/p/1")
    #expect(result.name == "Song to Song")
  }

  @Test func `right and wrong cells that are counted below a puzzle's number are a result`() throws
  {
    let result = try Self.result("Zorkle #77\nAnn Roe\n✅14 ⛔3\n\nhttps://roe.example")
    #expect(result.puzzle == 77 && result.score == nil)
  }

  @Test(arguments: [
    "Zorkotok #77: 41 słów, 212 liter", "Zorkketju #77: 18 sanaa, 96 kirjainta",
    "Harf Zork #77 – 22 kelime · 118 harf",
  ])
  func `numbers and the words that they count are a result, and no score`(text: String) throws {
    let result = try Self.result(text)
    #expect(result.puzzle == 77 && result.score == nil && result.timeSeconds == nil)
  }

  @Test func `a lost game has no score and is not completed`() throws {
    let result = try Self.result("Zorkle 381 X/6*\n\n⚪🟡⚪\n⚪🟢⚪")
    #expect(result.score == nil && result.completed == false)
    #expect(result.maximum == ResultNumber(6) && result.hardMode == true)
    #expect(result.rows == ["⚪🟡⚪", "⚪🟢⚪"])
  }

  @Test func `completed is unknown where the text does not say it`() throws {
    #expect(try Self.result("Zorkle 12 8/9\n🟩🟩🟩\n⬜🟩🟩\n🟩⬜🟩").completed == nil)
  }

  @Test func `words for puzzle may be between a name and its number`() throws {
    let result = try Self.result("Finally solved zorkle.example daily puzzle 24")
    #expect(result.puzzle == 24 && result.completed == true)
  }

  @Test func `times of single guesses beside their cells are not the time of the game`() throws {
    let result = try Self.result("Zorkless #51\n0.5s 🟥 1s 🟥 3s 🟩\nzork.example/zorkless")
    #expect(result.timeSeconds == nil && result.score == ResultNumber(3))
  }

  @Test func `two keycaps below a number are rows of a game that its address names`() throws {
    let result = try Self.result("Daily Zorklish #51\n4️⃣6️⃣\nzorklish.example")
    #expect(result.puzzle == 51 && result.score == nil)
  }

  @Test func `a tick and a time say that the game was completed`() throws {
    #expect(try Self.result("Zork Daily #64: ✅ in 5.2s").completed == true)
    #expect(try Self.result("It took me 12 tries to solve Zorkmaze #93!").completed == true)
  }

  @Test(arguments: [
    "조르크 #77 4번 만에 성공!\n⬜🟨⬜\n🟩🟩🟩", "今日佐克 #77：我用了3次猜中 🟨🟩", "数ゾルク #77 4/6回で正解！ ⏱1:02",
  ])
  func `scripts without spaces say within a word that the game was completed`(text: String) throws {
    #expect(try Self.result(text).completed == true)
  }

  @Test func `a number of words in a name is no puzzle's`() throws {
    let result = try Self.result("zorkd — 5 Round Sum\nScore: 41.20/50\nhttps://zorkd.example")
    #expect(result.puzzle == nil && result.maximum == ResultNumber(50))
  }

  @Test func `hearts that are left and lost are a row`() throws {
    let result = try Self.result("Zork Tower #77 ❤️❤️❤️🖤🖤 floor 12")
    #expect(result.puzzle == 77 && result.rows == ["❤❤❤🖤🖤"])
  }

  @Test func `a time is one in seconds`() throws {
    let result = try Self.result("I solved today's Zorkle #5 in 2:01\n🟩🟩🟩🟩\nzorkle.example")
    #expect(result.timeSeconds == ResultNumber(121) && result.completed == true)
  }

  @Test func `modes below one title are results of one game`() throws {
    let reading = try ReadTexts.reading(
      "Zorkle\n🎨 (Art) #12:\n🟥🟩⬜⬜\n🔑 (Keys) #7:\n🟥🟥🟥🟥"
    )
    #expect(reading.undescribed.map(\.name) == ["Zorkle", "Zorkle"])
    #expect(reading.undescribed.map(\.mode) == ["Art", "Keys"])
    #expect(reading.undescribed.map(\.score) == [ResultNumber(2), nil])
  }

  @Test func `a described result and another keep to themselves`() throws {
    let reading = try ReadTexts.reading("Wordle 900 1/6\n🟩🟩🟩🟩🟩\n\nZorkle 20 1/6\n🟩🟩🟩")
    #expect(reading.results.map(\.identity) == ["wordle/900"])
    #expect(reading.undescribed.map(\.identity) == ["undescribed:zorkle/20"])
  }

  @Test(arguments: [
    // In keycaps; of any unit; behind words for its kind; with a label below the name.
    (
      "ZORKLE March 3, 2026\nI solved it in 1️⃣4️⃣ moves\nhttps://zorkle.example/games", "ZORKLE", "14"
    ),
    ("ZORKLE #45\nStrokes: 7\n2025-11-13", "ZORKLE", "7"),
    ("Zork Golf - Apr 5\n10 Strokes\n\n🟪🟨🟩🟦🟥\n2️⃣2️⃣2️⃣2️⃣2️⃣", "Zork Golf", "10"),
    ("🎰 Zorkle #120\nFinished with 1,250 chips\nhttps://zorkle.example", "Zorkle", "1250"),
    ("Zork League #41 7 kicks\n⚽⚽⚽🥅", "Zork League", "7"),
    (
      "I scored an average of 3,197 over 10 rounds in today's ZorkGuessr! Can you beat my score of "
        + "5000 points on round 2? Play now at https://zork.example/",
      "ZorkGuessr", "3197"
    ),
    ("Zumble\nScore: 47\n3️⃣: 8\n4️⃣: 5\n\nhttps://zumble.example", "Zumble", "47"),
    ("TRIZORKLE - 3/3 words, 7/8 tries\n🟩🟩🟩", "TRIZORKLE", "7"),
    // Of what no list has; behind a word for “in”; a level; behind another value; points, not things.
    ("J'ai trouvé 42/100 zorks sur Zork The Wall ! 🎌", "Zork The Wall", "42"),
    ("I solved today's Zorkbidden: Holes in 4/8. Beat me: https://zork.example", "Zorkbidden", "4"),
    ("I reached Level 7 in ZORK Game!\nCan you beat me?", "ZORK Game", "7"),
    (
      "I just got to level 12 and scored 840 points in Zorkients! Can you beat me?", "Zorkients",
      "840"
    ),
    (
      "🎵 J'ai deviné 8/10 morceaux (640 pts) sur le Zork Test ! Peux-tu faire mieux ?", "Zork Test",
      "640"
    ),
    // A verb that no list has, and an invitation; a picture beside what the player did.
    ("🧠 Acabei de zorkar 1200 pontos no Zork Quiz! Você consegue me superar?", "Zork Quiz", "1200"),
    ("I just scored 4,210 points in OctoZork! 🏆", "OctoZork", "4210"),
    // An invitation without a person; a capital within the name; words of another name.
    ("I just scored 84 on Zork Frenzy — beat that!", "Zork Frenzy", "84"),
    ("Fiz 4.210 pontos no Zork Split! Consegue mais?", "Zork Split", "4210"),
    ("I scored 120 points in ZorkinRaid!", "ZorkinRaid", "120"),
    (
      "Hice 420 pts en Zorkia en MillCity Lunar Launch. Mismos orbes: ¿puedes superarme?", "Zorkia",
      "420"
    ),
    // Bullets part a day, a level and guesses.
    ("Zurple 2026-03-14 • (Challenge) •  17 guesses", "Zurple", "17"),
  ])
  func `a score is found whatever it counts and however its digits are written`(
    text: String,
    name: String,
    score: String
  ) throws {
    let result = try Self.result(text)
    #expect(result.name == name)
    #expect(result.score?.description == score)
  }

  @Test(arguments: [
    // Below a day of the week; in words with a comma, below a tag; alone below a puzzle's number.
    (
      "Daily Zork 😊\nTue Mar 10, 2026\n✅Solved in 2:41✅\nhttps://dailyzork.example/",
      "Daily Zork", 161
    ),
    (
      "I solved today's #ZorkWords puzzle!\n🟩 “Breakfast”\n🕒 4 minutes, 12 seconds\n"
        + "https://zorkwords.example/puzzles/2026-02-11",
      "ZorkWords", 252
    ),
    ("Zork Up Puzzle #248\n2:13", "Zork Up", 133),
    // Behind a stopwatch, behind a clock and a label, behind a verb, beside a name in capitals.
    ("Zorkwords Daily — 3 March 2026\n⏱ 2:14 | 🔥 12", "Zorkwords Daily", 134),
    ("The Zorkle of the day #412:\n🕑 Time: 1:32\n🔄 Movements: 24", "The Zorkle of the day", 92),
    ("Zahlenzork Nr. 77 – gelöst in 1:45 Min. ⏱️ 2 Fehler", "Zahlenzork", 105),
    // Below a day without its year; behind a dash; with the “and” and the units of other languages.
    ("Zorkwords Classic Daily\nMarch 20\n⏱️ 5:31\n🔥 22", "Zorkwords Classic Daily", 331),
    ("Minute Zork-up #19 — 00:58 — no hints", "Minute Zork-up", 58),
    ("Mill Zorks no 214\n⏱ 1m 45s", "Mill Zorks", 105),
    ("Il gioco di Zork #94 risolto in 2 minuti e 14 secondi", "Il gioco di Zork", 134),
    ("ゾルク道場 #77 上級を6分41秒でクリア！", "ゾルク道場", 401),
    ("Zorkløveren #77 løst på 2:41", "Zorkløveren", 161),
    ("Zorkslang #301 opgelost in 3:12 zonder hints", "Zorkslang", 192),
    ("Zorkagram – 14 March 2026\nRank: Wizard 🧙\n212 points in 3:00", "Zorkagram", 180),
    ("Zorkshift 🥇 1:12\nhttps://www.z.example/puzzle/2026-02-01/zorkshift", "Zorkshift", 72),
    ("I solved today's Zork Rush in 1m 12s with 31 moves! Can you beat that?", "Zork Rush", 72),
    ("I finished Zorkurole (Hard) in 7m 3s with 0 mistakes", "Zorkurole", 423),
    ("Daily Zork Crosswords Mar 14: 1:41 ✅", "Daily Zork Crosswords", 101),
    ("I completed the Zorkilo puzzle in 2:31! Can you beat my time?", "Zorkilo", 151),
    // Moves below a word for games; a name without a capital that the address has; a kind of puzzle.
    ("I completed the Zork Safety game in 1:32 with 24 moves!", "Zork Safety", 92),
    (
      "I solved the zorkword in 2m 5s with 23 guesses!\nhttps://zorkword.example", "zorkword", 125
    ),
    ("I completed the daily crossword puzzle in 5:21! Can you beat my time?", "crossword", 321),
    ("Zorkus du jour : trouvé en 3 essais en 0:48 🔴🟡", "Zorkus du jour", 48),
    ("Günlük Zork #77 3 dakika 12 saniyede çözüldü!", "Günlük Zork", 192),
    ("Dagens Krydsord 2. december 2025 løst på 6:41", "Dagens Krydsord", 401),
    (
      "I solved the LA Zork Mini Crossword in 1:05! Can you beat my time?",
      "LA Zork Mini Crossword",
      65
    ),
  ])
  func `a time is found in a line of its own`(text: String, name: String, seconds: Int) throws {
    let result = try Self.result(text)
    #expect(result.name == name)
    #expect(result.timeSeconds == ResultNumber(seconds))
  }

  @Test(arguments: [
    // Behind a day; before the verb; a noun for what was guessed, and the game's name behind it.
    ("I solved the Monday 11/24/2025 Zork Times Crossword in 8:23!", "Zork Times Crossword"),
    (
      "Ich habe das heutige Rätsel bei Wortzork in 2:31 gelöst!\nhttps://wortzork.example",
      "Wortzork"
    ),
    ("I guessed today's athlete in 2 clues on Zorkball! Score: 750 - zorkball.example", "Zorkball"),
    ("I guessed today's character in 7 tries!\n\nhttps://zorkdle.example", "zorkdle"),
    (
      "Ich habe das heutige Wort auf https://zork-wort.example mit nur 4 Versuchen erraten!\n⬜🟨⬜\n🟩🟩🟩",
      "zork-wort"
    ),
    (
      "🥇 Very Bad Zork by me\nWon in 23 turns on Mar 2, 2026\nhttps://z.example/play/very-bad-zork",
      "Very Bad Zork"
    ),
    // Tags behind the sentence that names the game are of anything.
    ("I scored 12,480 in ZWERVE! Can you beat me? Powered by Mill #WebGL", "ZWERVE"),
  ])
  func `a name is found where a sentence has it`(text: String, name: String) throws {
    #expect(try Self.result(text).name == name)
  }

  @Test(arguments: ["Duration", "Elapsed", "Czas", "Dauer", "Aika"])
  func `minutes behind any word but one for a length are a time`(label: String) throws {
    let text = "Zork Deeper #15\n\(label): 42m\nScore: 7"
    #expect(try Self.result(text).timeSeconds == ResultNumber(2_520))
  }

  @Test func `a rank, a length and a row that ends with its hit are no number, time and maximum`()
    throws
  {
    let text = "He hecho 900 puntos en Zork Challenge (#3 del mes). ¿Puedes superarme?"
    #expect(try Self.result(text).puzzle == nil)
    #expect(try Self.result("Zork Deeper #15\nDepth: 42m\nScore: 7").timeSeconds == nil)
    #expect(try Self.result("Zork Glide #15\n412m\nScore: 7").timeSeconds == nil)
    #expect(try Self.result("Zork #12\nSolved in 75m").timeSeconds == ResultNumber(4_500))
    #expect(try Self.result("GeoZork #120\nhttps://geozork.example/\n🟥🟧🟨🟩").maximum == nil)
  }

  @Test func `lines with several parts are solved by the parts of the last one`() throws {
    let text = "Zorkle 77: 3/6\n\n⬜🟨⬜🟩 🟨⬜⬜\n🟩🟩⬜🟩 🟩⬜🟩\n🟩🟩🟩🟩 🟩🟩🟩"
    #expect(try Self.result(text).completed == true)
  }

  @Test(arguments: [
    "Invoice #123\nTotal: 4/6", "Bonus Strands\n🔵🔵🔵🟡", "Connections 3x3\n🟨🟨🟨\n🟦🟦🟦\n🟪🟪🟪",
    "Review: Roma 4/5 ⭐⭐⭐⭐", "Chapter 12 3/4", "Fix #123 in 2:04", "Build #12 passed ✅ in 1:05",
    "Add 1/2 cup of flour and 3/4 of the milk 🍞🍞🍞", "Lions 3/4 Tigers 2/4 🏉🏉🏉",
    "Room 12 3/4 is free 🎉🎉🎉", "I finished the marathon in 3:58:21", "[12/40] Compiling Zorkle",
    "I solved the riddle in 20:15", "I scored 22 points in the Harbour game",
    "I scored 22 points in the Harbour game today!", "🥇 Harbour #12",
    "Anna scored 22 points in yesterday's Harbour quiz", "Today I scored the Mill for 8 hours 😂😂😂",
    "Sprint 12: 4/6 stories done ✅✅✅✅", "Deploy #88 🟢🟢🔴", "Meeting #12\n10:30",
    "Trip day 3: 🟢🟢🟢 good",
    "-- Anna Roe <anna@roe.example>  Fri, 10 May 2013 00:04:07 +0200",
    "Status\n🟢 api\n🟢 db\n🔴 cache", "I solved the Mill bug #12 in 3 hours today",
    "I completed 4/9 tasks in Harbour. Your turn!", "Harbour\nProgress: 3/5\n🟩🟩🟩⬜⬜",
    "Can you play at 9:15 with Anna? Score was 12 points", "Daily Mill report 3/9\nTotal: 12",
    "* Mill #15 and Mill #48: a timeout of 15 seconds\n* Added page.html to MANIFEST.in",
    "PKG/\n├── manifest.json   written last\n└── data.jsonl      12 records",
    "Rehearsal\nMon, 12 Jan 2026\n19:30, hall 4", "Board game night #12\n19:30",
    "Pub Quiz #12\n19:30", "I completed Mill #12!\nhttps://tracker.example", "Daily Board #12\n3/5",
    // Work that has a name and a number: the name is only in the path, or the host is of many things.
    "I finished Ferry #42! https://github.com/acme/ferry/pull/42",
    "I finished Ferry #42!\nhttps://github.com/acme/ferry/pull/42", "I finished Ferry #42!\n#Ferry",
    "I finished Ferry #42!\nhttps://tracker.example/ferry/issues/42",
    "I finished GitHub #42!\nhttps://github.com/acme/ferry/pull/42",
    "Order #41 7 items", "Aufgabe Nr. 12: 3 von 4 Punkten", "Delivery no. 77: 7 of 10",
    "I got an average of 12 mails over 3 days from Anna",
    "-- Anna Roe (Mill #1) <anna@roe.example>  Sun, 25 Feb 2001 15:53:26 -0500",
    "Fix Mill bug #44708 (2/2).", "Finished with 12 boxes",
    "Shopping\nMilk: 2\nhttps://shop.example", "I got 9/10 in today's Harbour meeting, and 8 mails",
    "Lakers\n104 points\nhttps://z.example/lakers", "9/25 in the queue – Berlin #196",
    "会議 12月2日 14:30\n10件中8件が未対応", "Harbour #41 was 3'20\" long", "Love you ❤️❤️❤️❤️❤️ #12",
    "He sacado 7 en Física, quizás repita", "Stock #12\n30/40 pots", "Kiln #12\n3/4 pots broken",
    "I got 92/100 on my Chemistry final 🎉", "I got 18/20 on my History quiz 🏆",
    "I scored 1,250 points in Marketing 🎉", "I got 1,510 on my PSAT 🎉",
    "I survived 2/3 winters in Norway 🔥", "Rewards 2026-03-14 • 120 points",
    // A document, work, measures or a sentence behind the number.
    "Invoice #123: 4/6 paid", "Ticket #88: 3/5 done", "Sprint 112: 4/6 velocity",
    "Chapter 112 3/6 gelezen",
    "Build #1234: 5/6 passed", "Mill #88: 3/5 done", "Rechnung #12: 4/6 bezahlt",
    "Mill #12: 4/6 tasks open",
    "Tâche n°88 : 3/5 terminée", "Faktura #12: 4/6 zaplaceno", "Úkol #12: 3/5 hotovo",
    "Számla #12: 4/6 fizetve",
    "Заказ №41: 7 штук, 212 руб", "Рахунок №12: 4/6 оплачено", "タスク #12: 3/5 完了", "订单 #12: 3/5 已付",
    "משימה #12: 3/5 בוצע", "مهمة #12: 3/5 تم", "Rezept Nr. 12: 3 Eier, 2 Zwiebeln",
    "Route #12: 41 km, 3 hills",
    "Haus Nr. 12: 4 Zimmer, 2 Bäder", "Harbour #12: 41 kg, 212 km",
    "Harbour #88: 3/5. Next one on Monday",
    "Harbour #12: 4 boats were sold, 3 remain", "Halle 12 3/4 belegt", "Anna 23, 4/6 shots",
    "Arsenal 3 – 1",
    "https://harbour.example/report/77 — 4/6 done", "The 6-foot Wall 12 is 3/4 done",
    "I scored 18/20 in Seattle", "I got 18/20 on my History quiz",
    "I couldn't find Harbour on https://z.example",
    // A word for a level begins the line.
    "Hard one! I got 5/6", "Normal day, I got 3/6", "Expert I solved it in 2:01",
    // A number, a title or a ratio behind a number is not enough, nor is one of a match.
    "Server #304 — 33", "Sauce #277 - Annual Review\n🏠 5/55", "Mill #91\n🏠 4/34",
    "Harbour 12-2\n3:1",
    "Author: Anna Roe\nMon, 12 Jan 2026 13:15:06",
    // A question is part of what the text says, unless a score or a time is before it.
    "Locker #12 - can you come to the harbour by 4:30?",
    "Locker #12 - we need the blue box, can you bring it?\nI will be there at 4:30",
    // A ratio alone below a number is a date, a place in a series or a vote.
    "Sauce #277\n5/12", "Photo #41\n2/5", "Print #12\n3/20", "Mill #91\n🏠 4/12", "Mill #91\n📅 4/12",
    "Daily Standup #12: Sprint Goal\n3/5", "Locker #12\n12/5",
    // The number of a week is less than that of a day.
    "Marathon Week 6 - 4/5",
    // A small letter begins a name only where more than a score says that it is one.
    "with Anna 3/4", "see Figure 3/4", "meet Anna 3/4\n🟩🟩🟩🟥",
    // Moments of logs and messages, references and items of lists.
    "finished: Thu May 01 12:26:19 UTC 2025\nelapsed: 0.06",
    "Author: Colin Roe <colin.roe-at-z.example>\nDate: Tue Apr 29 13:45:06 2008 +0100\ncolin.example",
    "* Fix a leak in Mill [#1123](https://mill.example/issues/1123) after 20s",
    "New mill version (Closes: #245360)\nRestarted after 0:20",
    "- Issue #14589: Update the list of hosts that Anna keeps for mill.example, after\n  20s",
  ])
  func `what only looks like one is none`(text: String) throws {
    #expect(try ReadTexts.reading(text).undescribed.isEmpty)
  }

  /// What a text must be read as: name, puzzle, score and maximum, time, and whether it was completed.
  struct Meaning: Sendable, CustomTestStringConvertible {
    let text: String
    let name: String
    var puzzle: Int?
    var score: String?
    var seconds: Int?
    var isCompleted: Bool?

    var testDescription: String { text }
  }

  @Test(arguments: [
    // The theme of a puzzle is behind its number, and its score begins a line of its own.
    Meaning(
      text: "Zwonk Daily #42: Best Pirate Films\n🎬 7/9 — #1: Corsair",
      name: "Zwonk Daily",
      puzzle: 42,
      score: "7/9"
    ),
    // A question that is asked of a person says nothing of the text.
    Meaning(
      text: "ZWERVE Daily 2026-07-01 — 12,340 pts · x14 combo · wave 7. Can you thread the swarm?",
      name: "ZWERVE Daily",
      score: "12340"
    ),
    // The number that ends a head's line is the score.
    Meaning(
      text: "Zwavitile #27 — 48,210\n🟦🟩🟨\nzwavitile.example",
      name: "Zwavitile",
      puzzle: 27,
      score: "48210"
    ),
    // What an invitation asks is not of the result.
    Meaning(
      text: "Zwole #12 - 4/6. Can you do it by 4:30?\n🟥🟨🟥🟩",
      name: "Zwole",
      puzzle: 12,
      score: "4/6"
    ),
    // A ratio below the number that ends the head is surer than the number.
    Meaning(
      text: "Zwavitile #27 — 48\n🎯 3/5\nzwavitile.example",
      name: "Zwavitile",
      puzzle: 27,
      score: "3/5"
    ),
    // What a line away from the row counts is not how many guesses there were.
    Meaning(
      text: "Zurio puzzle #9\n🟥🟩⬜\n\n7 zorks collected\nzurio.example",
      name: "Zurio",
      puzzle: 9,
      score: "2/3",
      isCompleted: true
    ),
    // An address alone in its line may end in anything.
    Meaning(
      text: "Zurio puzzle #9\n🟥🟩⬜\nzurio.museum",
      name: "Zurio",
      puzzle: 9,
      score: "2/3",
      isCompleted: true
    ),
    Meaning(
      text: "z4p Middle Tent 7/14\n🥇 Gold — 1:23\nhttps://camp.example/games/middle-tent",
      name: "z4p Middle Tent",
      seconds: 83
    ),
    // Who presents a result is the player; a solved game whose address is there needs no score.
    Meaning(
      text: "Here's my Zwunfigure result from today!\n🟥🟩🟥🟥🟩\n🟩🟩🟥🟩🟩\n🟩🟩🟩🟩🟩",
      name: "Zwunfigure",
      score: "3",
      isCompleted: true
    ),
    Meaning(
      text: "I completed Zwockle #12!\nhttps://zwockle.example",
      name: "Zwockle",
      puzzle: 12,
      isCompleted: true
    ),
    // Words that name no game are the name where a number and a grid are with them.
    Meaning(
      text: "Daily Quiz #127 🎯\n⬛🟩🟩⬛🟩\n3/5 in 2:34 ⏱️",
      name: "Daily Quiz",
      puzzle: 127,
      score: "3/5",
      seconds: 154
    ),
    Meaning(
      text: "Daily Word #12 4/6\n⬛🟨⬛⬛\n🟩⬛⬛🟨\n🟩🟩🟩⬛\n🟩🟩🟩🟩",
      name: "Daily Word",
      puzzle: 12,
      score: "4/6"
    ),
    Meaning(
      text: "Zine Sweep Daily #131 ✅\n⏱ 1:12",
      name: "Zine Sweep Daily",
      puzzle: 131,
      seconds: 72,
      isCompleted: true
    ),
    Meaning(
      text: "Zwurole Case #41 — Mar 3, 2026\n2/5\n\n🟥🟩⬜⬜⬜\n\nI diagnosed it in 2 tries.",
      name: "Zwurole Case",
      puzzle: 41,
      score: "2/5"
    ),
    Meaning(
      text: "Zigher · Week 31\n14 / 20 · Scholar\n🟩🟩🟥🟩🟩🟥🟩🟩🟩🟥",
      name: "Zigher",
      puzzle: 31,
      score: "14/20"
    ),
    Meaning(
      text: "📚 Zipedia Daily #1320\n8/10 correct | 940 pts | 🔥5 day streak",
      name: "Zipedia Daily",
      puzzle: 1320,
      score: "8/10"
    ),
    Meaning(
      text: "Zrdle Clone (7 letters) 4/6\n\n⬛🟨⬛⬛\n🟩⬛⬛🟨\n🟩🟩🟩⬛\n🟩🟩🟩🟩",
      name: "Zrdle Clone (7 letters)",
      score: "4/6"
    ),
    // A sentence may have a name without a capital, or words that other sentences have as labels.
    Meaning(
      text: "I solved the daily zliding puzzle in 1:15 and 84 moves! Can you beat my score?",
      name: "zliding puzzle",
      score: "84",
      seconds: 75
    ),
    Meaning(
      text: "🧩 I completed today's Daily Link in 4️⃣ links!\nHow many can you do?",
      name: "Daily Link",
      score: "4",
      isCompleted: true
    ),
    Meaning(
      text: "🟩⬛🟩🟩🟩\n\nScored 8/10 on the Zeal or Slop test.",
      name: "Zeal or Slop",
      score: "8/10"
    ),
    Meaning(
      text:
        "My Zwhiskey Wizardry Score: 312/400 (78%)\n\nSample A: 🟩 92/100\nSample B: 🟨 75/100\n\n"
        + "Think you can beat it? Try Zwhiskey Wizardry at zwhiskey-wizardry.example!",
      name: "Zwhiskey Wizardry",
      score: "312/400"
    ),
  ])
  func `a text of a form that no game has yet is read by its structure`(meaning: Meaning) throws {
    let result = try Self.result(meaning.text)
    #expect(result.name == meaning.name)
    #expect(result.puzzle == meaning.puzzle)
    let score = result.score.map { [$0, result.maximum].compactMap { $0?.description } }
    #expect(score?.joined(separator: "/") == meaning.score)
    if let seconds = meaning.seconds { #expect(result.timeSeconds == ResultNumber(seconds)) }
    if let isCompleted = meaning.isCompleted { #expect(result.completed == isCompleted) }
  }

  @Test func `a number before a described name makes it another game`() throws {
    let reading = try ReadTexts.reading("42 Wordle 05-03-2026 4/6\n\n🟨🟩⬛\n🟩🟩⬛\n⬛🟩🟩\n🟩🟩🟩")
    #expect(reading.results.isEmpty)
  }

  @Test(arguments: [
    "Word Grid 4/6", "Daily Puzzle X/6\n🟩🟩🟩", "Puzzle 🐍 Day 12 3/6", "Game 🐍 Puzzle",
  ])
  func `words that name no game stop no text`(text: String) throws {
    #expect(try ReadTexts.reading(text).undescribed.allSatisfy { !$0.name.isEmpty })
  }

  @Test func `a described name that begins in an address and ends behind it stops no text`() throws
  {
    let reading = try ReadTexts.reading("See 3 of https://movieto Movie3")
    #expect(reading.results.isEmpty && reading.undescribed.isEmpty)
  }

  /// Texts with the parts of results, put together by chance.
  @Test func `at most one paragraph in ten thousand is taken for a result`() throws {
    var random = Numbers(seed: 7)
    var taken: [String] = []
    for _ in 0..<10_000 {
      let text = random.paragraph()
      if try !ReadTexts.reading(text).undescribed.isEmpty { taken.append(text) }
    }
    #expect(taken.count <= 1, "\(taken.prefix(20))")
  }
}

/// Prose, changelogs, invoices, sports, recipes and logs, made by chance.
private struct Numbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func next(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }

  private mutating func one(_ choices: [String]) -> String { choices[next(choices.count)] }

  mutating func paragraph() -> String {
    let (a, b, c) = (next(400), next(9) + 1, next(50) + 10)
    let noun = one(["Report", "Harbour", "Mill", "Lakers", "Sauce", "Server", "Anna", "Berlin"])
    let verb = one(["moved", "paid", "scored", "mixed", "restarted", "saw", "closed", "wrote"])
    switch next(31) {
    case 0: return "Invoice #\(a) of \(b)/\(c)\nTotal: \(a),\(c)\nDue 2026-0\(b)-10 ✅"
    case 1: return "- Fix #\(a): \(noun) \(verb) twice 🐛 (\(b)/\(c))\n- Update docs 📚"
    case 2: return "\(noun) \(a) beat Rovers \(c) in the final, \(b)/\(c) at half time ⚽⚽⚽"
    case 3: return "Mix \(b)/4 cup of sugar, then \(a) g of flour. Bake \(c):00 minutes 🍪🍪🍪"
    case 4: return "[\(b)/\(c)] \(noun) \(verb) in \(a)ms"
    case 5: return "2026-01-0\(b) 12:\(c):00 INFO \(noun) \(verb) job \(a) (\(b)/\(c))"
    case 6: return "\(noun) \(verb) at \(b):\(c) and called me. See https://example.org/\(a)"
    case 7: return "Review of \(noun): \(b)/10 ⭐⭐⭐ would go again"
    case 8: return "Today I \(verb) the \(noun) for \(b) hours 😂😂😂 best day of \(a)"
    case 9: return "Version \(b).\(c).\(a)\n\n* \(noun) \(verb)\n* \(noun) #\(a) closed ✔"
    case 11: return "\(noun)\nMon, \(b) Jan 2026\n1\(b):\(c), hall \(a)"
    case 12: return "🎉 \(noun) night #\(a)\n📅 Sep \(b), 2025\n⏰ 1\(b):\(c)\n📍 Hall \(b)"
    case 13: return "Order #\(a) \(c) items\n📦📦📦 leaves at 1\(b):\(c)"
    case 14: return "I got an average of \(a) mails over \(b) days from \(noun)"
    case 15: return "\(noun) \(b)/\(c)° ☀️☀️🌧\nWind: \(c) km/h"
    case 16: return "\(noun)\nPrice: \(a)\nSize: \(c)\nhttps://shop.example/\(noun.lowercased())"
    case 10: return "TODO ☑ \(noun)\n☐ call \(a)\n☐ pay \(b)/\(c)"
    case 18: return "\(noun)\nMar \(b), 2026\n\(c) points for Rovers"
    case 19: return "\(noun) 1\(b).03.2026: \(b)/10"
    case 20: return "\(b)/\(c) in the queue – \(noun) #\(a)\n\(b)/\(c) \(noun) #\(a)"
    case 21: return "\(noun) Day \(a) · \(c) km and \(b) hills"
    case 22: return "Bake \(noun) \(b)\n⏱ \(c)m 30s"
    case 23: return "\(noun)\n\(a) points\nhttps://example.org/\(noun.lowercased())"
    case 24: return "I got \(b)/10 in today's \(noun) meeting, and \(a) mails"
    case 25: return "\(noun) #\(a): solved by Anna at \(b):\(c)"
    case 27: return "\(noun) 2026-03-0\(b)\n\(b) of \(c) boxes"
    case 28: return "we \(verb) the \(noun.lowercased()) \(b)/\(c)\n🟩🟩🟩🟥"
    case 29: return "\(noun) 🔥\(a)\n\(b)/\(c)"
    case 30: return "https://example.org/\(noun) Apr \(b), 2026\n\(b)/\(c)"
    case 26: return "Am \(b). März \(verb) \(noun) \(a) zum \(b). Versuch"
    default: return "\(noun) #\(a) \(verb) \(c) times; row \(b) of \(c) was empty."
    }
  }
}
