import ResultGrammar
import ResultText
import Testing

/// Texts of described games, each with the identity, the score and the end that they state.
struct `Texts of described games` {
  @Test(arguments: [
    ("Spotle #12🎧\n\n⬜⬜🟩\n\nspotle.io", "spotle/12", 3),
    ("https://enclose.horse Day 12\n🥇 Excellent! 🥇 91%", "enclosehorse/12", 91),
    ("Krillion #12 🦐\n410\n\n🐟🦑🏮🏮🦑🦑🐟", "krillion/12", 410),
    ("#Faces #12\n👤 🟥 🟩 ⬛ ⬛ ⬛\n👤 🟥 🟥 🟩 ⬛ ⬛\nhttps://faces.wtf", "faces/12", 5),
    ("Pick5 #12 - Copper Ore\n🥈 70.5%\n🟢 🟢 🟡 🟡 🟢 3/5", "pick5/12", 3),
    ("STAR WARS GUESSR - June 2nd 2025\n🎮 : Guess\n📋 : 6 tries", "starwarsguessr/2025-06-02", 6),
    ("Woordle 312 2/6\n\n🟩⬛🟨⬛⬛\n🟩🟩🟩🟩🟩", "woordle/312", 2),
    ("Woordle6 31 1/6\n\n🟩🟩🟩🟩🟩🟩", "woordle6/31", 1),
    ("Not Wordle 31 1/6\n\n🟩🟩🟩🟩🟩", "notwordle/31", 1),
    ("Primel 31 1/6\n\n🟩🟩🟩🟩🟩", "primel/31", 1), ("Vardle 31 2/8\n\n⚪\n🟢", "vardle/31", 2),
    ("Diffle 2024-3-7\n5 words / 31 letters", "diffle/2024-03-07", 31),
    ("Daily Crosswordle 31: 4m 12s https://crosswordle.vercel.app/?daily=1", "crosswordle/31", 252),
    ("#Hoordle #31\n⬛🟥🟩⬜⬜⬜\nhttps://hoordle.nl", "hoordle/31", 3),
    ("Daily Duotrigordle #31\nGuesses: 35/37\n2️⃣1️⃣ 3️⃣3️⃣", "duotrigordle/31", 35),
    ("Daily Sedec-order #31\nGuesses: 19/21\n0️⃣5️⃣ 0️⃣6️⃣", "sedecorder/31", 19),
    ("Daily Savior #31\nGuesses: 20/21\n0️⃣5️⃣ 0️⃣6️⃣", "sedecordlesavior/31", 20),
    ("@GrumbleFR #31\n1️⃣ 🟪🟪🟪 19\n\nScore: 51 / 65", "grumble/31", 51),
    ("🇫🇷 TUSMO (@tusmo_xyz) #31 - 2/6\n\n🟥🟨⬛\n🟥🟥🟥", "tusmo/31", 2),
    ("🇫🇷 TUSMO (@tusmo_xyz) Suite de mots #31\n\n6 lettres ✅ - 🔴🔴\n7 lettres ❌", "tusmosuite/31", 1),
    ("#Statele #31 2/6 (100%)\n🟩🟩🟨⬜⬜⬅️\n🟩🟩🟩🟩🟩🎉", "statele/31", 2),
    ("Actorle #31 3/8\n⬛🟨🟩", "actorle/31", 3),
    ("Antiwordle #31\n  7 guesses\n\n🟥🟥🟥🟥🟥", "antiwordle/31", 7),
    ("Bazingle 31 1/8\n\n🟩🟩🟩🟩🟩🟩🟩", "bazingle/31", 1),
    ("Framequiz #31 - 🟥 🟩 ⬛️ - https://framequiz.com", "framequiz/31", 2),
    ("HERTL (Game #31) - 1 / 8\n\n🟩🟩🟩🟩🟩🟩🟩", "hertl/31", 1),
    ("Moviemoji #31 2/8\n⬛🟩", "moviemoji/31", 2),
    ("Poeltl 31 - 3/8 - 👤3\n\n🟩🟩🟩🟩🟩🟩🟩🟩", "poeltl/31", 3),
    ("I solved Pimantle #31 with 14 guesses and no hints!", "pimantle/31", 14),
    ("I solved Redactle #31 in 44 guesses with an accuracy of 50.0%", "redactle/31", 44),
    ("#Rogule 2026-2-3\n🧝 4xp ⛩ 99 👣\n🟩🟩🟩", "rogule/2026-02-03", 4),
    ("Subwaydle 31 (Weekend Edition) 1/6\n\n🟢🟢🟢", "subwaydle/31", 1),
    ("Semantle Junior #31\n✅ 12 Guesses\n💡 2 Hints", "semantlejunior/31", 12),
    ("https://www.dungleon.com #31 2/6\n\n🟪🟪🟨\n🟩🟩🟩", "dungleon/31", 2),
    ("Sanuli #31 2/6\n\n🟩⬛⬛⬛🟩\n🟩🟩🟩🟩🟩", "sanuli/31", 2),
    ("Moviedle #31 2/8\n⬛🟩", "moviedle/31", 2),
    ("Colorfle 31 (Hard mode) 1/6\n🟩🟩🟩🟩", "colorfle/31", 1),
    ("#Countryle 31\nErraten in 1 Versuchen.\n\n🟢🟢🟢🟢🟢", "countryle/31", 1),
    ("#Polygonle 31 🎯/6\n◥ ⬢ ◢ ◣\n🟩🟩🟩🟩", "polygonle/31", 1),
    ("Apparle #31 2/6\n⬇️ +50%\n💵 -1.2%", "apparle/31", 2),
    ("Mathler Easy 31 1/6\n\n🟩🟩🟩🟩🟩🟩", "mathler:easy/31", 1),
    ("maxi nerdlegame 31 1/6\n\n🟩🟩🟩🟩🟩🟩🟩🟩🟩🟩", "maxinerdle/31", 1),
    ("#GuessTheAudio #31\n\n🔊 🟥 🟩 ⬜ ⬜ ⬜ ⬜", "guesstheaudio/31", 2),
    ("Chrondle #31\n\n🔻 3y\n😎 75/100", "chrondle/31", 75),
    ("Weddle 31 - 1/8\n\n🟩🟩🟩🟩🟩", "weddle/31", 1),
    ("Chessle 31 (Normal) 1/6\n\n🟩🟩🟩🟩🟩🟩", "chessle:normal/31", 1),
    ("Connections: Sports Edition\nPuzzle #31\n🟦🟦🟦🟦\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟪🟪🟪🟪", "connectionssports/31", 4),
    ("Szózat - 31. nap - 1/6\n\n🟩🟩🟩🟩🟩", "szozat/31", 1),
    ("ことのはたんご 第31回 1/10\n\n🟩🟩🟩🟩🟩", "kotonohatango/31", 1),
    ("פתרתי את סמנטעל #31 ב־70 ניחושים!", "semantlehe/31", 70),
    ("geodle.me 31 2/7\n🟥🔽🟩🟩🔼🟥\n🟩🟩🟩🟩🟩🟩", "geodle/31", 2),
    ("Daily #hexapipes puzzle 2022-08-21\nSolved it in 04:28", "hexapipes/2022-08-21", 268),
    ("Guess my word! #31\nDifficulty: normal\nGuesses: 16", "guessmyword:normal/31", 16),
    ("I found #Dotadle hero #31 in classic mode in 5 tries", "dotadle:classic/31", 5),
    ("squaredle.app 07/14/2024:\n⭐️ 52 words\n⏱ 23:11", "squaredle/2024-07-14", 52),
    ("#deluxewaffle31 4/5\n\n🟩🟩🟩🟩🟩🟩🟩", "deluxewaffle/31", 4),
    ("joguei term.ooo/2 #31\n\n3️⃣5️⃣", "termo:dueto/31", 8),
    ("USA Birdle\n2026-2-3\n🐦🐦❌❌\n🐦🐦🐦🐦", "birdle:usa/2026-02-03", 2),
    ("Queens nr 31 | 1:12 i bez błędów\nlnkd.in/queens.", "linkedinqueens/31", 72),
    ("Wordle 900 2/6\n🤍🤍💛🤍💚\n💚💚💚💚💚", "wordle/900", 2),
    ("Wordle 900 2/6\n⬛⬛🐸⬛🐶\n🐶🐶🐶🐶🐶", "wordle/900", 2),
    ("Wordle 900 2/6 ⬜⬜⬜⬜🟩AROSE 94\n\n🟩🟩🟩🟩🟩NICHE", "wordle/900", 2),
    ("alphaguess.com\n🧩 Puzzle #31\n🤔 14 guesses\n🔗 alphaguess.com", "alphaguess/31", 14),
  ])
  func `puzzle and score are read`(text: String, identity: String, score: Int) throws {
    let result = try ReadTexts.result(text)
    #expect(result.identity == identity)
    #expect(result.score == ResultNumber(score))
  }

