import DestinationModel
import Reconciliation
import Records
import UploadPlanning

/// What a history of whole sessions is made of: the app, its packages, and what the destination can do.
struct SessionScenario: Sendable {
  enum Command: Hashable { case upload, rollback }

  /// How a destination makes the repeat of a request safe.
  enum Replay: String, CaseIterable {
    case key, id
    case lookUp = "look-up"
  }

  /// Where a destination has the pictures of records.
  enum Files: String {
    /// Each content once, under a key that says which it is; it says what it has.
    case bucket
    /// Under a key of its own for each ticket; it does not state.
    case tickets
    /// Each as a part of its record.
    case parts
  }

  /// When a record takes the address of its picture.
  enum Link: CaseIterable { case always, complete, once }

  /// A record of a package.
  struct Line: Hashable {
    let record: RecordID
    let name: String
    var value: Int
    let parent: RecordID?
    /// The hero that it names and that may be made later: the lead of a team, the boss of a hero.
    var late: RecordID?
    /// The name of the picture that it shows.
    var picture: String?
    /// What the app itself knows of it at the destination.
    var claim: Claim?
  }

  /// What an app keeps of a record that it sent to the destination itself.
  struct Claim: Hashable {
    let serverID: String
    /// The version in which the app saw it last.
    let version: Int
    /// Whether the app has changed it since, or deleted it.
    var isChanged = false
    var isDeleted = false
  }

  static let team: EntityName = "Team"
  static let hero: EntityName = "Hero"
  static let entities = [team, hero]
  static let settleSeconds = 60

  let commands: [Command]
  /// One for each upload, parents before children.
  let packages: [[Line]]
  /// The records that the destination never takes.
  let flaws: Set<RecordID>
  let replays: [EntityName: Replay]
  let batchLimits: [EntityName: Int]
  let listsChanges: [EntityName: Bool]
  let checksVersions: Bool
  let batchesChanges: Bool
  let conflictPolicy: ConflictPolicy
  let faultCount: Int
  /// Whether others are at work at the destination between two commands.
  let hasOtherDevices: Bool
  /// Whether teams name their leads, and heroes their bosses, once these are there.
  let hasCircles: Bool
  /// Whether a later upload is made on another machine.
  let losesCheckpoint: Bool
  /// Where pictures go, in every fourth history; `nil` if there are no such values.
  let files: Files?
  let link: Link
  /// Whether the app has sent records there by itself, in every fifth history.
  let hasClaims: Bool

  /// The kind of server that it goes to; `nil` for the one that is made up.
  let place: SessionPlace?

  init(seed: UInt64, at place: SessionPlace? = nil, random: inout SeededRandom) {
    self.place = place
    let ways: [[Command]] = [
      [.upload], [.upload, .rollback], [.upload, .upload], [.upload, .upload, .rollback],
      [.upload, .rollback, .upload], [.upload, .upload, .rollback, .rollback],
    ]
    let way = ways[Int.random(in: ways.indices, using: &random)]
    // What comes next is drawn as if nothing had been drawn here.
    var forked = random
    losesCheckpoint = Int.random(in: 0..<5, using: &forked) == 0
    let hasCircles = Int.random(in: 0..<4, using: &forked) == 1
    self.hasCircles = hasCircles && place != .stories
    commands = way + (Int.random(in: 0..<5, using: &forked) == 0 ? [.upload] : [])
    let replays = Self.draw(&random) { Replay.allCases[Int.random(in: 0..<3, using: &$0)] }
    self.replays =
      place.map { place in
        replays.mapValues { _ in place.takesIdentities ? .id : .lookUp }
      } ?? replays
    batchLimits = Self.draw(&random) { Int.random(in: 1...4, using: &$0) }
    listsChanges = Self.draw(&random) { Bool.random(using: &$0) }
    let checksVersions = Bool.random(using: &random)
    self.checksVersions = place?.checksVersions ?? checksVersions
    batchesChanges = Bool.random(using: &random)
    conflictPolicy = [.fail, .remote, .local][Int.random(in: 0..<3, using: &random)]
    faultCount = Int.random(in: 0...10, using: &random)
    hasOtherDevices = Bool.random(using: &random)
    var first: [Line] = []
    for number in 0..<Int.random(in: 0...3, using: &random) {
      first.append(Self.line(Self.team, number, parent: nil))
    }
    if place == .stories, first.isEmpty { first.append(Self.line(Self.team, 0, parent: nil)) }
    let teams = first.map(\.record)
    for number in 0..<Int.random(in: 1...5, using: &random) {
      first.append(Self.line(Self.hero, number, parent: teams.randomElement(using: &random)))
    }
    if self.hasCircles {
      let heroes = first.map(\.record).filter { $0.entity == Self.hero }
      for index in first.indices where Bool.random(using: &forked) {
        first[index].late = heroes.randomElement(using: &forked)
      }
    }
    let hasFiles = seed % 4 == 3 && (place?.keepsFiles ?? true)
    let files = hasFiles ? [Files.bucket, .tickets].randomElement(using: &forked) : nil
    self.files =
      place.map { place in
        files.map { _ in place.isCloud ? .parts : .tickets }
      } ?? files
    let link = Link.allCases[Int.random(in: Link.allCases.indices, using: &forked)]
    self.link = place.map { $0.isCloud ? .always : .complete } ?? link
    if hasFiles {
      for index in first.indices where Self.hasPicture(first[index].record.entity, at: place) {
        first[index].picture = Self.picture(&forked)
      }
    }
    hasClaims = place == nil && seed % 5 == 0
    if hasClaims { Self.claim(&first, &forked) }
    var packages = [first]
    for _ in commands.dropFirst().filter({ $0 == .upload }) {
      var next = Self.changed(packages[packages.count - 1], &random)
      if hasFiles, self.link != .once {
        for index in next.indices where Int.random(in: 0..<3, using: &forked) == 0 {
          guard Self.hasPicture(next[index].record.entity, at: place) else { continue }
          // What the app shows no more is not taken from the destination.
          guard let picture = Self.picture(&forked) else { continue }
          if picture != next[index].picture { next[index].claim?.isChanged = true }
          next[index].picture = picture
        }
      }
      packages.append(next)
    }
    self.packages = packages
    let hasFlaws = Int.random(in: 0..<3, using: &random) == 0 && place == nil
    flaws = Set(
      first.map(\.record).filter { _ in hasFlaws && Int.random(in: 0..<4, using: &random) == 0 }
    )
  }

