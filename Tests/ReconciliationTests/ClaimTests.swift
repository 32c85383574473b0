import Reconciliation
import Testing

/// What the app's own store says about a record counts only where no run knows it.
struct ClaimTests {
  private let mine = LocalCopy.record(.note.with("title", "B"))
  private let moved = RecordCopy.note.at(revision: "3")

  private func decide(
    _ state: SyncClaim.State,
    seen: String? = "2",
    policy: ConflictPolicy = .fail,
    base: RecordTriple.Base? = nil,
    wanted: LocalCopy? = nil,
    remote: RemoteCopy
  ) -> Decision {
    ReconciliationTests.decide(
      .plan(policy),
      base: base,
      wanted: wanted ?? mine,
      remote: remote,
      claim: SyncClaim(
        state: state,
        lastSeen: seen.map { .revision($0) },
        hasRemoteID: true
      )
    )
  }

  @Test(arguments: SyncClaim.State.allCases)
  func `a record that has a remote ID is not created again`(
    state: SyncClaim.State
  ) {
    for policy in ConflictPolicy.allCases where policy != .local {
      for remote in [RemoteCopy.notRead, .notListed, .absent, .read(.note), .read(moved)] {
        #expect(decide(state, policy: policy, remote: remote) != .create)
      }
    }
  }

  @Test func `a change is sent if the remote is as the app last saw it`() {
    #expect(decide(.changed, remote: .read(.note)).sent == ["title": "B"])
    #expect(decide(.changed, remote: .read(moved)) == .conflict(.withoutBase(["title"])))
    #expect(decide(.changed, seen: nil, remote: .read(.note)) == .conflict(.withoutBase(["title"])))
  }

  @Test func `a record that the app calls synced follows the remote`() {
    #expect(decide(.synced, remote: .read(.note)) == .adopt)
    #expect(decide(.synced, remote: .read(moved)) == .remoteNewer)
    #expect(decide(.synced, seen: nil, remote: .read(moved)) == .remoteNewer)
  }

  @Test func `a conflict that the app saw is one, regardless of the revision`() {
    #expect(decide(.conflicted, remote: .read(.note)) == .conflict(.withoutBase(["title"])))
  }

  @Test func `a revision older than the app last saw is a restored state`() {
    #expect(decide(.synced, seen: "3", remote: .read(.note)) == .conflict(.restored))
  }

  @Test func `an older copy of the store that the app calls synced follows the remote`() {
    let claim = SyncClaim(state: .synced, lastSeen: .revision("1"))
    let decision = ReconciliationTests.decide(
      isOlderCopy: true,
      wanted: mine,
      remote: .read(.note),
      claim: claim
    )
    #expect(decision == .remoteNewer)
  }

  @Test(arguments: [("2", true), ("1", false)])
  func `a row as it was earlier is a change where the app has seen the remote's revision`(
    seen: String,
    sends: Bool
  ) {
    let claim = SyncClaim(state: .changed, lastSeen: .revision(seen))
    let decision = ReconciliationTests.decide(
      isOlderCopy: true,
      wanted: mine,
      remote: .read(.note),
      claim: claim
    )
    #expect(decision.sends == sends)
    #expect(sends || decision == .conflict(.localRestored))
  }

  @Test func `an older copy of the store that the app calls conflicted is one`() {
    let decision = ReconciliationTests.decide(
      isOlderCopy: true,
      wanted: mine,
      remote: .read(.note),
      claim: SyncClaim(state: .conflicted, lastSeen: .revision("2"))
    )
    #expect(decision == .conflict(.localRestored))
  }

  @Test(arguments: [(4, false), (5, true), (6, true)] as [(Int64, Bool)])
  func `a remote that is not later than the app last saw is unchanged`(seen: Int64, sends: Bool) {
    let decision = ReconciliationTests.decide(
      base: nil,
      wanted: mine,
      remote: .read(.note.modified(at: 5)),
      claim: SyncClaim(state: .changed, lastSeen: .modifiedAt(seen), hasRemoteID: true)
    )
    #expect(decision.sends == sends)
  }

  @Test func `a claimed record without a remote ID is created`() {
    let claim = SyncClaim(state: .neverSynced)
    for remote in [RemoteCopy.absent, .notRead, .notListed] {
      let decision = ReconciliationTests.decide(
        base: nil,
        wanted: mine,
        remote: remote,
        claim: claim
      )
      #expect(decision == .create)
    }
    #expect(decide(.changed, remote: .notRead) == .readFirst)
    #expect(decide(.changed, remote: .notListed) == .readFirst)
    #expect(decide(.changed, remote: .absent) == .conflict(.remotelyDeleted))
  }

  @Test func `a deletion is sent if the remote is as the app last saw it`() {
    #expect(decide(.changed, wanted: .deleted, remote: .read(.note)) == .delete(.revision("2")))
    #expect(decide(.changed, wanted: .deleted, remote: .read(moved)).sends == false)
  }

  @Test func `a record that was never synced does not win by its date`() {
    let mine = LocalCopy.record(.note.with("title", "B").modified(at: 9))
    let theirs = RemoteCopy.read(.note.modified(at: 1))
    let decision = decide(.neverSynced, seen: nil, policy: .newest, wanted: mine, remote: theirs)
    #expect(decision == .keptRemote(.now))
  }

  @Test(arguments: SyncClaim.State.allCases)
  func `a base takes precedence over the app's claim`(state: SyncClaim.State) {
    for policy in ConflictPolicy.allCases {
      for remote in [RemoteCopy.notRead, .absent, .read(.note), .read(moved)] {
        let claimed = decide(state, seen: "9", policy: policy, base: .init(.note), remote: remote)
        let plain = ReconciliationTests.decide(.plan(policy), wanted: mine, remote: remote)
        #expect(claimed == plain)
      }
    }
  }
}
