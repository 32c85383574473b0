import DestinationModel
import JSONText
import Records
import TestSupport
import Testing
import UploadPlanning

/// What every destination that takes our own identities is held to, each at a place of its own.
enum Promises {
  typealias Promise = @Sendable (ContractPlace) async throws -> Void

  /// Those of a destination whose records have versions.
  static let ofVersioned: [Promise] = [
    isThere, isMadeOnce, isChangedAsExpected, isRemoved, isReadWithoutAChange, isDistinguished,
  ]

  @Sendable static func isThere(_ place: ContractPlace) async throws {
    #expect(place.destination.traits.replay["Note"] == .id)
    let answer = try await place.send(.create, [place.item(1, "a"), place.item(2, "b")])
    #expect([1, 2].map { answer.word($0) } == ["stored", "stored"])
    #expect(try await place.texts() == ["n1": "a", "n2": "b"])
    let one = try #require(try await place.record("n2"))
    #expect(try JSONValue(parsing: one.body)["text"] == "b")
    guard case .stored("n2", let version)? = answer.outcomes[2] else {
      Issue.record("\(answer)")
      return
    }
    #expect(one.version == version)
    #expect((version != nil) == Kind.versioned.contains(place.kind))
  }

  @Sendable static func isMadeOnce(_ place: ContractPlace) async throws {
    _ = try await place.send(.create, [place.item(1, "a")])
    #expect(try await place.send(.create, [place.item(1, "other")]).word(1) == "exists")
    #expect(try await place.texts() == ["n1": "a"])
  }

  @Sendable static func isChangedAsExpected(_ place: ContractPlace) async throws {
    _ = try await place.send(.create, [place.item(1, "a")])
    let version = try #require(try await place.record("n1")?.version)
    let change = place.item(2, "b", of: "n1", version: version)
    #expect(try await place.send(.update, [change]).word(2) == "stored")
    #expect(try await place.send(.update, [change]).word(2) == "conflicted")
    #expect(try await place.texts() == ["n1": "b"])
    let removal = place.item(3, "", of: "n1", version: version)
    #expect(try await place.send(.delete, [removal]).word(3) == "conflicted")
    #expect(try await place.texts() == ["n1": "b"])
  }

  @Sendable static func isRemoved(_ place: ContractPlace) async throws {
    _ = try await place.send(.create, [place.item(1, "a"), place.item(2, "b")])
    let version = try await place.record("n1")?.version
    let removal = place.item(3, "", of: "n1", version: version)
    #expect(try await place.send(.delete, [removal]).word(3) == "removed")
    #expect(try await place.record("n1") == nil)
    #expect(try await place.texts() == ["n2": "b"])
    #expect(["missing", "conflicted"].contains(try await place.send(.delete, [removal]).word(3)))
  }

  /// Of a server that is not ours, and that no fault plan reaches.
  @Sendable static func survivesALostAnswer(_ place: ContractPlace) async throws {
    try await withTemporaryFolder { folder in
      let (behind, proxy) = try place.losingAnswers(in: folder)
      let batch = OutgoingBatch.notes(.create, [place.item(1, "a")])
      let lost = await behind.send(batch)
      #expect(lost.word(1) == "unknown")
      #expect(try proxy.lostCount() == 1)
      #expect(try await place.texts() == ["n1": "a"])
      #expect(try await place.send(.create, batch.items).word(1) == "exists")
      #expect(try await place.texts() == ["n1": "a"])
    }
  }

  @Sendable static func isReadWithoutAChange(_ place: ContractPlace) async throws {
    _ = try await place.send(.create, [place.item(1, "a")])
    let first = try await place.page(since: nil)
    _ = try await place.record("n1")
    let again = try await place.page(since: nil)
    #expect(first.records == again.records)
    guard place.listsChanges, let mark = again.mark else {
      #expect(!place.listsChanges)
      return
    }
    #expect(try await place.page(since: mark).records.isEmpty)
    _ = try await place.send(.create, [place.item(2, "b")])
    #expect(try await place.page(since: mark).records.map(\.serverID) == ["n2"])
  }

  @Sendable static func isDistinguished(_ place: ContractPlace) async throws {
    for start in stride(from: Int64(1), through: 201, by: 25) {
      let items = (start..<start + 25).map { place.item($0, "text \($0)") }
      let answer = try await place.send(.create, items)
      #expect(items.allSatisfy { answer.word($0.operation) == "stored" })
    }
    let texts = try await place.texts()
    #expect(texts.count == 225)
    #expect((1...225).allSatisfy { texts["n\($0)"] == "text \($0)" })
  }
}
