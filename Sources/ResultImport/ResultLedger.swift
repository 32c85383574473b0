package import JSONText
import LegacyFiles
package import Records
import ResultGrammar
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
    /// The id that an app gave it; `nil` for one that is made of its identity.
    let storedID: String?
    let content: ResultContent
    let isPlayerKnown: Bool
    /// The number of its text, or zero where it was in a package.
    let number: Int
  }

  /// What a result with an id of its own is of, and what it came to.
  struct HeldResult: Hashable {
    /// Its identity, or the game where its text says nothing.
    let name: String
    let content: ResultContent
  }

  /// A record of the package that is added to, as the new package has it.
  package struct HeldRecord {
    package let object: JSONObject
    /// What the record said and its text does not.
    package var findings: [Finding] = []
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
      storedID: storedID,
      content: content,
      isPlayerKnown: identity.isPlayerKnown,
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

  /// Takes note of a record that a package holds already, and gives what becomes of it.
  ///
  /// A record that an earlier import made says what it is, and stays as it is. Any other is a result as an
  /// app stored it: its text is read, and what differs is kept as evidence.
  @discardableResult
  package mutating func adopt(_ record: JSONObject) -> HeldRecord {
    let held = reread(record)
    let record = held.object
    let player = record["player"]?.text
    let identity = record["identity"]?.text.map { ResultIdentity(key: $0, player: player) }
    if let identity, identity.key.hasPrefix(Self.undescribedMark) {
      _ = noteUndescribed(identity)
      return held
    }
    let date = DateReading(record["date"], unit: nil).date
    let name = record["gameName"]?.text ?? ""
    note(
      identity,
      ResultContent(record),
      storedID: record["id"]?.text ?? "",
      game: name,
      number: 0
    )
    let puzzleDay = record["puzzleDay"]?.text.flatMap { CalendarDay($0) }
    if let day = streakDay(date: date, puzzleDay: puzzleDay) {
      play(
        name,
        player,
        day: day,
        second: date?.seconds(in: settings.zone) ?? 0,
        isCompleted: record["completed"]?.boolean ?? false
      )
    }
    return held
  }

  /// A record of a package with what its text says, where no import has read that yet.
  package mutating func reread(_ record: JSONObject) -> HeldRecord {
    guard record["identity"]?.text == nil, let text = record["sharedText"]?.text else {
      return HeldRecord(object: record)
    }
    let reading = reader.read(Array(text.utf8))
    var stored = StoredResult(record, nil, settings)
    guard let result = stored.result(of: reading), let id = stored.id else {
      return HeldRecord(object: record)
    }
    let date = DateReading(record["date"], unit: nil).date
    let player = record["player"]?.text
    let identity = ResultIdentity(result.identity, recordedOn: day(of: date), player: player)
    stored.merge(result, identity, id: id, reading: reading)
    return HeldRecord(object: stored.object, findings: stored.findings)
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
