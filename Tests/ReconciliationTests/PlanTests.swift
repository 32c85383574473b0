import Reconciliation
import Testing

/// What a plan decides, rule by rule.
struct PlanTests {
  private let mine = LocalCopy.record(.note.with("title", "B"))
  private let same = RecordCopy.note.with("title", "B").at(revision: "3")
  private let elsewhere = RecordCopy.note.with("text", "Y").at(revision: "3")
  private let theirs = RecordCopy.note.with("title", "C").at(revision: "3")

  // MARK: - One side changed

  @Test func `a record that the destination does not have is created`() {
    #expect(decide(base: nil, wanted: mine, remote: .absent) == .create)
    #expect(decide(base: nil, wanted: mine, remote: .notRead) == .create)
  }

  @Test func `a local change is sent on the revision that was agreed on`() {
    let decision = decide(wanted: mine, remote: .read(.note))
    #expect(decision.sent == ["title": "B"])
    #expect(decision.precondition == .revision("2"))
  }

  @Test func `a field that the destination did not take is sent again by its own change alone`() {
    func triple(_ wanted: RecordCopy, revision: String = "2") -> RecordTriple {
      RecordTriple(
        base: .init(.note),
        wanted: .record(wanted),
        remote: .read(.note.with("title", "as it was").at(revision: revision))
      )
    }
    let other = triple(.note.with("text", "Y"))
    #expect(other.untakenFields(.notes) == ["title"])
    #expect(other.fieldsNotSentAgain(.notes) == ["title"])
    let own = triple(.note.with("title", "B"))
    #expect(own.untakenFields(.notes) == ["title"])
    #expect(own.fieldsNotSentAgain(.notes).isEmpty)
    // Another revision says that the destination changed it.
    #expect(triple(.note, revision: "3").untakenFields(.notes).isEmpty)
  }

  // MARK: - What the destination altered

  /// A note of which the destination, which has no revisions, altered the title.
  private func altered(showing title: FieldValue, wanted: RecordCopy = .note) -> RecordTriple {
    var base = RecordTriple.Base(.note.at(revision: nil))
    base.altered = ["title": RecordCopy.digest(ofTitle: "a")]
    return RecordTriple(
      base: base,
      wanted: .record(wanted),
      remote: .read(.note.with("title", title).at(revision: nil))
    )
  }

  @Test func `a field as the destination altered it is not changed by another client`() {
    let triple = altered(showing: "a")
    #expect(triple.decide(.plan(.fail), .notes, .usual) == .unchanged)
    #expect(triple.untakenFields(.notes) == ["title"])
  }

  @Test func `a change of another field leaves the altered one as it is`() {
    let triple = altered(showing: "a", wanted: .note.with("text", "Y"))
    #expect(triple.decide(.plan(.fail), .notes, .usual).sent == ["text": "Y"])
  }

  @Test func `an altered field with another value again is changed by another client`() {
    let triple = altered(showing: "b")
    #expect(triple.decide(.plan(.fail), .notes, .usual) == .remoteNewer)
    #expect(triple.untakenFields(.notes).isEmpty)
  }

  @Test func `an altered field is sent again where the store's value is to win`() throws {
    var triple = altered(showing: "a")
    let copy = RecordCopy.note.with("title", "a").at(revision: nil)
    triple.base?.sendAltered(in: copy, .notes)
    #expect(triple.decide(.plan(.local), .notes, .usual).sent == ["title": "A"])
  }

  @Test func `a record that the changes feed did not name is planned by its base`() {
    #expect(decide(wanted: .record(.note), remote: .notRead) == .unchanged)
    #expect(decide(wanted: mine, remote: .notRead).sent == ["title": "B"])
    #expect(decide(.precondition(.local), wanted: mine, remote: .notRead) == .readFirst)
  }

  @Test(arguments: ConflictPolicy.allCases)
  func `a change that only the remote made is kept and given to the app`(policy: ConflictPolicy) {
    let decision = decide(.plan(policy), wanted: .record(.note), remote: .read(theirs))
    #expect(decision == .remoteNewer)
    #expect(decision.writeBack == .replace)
  }

