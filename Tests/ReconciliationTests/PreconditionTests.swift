import Reconciliation
import Testing

/// What a precondition check takes for what the plan saw, and what is decided by it.
struct PreconditionTests {
  private let title = RecordCopy.note.with("title", "B").showing(["title"])
  private let moved = RecordCopy.note.at(revision: "3")
  private let theirs = RecordCopy.note.with("text", "Y").at(revision: "3")

  /// Decides about a change of the title, or about a deletion.
  private func decision(_ base: PreconditionBase, deletes: Bool = false) -> Decision {
    decide(
      .precondition(.fail),
      base: base.seen.map { RecordTriple.Base($0) },
      wanted: deletes ? .deleted : .record(title),
      remote: .read(base.read),
      claim: SyncClaim(state: .changed, hasRemoteID: true),
      [.update, .delete]
    )
  }

  private func base(
    _ read: RecordCopy,
    kept revision: String?,
    lastKnown: String? = "2",
    agreed: RecordCopy? = .note
  ) -> PreconditionBase {
    PreconditionBase(
      read,
      keptRevision: revision,
      lastKnown: lastKnown,
      agreed: agreed,
      .notes
    )
  }

  // MARK: - By a revision

  @Test(arguments: [false, true])
  func `the revision that the plan saw proves that nothing changed`(isAgreed: Bool) {
    // The destination spells it otherwise than it was given.
    let read = RecordCopy.note.with("text", "x")
    let base = base(read, kept: "2", agreed: isAgreed ? .note : nil)
    #expect(decision(base).sent == ["title": "B"])
    #expect(decision(base, deletes: true) == .delete(.revision("2")))
  }

  @Test func `at another revision, the agreed content decides`() {
    #expect(decision(base(moved, kept: "2")).sent == ["title": "B"])
    #expect(decision(base(theirs, kept: "2")) == .conflict(.bothChanged(["text"])))
    #expect(!decision(base(theirs, kept: "2"), deletes: true).sends)
  }

  @Test(arguments: [RecordCopy.note, nil])
  func `no request is sent at another revision than the plan saw after the last agreement`(
    agreed: RecordCopy?
  ) {
    let base = base(moved, kept: "1", agreed: agreed)
    #expect(!decision(base).sends)
    #expect(!decision(base, deletes: true).sends)
  }

  @Test func `without a revision the agreed content decides, and without it no request is sent`() {
    let read = RecordCopy.note.at(revision: nil)
    let known = base(read, kept: nil, lastKnown: nil)
    #expect(decision(known).sent == ["title": "B"])
    #expect(decision(known, deletes: true).sends)
    for changed in [theirs, theirs.at(revision: nil)] {
      #expect(!decision(base(changed, kept: nil, lastKnown: nil)).sends)
      #expect(!decision(base(changed, kept: nil, lastKnown: nil), deletes: true).sends)
    }
    let unknown = base(read, kept: nil, lastKnown: nil, agreed: nil)
    #expect(!decision(unknown).sends)
    #expect(!decision(unknown, deletes: true).sends)
  }

  @Test func `a record under a reused ID has the revision that the plan saw, and is left`() {
    let other = RecordCopy(["made": "friday", "author": "bob", "title": "Q"], revision: "2")
    #expect(decision(base(other, kept: "2")) == .conflict(.replaced))
    let sharing = RecordCopy.note.with("made", "friday")
    #expect(!decision(base(sharing, kept: "2"), deletes: true).sends)
  }

  // MARK: - By content

  private func base(_ read: RecordCopy, same isSame: Bool, alone: Bool = false) -> PreconditionBase
  {
    PreconditionBase(
      read.at(revision: nil),
      keptContentOf: ["title", "text"],
      alone: alone,
      isSame: isSame,
      agreed: .note,
      .notes
    )
  }

  @Test func `a request is conditional on the content that the plan saw, not on the agreed one`() {
    #expect(decision(base(theirs, same: true)).sent == ["title": "B"])
    #expect(decision(base(theirs, same: true), deletes: true).sends)
    #expect(!decision(base(theirs, same: false)).sends)
    #expect(!decision(base(theirs, same: false), deletes: true).sends)
  }

  @Test
  func `a field that was filled since the agreement stops a request, even on planned content`() {
    let filled = RecordCopy.note.with("memo", "P")
    #expect(!decision(base(filled, same: true)).sends)
    #expect(decision(base(filled, same: true, alone: true)).sent == ["title": "B"])
    let cleared = RecordCopy.note.with("memo", .null)
    #expect(decision(base(cleared, same: true)).sent == ["title": "B"])
  }

  // MARK: - What completes a record

  private func completing(
    _ read: RecordCopy,
    made: Set<String>,
    lastKnown: String? = nil
  ) -> PreconditionBase {
    PreconditionBase(read, completing: made, lastKnown: lastKnown, agreed: nil, .notes)
  }

  @Test func `the destination's defaults in the run's own record do not keep it incomplete`() {
    let base = completing(.note.with("text", "x"), made: ["title"])
    #expect(decision(base).sent == ["title": "B"])
    #expect(!decision(completing(moved, made: ["title"], lastKnown: "2")).sends)
  }

  @Test func `a field of an adopted record that another device filled is not overwritten`() {
    #expect(decision(completing(.note, made: [])) == .conflict(.bothChanged(["title"])))
    #expect(decision(completing(.note.with("title", .null), made: [])).sent == ["title": "B"])
  }

  @Test func `an unlisted deferred link counts as empty`() {
    let row = RecordCopy.note.showing(["made", "author", "text", "memo", "owner"])
    var base = base(row, kept: "2")
    base.expectDeferred(["title"])
    #expect(decision(base).sent == ["title": "B"])
  }
}
