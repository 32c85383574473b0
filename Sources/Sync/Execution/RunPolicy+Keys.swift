package import Checkpoint
import DestinationModel
import Records
import Retrying
package import StageSupport
package import SyncReading

extension RunPolicy {
  /// The phases of a run in which requests without an answer left so long ago that the destination may
  /// have forgotten their keys: a repeat of them would be another request.
  ///
  /// Where the clock has been set back since, it is unknown how long ago that was, and it counts as long.
  /// Where the destination cannot be looked at, nothing else than a repeat is left; that is reported.
  package func forgottenKeys(
    of run: RunRecord,
    _ phases: [RunPhase],
    _ findings: FindingCollector
  ) throws -> Set<Int> {
    var forgotten: Set<Int> = []
    for (number, phase) in phases.enumerated() where phase.kind == .send {
      guard case .key(let life, let settle) = destination.traits.replay[phase.entity] else {
        continue
      }
      let unanswered = try checkpoint.unansweredCreates(of: run, phase: number)
      guard let unanswered else { continue }
      // The destination counts from its own clock, and the request is still to leave.
      let sure = life - min(life / 2, .seconds(3_600))
      let age = Duration.seconds(clock.wallSeconds() - unanswered.since)
      guard age >= sure || age < .zero else { continue }
      forgotten.insert(number)
      if settle == nil { findings.add(.forgottenKeys(phase.entity, unanswered.count)) }
    }
    return forgotten
  }
}

extension Finding {
  /// Requests that are repeated although their keys may be forgotten.
  fileprivate static func forgottenKeys(_ entity: EntityName, _ count: Int) -> Finding {
    Finding(
      code: "destination.forgotten-keys",
      severity: .warning,
      entity: entity,
      cause: "\(count.counted("request")) without an answer left so long ago that the destination "
        + "may have forgotten their idempotency keys; they are sent again, and the profile names no “list” "
        + "and “natural-key” by which to see whether they had arrived",
      cure:
        "look for records that exist twice; `key-life` in the profile says how long keys are "
        + "remembered"
    )
  }
}