  @Test func `a local change before the app has the remote's newer content is a conflict`() {
    let decision = decide(wanted: mine, remote: .read(elsewhere))
    #expect(decision == .conflict(.bothChanged(["text"])))
    let taken = LocalCopy.record(theirs)
    #expect(decide(wanted: taken, remote: .read(theirs)) == .adopt)
  }

  @Test func `the same change on both sides is adopted`() {
    #expect(decide(wanted: mine, remote: .read(same)) == .adopt)
  }

  @Test func `without a revision the fields decide`() {
    let base = RecordTriple.Base(.note.at(revision: nil))
    let still = decide(base: base, wanted: mine, remote: .read(.note.at(revision: nil)))
    #expect(still.sent == ["title": "B"])
    let changed = decide(base: base, wanted: mine, remote: .read(theirs.at(revision: nil)))
    #expect(changed == .conflict(.bothChanged(["title"])))
  }

  @Test func `a new revision of the same content is not a remote change`() {
    let decision = decide(wanted: mine, remote: .read(.note.at(revision: "3")))
    #expect(decision.sent == ["title": "B"])
    #expect(decision.precondition == .revision("3"))
  }

  @Test func `a new revision is a remote change if the base knows nothing else`() {
    let seen = RecordTriple.Base(RecordCopy([:], coverage: .partial([]), revision: "2"))
    let fields = ComparisonRules.notes.fields
    for policy in [ConflictPolicy.fail, .remote] {
      #expect(!decide(.plan(policy), base: seen, wanted: .deleted, remote: .read(theirs)).sends)
    }
    let deletion = decide(base: seen, wanted: .deleted, remote: .read(theirs))
    #expect(deletion == .conflict(.deletedLocally(remoteFields: fields)))
    let change = decide(base: seen, wanted: mine, remote: .read(theirs))
    #expect(change == .conflict(.bothChanged(fields)))
    #expect(decide(base: seen, wanted: .deleted, remote: .read(.note)) == .delete(.revision("2")))
  }

  @Test
  func `a natural key that the destination spells otherwise is no change under the same revision`()
  {
    var rules = ComparisonRules.notes
    rules.identifies = { _, left, right in
      guard case .value(let left) = left, case .value(let right) = right else { return false }
      return left.map { $0 | 0x20 } == right.map { $0 | 0x20 }
    }
    let spelled = RemoteCopy.read(.note.with("author", "ANN"))
    #expect(decide(wanted: mine, remote: spelled, rules: rules).sent == ["title": "B"])
    let other = RemoteCopy.read(.note.with("author", "eve"))
    #expect(!decide(wanted: mine, remote: other, rules: rules).sends)
  }

  // MARK: - A refused request that was carried out in part

  @Test(arguments: ConflictPolicy.allCases)
  func `what a refused request changed in part is not a change of the remote`(
    policy: ConflictPolicy
  ) {
    let mine = LocalCopy.record(.note.with("title", "B").with("memo", "N"))
    let decision = decide(.plan(policy), wanted: mine, remote: .read(same), refused: .note)
    #expect(decision.sent == ["memo": "N"])
    #expect(decision.precondition == .revision("3"))
    // Without the request, another device made the same change, and may have meant it.
    #expect(decide(wanted: mine, remote: .read(same)) == .conflict(.bothChanged(["title"])))
  }

  @Test(arguments: ConflictPolicy.allCases)
  func `an edit after a refused request is sent over the part that the remote took`(
    policy: ConflictPolicy
  ) {
    let sent = RecordCopy.note.with("title", "B").with("memo", "N")
    func decided(_ wanted: RecordCopy) -> Decision {
      decide(
        .plan(policy),
        wanted: .record(wanted),
        remote: .read(same),
        refused: .note,
        sending: [sent]
      )
    }
    #expect(decided(sent.with("memo", "O")).sent == ["memo": "O"])
    #expect(decided(sent.with("title", "C")).sent == ["title": "C", "memo": "N"])
    #expect(decided(.note).sent == ["title": "A"], "the store has its earlier value again")
    #expect(decided(.note).precondition == .revision("3"))
  }

