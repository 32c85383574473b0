package import Checkpoint
import DestinationModel
import Profiles
import Records
package import SyncReading
import UploadPlanning

// Whether the destination takes the identities that requests choose, as far as earlier answers show it.

extension RunPolicy {
  /// Why a run must make no further record of some entity: the destination gave one an identity of its own, under
  /// this very profile; `nil` where it did not, or where none is left to be made.
  ///
  /// A rollback that removes the record, or another profile, has it tried again.
  package func displacement(in run: RunRecord, _ phases: [RunPhase]) throws
    -> String?
  {
    guard run.kind == .upload else { return nil }
    for (number, phase) in phases.enumerated() where isChosen(in: phase) {
      guard let found = try checkpoint.displacement(of: phase.entity),
        try checkpoint.hasUnsettled(.create, of: run, phase: number),
        found.profile == profile.digest.description
      else { continue }
      return found.reason
    }
    return nil
  }

  /// The phases in which the first record has to show that the destination takes the identities that requests
  /// choose: none that this run made has shown it.
  package func unproven(in run: RunRecord, _ phases: [RunPhase]) throws -> Set<Int> {
    guard run.kind == .upload else { return [] }
    var unproven: Set<Int> = []
    for (number, phase) in phases.enumerated() where isChosen(in: phase) {
      let isProven = try checkpoint.hasMade(inPhase: number, of: run)
      if !isProven { unproven.insert(number) }
    }
    return unproven
  }

  private func isChosen(in phase: RunPhase) -> Bool {
    phase.kind == .send && destination.traits.mayBeDisplaced.contains(phase.entity)
  }
}
