import ForgettingDisk
import Synchronization
import UploadPlanning

/// The way from one process to the server: where requests and answers are lost, and the process ends.
///
/// Once it is killed, nothing of what it still does reaches the server, and of what it wrote on the disk
/// only what came before counts.
final class SessionWay: Sendable {
  /// The faults of a history: how many are left, and what comes of chance.
  struct Chance: Sendable {
    var random: SeededRandom
    var faultsLeft: Int
    /// Set in a traced history: the fault of a request depends on its name, and not on earlier requests.
    var naming: Naming?

    /// The requests of a traced history so far.
    struct Naming: Sendable {
      let seed: UInt64
      let hasFaults: Bool
      var counts: [String: Int] = [:]
    }

    /// The chance of one request in a traced history; `nil` in any other.
    ///
    /// Two requests of a name can fail. A third one arrives, so that each command comes to its end.
    mutating func ofRequest(_ name: String) -> Chance? {
      guard let naming else { return nil }
      let count = naming.counts[name, default: 0]
      self.naming?.counts[name] = count + 1
      // FNV-1a: <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ naming.seed
      for byte in "\(name) \(count)".utf8 {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
      }
      let mayFail = naming.hasFaults && count < 2
      return Chance(random: SeededRandom(seed: hash), faultsLeft: mayFail ? 1 : 0)
    }

    mutating func strikes(oneIn chance: Int) -> Bool {
      guard faultsLeft > 0, Int.random(in: 0..<chance, using: &random) == 0 else { return false }
      faultsLeft -= 1
      return true
    }
  }

  /// What becomes of a change.
  enum Fate {
    case arrives, isLost, answerIsLost, comesLate, isPutOff, comesTwice
    case killsBefore, killsAfter
  }

  /// What becomes of a reading.
  enum ReadingFate {
    case arrives, isLost, isPutOff, kills
  }

  private let volume: Volume
  private let chance: Mutex<Chance>
  /// After so many notes of the disk the process is killed.
  private let lastNote: Int?
  private let death = Mutex<Int?>(nil)
  /// What was asked and what became of it, after how many notes of the disk; where it is reported.
  private let calls = Mutex<[String]>([])
  private let logs: Bool

  init(on volume: Volume, chance: Chance, lastNote: Int?, logs: Bool) {
    self.volume = volume
    self.chance = Mutex(chance)
    self.lastNote = lastNote
    self.logs = logs
  }

  /// What is left of the faults.
  var remainder: Chance { chance.withLock { $0 } }

  /// What was asked and what became of it, where it is reported.
  var story: [String] { calls.withLock { $0 } }

  func log(_ words: @autoclosure () -> String) {
    guard logs else { return }
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

  /// What becomes of a change, and how long it is on its way where it comes late.
  ///
  /// `name` is the same for the same change, whatever a process did before it.
  func fate(of name: String, isRepeatable: Bool) -> (Fate, Duration) {
    chance.withLock { chance in
      guard var own = chance.ofRequest(name) else {
        return Self.fate(by: &chance, isRepeatable: isRepeatable)
      }
      return Self.fate(by: &own, isRepeatable: isRepeatable)
    }
  }

  private static func fate(by chance: inout Chance, isRepeatable: Bool) -> (Fate, Duration) {
    guard chance.strikes(oneIn: 5) else { return (.arrives, .zero) }
    let fates: [Fate] = [
      .isLost, .answerIsLost, .comesLate, .isPutOff, .killsBefore, .killsAfter, .comesTwice,
    ]
    let fate = fates[Int.random(in: 0..<(isRepeatable ? 7 : 6), using: &chance.random)]
    let delay = Int.random(in: 1..<SessionScenario.settleSeconds, using: &chance.random)
    return (fate, .seconds(delay))
  }

  /// What becomes of a reading.
  func fateOfReading() -> ReadingFate {
    let fates: [ReadingFate] = [.isLost, .isPutOff, .kills]
    return chance.withLock { chance in
      guard chance.strikes(oneIn: 25) else { return .arrives }
      return fates[Int.random(in: 1...3, using: &chance.random) - 1]
    }
  }
}