  @Test(arguments: ConflictPolicy.allCases)
  func `a second refusal does not turn what the first one changed into a change of the remote`(
    policy: ConflictPolicy
  ) {
    let first = RecordCopy.note.with("title", "B").with("memo", "N")
    let second = first.with("title", "C")
    let decision = decide(
      .plan(policy),
      wanted: .record(second.with("memo", "O")),
      remote: .read(same),
      refused: .note,
      sending: [first, second]
    )
    #expect(decision.sent == ["title": "C", "memo": "O"])
  }

  @Test func `a record is read before anything is decided after a refused request`() {
    #expect(decide(wanted: .record(.note), remote: .notRead, refused: .note) == .readFirst)
  }

  /// The remote took the title of a request that was to overwrite its text as well.
  private func afterHalf(_ policy: ConflictPolicy, text: FieldValue = "Y") -> Decision {
    let remote = same.with("text", text).at(revision: "4")
    return decide(.plan(policy), wanted: mine, remote: .read(remote), refused: elsewhere)
  }

  @Test func `a conflict is not settled by the part of a request that the remote took`() {
    #expect(afterHalf(.local).sent == ["text": "X"])
    #expect(afterHalf(.local).precondition == .revision("4"))
    #expect(afterHalf(.fail) == .conflict(.bothChanged(["text"])))
    #expect(afterHalf(.ask) == .ask(.bothChanged(["text"])))
    #expect(afterHalf(.newest) == .keptRemote(.now), "no time is known")
    // They overwrite nothing that the remote alone changed.
    #expect(afterHalf(.remote) == .remoteNewer)
    #expect(afterHalf(.merge) == .remoteNewer)
  }

  @Test(arguments: ConflictPolicy.allCases)
  func `a change that the remote made after a refused request is its own`(policy: ConflictPolicy) {
    #expect(afterHalf(policy, text: "Z") == .remoteNewer)
  }

  // MARK: - Both sides changed

  @Test func `each policy settles a conflict its own way`() {
    func settled(_ policy: ConflictPolicy) -> Decision {
      decide(.plan(policy), wanted: mine, remote: .read(elsewhere))
    }
    #expect(settled(.fail) == .conflict(.bothChanged(["text"])))
    #expect(settled(.ask) == .ask(.bothChanged(["text"])))
    #expect(settled(.remote) == .keptRemote(.now))
    #expect(settled(.newest) == .keptRemote(.now), "no time is known")
    #expect(settled(.local).sent == ["title": "B", "text": "X"])
    #expect(settled(.merge).sent == ["title": "B"])
    #expect(settled(.local).precondition == .revision("3"))
  }

  @Test func `the record that was changed last wins under newest`() {
    func settled(_ time: Int64) -> Decision {
      let mine = LocalCopy.record(.note.with("title", "B").modified(at: time))
      return decide(.plan(.newest), wanted: mine, remote: .read(theirs.modified(at: 5)))
    }
    #expect(settled(4) == .keptRemote(.now))
    #expect(settled(5).sent == ["title": "B"])
  }

  @Test func `a merge keeps the remote's value of a field that both changed`() {
    let mine = LocalCopy.record(.note.with("title", "B").with("memo", "N"))
    let decision = decide(.plan(.merge), wanted: mine, remote: .read(theirs))
    guard case .update(let update) = decision else {
      Issue.record("no update: \(decision)")
      return
    }
    #expect(update.fields == ["memo": "N"])
    #expect(update.lost == ["title"])
    #expect(decide(.plan(.merge), wanted: self.mine, remote: .read(theirs)) == .keptRemote(.now))
  }

  @Test func `a field's rule joins both values, asks, or lets the store win`() {
    func settled(_ merge: FieldMerge) -> Decision {
      var rules = ComparisonRules.notes
      rules.merge = { _, _ in merge }
      return decide(.plan(.merge), wanted: mine, remote: .read(theirs), rules: rules)
    }
    #expect(settled(.joined("B+C")).sent == ["title": "B+C"])
    #expect(settled(.joined("C")) == .adopt)
    #expect(settled(.local).sent == ["title": "B"])
    #expect(settled(.ask) == .ask(.bothChanged(["title"])))
  }

