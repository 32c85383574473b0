import DestinationModel
import DevelopmentBackend
import HTTPTransport
import JSONText
import REST
import Records
import Testing
import UploadPlanning

/// The promises of ``Destination``, held against a real server.
///
/// - **An outcome is the truth or unknown.**
/// - **Nothing is sent twice by itself.**
/// - **Reading changes nothing.**
/// - **Secrets stay inside.**
@Suite(.serialized)
struct DestinationContract {
  private static func heroes(_ count: Int64) -> [OutgoingBatch.Item] {
    (1...count).map { number in
      .number(
        number,
        body: ["name": .string("Hero \(number)"), "age": 7, "traits": ["brave"]]
      )
    }
  }

  /// Runs a server with a fault plan, and a destination signed in to it.
  private func withBackend(
    faults: String = "",
    media: Bool = false,
    body: @escaping @Sendable (RESTDestination) async throws -> Void
  ) async throws {
    var configuration = DevelopmentBackend.Configuration()
    configuration.faults = try FaultPlan(parsing: faults)
    configuration.uploadTickets = media
    let backend = try DevelopmentBackend(configuration: configuration)
    let api = try Sample.api(media: media)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await backend.run { continuation.yield($0) }
        return false
      }
      group.addTask {
        for await port in ports {
          try await withDestination(at: "http://127.0.0.1:\(port)", api: api, body: body)
          return true
        }
        return false
      }
      let isDone = try await group.next()
      #expect(isDone == true)
      group.cancelAll()
    }
  }

  /// Every hero at the account, by identity.
  private static func stored(_ destination: RESTDestination) async throws -> [String: String] {
    var names: [String: String] = [:]
    var mark: String?
    repeat {
      let page = try await destination.page(of: "Hero", after: mark, since: nil)
      for record in page.records {
        names[record.serverID] = try JSONValue(parsing: record.body)["name"]?.text
      }
      mark = page.next
    } while mark != nil
    return names
  }

  @Test func `a record reported as stored is there, under that identity`() async throws {
    try await withBackend { destination in
      let answer = await destination.send(.heroes(.create, Self.heroes(3)))
      let stored = try await Self.stored(destination)
      #expect(stored.count == 3)
      for (number, outcome) in answer.outcomes {
        guard case .stored(let serverID, _) = outcome else {
          Issue.record("\(outcome)")
          continue
        }
        #expect(stored[serverID] == "Hero \(number)")
      }
    }
  }

  @Test func `a refused item does not hide the stored ones`() async throws {
    try await withBackend { destination in
      var items = Self.heroes(2)
      items.append(.number(3, body: ["name": "No age"]))
      let answer = await destination.send(.heroes(.create, items))
      #expect([1, 2, 3].map { answer.word($0) } == ["stored", "stored", "rejected"])
    }
  }

  @Test(arguments: [
    ("drop-after:1@POST /api/batch", "unknown", 2), ("truncate:1@POST /api/batch", "unknown", 2),
    ("drop-before:1@POST /api/batch", "unknown", 0), ("html:1@POST /api/batch", "unknown", 0),
    ("status:1:500@POST /api/batch", "unknown", 0), ("status:1:503@POST /api/batch", "unknown", 0),
    ("status:1:429:retry-after=2@POST /api/batch", "deferred", 0),
  ])
  func `an answer that did not come is unknown, and the request is sent once`(
    faults: String,
    word: String,
    count: Int
  ) async throws {
    try await withBackend(faults: faults) { destination in
      let answer = await destination.send(.heroes(.create, Self.heroes(2)))
      #expect([1, 2].map { answer.word($0) } == [word, word])
      let stored = try await Self.stored(destination)
      #expect(stored.count == count)
    }
  }

  @Test func `a change changes the record, and a removal removes it`() async throws {
    try await withBackend { destination in
      let made = await destination.send(.heroes(.create, Self.heroes(1)))
      guard case .stored(let serverID, _)? = made.outcomes[1] else {
        Issue.record("\(made)")
        return
      }
      let change = OutgoingBatch.Item.number(2, serverID: serverID, body: ["name": "Grace"])
      #expect(await destination.send(.heroes(.update, [change])).word(2) == "stored")
      let stored = try await Self.stored(destination)
      #expect(stored == [serverID: "Grace"])
      let removal = OutgoingBatch.heroes(.delete, [.number(3, serverID: serverID)])
      #expect(await destination.send(removal).word(3) == "removed")
      #expect(await destination.send(removal).word(3) == "missing")
      let record = try await destination.record(of: "Hero", serverID: serverID)
      #expect(record == nil)
    }
  }

  @Test func `a record under a client identity is created once and changed only as expected`()
    async throws
  {
    try await withBackend { destination in
      let create = OutgoingBatch.notes(.create, [.number(1, id: "n/1 é", body: ["text": "a"])])
      let first = await destination.send(create)
      guard case .stored("n/1 é", let version?)? = first.outcomes[1] else {
        Issue.record("\(first)")
        return
      }
      #expect(await destination.send(create).word(1) == "exists")
      let stale = OutgoingBatch.Item.number(
        2,
        serverID: "n/1 é",
        version: "999",
        body: ["text": "b"]
      )
      #expect(await destination.send(.notes(.update, [stale])).word(2) == "conflicted")
      let fresh = OutgoingBatch.Item.number(
        3,
        serverID: "n/1 é",
        version: version,
        body: ["text": "b"]
      )
      #expect(await destination.send(.notes(.update, [fresh])).word(3) == "stored")
      let page = try await destination.page(of: "Note", after: nil, since: nil)
      #expect(page.records.map(\.serverID) == ["n/1 é"])
    }
  }

  @Test func `reading changes nothing`() async throws {
    try await withBackend { destination in
      _ = await destination.send(.heroes(.create, Self.heroes(3)))
      let before = try await destination.page(of: "Hero", after: nil, since: nil)
      _ = try await destination.account()
      _ = try await Self.stored(destination)
      let after = try await destination.page(of: "Hero", after: nil, since: nil)
      #expect(before.records == after.records)
    }
  }

  @Test func `only changes since a cursor are listed`() async throws {
    try await withBackend { destination in
      _ = await destination.send(.heroes(.create, Self.heroes(1)))
      let mark = try await destination.page(of: "Hero", after: nil, since: nil).mark
      #expect(try await destination.page(of: "Hero", after: nil, since: mark).records.isEmpty)
      _ = await destination.send(.heroes(.create, [Self.heroes(2)[1]]))
      #expect(try await destination.page(of: "Hero", after: nil, since: mark).records.count == 1)
    }
  }

  @Test func `a media file is stored whole, and removed`() async throws {
    try await withTemporaryFolder { folder in
      let media = try OutgoingMedia.avatar(Array(repeating: 9, count: 300_000), in: folder)
      try await withBackend(media: true) { destination in
        let sent = await destination.bring(.heroes(.uploadMedia, [.number(1, media: media)]))
        guard case .stored(let key, let address?)? = sent.outcomes[1] else {
          Issue.record("\(sent)")
          return
        }
        let transport = HTTPTransport()
        let answer = try await transport.perform(HTTPRequest(method: "GET", url: address))
        #expect(answer.body == Array(repeating: 9, count: 300_000))
        await transport.shutdown()
        let removal = OutgoingBatch.heroes(.removeMedia, [.number(2, serverID: key)])
        #expect(await destination.send(removal).word(2) == "removed")
        #expect(await destination.send(removal).word(2) == "missing")
      }
    }
  }

  @Test func `no answer of a real server reveals a secret`() async throws {
    try await withBackend(faults: "status:1:403@POST /api/batch") { destination in
      var text = "\(await destination.send(.heroes(.create, Self.heroes(1))))"
      dump(destination, to: &text)
      #expect(!text.contains(Sample.password))
    }
  }
}
