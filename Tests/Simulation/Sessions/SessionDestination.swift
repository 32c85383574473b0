import Backends
import ForgettingDisk
import Records
import Synchronization
import UploadPlanning

/// The way from one process to the server: where requests and answers are lost, and the process ends.
///
/// Once it is killed, nothing of what it still does reaches the server, and of what it wrote on the disk
/// only what came before counts.
final class SessionDestination: Destination {
  /// The faults of a history: how many are left, and what comes of chance.
  struct Chance: Sendable {
    var random: SeededRandom
    var faultsLeft: Int
    var lateCount = 0

    mutating func strikes(oneIn chance: Int) -> Bool {
      guard faultsLeft > 0, Int.random(in: 0..<chance, using: &random) == 0 else { return false }
      faultsLeft -= 1
      return true
    }
  }

  enum Fate {
    case arrives, isLost, answerIsLost, comesLate, isPutOff, comesTwice
    case killsBefore, killsAfter
  }

  let traits: DestinationTraits
  let server: SessionServer
  private let volume: Volume
  let time: SessionTime
  private let chance: Mutex<Chance>
  /// After so many notes of the disk the process is killed.
  private let lastNote: Int?
  private let death = Mutex<Int?>(nil)
  /// What was asked and what became of it, after how many notes of the disk; where it is told.
  private let calls = Mutex<[String]>([])
  private let tells: Bool
  /// The tickets for files that this process took, by the records of the files.
  let tickets = Mutex<[RecordID: Ticket]>([:])

  init(
    _ server: SessionServer,
    volume: Volume,
    time: SessionTime,
    chance: Chance,
    lastNote: Int?,
    tells: Bool
  ) {
    traits = server.scenario.traits
    self.server = server
    self.volume = volume
    self.time = time
    self.chance = Mutex(chance)
    self.lastNote = lastNote
    self.tells = tells
  }

  /// What is left of the faults.
  var remainder: Chance { chance.withLock { $0 } }

  /// What was asked and what became of it, where it is told.
  var story: [String] { calls.withLock { $0 } }

  func tell(_ words: @autoclosure () -> String) {
    guard tells else { return }
    let words = "\(volume.noteCount): \(words())"
    calls.withLock { $0.append(words) }
  }

  /// After how many notes of the disk the process was killed; `nil` while it lives.
  var deathNote: Int? {
    death.withLock { death in
      if death == nil, let lastNote, volume.noteCount >= lastNote { death = lastNote }
      return death
    }
  }

  func die() { death.withLock { $0 = $0 ?? volume.noteCount } }

  /// Whether a call reaches the server, whose time it is now.
  func arrives() -> Bool {
    guard deathNote == nil else { return false }
    server.deliver(by: time.now)
    return true
  }

  static let killed = BatchAnswer(whole: .refused(reason: "the process was killed"))

  private static var isGone: DestinationError { .unauthorized(reason: "the process was killed") }

  // MARK: - Calls

  func account() async throws(DestinationError) -> String {
    try reading("account")
    return "somebody"
  }

  func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    if batch.verb == .uploadMedia || batch.verb == .removeMedia { return sendFiles(batch) }
    guard arrives() else { return Self.killed }
    // What the network brings twice by itself, no run can know of.
    let isRepeatable =
      switch batch.verb {
      case .create: server.scenario.replays[batch.entity] != .lookUp
      case .update: server.scenario.checksVersions
      default: true
      }
    let (fate, delay) = fate(isRepeatable: isRepeatable)
    tell("\(batch.verb) \(batch.items.map { "\($0.record)" }) \(fate)")
    switch fate {
    case .arrives: return server.carryOut(batch)
    case .isLost: return lost
    case .answerIsLost:
      _ = server.carryOut(batch)
      return lost
    case .comesLate:
      server.send(batch, due: time.now + delay)
      return lost
    case .comesTwice:
      server.send(batch, due: time.now + delay)
      return server.carryOut(batch)
    case .isPutOff: return BatchAnswer(whole: .deferred(reason: "503"))
    case .killsBefore:
      die()
      return Self.killed
    case .killsAfter:
      _ = server.carryOut(batch)
      die()
      return Self.killed
    }
  }

  /// What becomes of a request, and how long it is on its way where it comes late.
  func fate(isRepeatable: Bool) -> (Fate, Duration) {
    chance.withLock { chance in
      guard chance.strikes(oneIn: 5) else { return (.arrives, .zero) }
      let fates: [Fate] = [
        .isLost, .answerIsLost, .comesLate, .isPutOff, .killsBefore, .killsAfter, .comesTwice,
      ]
      let fate = fates[Int.random(in: 0..<(isRepeatable ? 7 : 6), using: &chance.random)]
      let delay = Int.random(in: 1..<SessionScenario.settleSeconds, using: &chance.random)
      return (fate, .seconds(delay))
    }
  }

  private var lost: BatchAnswer {
    BatchAnswer(whole: .unknown(reason: "no answer"), isUnanswered: true)
  }

  /// What happens to a reading, before it is answered.
  func reading(_ name: @autoclosure () -> String) throws(DestinationError) {
    guard arrives() else { throw Self.isGone }
    let fate = chance.withLock { chance -> Int in
      guard chance.strikes(oneIn: 25) else { return 0 }
      return Int.random(in: 1...3, using: &chance.random)
    }
    tell("\(name()) \(fate)")
    switch fate {
    case 1: throw .unreachable(origin: traits.origin, reason: "no answer")
    case 2: throw .busy(retryAfter: nil, reason: "503")
    case 3:
      die()
      throw Self.isGone
    default: break
    }
  }

  func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    try reading("page of \(entity) after \(mark ?? "-") since \(since ?? "-")")
    return server.page(of: entity, after: mark, since: since)
  }

  func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    try reading("\(entity) \(serverID)")
    return server.record(entity, serverID)
  }
}