  @Test func `a local change to a field that was joined before is joined again`() {
    var rules = ComparisonRules.notes
    rules.merge = { _, sides in sides.baseRemote == "C" ? .joined("B2+C") : .remote }
    let base = RecordTriple.Base(local: mine, remote: theirs)
    let now = LocalCopy.record(.note.with("title", "B2"))
    for remote in [RemoteCopy.read(theirs), .notRead] {
      let decision = decide(base: base, wanted: now, remote: remote, rules: rules)
      #expect(decision.sent == ["title": "B2+C"])
    }
  }

  @Test func `a field that a conflict left to the remote is not sent with a later change`() {
    let base = RecordTriple.Base(local: mine, remote: theirs, isKeptRemote: true)
    let now = LocalCopy.record(.note.with("title", "B").with("text", "Z"))
    #expect(decide(base: base, wanted: now, remote: .read(theirs)).sent == ["text": "Z"])
  }

  @Test func `a conflict in a field that the list leaves out stays listed`() {
    let mine = LocalCopy.record(.note.with("memo", "N"))
    let base = RecordTriple.Base(local: mine, remote: .note, isKeptRemote: true)
    let row = RemoteCopy.listed(.note.row)
    #expect(decide(base: base, wanted: mine, remote: row) == .keptRemote(.earlier))
    let same = RecordTriple.Base(local: .record(.note), remote: .note, isKeptRemote: true)
    #expect(decide(base: same, wanted: .record(.note), remote: .read(.note)) == .unchanged)
  }

  @Test func `a store that takes over a part of the kept remote value is adopted`() {
    let both = RecordCopy.note.with("title", "C").with("text", "Y").at(revision: "3")
    let base = RecordTriple.Base(local: mine, remote: both, isKeptRemote: true)
    let now = LocalCopy.record(.note.with("title", "B").with("text", "Y"))
    #expect(decide(base: base, wanted: now, remote: .read(both)) == .adopt)
  }

  @Test func `a record deleted in the store after a conflict that kept the remote is deleted`() {
    let base = RecordTriple.Base(local: mine, remote: theirs, isKeptRemote: true)
    #expect(decide(base: base, wanted: .deleted, remote: .read(theirs)) == .delete(.revision("3")))
  }

  @Test func `a record whose store takes over the kept remote value is read before adoption`() {
    let base = RecordTriple.Base(local: mine, remote: theirs, isKeptRemote: true)
    #expect(decide(base: base, wanted: .record(theirs), remote: .notRead) == .readFirst)
    #expect(decide(base: base, wanted: .record(theirs), remote: .read(theirs)) == .adopt)
  }

  @Test func `two spellings that the destination equates are not a local change`() {
    var rules = ComparisonRules.notes
    rules.isEqual = { name, left, right in name == "title" && [left, right] == ["A", "a"] }
    let mine = LocalCopy.record(.note.with("title", "a"))
    let decision = decide(wanted: mine, remote: .read(elsewhere), rules: rules)
    #expect(decision == .remoteNewer)
  }

  @Test func `a record that differs without a base is decided by the policy`() {
    func settled(_ policy: ConflictPolicy) -> Decision {
      decide(.plan(policy), base: nil, wanted: mine, remote: .read(theirs))
    }
    #expect(settled(.fail) == .conflict(.withoutBase(["title"])))
    #expect(settled(.remote) == .keptRemote(.now))
    #expect(settled(.merge) == .keptRemote(.now))
    #expect(settled(.local).sent == ["title": "B"])
    #expect(decide(base: nil, wanted: mine, remote: .read(same)) == .adopt)
  }

  // MARK: - Deletions

  @Test func `a deletion is sent where the remote is as agreed`() {
    #expect(decide(wanted: .deleted, remote: .read(.note)) == .delete(.revision("2")))
    #expect(decide(wanted: .deleted, remote: .absent) == .unchanged)
    let skipped = decide(wanted: .deleted, remote: .read(.note), [.update])
    #expect(skipped == .skip(.noDeleteRoute))
  }

  @Test func `the deletion of a record that the remote changed is decided by the policy`() {
    func settled(_ policy: ConflictPolicy) -> Decision {
      decide(.plan(policy), wanted: .deleted, remote: .read(theirs))
    }
    #expect(settled(.fail) == .conflict(.deletedLocally(remoteFields: ["title"])))
    #expect(settled(.ask) == .ask(.deletedLocally(remoteFields: ["title"])))
    #expect(settled(.remote) == .keptRemote(.now))
    #expect(settled(.merge) == .keptRemote(.now))
    #expect(settled(.newest) == .keptRemote(.now))
    #expect(settled(.local) == .delete(.revision("3")))
  }

