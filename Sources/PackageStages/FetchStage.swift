import HTTPTransport
import JSONText
import Profiles
import RecordMapping
package import Records
import StageSupport
import StoreFiles
import StoreReading

/// What was fetched from addresses that rows name.
package struct FetchReport: Sendable {
  /// The files that arrived in this run.
  package internal(set) var fileCount = 0
  package internal(set) var bytes: Int64 = 0
  /// The rows' addresses whose files did not arrive; these keep the address.
  package internal(set) var failedCount = 0
  /// Why, for the first ``listLimit`` of them, and the number of the others.
  package internal(set) var findings: [Finding] = []

  /// How many findings are listed one by one.
  package static let listLimit = 1_000
}

/// Fetches the files that rows name by address, before the rows become records.
///
/// Rows are read a window at a time, and its files fetched side by side. An address that several rows
/// name is asked once; one whose file is there is not asked.
struct FetchStage {
  let limits: FetchLimits
  let media: FetchedMedia
  let fetcher: MediaFetcher
  let progress: ProgressReporter
  let interruption: CancellationToken
  private(set) var report = FetchReport()
  /// Why an address gave nothing, by the address's digest.
  private var failures: [Digest: FetchFailure] = [:]
  private var askedCount = 0

  /// How many rows' addresses are gathered before they are asked.
  private static let windowSize = 64
  /// How many files are fetched at once.
  private static let width = 4

  init(
    limits: FetchLimits,
    media: FetchedMedia,
    connections: FetchConnections,
    progress: ProgressReporter,
    interruption: CancellationToken
  ) {
    self.limits = limits
    self.media = media
    self.progress = progress
    self.interruption = interruption
    fetcher = MediaFetcher(connections: connections, limits: limits)
  }

  /// A row's address, and the place of the record that will have it.
  private struct Wanted {
    let digest: Digest
    let mediaRequest: MediaFetchRequest
    let entity: EntityName
    let record: String
    let member: String
  }

  /// Goes through all rows that name media.
  mutating func run(_ export: CompiledExport, of store: any Store) async throws {
    for program in export.programs where !program.mediaCells.isEmpty {
      let cursor = try store.rows(program.request)
      var window: [Wanted] = []
      while try cursor.next() {
        window += wanted(by: cursor.row, program)
        guard window.count >= Self.windowSize else { continue }
        try await settle(window)
        window = []
      }
      try await settle(window)
    }
    let unlisted = report.failedCount - FetchReport.listLimit
    if unlisted > 0 { report.findings.append(.unlisted(unlisted)) }
  }

  /// The addresses that a row names.
  private func wanted(by row: Row, _ program: RecordProgram) -> [Wanted] {
    let key: String
    do throws(RecordFault) {
      key = try program.key(of: row)
    } catch {
      // The export keeps that row with its reason; it becomes no record that could name a file.
      return []
    }
    return program.mediaCells.compactMap { cell, rule in
      guard case .text(let bytes) = row.cells[cell] else { return nil }
      let address = String(decoding: bytes, as: UTF8.self)
      guard MediaFinder.isAddress(address) else { return nil }
      return Wanted(
        digest: FetchedMedia.digest(of: address),
        mediaRequest: MediaFetchRequest(
          address: address,
          hosts: rule.hosts,
          mediaTypes: Set(rule.types.values)
        ),
        entity: program.entity,
        record: key,
        member: rule.member
      )
    }
  }

  /// Fetches what a window of rows lacks, and reports what did not come.
  private mutating func settle(_ window: [Wanted]) async throws {
    if interruption.isCancelled { throw MigrationError.interrupted }
    var requests: [Digest: MediaFetchRequest] = [:]
    var order: [Digest] = []
    for wanted in window where failures[wanted.digest] == nil && requests[wanted.digest] == nil {
      guard media.path(of: wanted.mediaRequest.address) == nil else { continue }
      guard askedCount < limits.count else {
        failures[wanted.digest] = .limitReached(count: limits.count)
        continue
      }
      askedCount += 1
      requests[wanted.digest] = wanted.mediaRequest
      order.append(wanted.digest)
    }
    let jobs = order.compactMap { digest in
      requests[digest].map {
        Job(digest: digest, mediaRequest: $0, path: media.place(of: $0.address))
      }
    }
    for done in await fetch(jobs) {
      switch done.result {
      case .success(let size):
        report.fileCount += 1
        report.bytes += size
      case .failure(.unwritable(let error)): throw error
      case .failure(let failure): failures[done.digest] = failure
      }
    }
    if interruption.isCancelled { throw MigrationError.interrupted }
    for wanted in window {
      guard let failure = failures[wanted.digest] else { continue }
      report.failedCount += 1
      if report.failedCount <= FetchReport.listLimit {
        report.findings.append(.unfetched(wanted.entity, wanted.record, wanted.member, failure))
      }
    }
    progress.report(.advanced(.fetch, done: askedCount, total: nil))
  }

  private struct Job: Sendable {
    let digest: Digest
    let mediaRequest: MediaFetchRequest
    let path: String
  }

  private struct Done: Sendable {
    let digest: Digest
    let result: Result<Int64, FetchFailure>
  }

  /// Fetches several files side by side; a cancellation request ends those that are under way.
  private func fetch(_ jobs: [Job]) async -> [Done] {
    guard !jobs.isEmpty else { return [] }
    let (fetcher, interruption) = (fetcher, interruption)
    return await withTaskGroup(of: Done?.self) { group in
      group.addTask {
        await interruption.wait()
        return nil
      }
      var rest = jobs[...]
      func begin() {
        guard let job = rest.popFirst() else { return }
        group.addTask {
          do throws(FetchFailure) {
            let size = try await fetcher.fetch(job.mediaRequest, to: job.path)
            return Done(digest: job.digest, result: .success(size))
          } catch {
            return Done(digest: job.digest, result: .failure(error))
          }
        }
      }
      for _ in 0..<Self.width { begin() }
      var done: [Done] = []
      while done.count < jobs.count, let next = await group.next(), let next {
        done.append(next)
        begin()
      }
      group.cancelAll()
      return done
    }
  }
}

extension Finding {
  /// A row's address that gave no file.
  fileprivate static func unfetched(
    _ entity: EntityName,
    _ record: String,
    _ member: String,
    _ failure: FetchFailure
  ) -> Finding {
    Finding(
      code: failure.code,
      severity: .warning,
      entity: entity,
      record: record,
      pointer: "/" + JSONPointer.escaped(member),
      cause: failure.cause,
      cure: failure.cure
    )
  }

  /// What is not listed one by one.
  fileprivate static func unlisted(_ count: Int) -> Finding {
    Finding(
      code: "media.fetch-unlisted",
      severity: .warning,
      cause: "\(count) more addresses gave no file",
      cure:
        "correct the faults that are listed, and run the same command again; the records keep their "
        + "addresses, with the state “remote”"
    )
  }
}
