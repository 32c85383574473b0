import DestinationModel
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
  func `a stored record exists with the content that was sent`(kind: Kind) async throws {
    try await withPlace(kind, body: Promises.isThere)
  }

  @Test(arguments: Kind.present)
  func `an existing record is neither created again nor overwritten`(kind: Kind) async throws {
    try await withPlace(kind, body: Promises.isMadeOnce)
  }

  @Test(arguments: Kind.versioned)
  func `a change is stored only over its expected revision`(kind: Kind)
    async throws
  {
    try await withPlace(kind, body: Promises.isChangedAsExpected)
  }

  @Test(arguments: Kind.present)
  func `a removed record is gone, and a second removal finds nothing`(kind: Kind) async throws {
    try await withPlace(kind, body: Promises.isRemoved)
  }

  @Test(arguments: Kind.faulty)
  func `a lost answer leaves the outcome unknown, and the repeat finds the record`(
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

  @Test(
    .enabled(if: !Kind.foreign.isEmpty, "skipped: no variable names a server of others"),
    arguments: Kind.foreign
  )
  func `the contract holds for servers that are not ours`(kind: Kind) async throws {
    try await withPlace(kind, body: Promises.survivesALostAnswer)
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
  func `a cut answer and a page of HTML leave the outcome unknown`(kind: Kind) async throws {
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
  func `reading changes no record, and a later reading lists only changes`(kind: Kind) async throws
  {
    try await withPlace(kind, body: Promises.isReadWithoutAChange)
  }

  @Test(arguments: Kind.present)
  func `records created together are distinguished, and the rest of a page follows`(kind: Kind)
    async throws
  {
    try await withPlace(kind, body: Promises.isDistinguished)
  }

  @Test(arguments: Kind.faulty)
  func `no outcome reveals a secret`(kind: Kind) async throws {
    try await withPlace(kind) { place in
      try await place.setFaults("status:n=1:403@\(kind.writes)")
      var text = "\(try await place.send(.create, [place.item(1, "a")]))"
      dump(place.destination, to: &text)
      for secret in place.secrets { #expect(!text.contains(secret)) }
    }
  }
}
