import DestinationModel
import Profiles
import UploadPlanning

// MARK: - Batches that are one transaction

extension RESTDestination {
  /// What became of the items of a batch of which one failed, where the destination carries them out in one
  /// transaction.
  ///
  /// What its database refuses takes everything back that went before and is answered as made, and what
  /// comes after fails as well; what it refuses itself leaves the others alone. Its words do not
  /// distinguish the two, but what was made does, for it is there as a whole or not at all.
  ///
  /// | answered as made | is there | the items |
  /// |---|---|---|
  /// | some | yes | are as answered |
  /// | some | no | are not among them there, and go again in halves: alone, each failure is the item's own |
  /// | none |  | the same |
  /// | some | the outcome is unknown | are unknown, as are those of which the answer does not state enough |
  func proven(
    _ outcomes: [Int64: ItemOutcome],
    of items: [OutgoingBatch.Item],
    _ entity: EntityApi
  ) async -> BatchAnswer {
    do throws(DestinationError) {
      for serverID in Self.witnesses(of: items, outcomes) {
        if try await record(of: entity.entity, serverID: serverID) != nil {
          return BatchAnswer(outcomes: outcomes)
        }
      }
    } catch {
      return BatchAnswer(
        whole: .unknown(
          reason:
            "an item failed, and whether the others are there cannot be determined: \(error.reason)"
        ),
        pause: error.requestedPause
      )
    }
    let reason = "an item failed, and the others were rolled back with it"
    let isComplete = outcomes.values.allSatisfy { outcome in
      if case .unknown = outcome { false } else { true }
    }
    return BatchAnswer(whole: isComplete ? .splittable(reason: reason) : .unknown(reason: reason))
  }

  /// The first and the last that are answered as made: a person may have removed one of them since.
  private static func witnesses(
    of items: [OutgoingBatch.Item],
    _ outcomes: [Int64: ItemOutcome]
  ) -> [String] {
    let made = items.compactMap { item -> String? in
      guard case .stored(let serverID, _)? = outcomes[item.operation] else { return nil }
      return serverID
    }
    guard let first = made.first, let last = made.last else { return [] }
    return made.count == 1 ? [first] : [first, last]
  }
}
