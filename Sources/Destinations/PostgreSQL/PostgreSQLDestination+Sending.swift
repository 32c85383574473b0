package import DestinationModel
import Profiles
import Records
package import UploadPlanning

// MARK: - Sending

extension PostgreSQLDestination {
  /// Carries a batch out in one transaction: all of it, or nothing.
  ///
  /// A row that is there already, or that has another revision, is left as it is and answered so; the others
  /// are carried out. A row that the database refuses has the batch sent again in halves.
  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    switch batch.verb {
    case .create, .update, .delete: break
    case .uploadMedia, .removeMedia: return .refused("a database takes no files")
    }
    guard batch.items.count <= database.batchLimit else {
      return BatchAnswer(
        whole: .splittable(
          reason: "\(batch.items.count) records, and \(database.batchLimit) are the limit"
        )
      )
    }
    let work: TableWork
    let mayMakeTables: Bool
    do throws(DestinationError) {
      let table = try await table(of: batch.entity)
      try await expectRight(batch.verb, on: table)
      try await makeNotes()
      work = TableWork(table: table, notes: notes, batch: batch, texts: memory.texts)
      mayMakeTables = try await catalog().mayMakeTemporaryTables
    } catch {
      // Nothing was sent yet.
      return error.isPassing
        ? BatchAnswer(whole: .deferred(reason: "\(error)"), pause: error.requestedPause)
        : .refused("\(error)")
    }
    guard !work.rows.isEmpty else { return BatchAnswer(outcomes: work.refused) }
    guard work.rows.count == 1 || work.byteCount <= Self.largestRequest else {
      return BatchAnswer(
        whole: .splittable(reason: "the records have \(work.byteCount) bytes together")
      )
    }
    if batch.verb == .create, memory.isEmpty(batch.entity), work.mayCopy {
      do throws(TransactionFault) {
        let outcomes = try await pool.transaction(.writing) { connection throws(DatabaseFault) in
          try work.copy(connection)
        }
        return BatchAnswer(outcomes: outcomes.merging(work.refused) { $1 })
      } catch .notCarriedOut(.refused) {
        // `COPY` says of no row that it is there already, and goes past no policy for rows: row by row.
        memory.note(batch.entity, isEmpty: false)
      } catch {
        return answer(error, work)
      }
    }
    do throws(TransactionFault) {
      let outcomes = try await pool.transaction(.writing) { connection throws(DatabaseFault) in
        try work.carryOut(connection, mayMakeTables: mayMakeTables)
      }
      return BatchAnswer(outcomes: outcomes.merging(work.refused) { $1 })
    } catch {
      return answer(error, work)
    }
  }

  /// The most bytes of the values of one request.
  private static let largestRequest = 16 << 20

  private func expectRight(
    _ verb: OutgoingBatch.Verb,
    on table: DatabaseTable
  ) async throws(DestinationError) {
    let right =
      switch verb {
      case .create: "INSERT"
      case .update: "UPDATE"
      case .delete, .uploadMedia, .removeMedia: "DELETE"
      }
    guard try await catalog().missingRights[table.entity]?.contains(right) == true else { return }
    throw .forbidden(reason: "the role has no right of \(right) on \(table.schema).\(table.name)")
  }

  /// Has the table of operations made, where it is not there and the role may.
  private func makeNotes() async throws(DestinationError) {
    let catalog = try await catalog()
    guard !catalog.hasNotes else { return }
    guard catalog.mayMakeNotes else { throw missingNotes }
    let statements = notes
    do throws(TransactionFault) {
      try await pool.transaction(.writing) { connection throws(DatabaseFault) in
        try connection.run(statements.create)
        try connection.run(statements.describe)
      }
    } catch {
      // Two runs that make it at once may fail at each other; the next request finds it.
      memory.catalog = nil
      if case .refused(let fault) = error.fault, ["23505", "42P07"].contains(fault.code) {
        throw .busy(retryAfter: nil, reason: fault.words)
      }
      throw error.fault.error(at: origin)
    }
    memory.catalog = catalog.withNotes
  }

  /// What a transaction means that failed.
  private func answer(_ failure: TransactionFault, _ work: TableWork) -> BatchAnswer {
    let fault = failure.fault
    let reason = fault.error(at: origin).description
    if case .unknown = failure {
      return BatchAnswer(
        whole: .unknown(reason: reason),
        outcomes: work.refused,
        isUnanswered: true
      )
    }
    switch fault {
    case .noLibrary, .misfit: return .refused(reason)
    case .lost, .givenUp:
      return BatchAnswer(
        whole: .deferred(reason: reason),
        outcomes: work.refused,
        isUnanswered: true
      )
    case .late:
      return BatchAnswer(
        whole: .deferred(reason: reason),
        outcomes: work.refused,
        mayLieInOne: true,
        isUnanswered: true
      )
    case .refused(let fault): return answer(fault, work)
    }
  }

  private func answer(_ fault: ServerFault, _ work: TableWork) -> BatchAnswer {
    switch fault.meaning {
    case .row:
      guard work.rows.count == 1, let row = work.rows.first else {
        return BatchAnswer(whole: .splittable(reason: fault.words))
      }
      let outcome: ItemOutcome =
        work.verb == .delete && fault.code == "23503"
        ? .conflicted(reason: "rows that name it are still there: \(fault.words)")
        : .rejected(code: "destination.refused", reason: fault.words)
      return BatchAnswer(outcomes: work.refused.merging([row.operation: outcome]) { $1 })
    case .later:
      return BatchAnswer(whole: .deferred(reason: fault.words), outcomes: work.refused)
    case .failed:
      return BatchAnswer(
        whole: .deferred(reason: fault.words),
        outcomes: work.refused,
        mayLieInOne: true
      )
    case .changed:
      memory.catalog = nil
      return .refused(DatabaseFault.refused(fault).error(at: origin).description)
    case .signIn, .forbidden, .full:
      return .refused(DatabaseFault.refused(fault).error(at: origin).description)
    }
  }
}
