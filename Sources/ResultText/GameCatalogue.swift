/// The games that are understood, and where their texts may begin.
package struct GameCatalogue: Sendable {
  package let games: [GameDescription]
  /// Every head of every form, with its game and form.
  let heads: [Head]
  /// The heads by their first two characters.
  private let index: [UInt64: [Int]]
  /// Whether any head may begin with a character; by the character's low bits.
  let starts: [Bool]

  struct Head: Sendable {
    let game: GameBox
    let form: FormBox
    let pattern: TextPattern
  }

  /// - Throws: ``GameDescriptionError/sameID(_:)`` when two games have one id.
  package init(games: [GameDescription]) throws(GameDescriptionError) {
    var heads: [Head] = []
    var index: [UInt64: [Int]] = [:]
    var starts = [Bool](repeating: false, count: 1024)
    var ids: Set<String> = []
    for game in games {
      guard ids.insert(game.id).inserted else { throw .sameID(game.id) }
      let box = GameBox(game: game)
      for form in game.forms {
        let formBox = FormBox(form: form)
        for pattern in form.heads {
          let trigger = pattern.trigger
          index[Self.key(trigger[0], trigger[1]), default: []].append(heads.count)
          starts[Int(trigger[0] & 1023)] = true
          heads.append(Head(game: box, form: formBox, pattern: pattern))
        }
      }
    }
    self.games = games
    self.heads = heads
    self.index = index
    self.starts = starts
  }

  /// This catalogue and more games; one with an id that is known takes the other's place.
  ///
  /// - Throws: ``GameDescriptionError/sameID(_:)`` when two of the new games have one id.
  package func adding(_ more: [GameDescription]) throws(GameDescriptionError) -> GameCatalogue {
    let ids = Set(more.map(\.id))
    return try GameCatalogue(games: games.filter { !ids.contains($0.id) } + more)
  }

  /// The game with that id.
  package func game(withID id: String) -> GameDescription? {
    games.first { $0.id == id }
  }

  /// The heads that begin with these two characters.
  func heads(beginningWith first: UInt32, _ second: UInt32) -> [Int] {
    index[Self.key(first, second)] ?? []
  }

  private static func key(_ first: UInt32, _ second: UInt32) -> UInt64 {
    UInt64(first) << 32 | UInt64(second)
  }
}

/// Holds a game, so that it is handed on without being copied.
final class GameBox: Sendable {
  let game: GameDescription

  init(game: GameDescription) {
    self.game = game
  }
}

/// Holds a form, so that it is handed on without being copied.
final class FormBox: Sendable {
  let form: ResultForm

  init(form: ResultForm) {
    self.form = form
  }
}
