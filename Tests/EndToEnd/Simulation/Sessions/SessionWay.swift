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
  /// What was asked and what became of it, after how many notes of the disk; where it is told.
  private let calls = Mutex<[String]>([])
  private let tells: Bool

  init(on volume: Volume, chance: Chance, lastNote: Int?, tells: Bool) {
    self.volume = volume
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

  /// What becomes of a change, and how long it is on its way where it comes late.
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

  /// What becomes of a reading.
  func fateOfReading() -> ReadingFate {
    let fates: [ReadingFate] = [.isLost, .isPutOff, .kills]
    return chance.withLock { chance in
      guard chance.strikes(oneIn: 25) else { return .arrives }
      return fates[Int.random(in: 1...3, using: &chance.random) - 1]
    }
  }
}
