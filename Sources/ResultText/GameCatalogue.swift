/// The games that are understood, and where their texts may begin.
package struct GameCatalogue: Sendable {
  package let games: [GameDescription]
  /// Every head of every form, with its game and form.
  let heads: [Head]
  /// The heads by the characters they begin with.
  let index: HeadIndex
  /// How many patterns all forms need together.
  let needCount: Int
  /// The names of the games, as they may appear in texts of no form that is read.
  let names: GameNames

  /// The games whose rows are enough without a name.
  let namelessGames: [GameBox]

  /// A head of a form; it is handed on without being copied.
  final class Head: Sendable {
    let game: GameBox
    let form: FormBox
    let pattern: TextPattern

    init(game: GameBox, form: FormBox, pattern: TextPattern) {
      (self.game, self.form, self.pattern) = (game, form, pattern)
    }
  }

  /// - Throws: ``GameDescriptionError/sameID(_:)`` when two games have one id.
  package init(games: [GameDescription]) throws(GameDescriptionError) {
    var heads: [Head] = []
    var triggers: [[UInt32]] = []
    var needCount = 0
    var ids: Set<String> = []
    var boxes: [GameBox] = []
    for game in games {
      guard ids.insert(game.id).inserted else { throw .sameID(game.id) }
      let box = GameBox(game: game)
      boxes.append(box)
      for form in game.forms {
        let formBox = FormBox(form: form, firstNeed: needCount)
        needCount += form.needs.count
        for pattern in form.heads {
          let trigger = pattern.trigger
          triggers.append(trigger)
          heads.append(Head(game: box, form: formBox, pattern: pattern))
        }
      }
    }
    self.games = games
    self.heads = heads
    index = HeadIndex(triggers)
    names = GameNames(boxes)
    namelessGames = boxes.filter { $0.game.forms.contains(where: \.isNameless) }
    self.needCount = needCount
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
}

/// Holds a game, so that it is handed on without being copied.
final class GameBox: Sendable {
  let game: GameDescription
  /// Its name in normal form; a space is where words may be joined or parted.
  let name: [UInt32]
  /// The first character of the name; zero for a name without one.
  let first: UInt32

  init(game: GameDescription) {
    self.game = game
    name = GameNames.scalars(of: game.name)
    first = name.first ?? 0
  }
}

/// Holds a form, so that it is handed on without being copied.
final class FormBox: Sendable {
  let form: ResultForm
  /// The number of the form's first need among the needs of all forms.
  let firstNeed: Int

  init(form: ResultForm, firstNeed: Int) {
    self.form = form
    self.firstNeed = firstNeed
  }
}
