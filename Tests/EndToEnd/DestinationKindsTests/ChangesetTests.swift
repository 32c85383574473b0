import Changeset
import DestinationModel
import DevelopmentBackend
import HTTPTransport
import JSONText
import Profiles
import Records
import Testing
import UploadPlanning

/// A destination whose rows travel together, against the development backend's `/api/sync`.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ChangesetTests {
  private static func api(owner: String = "user_id") throws -> Api {
    let yaml = """
      ferry-profile: 1
      app: notes-sample
      entities:
        Note: { fields: { text: text, mood: mood } }
        Tag: { fields: { name: name } }
      api:
        kind: changeset
        credentials: [email, password]
        sign-in:
          request: POST /api/auth/sign-in/email
          body: { email: "{email}", password: "{password}" }
          token: { header: set-auth-token }
        account: { request: GET /api/auth/get-session, member: user.id }
        timeout: 30s
        sync: { pull: GET /api/sync, push: POST /api/sync, limit: 3 }
        entities:
          Note:
            rows: notes
            deleted: deleted_at
            changed: updated_at
            owner: \(owner)
            version: version
            body: { text: text, mood: mood }
          Tag:
            rows: tags
            deleted: deleted_at
            changed: updated_at
            owner: \(owner)
            version: updated_at
            body: { name: name }
      """
    return try #require(try Profile(yaml: yaml, path: "notes.yaml").api)
  }

  private func withNotes(
    owner: String = "user_id",
    faults: String = "",
    body: @escaping @Sendable (ChangesetDestination) async throws -> Void
  ) async throws {
    var configuration = DevelopmentBackend.Configuration()
    configuration.faults = try FaultPlan(parsing: faults)
    configuration.takesAnySyncRows = true
    let api = try Self.api(owner: owner)
    try await withDevelopmentBackend(configuration) { address in
      let transport = HTTPTransport()
      let destination = try ChangesetDestination(
        api: api,
        address: address,
        credentials: Sample.credentials,
        transport: transport
      )
      do { try await body(destination) } catch {
        await transport.shutdown()
        throw error
      }
      await transport.shutdown()
    }
  }

  private static func note(
    _ number: Int64,
    _ text: String = "a",
    serverID: String? = nil,
    version: String? = nil
  ) -> OutgoingBatch.Item {
    .number(
      number,
      id: "n\(number)",
      serverID: serverID,
      version: version,
      body: ["text": .string(text)]
    )
  }

  @Test func `a row is reported as stored only after it was read back`() async throws {
    try await withNotes { destination in
      let answer = await destination.send(.notes(.create, [Self.note(1), Self.note(2)]))
      #expect([1, 2].map { answer.word($0) } == ["stored", "stored"])
      let page = try await destination.page(of: "Note", after: nil, since: nil)
      #expect(page.records.map(\.serverID) == ["n1", "n2"])
      #expect(page.records.map(\.version) == ["1", "1"])
    }
  }

  @Test func `a row that the server drops silently is refused by name`() async throws {
    try await withNotes(owner: "author_id") { destination in
      let answer = await destination.send(.notes(.create, [Self.note(1)]))
      guard case .rejected("sync.dropped", _)? = answer.outcomes[1] else {
        Issue.record("\(answer)")
        return
      }
    }
  }

  @Test func `a server that confirms rows and stores none is detected`() async throws {
    try await withNotes(faults: "pretend:1@POST /api/sync") { destination in
      let answer = await destination.send(.notes(.create, [Self.note(1)]))
      #expect(answer.word(1) == "rejected")
    }
  }

  @Test func `an existing row is not overwritten by a push`() async throws {
    try await withNotes { destination in
      _ = await destination.send(.notes(.create, [Self.note(1)]))
      let again = await destination.send(.notes(.create, [Self.note(1, "b"), Self.note(2)]))
      #expect([1, 2].map { again.word($0) } == ["exists", "stored"])
      let record = try await destination.record(of: "Note", serverID: "n1")
      #expect(try JSONValue(parsing: record?.body ?? [])["text"] == "a")
    }
  }

  @Test func `a change is sent as the whole row, conditional on its revision`()
    async throws
  {
    try await withNotes { destination in
      _ = await destination.send(.notes(.create, [Self.note(1)]))
      let change = Self.note(2, "b", serverID: "n1", version: "1")
      #expect(await destination.send(.notes(.update, [change])).word(2) == "stored")
      let stale = Self.note(3, "c", serverID: "n1", version: "1")
      #expect(await destination.send(.notes(.update, [stale])).word(3) == "conflicted")
      let record = try await destination.record(of: "Note", serverID: "n1")
      #expect(record?.version == "2")
    }
  }

  @Test func `a row that is created again holds no value from before its removal`()
    async throws
  {
    try await withNotes { destination in
      let glad = OutgoingBatch.Item.number(1, id: "n1", body: ["text": "a", "mood": "glad"])
      _ = await destination.send(.notes(.create, [glad]))
      _ = await destination.send(.notes(.delete, [Self.note(2, serverID: "n1", version: "1")]))
      let plain = OutgoingBatch.Item.number(3, id: "n1", body: ["text": "b"])
      #expect(await destination.send(.notes(.create, [plain])).word(3) == "stored")
      let record = try await destination.record(of: "Note", serverID: "n1")
      let body = try JSONValue(parsing: record?.body ?? [])
      #expect(body["text"] == "b")
      #expect(body["mood"]?.isNull == true)
    }
  }

  @Test func `a removal leaves a tombstone, which is listed`() async throws {
    try await withNotes { destination in
      _ = await destination.send(.notes(.create, [Self.note(1), Self.note(2)]))
      let mark = try await destination.page(of: "Note", after: nil, since: nil).mark
      let removal = OutgoingBatch.notes(.delete, [Self.note(3, serverID: "n1", version: "1")])
      #expect(await destination.send(removal).word(3) == "removed")
      #expect(await destination.send(removal).word(3) == "missing")
      #expect(try await destination.record(of: "Note", serverID: "n1") == nil)
      let changes = try await destination.page(of: "Note", after: nil, since: mark)
      #expect(changes.removed == ["n1"])
      let all = try await destination.page(of: "Note", after: nil, since: nil)
      #expect(all.records.map(\.serverID) == ["n2"])
    }
  }

  @Test func `a lost answer is unknown, and the repeat finds the row`() async throws {
    try await withNotes(faults: "drop-after:n=1@POST /api/sync") { destination in
      let lost = await destination.send(.notes(.create, [Self.note(1)]))
      #expect(lost.word(1) == "unknown")
      #expect(await destination.send(.notes(.create, [Self.note(1)])).word(1) == "exists")
    }
  }

  @Test func `too many rows, and rows that are refused together, are sent in halves`() async throws
  {
    try await withNotes(faults: "status:1:400@POST /api/sync") { destination in
      let many = (1...4).map { Self.note($0) }
      #expect(await destination.send(.notes(.create, many)).word(1) == "splittable")
      let both = OutgoingBatch.notes(.create, [Self.note(1), Self.note(2)])
      #expect(await destination.send(both).word(1) == "splittable")
      let alone = OutgoingBatch.notes(.create, [Self.note(2)])
      #expect(await destination.send(alone).word(2) == "rejected")
    }
  }

  @Test func `a row that the server cannot store is refused by name, and holds up no other`()
    async throws
  {
    try await withNotes { destination in
      func tag(_ number: Int64, _ name: String) -> OutgoingBatch.Item {
        .number(number, id: "t\(number)", body: ["name": .string(name)])
      }
      let long = tag(2, String(repeating: "x", count: 101))
      let both = OutgoingBatch(entity: "Tag", verb: .create, items: [tag(1, "a"), long])
      let answer = await destination.send(both)
      #expect([1, 2].map { answer.word($0) } == ["stored", "rejected"])
    }
  }

  @Test func `a removal that changes no date at the destination is found`()
    async throws
  {
    try await withNotes { destination in
      let tag = OutgoingBatch.Item.number(1, id: "t1", body: ["name": "a"])
      _ = await destination.send(OutgoingBatch(entity: "Tag", verb: .create, items: [tag]))
      let version = try await destination.record(of: "Tag", serverID: "t1")?.version
      let removal = OutgoingBatch.Item.number(2, id: "t1", serverID: "t1", version: version)
      let answer = await destination.send(
        OutgoingBatch(entity: "Tag", verb: .delete, items: [removal])
      )
      #expect(answer.word(2) == "removed")
      #expect(try await destination.record(of: "Tag", serverID: "t1") == nil)
    }
  }
}