  @Test(arguments: ConflictPolicy.allCases)
  func `a deletion that lost a conflict is not carried out by the next run`(policy: ConflictPolicy)
  {
    let base = RecordTriple.Base(local: .deleted, remote: theirs, isKeptRemote: true)
    let decision = decide(.plan(policy), base: base, wanted: .deleted, remote: .read(theirs))
    #expect(decision == .keptRemote(.earlier))
  }

  @Test(arguments: ConflictPolicy.allCases)
  func `a remote record that no run and no app knows is not deleted`(policy: ConflictPolicy) {
    let decision = decide(.plan(policy), base: nil, wanted: .deleted, remote: .read(theirs))
    #expect(decision == .skip(.untracked))
  }

  @Test func `a record deleted at the destination is created again only if the store wins`() {
    func settled(_ policy: ConflictPolicy) -> Decision {
      decide(.plan(policy), wanted: mine, remote: .absent)
    }
    #expect(settled(.local) == .create)
    #expect(settled(.ask) == .ask(.remotelyDeleted))
    for policy in [ConflictPolicy.fail, .remote, .newest, .merge] {
      #expect(settled(policy) == .conflict(.remotelyDeleted))
    }
  }

  @Test
  func `the deletion of a partly listed record is preceded by a reading, or decided by the policy`()
  {
    let row = RemoteCopy.listed(.note.row.at(revision: nil))
    #expect(decide(wanted: .deleted, remote: row) == .readFirst)
    func settled(_ policy: ConflictPolicy) -> Decision {
      decide(.plan(policy), wanted: .deleted, remote: row, .listOnly)
    }
    #expect(settled(.ask) == .ask(.fieldNotListed(["memo"])))
    for policy in [ConflictPolicy.fail, .remote, .newest, .merge] {
      #expect(settled(policy) == .conflict(.fieldNotListed(["memo"])))
    }
    guard case .delete = settled(.local) else {
      Issue.record("not deleted")
      return
    }
  }

  @Test func `the later of a deletion and a change wins under newest`() {
    func settled(_ time: Int64) -> Decision {
      decide(
        .plan(.newest),
        wanted: .absent(deletedAt: time),
        remote: .read(theirs.modified(at: 5))
      )
    }
    #expect(settled(4) == .keptRemote(.now))
    #expect(settled(5) == .delete(.revision("3")))
  }

  // MARK: - Restored

  @Test(arguments: ConflictPolicy.allCases)
  func `an older state at the destination is a conflict, whether the store changed or not`(
    policy: ConflictPolicy
  ) {
    let old = RecordCopy.note.with("title", "0")
    let again = RemoteCopy.read(old.at(revision: "7"))
    for wanted in [LocalCopy.record(.note), mine, .deleted] {
      let byContent = decide(.plan(policy), wanted: wanted, remote: again, before: [old])
      let byRevision = decide(.plan(policy), wanted: wanted, remote: .read(old.at(revision: "1")))
      #expect(byContent == .conflict(.restored))
      #expect(byRevision == .conflict(.restored))
      #expect(byContent.writeBack == .conflicted)
    }
  }

