import Backends
import Checkpoint
import Profiles
import Records
import UploadPlanning

extension UploadPlanner {
  /// How many records are asked for before a list is believed that shows none of them.
  private static let unlistedLimit = 1_000

  /// Asks for records that are known and that a list did not show, by their identities.
  ///
  /// A list that is read page by page while somebody removes a row may pass over another, and some
  /// destinations show late what was made: neither is gone.
  ///
  /// - Returns: Whether what was read by now is all that there is, as far as anybody can tell.
  func askForUnlisted(_ entity: EntityName) async throws(MigrationError) -> Bool {
    guard isAskedAlone(entity) else { return true }
    var place = ""
    var left = Self.unlistedLimit
    var isAnyFound = false
    while left > 0 {
      let after = place
      let page = try checkpointing { () throws(CheckpointError) in
        try checkpoint.records(of: entity, after: after, limit: 1_000)
      }
      guard let last = page.last else { return true }
      place = last.record.key
      let unlisted = try unlisted(page.compactMap(\.serverID), of: entity).prefix(left)
      left -= unlisted.count
      let found = try await records(Array(unlisted), of: entity)
      isAnyFound = isAnyFound || !found.isEmpty
      try checkpointing { () throws(CheckpointError) in
        try snapshot.add(found.map { ($0, nil) }, of: entity)
      }
    }
    return !isAnyFound
  }

  /// Whether a record can be asked for by its identity, and is not looked for in a list.
  func isAskedAlone(_ entity: EntityName) -> Bool {
    profile.api?.entity(entity)?.read != nil || desk.destination.traits.batchesChanges
  }

  /// Those of some identities that are not among what was read, and that nobody said are gone.
  private func unlisted(
    _ serverIDs: [String],
    of entity: EntityName
  ) throws(MigrationError) -> [String] {
    try checkpointing { () throws(CheckpointError) in
      let listed = try snapshot.records(serverIDs, of: entity)
      var unlisted: [String] = []
      for serverID in serverIDs where listed[serverID] == nil {
        if try !snapshot.isGone(serverID, of: entity) { unlisted.append(serverID) }
      }
      return unlisted
    }
  }

  /// Those of the records with these identities that are there, asked for alone.
  func records(
    _ serverIDs: [String],
    of entity: EntityName
  ) async throws(MigrationError) -> [RemoteRecord] {
    guard !serverIDs.isEmpty else { return [] }
    let destination = desk.destination
    if destination.traits.batchesChanges {
      let found = try await desk.readingDestination { () async throws(DestinationError) in
        try await destination.records(of: entity, serverIDs: serverIDs)
      }
      return Array(found.values)
    }
    let answers = await sideBySide(
      serverIDs,
      width: desk.concurrency,
      goesOn: { if case .success = $0 { true } else { false } },
      { serverID in await record(serverID, of: entity) }
    )
    var found: [RemoteRecord] = []
    for answer in answers {
      if let record = try answer.get() { found.append(record) }
    }
    return found
  }

  private func record(
    _ serverID: String,
    of entity: EntityName
  ) async -> Result<RemoteRecord?, MigrationError> {
    do throws(MigrationError) {
      return .success(
        try await desk.readingDestination { () async throws(DestinationError) in
          try await desk.destination.record(of: entity, serverID: serverID)
        }
      )
    } catch {
      return .failure(error)
    }
  }
}
