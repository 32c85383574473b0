import TextCodecs
import ArgumentParser

/// The lengths of time that flags take: a number with its unit, as a profile has them.
package enum DurationSetting {
  private static let times: ClosedRange<Duration> = .milliseconds(1) ... .seconds(720 * 3_600)

  /// Refuses what is no length of time, or has no unit.
  ///
  /// - Throws: A usage error.
  package static func check(_ text: String?, of flag: String) throws {
    guard let text else { return }
    guard let time = Duration(setting: text), times.contains(time) else {
      let isBare = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      throw ValidationError(
        "\(flag) takes a time from 1ms to 720h, not “\(text)”"
          + (isBare ? ": write the unit, as \(text)s or \(text)m." : ".")
      )
    }
  }

  package static func duration(_ text: String?) -> Duration? {
    text.flatMap { Duration(setting: $0) }
  }
}
