import Foundation
import Testing

/// The real program, a real server, and everything that goes wrong between them.
///
/// One after the other: anyone who measures and aims at moments wants the machine for itself.
@Suite(.serialized) enum Faults {
  /// The real program is killed, and the same line typed again.
  @Suite(.serialized) struct Kills {
    static let stages = ["export", "validate", "plan", "upload", "verify"]
    static let laneCount = 3
    /// How often `migrate` is killed in all; `FERRY_KILLS` asks for more.
    static let wanted = number("FERRY_KILLS").map { Int($0) } ?? 210
    static let isAskedFor = number("FERRY_KILLS") != nil
    /// What the moments are made of; `FERRY_SEED` asks for those of an earlier run.
    static let seed = number("FERRY_SEED") ?? UInt64.random(in: 1...999_999)

    static func number(_ name: String) -> UInt64? {
      ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
  }

  /// The way to the server fails, again and again, in every way that ways fail.
  @Suite(.serialized) struct LostAnswers {}

  /// A person or a system asks the program to end, or types the line twice.
  @Suite(.serialized) struct Signals {}

  /// The source stays as it was: every byte, every date, every name.
  @Suite(.serialized) struct Source {}
}
