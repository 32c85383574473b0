import DestinationModel
import Records
import Synchronization
import Testing
import UploadPlanning

/// What goes around a destination lets every call through to it, its own answer included.
struct WrappedDestinationTests {
  @Test func `a gate lets every call through`() async throws {
    let base = NotingDestination()
    try await callEverything(of: BoundedDestination(base, gate: ConcurrencyLimiter(limit: 1)))
    #expect(base.calls == NotingDestination.allCalls + ["send"])
  }

  @Test func `a meter lets every call through and counts it`() async throws {
    let base = NotingDestination()
    let meter = RequestMeter()
    try await callEverything(of: MeteredDestination(base, meter: meter))
    #expect(base.calls == NotingDestination.allCalls + ["send"])
    #expect(meter.readings.values.reduce(0) { $0 + $1.calls } == base.calls.count)
  }

  @Test func `a rehearsal lets every call through but the one that sends`() async throws {
    let base = NotingDestination()
    try await callEverything(of: RehearsingDestination(base))
    #expect(base.calls == NotingDestination.allCalls)
  }

  /// Makes every call once, and expects the base's own answers.
  private func callEverything(of wrapper: some Destination) async throws {
    #expect(wrapper.traits.origin == "noting:")
    #expect(try await wrapper.account() == "ada")
    #expect(try await wrapper.accountNames() == ["ada@example.com"])
    #expect(try await wrapper.page(of: "Hero", after: "a", since: "b").next == "a|b")
    #expect(try await wrapper.record(of: "Hero", serverID: "1") == nil)
    #expect(try await wrapper.records(of: "Hero", serverIDs: ["2"]).isEmpty)
    let file = MediaReference(record: RecordID(entity: "media:a", key: "k"), serverID: nil)
    #expect(try await wrapper.media(file) == .absent)
    #expect(try await wrapper.mediaPage(of: "media:a", after: "c")?.next == "c")
    #expect(await wrapper.preflight().map(\.name) == ["zone"])
    #expect(await wrapper.schemaChecks().map(\.name) == ["fields"])
    #expect(await wrapper.fileChecks().map(\.name) == ["files"])
    _ = await wrapper.send(.heroes(.create, []))
  }
}

/// Answers every call in a way of its own, and notes it.
private final class NotingDestination: Destination {
  static let allCalls = [
    "account", "accountNames", "page", "record", "records", "media", "mediaPage", "preflight",
    "schemaChecks", "fileChecks",
  ]

  private let noted = Mutex<[String]>([])

  var calls: [String] { noted.withLock { $0 } }

  private func note(_ call: String = #function) {
    let name = String(call.prefix { $0 != "(" })
    noted.withLock { $0.append(name) }
  }

  var traits: DestinationTraits {
    DestinationTraits(
      origin: "noting:",
      replay: [:],
      batchLimit: [:],
      concurrency: 1,
      listsChangesSince: [:],
      takesMedia: true,
      batchesChanges: true
    )
  }

  func account() async throws(DestinationError) -> String {
    note()
    return "ada"
  }

  func accountNames() async throws(DestinationError) -> [String] {
    note()
    return ["ada@example.com"]
  }

  func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    note()
    return BatchAnswer(whole: .answered)
  }

  func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    note()
    return RemotePage(records: [], next: [mark, since].compactMap(\.self).joined(separator: "|"))
  }

  func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    note()
    return nil
  }

  func media(_ file: MediaReference) async throws(DestinationError) -> MediaState {
    note()
    return .absent
  }

  func mediaPage(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage? {
    note()
    return MediaPage(next: mark)
  }

  func records(
    of entity: EntityName,
    serverIDs: [String]
  ) async throws(DestinationError) -> RemoteRecords {
    note()
    return RemoteRecords()
  }

  func preflight() async -> [DestinationCheck] {
    note()
    return [DestinationCheck("zone", .fits, "it is there")]
  }

  func schemaChecks() async -> [DestinationCheck] {
    note()
    return [DestinationCheck("fields", .fits, "they are there")]
  }

  func fileChecks() async -> [DestinationCheck] {
    note()
    return [DestinationCheck("files", .fits, "they are taken")]
  }
}
