import Reconciliation
import Testing

/// The seven answers that a simpler judge gets wrong.
struct WrongAnswerTests {
  private let theirs = RecordCopy.note.with("title", "C").at(revision: "3")

  @Test(arguments: ConflictPolicy.allCases)
  func `a conflict that kept the remote is not sent by the next run`(policy: ConflictPolicy) {
    let mine = RecordCopy.note.with("title", "B")
    let kept = RecordTriple.Base(local: .record(mine), remote: theirs, isKeptRemote: true)
    for remote in [RemoteCopy.notRead, .listed(theirs), .read(theirs)] {
      let decision = decide(.plan(policy), base: kept, wanted: .record(mine), remote: remote)
      #expect(decision == .keptRemote(.earlier))
    }
  }

  @Test func `a local change to a field that the list leaves out is read for first`() {
    let mine = LocalCopy.record(.note.with("memo", "N"))
    let row = RemoteCopy.listed(.note.row)
    #expect(decide(wanted: mine, remote: row) == .readFirst)
    #expect(decide(wanted: mine, remote: row, .listOnly) == .conflict(.fieldNotListed(["memo"])))
  }

  @Test func `verify does not call a field unchanged that it did not read`() {
    let sent = LocalCopy.record(.note)
    let row = RemoteCopy.listed(.note.row)
    #expect(decide(.verify, wanted: sent, remote: row) == .readFirst)
    let without = decide(.verify, wanted: sent, remote: row, .listOnly)
    #expect(without == .conflict(.fieldNotListed(["memo"])))
  }

  @Test(arguments: ConflictPolicy.allCases)
  func `the record under a reused ID is not updated or deleted by any policy`(
    policy: ConflictPolicy
  ) {
    let other = RecordCopy(["made": "friday", "author": "bob", "title": "Q"], revision: "2")
    for wanted in [LocalCopy.record(.note.with("title", "B")), .deleted] {
      let decision = decide(.plan(policy), wanted: wanted, remote: .read(other))
      #expect(decision == .conflict(.replaced))
    }
  }

  @Test func `a rollback keeps a created record that another device changed since`() {
    let decision = decide(.rollback, wanted: .deleted, remote: .read(theirs))
    #expect(decision == .conflict(.remotelyChanged(["title"])))
  }

  @Test func `a deletion without a base is not a create`() {
    #expect(decide(base: nil, wanted: .deleted, remote: .notRead) == .readFirst)
  }

  @Test func `a single read that is partial too is not repeated`() {
    let mine = LocalCopy.record(.note.with("memo", "N"))
    let decision = decide(wanted: mine, remote: .read(.note.row))
    #expect(decision == .conflict(.fieldNotListed(["memo"])))
  }
}