  private static func draw<Value>(
    _ random: inout SeededRandom,
    _ value: (inout SeededRandom) -> Value
  ) -> [EntityName: Value] {
    var drawn: [EntityName: Value] = [:]
    for entity in entities { drawn[entity] = value(&random) }
    return drawn
  }

  private static func line(_ entity: EntityName, _ number: Int, parent: RecordID?) -> Line {
    let name = "\(entity == team ? "t" : "h")\(number)"
    return Line(
      record: RecordID(entity: entity, key: name),
      name: "the \(name)",
      value: 1 + number,
      parent: parent
    )
  }

  /// Says of some records that the app sent them there, parents before children, and changed or deleted
  /// some of them since.
  private static func claim(_ lines: inout [Line], _ random: inout SeededRandom) {
    var claimed: Set<RecordID> = []
    for index in lines.indices where Bool.random(using: &random) {
      let line = lines[index]
      guard line.parent.map(claimed.contains) ?? true else { continue }
      claimed.insert(line.record)
      lines[index].late = nil
      var claim = Claim(serverID: "a\(claimed.count)", version: claimed.count)
      let isNamed = lines.contains { $0.parent == line.record || $0.late == line.record }
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1: claim.isChanged = true
      case 2: claim.isDeleted = !isNamed
      default: break
      }
      lines[index].claim = claim
    }
  }

  /// What the app once sent of a record that it has changed since.
  static func formerValue(of line: Line) -> Int {
    line.claim?.isChanged == true ? line.value + 500 : line.value
  }

  /// Whether the records of an entity have pictures.
  static func hasPicture(_ entity: EntityName, at place: SessionPlace?) -> Bool {
    place != .stories || entity == team
  }

  /// One of few, so that records share them; or none.
  private static func picture(_ random: inout SeededRandom) -> String? {
    let number = Int.random(in: 0..<5, using: &random)
    return number == 0 ? nil : "p\(number).png"
  }

  /// The next package: some records changed, and some that no one names are not there any more.
  private static func changed(_ old: [Line], _ random: inout SeededRandom) -> [Line] {
    var new: [Line] = []
    for line in old.reversed() {
      var line = line
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        line.value += 100
        line.claim?.isChanged = true
      case 2
      where !new.contains { $0.parent == line.record }
        && !old.contains { $0.late == line.record }:
        continue
      default: break
      }
      new.append(line)
    }
    return new.reversed()
  }

  var traits: DestinationTraits {
    DestinationTraits(
      origin: "https://simulated.test",
      replay: replays.mapValues { replay in
        let settle = Duration.seconds(Self.settleSeconds)
        return switch replay {
        case .key: .key(life: .seconds(86_400), settle: settle)
        case .id: .id
        case .lookUp: .lookUp(settle: settle)
        }
      },
      batchLimit: batchLimits,
      // What happens at once happens in no order that a seed could know again.
      concurrency: 1,
      listsChangesSince: listsChanges,
      takesMedia: files != nil,
      batchesChanges: batchesChanges,
      keepsAddresses: files != .tickets
    )
  }
}
