import Checkpoint
import DestinationModel
package import JSONText
import Profiles
package import Records
import RequestMapping
import StageSupport
package import UploadPlanning
package import ScratchFiles

// Records that are read alone.

extension SyncReader {
  /// How many records are read alone before they are decided about.
  package static let readTogether = 64
  /// How many known records that a list does not show are asked for, before the list is believed where none of
  /// them answers.
  package static let askedUnlisted = 1_000
  /// How many records that are read alone may fail, where none can be read, before it is the destination that fails.
  private static let mostFailingAlone = 16

  /// Whether a record can be asked for by its identity, and is not looked for in a list.
  package func isAskedAlone(_ entity: EntityName) -> Bool {
    mappings.mapping(for: entity)?.program.api.isAskedAlone == true
      || traits.batchesChanges
  }

  /// Whether each row of an entity's list shows all of its record: what it leaves out is empty.
  package func listsWhole(_ entity: EntityName) -> Bool {
    traits.batchesChanges || mappings.isAskedSingly(entity)
  }

  /// Reads some records alone in place of what a list said of them; gives why others could not be
  /// read, by their identities.
  package func readAlone(
    _ serverIDs: [String],
    of entity: EntityName,
    into snapshot: DestinationSnapshot
  ) async throws -> [JSONName: any Error] {
    let asked = try await askAlone(serverIDs, of: entity, passesOverFaults: true)
    let (found, faults) = (asked.found, asked.faults)
    if faults.count == serverIDs.count, faults.count > Self.mostFailingAlone,
      let fault = faults.first?.value
    {
      throw fault
    }
    let there = Set(found.map { JSONName($0.serverID) }).union(faults.keys)
    let gone = serverIDs.filter { !there.contains(JSONName($0)) }
    try snapshot.drop(gone, of: entity)
    for record in found {
      let taker = try snapshot.taker(of: record.serverID, entity: entity)
      try snapshot.add([(record, nil)], of: entity)
      if let taker { try snapshot.take(record.serverID, of: entity, for: taker) }
    }
    return faults
  }

  /// Asks for the records with these identities.
  ///
  /// Where each is asked for by itself, the destination may fail at one of them, which says nothing of the
  /// others: with `passesOverFaults` that is reported, and does not end the reading.
  package func askAlone(
    _ serverIDs: [String],
    of entity: EntityName,
    passesOverFaults: Bool
  ) async throws -> AskedAlone {
    var asked = AskedAlone()
    guard !serverIDs.isEmpty else { return asked }
    if traits.readsTogether(entity) {
      let found = try await readingDestination { () async throws(DestinationError) in
        try await destination.records(of: entity, serverIDs: serverIDs)
      }
      asked.found = found.all
      return asked
    }
    let answers = await sideBySide(
      serverIDs,
      width: concurrency,
      goesOn: { $0.failure.map { passesOverFaults && $0.isAnswered } ?? true },
      { serverID in await answer(about: serverID, of: entity) }
    )
    for answer in answers {
      if let failure = answer.failure {
        guard passesOverFaults, failure.isAnswered else { throw failure }
        asked.faults[JSONName(answer.serverID)] = failure
      } else if let record = answer.record {
        asked.found.append(record)
      }
    }
    return asked
  }

  private func answer(about serverID: String, of entity: EntityName) async -> AnswerAlone {
    var answer = AnswerAlone(serverID: serverID)
    do {
      answer.record = try await readingDestination { () async throws(DestinationError) in
        try await destination.record(of: entity, serverID: serverID)
      }
    } catch {
      answer.failure = error
    }
    return answer
  }
}

/// What asking for some records alone came to; those in neither are not there.
package struct AskedAlone {
  package var found: [RemoteRecord] = []
  /// Why one could not be read, by its identity.
  package var faults: [JSONName: any Error] = [:]
}

/// What asking for one record came to.
private struct AnswerAlone: Sendable {
  let serverID: String
  var record: RemoteRecord?
  var failure: (any Error)?
}

extension Error {
  /// Whether the destination answered that something failed there.
  package var isAnswered: Bool {
    switch self as? DestinationError {
    case .unreachable(_, _, true)?, .page?: true
    default: false
    }
  }
}

/// Where a record is, here and there.
package struct UnreadRecord {
  package let id: RecordID
  package let source: RecordSource
  package let serverID: String

  package init(
    id: RecordID,
    source: RecordSource,
    serverID: String
  ) {
    self.id = id
    self.source = source
    self.serverID = serverID
  }
}
