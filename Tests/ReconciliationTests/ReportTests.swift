import Reconciliation
import Testing

/// What look-up, verify and rollback say.
struct ReportTests {
  private let before = RecordTriple.Base(.note)
  private let sent = LocalCopy.record(.note.with("title", "B").showing(["title"]))
  private let arrived = RecordCopy.note.with("title", "B").at(revision: "3")
  private let theirs = RecordCopy.note.with("title", "C").at(revision: "3")

  // MARK: - Look-up

  @Test func `a lost update has arrived if the destination has the sent content`() {
    #expect(decide(.lookUp, base: before, wanted: sent, remote: .read(arrived)) == .adopt)
  }

  @Test func `a lost update is sent again if the destination is unchanged`() {
    let decision = decide(.lookUp, base: before, wanted: sent, remote: .read(.note))
    #expect(decision.sent == ["title": "B"])
  }

  @Test func `a lost update is a conflict if the destination has neither old nor new content`() {
    let decision = decide(.lookUp, base: before, wanted: sent, remote: .read(theirs))
    #expect(decision == .conflict(.remotelyChanged(["title"])))
  }

  @Test func `a lost update of a field that no list shows cannot be looked up`() {
    let sent = LocalCopy.record(.note.with("memo", "N").showing(["memo"]))
    let row = RemoteCopy.listed(.note.row)
    #expect(decide(.lookUp, base: before, wanted: sent, remote: row) == .readFirst)
    let without = decide(.lookUp, base: before, wanted: sent, remote: row, .listOnly)
    #expect(without == .conflict(.fieldNotListed(["memo"])))
  }

  @Test func `one listed field of a lost update proves that all fields have arrived`() {
    let sent = LocalCopy.record(
      .note.with("title", "B").with("memo", "N").showing(["title", "memo"])
    )
    let row = RemoteCopy.listed(arrived.row)
    #expect(decide(.lookUp, base: before, wanted: sent, remote: row, .listOnly) == .adopt)
  }

  @Test func `a lost create is created, adopted, or a conflict`() {
    let sent = LocalCopy.record(.note)
    #expect(decide(.lookUp, base: nil, wanted: sent, remote: .absent) == .create)
    #expect(decide(.lookUp, base: nil, wanted: sent, remote: .read(.note)) == .adopt)
    let other = decide(.lookUp, base: nil, wanted: sent, remote: .read(theirs))
    #expect(other == .conflict(.remotelyChanged(["title"])))
    #expect(decide(.lookUp, base: nil, wanted: sent, remote: .notListed) == .readFirst)
  }

  @Test func `a lost create of which a list shows a part is read first, else adopted`() {
    let row = RemoteCopy.listed(.note.row)
    let sent = LocalCopy.record(.note)
    #expect(decide(.lookUp, base: nil, wanted: sent, remote: row) == .readFirst)
    #expect(decide(.lookUp, base: nil, wanted: sent, remote: row, .listOnly) == .adopt)
  }

  @Test func `a lost deletion of a record that is shown in part is read first, else a conflict`() {
    let row = RemoteCopy.listed(.note.row.at(revision: nil))
    #expect(decide(.lookUp, wanted: .deleted, remote: row) == .readFirst)
    let without = decide(.lookUp, wanted: .deleted, remote: row, .listOnly)
    #expect(without == .conflict(.fieldNotListed(["memo"])))
    let proven = decide(.lookUp, wanted: .deleted, remote: row, [.delete, .conditionalWrite])
    #expect(proven == .delete(.revision("2")))
  }

  @Test func `a lost deletion is sent again only where the record is unchanged`() {
    #expect(decide(.lookUp, wanted: .deleted, remote: .absent) == .unchanged)
    #expect(decide(.lookUp, wanted: .deleted, remote: .read(.note)) == .delete(.revision("2")))
    #expect(decide(.lookUp, wanted: .deleted, remote: .read(theirs)).sends == false)
  }

  // MARK: - Look-up at a destination that notes what it carried out

  @Test func `a noted request has arrived, whatever other clients made of the record since`() {
    let copies: [RemoteCopy] = [.notRead, .absent, .read(theirs), .unreadable(reason: "403")]
    for remote in copies {
      #expect(decide(.lookUp, wanted: sent, remote: remote, receipt: .carriedOut) == .adopt)
      #expect(decide(.lookUp, wanted: .deleted, remote: remote, receipt: .carriedOut) == .adopt)
      #expect(decide(.rollback, wanted: .deleted, remote: remote, receipt: .carriedOut) == .adopt)
    }
  }

