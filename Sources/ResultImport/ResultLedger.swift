package import JSONText
import LegacyFiles
package import Records
package import ResultText

/// The results that are known, and what each further one is to them.
///
/// Memory follows the number of results, never the length of the files: of each result its key, of
/// each game its days.
package struct ResultLedger {
  let settings: ImportSettings
  var reader: ResultReader
  /// The first result of each key; where other players have the same puzzle, all are in `more`.
  private var known: [String: KnownResult] = [:]
  private var more: [String: KnownResults] = [:]
  /// What the results came to whose ids an app gave.
  private var held: [String: HeldResult] = [:]
  /// The results that no description knows.
  private var undescribed: Set<ResultIdentity> = []
  private(set) var plays = PlayBook()
  private var claims = OwnerClaims()

  /// A result that is known.
  struct KnownResult {
    let player: String?
    let isPlayerKnown: Bool
    let content: ResultContent
    /// The id that an app gave it; `nil` for one that is made of its identity.
    let storedID: String?
    /// The number of its text, or zero where it was in a package.
    let number: Int
  }

  /// What a result with an id of its own is of, and what it came to.
  struct HeldResult: Hashable {
    /// Its identity, or the game where its text says nothing.
    let name: String
    let content: ResultContent
  }

  package init(catalogue: GameCatalogue, settings: ImportSettings) {
    self.settings = settings
    reader = ResultReader(catalogue: catalogue)
  }

  /// The game with that id in the catalogue.
  func game(_ id: String) -> GameDescription? { reader.catalogue.game(withID: id) }

  /// The result whose record has this id, or `nil`.
  func held(withID id: String) -> HeldResult? { held[id] }

  /// The result that another is the same as, or `nil`.
  func match(_ identity: ResultIdentity, _ content: ResultContent) -> KnownResult? {
    guard let first = known[identity.key] else { return nil }
    if first.player == identity.player { return first }
    let same = more[identity.key] ?? KnownResults(first)
    return same.result(of: identity.player)
      // Where one file names a player and another does not, the content decides.
      ?? same.result(alike: content, isPlayerKnown: identity.isPlayerKnown)
  }

  /// Takes note of a result that becomes, or is, a record; `game` is that of one without an identity.
  mutating func note(
    _ identity: ResultIdentity?,
    _ content: ResultContent,
    storedID: String?,
    game: String = "",
    number: Int
  ) {
    if let storedID, held[storedID] == nil {
      held[storedID] = HeldResult(name: identity?.key ?? game, content: content)
    }
    guard let identity else { return }
    let result = KnownResult(
      player: identity.player,
      isPlayerKnown: identity.isPlayerKnown,
      content: content,
      storedID: storedID,
      number: number
    )
    if let first = known[identity.key] {
      more[identity.key, default: KnownResults(first)].add(result)
    } else {
      known[identity.key] = result
    }
  }

  /// What a result that becomes a record may be the same as, though its file gives it to another name.
  mutating func claim(
    _ identity: ResultIdentity,
    _ content: ResultContent,
    _ origin: Origin
  ) -> [Finding] {
    // Anyone who names the owner has said who is who.
    guard settings.takesOthers, settings.senders.isEmpty else { return [] }
    return claims.take(identity, content, origin)
  }

  /// Takes note of a result that no description knows; `false` where it is there already.
  mutating func noteUndescribed(_ identity: ResultIdentity) -> Bool {
    undescribed.insert(identity).inserted
  }

  mutating func play(
    _ game: String,
    _ player: String?,
    day: CalendarDay,
    second: Int64,
    isCompleted: Bool
  ) {
    plays.add(game, player, day: day, second: second, isCompleted: isCompleted)
  }

  /// Takes note of a record that a package holds already.
  ///
  /// A record that an earlier import made says what it is; of any other the text is read.
  ///
  /// - Returns: What the record says that its text does not; the record stays as it is.
  @discardableResult
  package mutating func adopt(_ record: JSONObject) -> Finding? {
    let id = record["id"]?.text ?? ""
    let content = ResultContent(record)
    let date = DateReading(record["date"], unit: nil).date
    var identity: ResultIdentity?
    var puzzleDay = record["puzzleDay"]?.text.flatMap { CalendarDay($0) }
    let player = record["player"]?.text
    var game = record["game"]?.text
    var completed = record["completed"]?.boolean ?? false
    var finding: Finding?
    if let key = record["identity"]?.text, key.hasPrefix(Self.undescribedMark) {
      _ = noteUndescribed(ResultIdentity(key: key, player: player))
      return nil
    }
    if let key = record["identity"]?.text {
      identity = ResultIdentity(key: key, player: player)
    } else if let text = record["sharedText"]?.text {
      let reading = reader.read(Array(text.utf8))
      let name = record["gameName"]?.text
      if let result = reading.results.first(where: { $0.game == name }) ?? reading.results.first {
        identity = ResultIdentity(result.identity, recordedOn: day(of: date), player: player)
        puzzleDay = result.puzzleDay
        game = result.game
        completed = result.completed
        finding = Self.difference(of: record, from: result)
      }
    }
    note(identity, content, storedID: id, game: record["gameName"]?.text ?? "", number: 0)
    if let day = streakDay(date: date, puzzleDay: puzzleDay) {
      play(
        record["gameName"]?.text ?? game ?? "",
        player,
        day: day,
        second: date?.seconds(in: settings.zone) ?? 0,
        isCompleted: completed
      )
    }
    return finding
  }

  private static func difference(of record: JSONObject, from result: GameResult) -> Finding? {
    let content = ResultContent(record)
    let read = ResultContent(result)
    let isScored = result.score != nil || !result.completed
    guard content.completed != read.completed || isScored && content.score != read.score else {
      return nil
    }
    return Finding(
      code: "import.held-differs",
      severity: .warning,
      record: record["id"]?.text,
      cause: "\(result.gameName): the package holds the score \(content.score ?? "none")"
        + (content.completed == false ? ", not completed" : "") + ", and the text says "
        + "\(read.score ?? "none")" + (read.completed == false ? ", not completed" : ""),
      cure: "the record stays as it was exported; its text counts for streaks"
    )
  }

  /// The day on which something was recorded, in the settings' zone.
  func day(of date: LegacyDate?) -> CalendarDay? {
    date.map { settings.zone.day(of: $0.seconds(in: settings.zone)) } ?? settings.day
  }

  /// The day that a result counts for in its game's streak; `nil` where it is unknown.
  func streakDay(date: LegacyDate?, puzzleDay: CalendarDay?) -> CalendarDay? {
    switch settings.dayRule {
    case .recorded: day(of: date) ?? puzzleDay
    case .puzzle: puzzleDay ?? day(of: date)
    }
  }
}