  @Test(
    arguments: [
      (.fail, .conflict(.localRestored)), (.ask, .ask(.localRestored)),
      (.remote, .keptRemote(.now)), (.newest, .keptRemote(.now)), (.merge, .keptRemote(.now)),
    ] as [(ConflictPolicy, Decision)]
  )
  func `an older copy of the store is a conflict that the policy settles`(
    policy: ConflictPolicy,
    expected: Decision
  ) {
    let older = LocalCopy.record(.note.with("title", "0"))
    #expect(
      decide(.plan(policy), isOlderCopy: true, wanted: older, remote: .read(.note))
        == expected
    )
  }

  @Test func `an older copy of the store is sent where the store wins`() {
    let older = LocalCopy.record(.note.with("title", "0"))
    let decision = decide(
      .plan(.local),
      isOlderCopy: true,
      wanted: older,
      remote: .read(.note)
    )
    #expect(decision.sent == ["title": "0"])
  }

  @Test func `an older copy of the store is decided about once its record was read`() {
    let older = LocalCopy.record(.note.with("title", "0"))
    for base in [nil, RecordTriple.Base(.note)] {
      func decide(_ remote: RemoteCopy) -> Decision {
        ReconciliationTests.decide(base: base, isOlderCopy: true, wanted: older, remote: remote)
      }
      #expect(decide(.notRead) == .readFirst)
      #expect(decide(.absent) == .conflict(.remotelyDeleted))
    }
  }

  @Test(arguments: ConflictPolicy.allCases)
  func `an older copy of the store hides no older state at the destination`(
    policy: ConflictPolicy
  ) {
    let older = LocalCopy.record(.note.with("title", "0"))
    let old = RecordCopy.note.with("title", "1")
    for remote in [old.at(revision: "1"), old.at(revision: "7")] {
      let decision = decide(
        .plan(policy),
        isOlderCopy: true,
        wanted: older,
        remote: .read(remote),
        before: [old]
      )
      #expect(decision == .conflict(.restored))
    }
  }

  @Test(arguments: [(4, false), (5, true)] as [(Int64, Bool)])
  func `the date decides about an older copy of the store under newest`(here: Int64, sends: Bool) {
    let older = LocalCopy.record(.note.with("title", "0").modified(at: here))
    let theirs = RemoteCopy.read(.note.modified(at: 5))
    let decision = decide(.plan(.newest), isOlderCopy: true, wanted: older, remote: theirs)
    #expect(decision.sends == sends)
    #expect(sends || decision == .keptRemote(.now))
  }

  @Test func `a before-image with a value added since is not an older state`() {
    let old = RecordCopy.note.with("title", "0").row
    let now = RecordCopy.note.with("title", "0").at(revision: "7")
    let decision = decide(wanted: .record(.note), remote: .read(now), before: [old])
    #expect(decision == .remoteNewer)
  }

  // MARK: - Coverage

  @Test func `an empty field that a row shows is known, one that it leaves out is not`() {
    let mine = LocalCopy.record(.note.with("memo", .null))
    let shown = RecordCopy.note.with("memo", .null).at(revision: "3")
    #expect(decide(wanted: mine, remote: .listed(shown)) == .adopt)
    let hidden = RemoteCopy.listed(shown.row)
    #expect(decide(wanted: mine, remote: hidden, .listOnly) == .conflict(.fieldNotListed(["memo"])))
  }

  @Test func `a row without a revision that shows no change is read first, else sent by PATCH`() {
    let row = RemoteCopy.listed(.note.row.at(revision: nil))
    #expect(decide(wanted: mine, remote: row) == .readFirst)
    let decision = decide(wanted: mine, remote: row, .listOnly)
    #expect(decision.sent == ["title": "B"])
    guard case .content(let names, _) = decision.precondition else {
      Issue.record("no digest of content")
      return
    }
    #expect(!names.contains("memo"))
  }

  @Test func `a record found by a row is read first, or adopted without the row's missing fields`()
  {
    let row = RemoteCopy.listed(.note.row)
    #expect(decide(base: nil, wanted: .record(.note), remote: row) == .readFirst)
    #expect(decide(base: nil, wanted: .record(.note), remote: row, .listOnly) == .adopt)
  }

  @Test func `a row with a new revision and no visible change counts as changed`() {
    let row = RemoteCopy.listed(.note.row.at(revision: "3"))
    #expect(decide(wanted: .record(.note), remote: row, .listOnly) == .remoteNewer)
    #expect(decide(wanted: mine, remote: row, .listOnly) == .conflict(.bothChanged(["memo"])))
    #expect(decide(wanted: mine, remote: row) == .readFirst)
  }

  @Test func `a local change to a field that a row shows is sent on an equal revision`() {
    #expect(decide(wanted: mine, remote: .listed(.note.row)).sent == ["title": "B"])
  }

  @Test
  func `a PUT carries the base's fields, and is preceded by a reading if the base is incomplete`() {
    let put: Capabilities = [.update, .replacesWhole]
    #expect(decide(wanted: mine, remote: .notRead, put).sent?["memo"] == "M")
    let part = RecordTriple.Base(local: .record(.note), remote: .note.row)
    #expect(decide(base: part, wanted: mine, remote: .notRead, put) == .readFirst)
    let memo = LocalCopy.record(.note.with("memo", "N"))
    #expect(decide(base: part, wanted: memo, remote: .notRead) == .readFirst)
  }

  @Test func `a record that the store did not change is not read for the sake of a row`() {
    let row = RemoteCopy.listed(.note.row.at(revision: nil))
    #expect(decide(wanted: .record(.note), remote: row) == .unchanged)
  }

  @Test
  func `a PUT over a row is preceded by a reading only if base and revision leave fields unknown`()
  {
    let put: Capabilities = [.update, .replacesWhole, .readOne]
    let row = RemoteCopy.listed(.note.row)
    #expect(decide(wanted: mine, remote: row, put).sent?["memo"] == "M")
    let part = RecordTriple.Base(local: .record(.note), remote: .note.row)
    #expect(decide(base: part, wanted: mine, remote: row, put) == .readFirst)
  }

  @Test func `a PUT is not sent if a field that it replaces is unknown`() {
    let put: Capabilities = [.update, .replacesWhole]
    let row = RemoteCopy.listed(.note.row.at(revision: nil))
    #expect(decide(wanted: mine, remote: row, put) == .conflict(.fieldNotListed(["memo"])))
    #expect(decide(wanted: mine, remote: row, put.union(.readOne)) == .readFirst)
  }

  @Test func `a PUT carries every field as the destination has it`() {
    let put: Capabilities = [.update, .replacesWhole]
    let whole = decide(.plan(.merge), wanted: mine, remote: .read(elsewhere), put)
    #expect(whole.sent?["title"] == "B")
    #expect(whole.sent?["text"] == "Y")
    #expect(whole.sent?["memo"] == "M")
    let proven = decide(wanted: mine, remote: .listed(.note.row), put)
    #expect(proven.sent?["memo"] == "M", "the revision proves it")
  }

  @Test func `a conditional write on the agreed revision protects fields that a row leaves out`() {
    let put: Capabilities = [.update, .delete, .replacesWhole, .conditionalWrite]
    let row = RemoteCopy.listed(.note.row.at(revision: nil))
    let decision = decide(wanted: mine, remote: row, put)
    #expect(decision.sent?["memo"] == "M")
    #expect(decision.precondition == .revision("2"))
    #expect(decide(wanted: .deleted, remote: row, put) == .delete(.revision("2")))
  }

  @Test func `a record that an incomplete list leaves out is read, else a conflict`() {
    #expect(decide(wanted: mine, remote: .notListed) == .readFirst)
    #expect(decide(wanted: mine, remote: .notListed, .listOnly) == .conflict(.recordNotListed))
  }

  @Test func `a record that the account may not read is a conflict`() {
    let decision = decide(wanted: mine, remote: .unreadable(reason: "403"))
    #expect(decision == .conflict(.unreadable(reason: "403")))
  }

  // MARK: - Identity

  @Test func `with one natural-key field shown the identity is not judged`() {
    let other = RecordCopy(["made": "friday", "title": "Q", "text": "Y"], revision: "3")
    #expect(decide(wanted: mine, remote: .read(other)) != .conflict(.replaced))
    let triple = RecordTriple(base: .init(.note), wanted: mine, remote: .read(other))
    #expect(triple.difference(.notes).identity == .notJudged)
  }

  @Test func `one natural-key field of two is enough to be the same record`() {
    let other = RecordCopy.note.with("author", "bob").at(revision: "3")
    #expect(decide(wanted: .record(.note), remote: .read(other)) == .remoteNewer)
  }

  @Test func `an equal revision proves nothing if a natural-key field differs`() {
    let other = RecordCopy.note.with("author", "bob")
    #expect(decide(wanted: .deleted, remote: .read(other)).sends == false)
    #expect(decide(.rollback, wanted: .deleted, remote: .read(other)).sends == false)
  }

  @Test func `a natural-key field that the destination normalises is still the same`() {
    var rules = ComparisonRules.notes
    rules.identifies = { _, left, right in left == right || right == "ANN" }
    let rewritten = RecordCopy.note.with("author", "ANN")
    for intent in [Intent.plan(.fail), .rollback] {
      let decision = decide(intent, wanted: .deleted, remote: .read(rewritten), rules: rules)
      #expect(decision == .delete(.revision("2")))
    }
  }

  @Test func `an equal revision proves nothing if no natural-key field is equal`() {
    var rules = ComparisonRules.notes
    rules.naturalKey = []
    rules.changingKey = ["made", "title"]
    let renamed = RecordCopy.note.with("title", "Q")
    let same = decide(.rollback, wanted: .deleted, remote: .read(renamed), rules: rules)
    #expect(same == .delete(.revision("2")))
    let other = renamed.with("made", "friday")
    let another = decide(.rollback, wanted: .deleted, remote: .read(other), rules: rules)
    #expect(another == .conflict(.remotelyChanged(["made", "title"])))
  }

  // MARK: - Routes

  @Test func `a field that only a create takes is reported, and the others are sent`() {
    var rules = ComparisonRules.notes
    rules.createOnly = ["author"]
    let both = LocalCopy.record(.note.with("title", "B").with("author", "eve"))
    guard case .update(let update) = decide(wanted: both, remote: .read(.note), rules: rules) else {
      Issue.record("no update")
      return
    }
    #expect(update.fields == ["title": "B"])
    #expect(update.createOnly == ["author"])
    let one = LocalCopy.record(.note.with("author", "eve"))
    let decision = decide(wanted: one, remote: .read(.note), rules: rules)
    #expect(decision == .conflict(.createOnly(["author"])))
  }

  @Test func `without a route that changes a record a local change is a conflict`() {
    #expect(decide(wanted: mine, remote: .read(.note), [.readOne]) == .conflict(.noRoute))
  }

  // MARK: - Deferred references and files

  @Test(arguments: [FieldValue.Pending.record(key: "o1"), .file(digest: "f1")])
  func `a reference to a record that does not exist yet is deferred`(pending: FieldValue.Pending) {
    let mine = LocalCopy.record(.note.with("owner", .pending(pending)))
    let triple = RecordTriple(base: nil, wanted: mine, remote: .read(.note))
    #expect(triple.difference(.notes).deferred == ["owner"])
    #expect(triple.decide(.plan(.fail), .notes, .usual) == .adopt)
    let base = RecordTriple.Base(local: mine, remote: .note)
    #expect(decide(base: base, wanted: mine, remote: .read(.note)) == .unchanged)
    #expect(
      decide(.verify, base: base, wanted: mine, remote: .read(.note))
        == .conflict(.deferred(["owner"]))
    )
    let resolved = LocalCopy.record(.note.with("owner", "17"))
    let whole: Set = ["made", "author", "title", "text", "memo"]
    let without = RecordTriple.Base(local: .record(.note.showing(whole)), remote: .note)
    for base in [base, without] {
      let decision = decide(base: base, wanted: resolved, remote: .read(.note))
      #expect(decision.sent == ["owner": "17"])
    }
  }

  @Test func `a deferred reference causes neither a request nor a reading`() {
    let mine = LocalCopy.record(.note.with("owner", .pending(.record(key: "o1"))))
    let row = RecordCopy.note.showing(["made", "author", "title", "text", "memo"])
    for remote in [RemoteCopy.notRead, .read(.note), .listed(row)] {
      #expect(decide(wanted: mine, remote: remote, .listOnly) == .unchanged)
    }
  }

  @Test func `a deferred reference does not overwrite another reference at the destination`() {
    let mine = LocalCopy.record(.note.with("owner", .pending(.record(key: "o1"))))
    let found = RecordCopy.note.with("owner", "99")
    let base = RecordTriple.Base(local: mine, remote: found)
    let resolved = LocalCopy.record(.note.with("owner", "17"))
    let decision = decide(base: base, wanted: resolved, remote: .read(found))
    #expect(decision == .conflict(.bothChanged(["owner"])))
    let agreeing = LocalCopy.record(.note.with("owner", "99"))
    #expect(decide(base: base, wanted: agreeing, remote: .read(found)) == .adopt)
  }
}
