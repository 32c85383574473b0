import ResultGrammar
import ResultText
import Testing

/// Texts of the described games that neither the corpus nor other tests have, as their forms say.
struct `Texts of every other described game` {
  @Test(arguments: [
    ("Absurdle 7/∞\n\n⬛⬛🟨⬛⬛\n🟩🟩🟩🟩🟩", "absurdle", 7),
    ("Besedle #31 4/6*", "besedle/31", 4),
    (
      "Blossom Puzzle, March 7, 2026\nMy score: 312 points\nMy longest word: 9 letters", "blossom",
      312
    ),
    ("Byrdle 31 1/6\n\n🟩🟩🟩🟩🟩", "byrdle/31", 1),
    ("Cardle 3/5\nStreak 2\nTotal Score 9", "cardle", 3),
    ("Chessguessr #31 1/5\n\n🟩🟩🟩🟩🟩", "chessguessr/31", 1),
    ("conexo.ws/es 7/3/2026 y lo conseguí en 6 intentos", "conexo", 6),
    ("Daily Tens #31\n🏆🏆🏆🏆🏆🏆🏆❌❌❌", "dailytens/31", 7),
    ("GeoGuessr Daily Challenge\n18,432 points", "geoguessr", 18_432),
    ("GuessTheBook #31\n\n📚 🟥 🟨 🟩 ⬜ ⬜ ⬜", "guessthebook/31", 3),
    ("Housle #31 4/6", "housle/31", 4),
    ("Immaculate Football Grid 31 8/9:\nRarity: 120", "immaculatefootball/31", 8),
    ("kindahard.golf 03/07\n\n📝 4", "kindahardgolf", 4),
    ("꼬들 31 1/6\n\n🟩🟩🟩🟩🟩🟩", "kordle/31", 1),
    ("Le Mot (@WordleFR) #31 1/6\n\n🟩🟩🟩🟩🟩", "lemot/31", 1),
    ("Letreco #31 1/6\n\n🟩🟩🟩🟩🟩", "letreco/31", 1),
    ("letroso.com/pt 7/3/2026 e consegui em 6 tentativas", "letroso", 6),
    ("Letterle 9/26", "letterle", 9),
    ("Lewdle 🍆💦 31: 3/6", "lewdle/31", 3),
    ("Literalnie #31 1/6\n\n🟩🟩🟩🟩🟩", "literalnie/31", 1),
    ("micro nerdle 31 1/6\n\n🟩🟩🟩🟩🟩", "micronerdle/31", 1),
    ("midi nerdle 31 1/6\n\n🟩🟩🟩🟩🟩🟩🟩", "midinerdle/31", 1),
    ("mini nerdlegame 31 1/6\n\n🟩🟩🟩🟩🟩🟩", "mininerdle/31", 1),
    ("Movie Pyramid - 03/07/2026: 8/10 Correct Score: 1200", "moviepyramid", 1_200),
    ("NeuronGuessr 2026-03-07 4,210/5,000", "neuronguessr", 4_210),
    ("Ordlig 31 1/6\n\n🟩🟩🟩🟩🟩", "ordlig/31", 1),
    ("La palabra del día #31 1/6\n\n🟩🟩🟩🟩🟩", "palabradeldia/31", 1),
    ("I found #Pokedle pokemon #31 in classic mode in 5 tries", "pokedle", 5),
    ("Reversle #31 1:12", "reversle/31", 72),
    ("RNGDLE #31 3/6", "rngdle/31", 3),
    ("Saltong max 31 1/7\n\n🟩🟩🟩🟩🟩🟩🟩", "saltong", 1),
    ("sutom #31 4/6", "sutom/31", 4),
    ("Wordle (ES) #31 1/6\n\n🟩🟩🟩🟩🟩", "wordlees/31", 1),
    ("Xordle 31 8/9", "xordle/31", 8),
  ])
  func `puzzle and score are read`(text: String, identity: String, score: Int) throws {
    let result = try ReadTexts.result(text)
    #expect(identity.contains("/") ? result.identity == identity : result.game == identity)
    #expect(result.score == ResultNumber(score))
  }
}
