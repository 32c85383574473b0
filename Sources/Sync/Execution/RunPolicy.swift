package import Checkpoint
package import DestinationModel
import Folder
package import Profiles
package import Retrying
package import SyncReading
package import UploadPlanning

/// How a run is gone through, by what the destination and the profile say and earlier answers show.
package struct RunPolicy {
  package let profile: Profile
  package let destination: any Destination
  package let checkpoint: CheckpointFile
  package let clock: RunClock
  /// The most records of a request that a person allows; `nil` for any number.
  package let batchLimit: Int?
  package let concurrency: Int
  package let retry: RetryPolicy
  package let seed: UInt64

  package init(
    profile: Profile,
    destination: any Destination,
    checkpoint: CheckpointFile,
    clock: RunClock,
    batchLimit: Int?,
    concurrency: Int,
    retry: RetryPolicy,
    seed: UInt64
  ) {
    self.profile = profile
    self.destination = destination
    self.checkpoint = checkpoint
    self.clock = clock
    self.batchLimit = batchLimit
    self.concurrency = concurrency
    self.retry = retry
    self.seed = seed
  }

  /// How the phases are gone through.
  ///
  /// In those of `forgotten`, the keys of requests without an answer are no longer remembered, and no
  /// request is repeated without a look. In those of `unproven`, nothing shows yet that the destination takes
  /// the identities that requests choose. With `settlesOnly` none is repeated at all, and each is looked
  /// for only when it can no longer arrive.
  package func policy(
    for phases: [RunPhase],
    forgotten: Set<Int> = [],
    unproven: Set<Int> = [],
    settlesOnly: Bool = false
  ) -> EnginePolicy {
    let traits = destination.traits
    return EnginePolicy(
      phases: phases.enumerated().map { number, phase in
        var settle: Duration?
        var settleOfRepeats: Duration?
        var hasKeys = false
        switch (phase.kind, traits.replay[phase.entity]) {
        case (.send, .lookUp(let time)): settle = time
        case (.send, .key(_, let time)) where forgotten.contains(number): settle = time
        case (.send, .key(_, let time)): (settleOfRepeats, hasKeys) = (time, true)
        case (.send, .id): settleOfRepeats = profile.api?.settle
        case (.media, _): settle = settlesOnly ? settleOfFiles : nil
        default: settleOfRepeats = profile.api?.settle
        }
        // Nothing is sent again then, so a request that may still arrive is waited out, however it is repeated.
        if settlesOnly, phase.kind != .media {
          settle = [settle, settleOfRequests].compactMap(\.self).max()
        }
        let isTogether = traits.sendsTogether(phase.kind.verb, of: phase.entity)
        let limit = isTogether ? traits.batchLimit[phase.entity, default: 1] : 1
        return EnginePolicy.Phase(
          entity: phase.entity,
          batchLimit: min(limit == 1 ? Self.singlesAtOnce : limit, batchLimit ?? .max),
          settle: settle,
          settleOfRepeats: settleOfRepeats,
          hasKeys: hasKeys,
          isUnproven: unproven.contains(number)
        )
      },
      concurrency: concurrency,
      retry: retry,
      seed: seed,
      settlesOnly: settlesOnly
    )
  }

  /// How long a request may still arrive; a folder of this machine has what was written to it.
  private var settleOfRequests: Duration? {
    FolderDestination.takes(destination.traits.origin) ? nil : profile.api?.settle
  }

  /// How long a part of a file may still arrive in a bucket: what is given up is only then gone.
  private var settleOfFiles: Duration? {
    guard let api = profile.api, case .bucket = api.media?.way else { return nil }
    return api.settle
  }

  /// How many records without a batch route are begun in one commit.
  private static let singlesAtOnce = 16
}

extension RunPhase.Kind {
  /// What most requests of the phase are for.
  fileprivate var verb: OutgoingBatch.Verb {
    switch self {
    case .media: .uploadMedia
    case .send: .create
    case .complete: .update
    case .remove: .delete
    }
  }
}