  @Test func `a record that is as sent is the work of another client if the request is not noted`()
  {
    let note = LocalCopy.record(.note)
    let made = decide(
      .lookUp,
      base: nil,
      wanted: note,
      remote: .read(.note),
      receipt: .notCarriedOut
    )
    #expect(made == .unchanged)
    let changed = decide(.lookUp, wanted: sent, remote: .read(arrived), receipt: .notCarriedOut)
    #expect(changed == .unchanged)
  }

  @Test func `a request that is not noted is sent again only over an unchanged record`() {
    let again = decide(.lookUp, wanted: sent, remote: .read(.note), receipt: .notCarriedOut)
    #expect(again.sent == ["title": "B"])
    let conflict = decide(.lookUp, wanted: sent, remote: .read(theirs), receipt: .notCarriedOut)
    #expect(conflict == .conflict(.remotelyChanged(["title"])))
    let note = LocalCopy.record(.note)
    let made = decide(.lookUp, base: nil, wanted: note, remote: .absent, receipt: .notCarriedOut)
    #expect(made == .create)
  }

  // MARK: - Verify

  @Test func `verify reports a record that is missing, different or still present`() {
    let wanted = LocalCopy.record(.note)
    #expect(decide(.verify, wanted: wanted, remote: .read(.note)) == .unchanged)
    #expect(decide(.verify, wanted: wanted, remote: .absent) == .conflict(.remotelyDeleted))
    let different = decide(.verify, wanted: wanted, remote: .read(theirs))
    #expect(different == .conflict(.remotelyChanged(["title"])))
    #expect(decide(.verify, wanted: .deleted, remote: .read(.note)) == .conflict(.stillPresent))
    #expect(decide(.verify, wanted: .deleted, remote: .absent) == .unchanged)
  }

  @Test
  func `verify sees a field that the destination dropped in silence, regardless of the revision`() {
    let dropped = RecordCopy.note.with("memo", .null)
    let decision = decide(.verify, wanted: .record(.note), remote: .read(dropped))
    #expect(decision == .conflict(.remotelyChanged(["memo"])))
  }

  @Test func `verify reports a record that was never sent, and a deletion that gave way`() {
    let never = decide(.verify, base: nil, wanted: .record(.note), remote: .read(theirs))
    #expect(never == .conflict(.withoutBase(["title"])))
    let kept = RecordTriple.Base(local: .deleted, remote: theirs, isKeptRemote: true)
    let listed = decide(.verify, base: kept, wanted: .deleted, remote: .read(theirs))
    #expect(listed == .keptRemote(.earlier))
    let other = RecordCopy.note.with("title", "D").at(revision: "4")
    let again = decide(.verify, base: kept, wanted: .deleted, remote: .read(other))
    #expect(again == .conflict(.stillPresent))
  }

  @Test func `verify accepts a field that another client set to the wanted value`() {
    let mine = LocalCopy.record(.note.with("title", "C"))
    let base = RecordTriple.Base(local: mine, remote: .note, isKeptRemote: true)
    #expect(decide(.verify, base: base, wanted: mine, remote: .read(theirs)) == .unchanged)
  }

