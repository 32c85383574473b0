import Reconciliation
import Records
import UploadPlanning

/// The kinds of records of every history: files, records that others name, and those that name them.
enum Kind: Int, CaseIterable, Sendable {
  case photo, team, hero

  var entity: EntityName { Self.entities[rawValue] }

  private static let entities: [EntityName] = ["Photo", "Team", "Hero"]

  init?(_ entity: EntityName) {
    guard let index = Self.entities.firstIndex(of: entity) else { return nil }
    self.init(rawValue: index)
  }
}

/// The phases of an upload; a rollback goes through them backwards.
enum Phase: Int, CaseIterable {
  case photos, teams, heroes, completions, heroRemovals, teamRemovals

  var kind: Kind {
    switch self {
    case .photos: .photo
    case .teams, .completions, .teamRemovals: .team
    case .heroes, .heroRemovals: .hero
    }
  }

  static func inverse(_ phase: Int) -> Int { allCases.count - 1 - phase }
}

/// A record of the package.
struct Line: Hashable {
  let record: RecordID
  let kind: Kind
  /// What the destination distinguishes records by, where it chooses their identity itself; twins
  /// share it.
  let natural: Int
  var content: Int
  let parent: RecordID?
}

/// What a history is made of: the packages, the commands, and what the destination can do.
package struct Scenario: Sendable {
  /// How a destination makes a repeat safe.
  enum Replay: CaseIterable { case key, id, lookUp }

  /// What is wrong with a record.
  enum Flaw {
    /// The destination rejects it by name.
    case item
    /// The destination refuses every request that holds it as a whole.
    case batch
  }

  /// How the destination fails at the reading of one record alone.
  struct ReadingFault {
    /// How many readings of it come to nothing before the first that does not.
    let count: Int
    /// Whether they come to no answer at all, which says nothing of the record.
    let isUnanswered: Bool
  }

  enum Command: Hashable { case upload, rollback }

  struct Package {
    var lines: [Line]
    var deleted: [Line] = []
  }

  static let settleSeconds = 60

  let replays: [Replay]
  let batchLimits: [Int]
  var packages: [Package]
  let commands: [Command]
  let flaws: [RecordID: Flaw]
  let concurrency: Int
  let checksVersions: Bool
  let conflictPolicy: ConflictPolicy
  let faultCount: Int
  /// Whether a file gets an identity from the destination first, and counts once it is sent under that.
  let hasTickets: Bool
  /// The records that cannot be read alone for a while.
  let readingFaults: [RecordID: ReadingFault]

  init(random: inout SeededRandom) {
    let hasFlaws = Int.random(in: 0..<3, using: &random) == 0
    replays = [
      .id, .allCases[Int.random(in: 0..<3, using: &random)],
      .allCases[Int.random(in: 0..<3, using: &random)],
    ]
    batchLimits = (0..<3).map { _ in Int.random(in: 1...4, using: &random) }
    var first = Package(lines: [])
    for number in 0..<Int.random(in: 0...2, using: &random) {
      first.lines.append(Self.line(.photo, number, twin: false, parent: nil))
    }
    for number in 0..<Int.random(in: 0...3, using: &random) {
      first.lines.append(Self.line(.team, number, twin: false, parent: nil))
    }
    let teams = first.lines.filter { $0.kind == .team }
    for number in 0..<Int.random(in: 1...4, using: &random) {
      let isTwin =
        number > 0 && !hasFlaws && replays[Kind.hero.rawValue] == .lookUp
        && Bool.random(using: &random)
      let parent = teams.isEmpty ? nil : teams[Int.random(in: teams.indices, using: &random)].record
      first.lines.append(Self.line(.hero, number, twin: isTwin, parent: parent))
    }
    var flaws: [RecordID: Flaw] = [:]
    if hasFlaws {
      for line in first.lines {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: flaws[line.record] = .item
        case 1: flaws[line.record] = .batch
        default: break
        }
      }
    }
    self.flaws = flaws
    let ways: [[Command]] = [
      [.upload], [.upload, .rollback], [.upload, .upload, .rollback],
      [.upload, .rollback, .upload], [.upload, .upload, .rollback, .rollback],
    ]
    commands = ways[Int.random(in: ways.indices, using: &random)]
    packages = [first]
    for _ in commands.dropFirst().filter({ $0 == .upload }) {
      packages.append(Self.changed(packages[packages.count - 1], random: &random))
    }
    concurrency = Int.random(in: 1...3, using: &random)
    checksVersions = Bool.random(using: &random)
    conflictPolicy = [.fail, .remote, .local][Int.random(in: 0..<3, using: &random)]
    faultCount = Int.random(in: 0...12, using: &random)
    // What comes next is drawn as if nothing had been drawn here.
    var forked = random
    hasTickets = Bool.random(using: &forked)
    var own = SeededRandom(seed: forked.next())
    readingFaults = Self.readingFaults(of: first.lines, random: &own)
  }

  /// In one of eight histories a record or two cannot be read: once, or as often as it takes to be left.
  private static func readingFaults(
    of lines: [Line],
    random: inout SeededRandom
  ) -> [RecordID: ReadingFault] {
    guard Int.random(in: 0..<8, using: &random) == 0 else { return [:] }
    // A file is never read before it is sent or rolled back.
    let read = lines.filter { $0.kind != .photo }
    var faults: [RecordID: ReadingFault] = [:]
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let line = read[Int.random(in: read.indices, using: &random)]
      let isBrief = Int.random(in: 0..<3, using: &random) == 0
      faults[line.record] = ReadingFault(
        count: isBrief ? 1 : Int.random(in: 8...40, using: &random),
        isUnanswered: Int.random(in: 0..<4, using: &random) == 0
      )
    }
    return faults
  }

  private static func line(_ kind: Kind, _ number: Int, twin: Bool, parent: RecordID?) -> Line {
    let letter = ["p", "t", "h"][kind.rawValue]
    let natural = twin ? number - 1 : number
    return Line(
      record: RecordID(entity: kind.entity, key: "\(letter)\(number)"),
      kind: kind,
      natural: natural,
      content: 1 + kind.rawValue * 16 + natural,
      parent: parent
    )
  }

  /// The next package: some records changed, some heroes and childless teams deleted.
  private static func changed(_ old: Package, random: inout SeededRandom) -> Package {
    var new = Package(lines: [])
    for line in old.lines.reversed() {
      var line = line
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where line.kind != .photo, 1 where line.kind != .photo: line.content += 64
      case 2 where line.kind != .photo && !new.lines.contains { $0.parent == line.record }:
        new.deleted.append(line)
        continue
      default: break
      }
      new.lines.append(line)
    }
    new.lines.reverse()
    return new
  }

  func replay(of kind: Kind) -> Replay { replays[kind.rawValue] }

  func policy(
    for run: LedgerRun,
    seed: UInt64,
    settlesOnly: Bool,
    plant: Plant?
  ) -> EnginePolicy {
    let order = run.kind == .upload ? Phase.allCases : Phase.allCases.reversed()
    return EnginePolicy(
      phases: order.map { phase in
        let needsWait = replay(of: phase.kind) == .lookUp || settlesOnly
        var settle: Duration? = needsWait ? .seconds(Self.settleSeconds) : nil
        if plant == .skippedSettling, needsWait { settle = .zero }
        return EnginePolicy.Phase(
          entity: phase.kind.entity,
          batchLimit: batchLimits[phase.kind.rawValue],
          settle: settle,
          settleOfRepeats: .seconds(Self.settleSeconds),
          hasKeys: replay(of: phase.kind) == .key
        )
      },
      concurrency: concurrency,
      seed: seed,
      settlesOnly: settlesOnly
    )
  }
}

/// What a record holds, as numbers: a package's content is `2 × content + 1`, and what the first of
/// two steps makes of it one less.
enum Content {
  static func first(_ line: Line) -> Int {
    line.kind == .team ? 2 * line.content : 2 * line.content + 1
  }

  static func whole(_ content: Int) -> Int { 2 * content + 1 }

  static func bytes(_ content: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: content), UInt8(truncatingIfNeeded: content >> 8)]
  }

  static func number(_ bytes: [UInt8]) -> Int {
    bytes.count == 2 ? Int(bytes[0]) | Int(bytes[1]) << 8 : 0
  }

  static func digest(_ content: Int) -> Digest { digests[content & 1023] }

  private static let digests: [Digest] = (0..<1024).map { content in
    OperationKey.digest(of: bytes(content))
  }
}
