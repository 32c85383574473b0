import Backends
import DevelopmentBackend
import JSONText
import Profiles
import Records
import Testing
import UploadPlanning

/// The promises of ``Destination``, held against every kind of one that takes our own identities.
///
/// - **An outcome is the truth or unknown.** What is stored is there, and what is there is not
///   stored over.
/// - **Nothing is sent twice by itself.** After a lost answer the repeat finds the record.
/// - **Reading changes nothing.**
/// - **Secrets stay inside.**
@Suite(.serialized, .timeLimit(.minutes(3)))
struct EveryDestinationTests {
  @Test(arguments: Kind.present)
  func `what is stored is there, with what was sent`(kind: Kind) async throws {
    try await withPlace(kind) { place in
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
      #expect((version != nil) == Kind.versioned.contains(kind))
    }
  }

  @Test(arguments: Kind.present)
  func `what is there is not made again, and not stored over`(kind: Kind) async throws {
    try await withPlace(kind) { place in
      _ = try await place.send(.create, [place.item(1, "a")])
      #expect(try await place.send(.create, [place.item(1, "other")]).word(1) == "exists")
      #expect(try await place.texts() == ["n1": "a"])
    }
  }

  @Test(arguments: Kind.versioned)
  func `a change is made over the version it is meant for, and over no other`(kind: Kind)
    async throws
  {
    try await withPlace(kind) { place in
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
  }

  @Test(arguments: Kind.present)
  func `what is removed is gone, and a second removal finds nothing`(kind: Kind) async throws {
    try await withPlace(kind) { place in
      _ = try await place.send(.create, [place.item(1, "a"), place.item(2, "b")])
      let version = try await place.record("n1")?.version
      let removal = place.item(3, "", of: "n1", version: version)
      #expect(try await place.send(.delete, [removal]).word(3) == "removed")
      #expect(try await place.record("n1") == nil)
      #expect(try await place.texts() == ["n2": "b"])
      #expect(["missing", "conflicted"].contains(try await place.send(.delete, [removal]).word(3)))
    }
  }

  @Test(arguments: Kind.faulty)
  func `a lost answer is unknown, the request went once, and the repeat finds the record`(
    kind: Kind
  ) async throws {
    try await withPlace(kind) { place in
      try await place.setFaults("drop-after:n=1@\(kind.writes)")
      #expect(try await place.send(.create, [place.item(1, "a")]).word(1) == "unknown")
      try await place.setFaults("")
      try await place.signInAgain()
      #expect(try await place.texts() == ["n1": "a"])
      #expect(try await place.send(.create, [place.item(1, "a")]).word(1) == "exists")
      #expect(try await place.texts() == ["n1": "a"])
    }
  }

  @Test(arguments: Kind.faulty)
  func `a server that asks to wait has stored nothing`(kind: Kind) async throws {
    try await withPlace(kind) { place in
      try await place.setFaults("status:n=1:429:retry-after=7@\(kind.writes)")
      let answer = try await place.send(.create, [place.item(1, "a")])
      #expect(answer.word(1) == "deferred")
      #expect(answer.pause == .seconds(7))
      #expect(try await place.texts().isEmpty)
    }
  }

  @Test(arguments: Kind.faulty)
  func `a cut answer is unknown, and so is a page of HTML`(kind: Kind) async throws {
    for (fault, count) in [("truncate", 1), ("html", 0)] {
      try await withPlace(kind) { place in
        try await place.setFaults("\(fault):n=1@\(kind.writes)")
        #expect(try await place.send(.create, [place.item(1, "a")]).word(1) == "unknown")
        try await place.setFaults("")
        try await place.signInAgain()
        #expect(try await place.texts().count == count)
      }
    }
  }

  @Test(arguments: Kind.present)
  func `reading changes nothing, and after it only changes come`(kind: Kind) async throws {
    try await withPlace(kind) { place in
      _ = try await place.send(.create, [place.item(1, "a")])
      let first = try await place.page(since: nil)
      _ = try await place.record("n1")
      let again = try await place.page(since: nil)
      #expect(first.records == again.records)
      guard place.tellsChanges, let mark = again.mark else {
        #expect(!place.tellsChanges)
        return
      }
      #expect(try await place.page(since: mark).records.isEmpty)
      _ = try await place.send(.create, [place.item(2, "b")])
      #expect(try await place.page(since: mark).records.map(\.serverID) == ["n2"])
    }
  }

  @Test(arguments: Kind.present)
  func `what was made together is told apart, and the rest of a page follows`(kind: Kind)
    async throws
  {
    try await withPlace(kind) { place in
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

  @Test(arguments: Kind.faulty)
  func `no outcome brings a secret along`(kind: Kind) async throws {
    try await withPlace(kind) { place in
      try await place.setFaults("status:n=1:403@\(kind.writes)")
      var text = "\(try await place.send(.create, [place.item(1, "a")]))"
      dump(place.destination, to: &text)
      for secret in place.secrets { #expect(!text.contains(secret)) }
    }
  }
}