  @Test func `verify lists a record that a conflict left to the remote`() {
    let mine = LocalCopy.record(.note)
    let base = RecordTriple.Base(local: mine, remote: theirs, isKeptRemote: true)
    #expect(
      decide(.verify, base: base, wanted: mine, remote: .read(theirs)) == .keptRemote(.earlier)
    )
    let other = RecordCopy.note.with("title", "D").at(revision: "4")
    let again = decide(.verify, base: base, wanted: mine, remote: .read(other))
    #expect(again == .conflict(.remotelyChanged(["title"])))
  }

  @Test func `verify does not read a record for the sake of a deferred field`() {
    let mine = RecordCopy.note.with("owner", .pending(.record(key: "o1")))
    let base = RecordTriple.Base(local: .record(mine), remote: .note)
    let row = RecordCopy.note.showing(["made", "author", "title", "text", "memo"])
    let decision = decide(.verify, base: base, wanted: .record(mine), remote: .listed(row))
    #expect(decision == .conflict(.deferred(["owner"])))
  }

  @Test func `verify misses no deferred field in which a conflict kept the remote's value`() {
    let mine = RecordCopy.note.with("owner", .pending(.record(key: "o1")))
    let found = RecordCopy.note.with("owner", "99")
    let base = RecordTriple.Base(local: .record(mine), remote: found, isKeptRemote: true)
    let kept = decide(.verify, base: base, wanted: .record(mine), remote: .read(found))
    #expect(kept == .unchanged)
    let other = RecordCopy.note.with("owner", .pending(.record(key: "o2")))
    let changed = decide(.verify, base: base, wanted: .record(other), remote: .read(found))
    #expect(changed == .conflict(.deferred(["owner"])))
    let empty = RecordTriple.Base(local: .record(mine), remote: .note, isKeptRemote: true)
    let missed = decide(.verify, base: empty, wanted: .record(mine), remote: .read(.note))
    #expect(missed == .conflict(.deferred(["owner"])))
  }

  // MARK: - Rollback

  @Test func `a rollback deletes the run's created records and restores its changed ones`() {
    #expect(decide(.rollback, wanted: .deleted, remote: .read(.note)) == .delete(.revision("2")))
    let old = LocalCopy.record(.note.with("title", "0").showing(["title"]))
    let decision = decide(.rollback, wanted: old, remote: .read(.note))
    #expect(decision.sent == ["title": "0"])
    #expect(decision.precondition == .revision("2"))
  }

  @Test func `a rollback has nothing to do where the record is gone or as before`() {
    #expect(decide(.rollback, wanted: .deleted, remote: .absent) == .unchanged)
    let old = RecordCopy.note.with("title", "0")
    let again = decide(
      .rollback,
      wanted: .record(old),
      remote: .read(old.at(revision: "5")),
      before: [old]
    )
    #expect(again == .unchanged)
  }

  @Test
  func `a rollback keeps a record that others changed or deleted, or that is not shown whole`() {
    let old = LocalCopy.record(.note.with("title", "0"))
    let changed = decide(.rollback, wanted: old, remote: .read(theirs))
    #expect(changed == .conflict(.remotelyChanged(["title"])))
    #expect(decide(.rollback, wanted: old, remote: .absent) == .conflict(.remotelyDeleted))
    let row = RemoteCopy.listed(.note.row.at(revision: nil))
    let hidden = decide(.rollback, wanted: old, remote: row, .listOnly)
    #expect(hidden == .conflict(.fieldNotListed(["memo"])))
    #expect(decide(.rollback, wanted: .deleted, remote: .read(.note), []) == .conflict(.noRoute))
  }

  @Test func `a rollback restores unlisted fields if the revision proves the remote content`() {
    let old = LocalCopy.record(.note.with("title", "0").with("memo", "N"))
    let decision = decide(.rollback, wanted: old, remote: .listed(.note.row), .listOnly)
    #expect(decision.sent == ["title": "0", "memo": "N"])
    #expect(decision.precondition == .revision("2"))
    let known = LocalCopy.record(.note.with("title", "0"))
    let title = decide(.rollback, wanted: known, remote: .listed(.note.row), .listOnly)
    #expect(title.sent == ["title": "0"])
    let changed = RemoteCopy.listed(.note.row.at(revision: "3"))
    let later = decide(.rollback, wanted: old, remote: changed, .listOnly)
    #expect(later == .conflict(.fieldNotListed(["memo"])))
  }

  @Test func `a rollback keeps a created record of another revision, regardless of its content`() {
    let touched = RemoteCopy.read(.note.at(revision: "3"))
    let kept = decide(.rollback, wanted: .deleted, remote: touched)
    #expect(kept == .conflict(.remotelyChanged([])))
    let unknown = RecordTriple.Base(.note.at(revision: nil))
    let removed = decide(.rollback, base: unknown, wanted: .deleted, remote: touched)
    #expect(removed == .delete(.revision("3")))
  }

  @Test func `a rollback keeps a record of which nothing but the revision is known`() {
    let base = RecordTriple.Base(RecordCopy([:], coverage: .partial([]), revision: "2"))
    let same = decide(.rollback, base: base, wanted: .deleted, remote: .read(.note))
    #expect(same == .delete(.revision("2")))
    for revision in ["3", nil] {
      let other = RemoteCopy.read(.note.at(revision: revision))
      let kept = decide(.rollback, base: base, wanted: .deleted, remote: other)
      #expect(kept == .conflict(.fieldNotListed(ComparisonRules.notes.fields)))
    }
  }

  @Test func `a rollback does not reverse a deletion`() {
    for remote in [RemoteCopy.absent, .read(.note)] {
      let decision = decide(.rollback, base: nil, wanted: .record(.note), remote: remote)
      #expect(decision == .conflict(.deletedByThisRun))
    }
  }

  @Test func `a rollback sends nothing of a record that a conflict left to the remote`() {
    let base = RecordTriple.Base(local: .record(.note), remote: theirs, isKeptRemote: true)
    for wanted in [LocalCopy.record(.note), .deleted] {
      #expect(decide(.rollback, base: base, wanted: wanted, remote: .read(theirs)) == .unchanged)
    }
  }
}