  @Test(arguments: [
    "Spotle #12🎧\n\n⬜⬜⬜⬜⬜⬜⬜⬜⬜❌\n\nspotle.io", "#Faces #12\n👤 🟥 🟩 ⬛ ⬛ ⬛\n👤 🟥 🟥 🟥 🟥 🟥",
    "I solved 17/21 squares in Daily Squardle #12\n🟩🟩🟩🟩🟩", "Cardle 5/5\n\n🔴 🔴 🔴\n🔴 🔴 🔴",
    "Daily Duotrigordle #12\nGuesses: X/37\n1️⃣3️⃣ 🟥🟥", "#Statele #12 X/6 (71%)\n🟩🟩🟩🟨⬜⬅️",
    "🇫🇷 TUSMO (@tusmo_xyz) #12\n\n🟥🟨⬛️\n🟥🟨⬛️", "Framequiz #12 - 🟥 🟥 🟥 - https://framequiz.com",
    "I gave up on Semantle #12 in 60 guesses with 3 hints.", "I gave up on contexto.me #12.",
    "#Polygonle 12 😔/6\n🟩⬜🟩🟩", "Decipher #12\n💀 gave up\nhttps://decipher.wtf",
    "Chrondle #12\nMissed by 10 yrs\n💡⚫⚫", "Apparle #12 6/6\n⬆️ -8.7%\n❌ +15.2%",
  ])
  func `a lost game is not completed`(text: String) throws {
    #expect(try !ReadTexts.result(text).completed)
  }

  @Test(arguments: [
    "I won Daily Squardle #12 with 3 guesses to spare!\n🟩🔳🟩", "Cardle 2/5\nTotal Score 9\n🟢 🟢 🟢",
  ])
  func `a won game is completed`(text: String) throws {
    #expect(try ReadTexts.result(text).completed)
  }

  @Test func `two hundred games are described`() {
    #expect(BuiltInGames.files.count >= 200)
  }
}
