import DestinationModel
import JSONText
import Profiles
import UploadPlanning

// MARK: - Records with the same fields

extension RESTDestination {
  /// Sends records, those with the same fields together where the destination takes no others in one request.
  ///
  /// After a group whose fate is unknown nothing more is sent: the rest is deferred.
  func sendGrouped(_ batch: OutgoingBatch, _ entity: EntityApi) async -> BatchAnswer {
    // A field that a row of many changes lacks would lose what it holds.
    let isGrouped =
      batch.verb == .update && entity.update?.many != nil
      || batch.verb != .delete && entity.hasEqualKeys
    // A file goes by a route of its own, for one record.
    let mayBringFiles = batch.verb == .update && !entity.files.isEmpty
    let ways = mayBringFiles ? batch.groups { $0.bringsFile(to: entity) } : [batch]
    let groups = isGrouped ? ways.flatMap { $0.groups(by: \.fieldNames) } : ways
    guard groups.count > 1 else { return await sendEncoded(batch, entity) }
    var settled = BatchAnswer()
    for (number, group) in groups.enumerated() {
      let answer = await sendEncoded(group, entity)
      guard answer.whole == .answered else {
        return answer.adding(
          settled.outcomes.merging(answer.unsent(groups[(number + 1)...])) { $1 }
        )
      }
      settled = settled.joined(with: answer, about: group)
    }
    return settled
  }
}

extension OutgoingBatch {
  /// The records in groups, each of those with the same `trait`, in the order in which these come first.
  fileprivate func groups<Trait: Hashable>(by trait: (Item) -> Trait) -> [OutgoingBatch] {
    var places: [Trait: Int] = [:]
    var groups: [[Item]] = []
    for item in items {
      let trait = trait(item)
      if let place = places[trait] {
        groups[place].append(item)
      } else {
        places[trait] = groups.count
        groups.append([item])
      }
    }
    return groups.map { OutgoingBatch(entity: entity, verb: verb, items: $0) }
  }
}

extension OutgoingBatch.Item {
  fileprivate var fieldNames: Set<String> { Set(JSONObject(parsing: body)?.names ?? []) }

  /// Whether a change brings a file, or takes one away, by a route of its own.
  func bringsFile(to entity: EntityApi) -> Bool {
    !entity.files.isEmpty && !fieldNames.isDisjoint(with: entity.files.keys)
  }
}

extension BatchAnswer {
  /// What became of records that were not sent after this answer: what holds for a whole that is unknown is not so
  /// of them.
  fileprivate func unsent(_ groups: ArraySlice<OutgoingBatch>) -> [Int64: ItemOutcome] {
    guard case .unknown = whole else { return [:] }
    let items = groups.flatMap(\.items)
    return BatchAnswer.each(items) { _ in BatchAnswer.notSent }.outcomes
  }

  /// The same with the answer about further records, each of which has an outcome.
  fileprivate func joined(with other: BatchAnswer, about batch: OutgoingBatch) -> BatchAnswer {
    var outcomes = outcomes
    for item in batch.items {
      outcomes[item.operation] =
        other.outcomes[item.operation] ?? .unknown(reason: "the answer does not mention this item")
    }
    return BatchAnswer(
      outcomes: outcomes,
      pause: [pause, other.pause].compactMap(\.self).max(),
      singles: singles.merging(other.singles) { $1 }
    )
  }
}
