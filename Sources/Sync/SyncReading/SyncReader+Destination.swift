package import DestinationModel
package import Records
import RequestMapping
import StageSupport
import UploadPlanning

// What the destination has.

extension SyncReader {
  /// Whether the destination takes the identities that requests choose, as far as the profile says.
  package func isChosen(_ entity: EntityName) -> Bool {
    if case .id = traits.replay[entity] { true } else { false }
  }

  /// Whether the destination makes up the identities of an entity's records, so that it may give one again.
  package func makesIdentities(of entity: EntityName) -> Bool { !isChosen(entity) }

  /// What the destination has of a file.
  package func state(of file: MediaReference) async -> Result<MediaState, any Error> {
    do {
      return .success(
        try await readingDestination { () async throws(DestinationError) in
          try await destination.media(file)
        }
      )
    } catch {
      return .failure(error)
    }
  }

  /// Reads all records of an entity at the account, a page at a time; while one is taken in, the next is
  /// on its way.
  ///
  /// - Returns: The destination's mark of the whole reading, where it gives one.
  @discardableResult
  package func forEachPage(
    of entity: EntityName,
    since: String? = nil,
    limit: Int = .max,
    _ body: (RemotePage) async throws -> Void
  ) async throws -> String? {
    if let ids = mappings.askedSingly(entity) {
      try await body(try await page(of: entity, ids))
      return nil
    }
    var page = try await self.page(of: entity, after: nil, since: since).get()
    var since = since
    var count = 0
    var mark: String?
    while true {
      if page.isFromTheStart { since = nil }
      count += page.rowCount
      mark = page.hasMarkOfItsOwn ? mark ?? page.mark : page.mark
      guard let next = page.next, count < limit else {
        try await body(page)
        return mark
      }
      let beginning = since
      async let following = self.page(of: entity, after: next, since: beginning)
      try await body(page)
      page = try await following.get()
    }
  }

  private func page(
    of entity: EntityName,
    after place: String?,
    since: String?
  ) async -> Result<RemotePage, any Error> {
    do {
      let page = try await readingDestination { () async throws(DestinationError) in
        try await destination.page(of: entity, after: place, since: since)
      }
      return .success(page)
    } catch {
      return .failure(error)
    }
  }

  /// Those of the records with these identities that are there.
  private func page(
    of entity: EntityName,
    _ ids: [String]
  ) async throws -> RemotePage {
    var records: [RemoteRecord] = []
    for id in ids {
      let record = try await readingDestination { () async throws(DestinationError) in
        try await destination.record(of: entity, serverID: id)
      }
      if let record { records.append(record) }
    }
    return RemotePage(records: records, next: nil)
  }

  package func readingDestination<Value: Sendable>(
    _ body: () async throws(DestinationError) -> Value
  ) async throws(DestinationError) -> Value {
    try await readPatience.attempt(body, whenWaited: gate.noteWait)
  }
}

extension String {
  /// Of a record that is there, and that the account may not read.
  package static func unreadable(_ denial: String) -> String {
    "the account may not read it at the destination: \(denial)"
  }
}
