import Records
import Testing
import UploadPlanning

/// What a plan decides about a record of which the app's own store says something.
struct ClaimDecisionTests {
  private func decide(
    _ meaning: SourceClaim.Meaning?,
    isDeleted: Bool = false,
    serverID: String? = "srv",
    known: KnownRecord? = nil,
    at counterpart: Counterpart,
    holds: Bool? = nil,
    policy: ConflictPolicy = .fail
  ) -> PlanDecision {
    PlanDecision(
      known: known,
      wire: .sample(1),
      counterpart: counterpart,
      policy: policy,
      claim: SourceClaim(
        meaning: meaning,
        isDeleted: isDeleted,
        serverID: serverID,
        base: .version("3")
      ),
      holds: holds
    )
  }

  private func known(_ serverID: String?) -> KnownRecord {
    KnownRecord(
      serverID: serverID,
      version: "3",
      content: .sample(2),
      wire: .sample(2),
      generation: 1
    )
  }

  private static let same = Counterpart.same(serverID: "srv", version: "7")
  private static let other = Counterpart.different(serverID: "srv", version: "7")

  @Test(arguments: SourceClaim.Meaning.allCases.filter { $0 != .ignore && $0 != .delete })
  func `an identity of the server is never made again`(meaning: SourceClaim.Meaning) {
    for counterpart in [Self.same, Self.other, .absent, .unlisted, .notAsked] {
      for policy in ConflictPolicy.allCases {
        let decision = decide(meaning, at: counterpart, policy: policy)
        #expect(decision != .create, "\(counterpart)")
      }
    }
  }

  @Test func `a record that the list does not show is a conflict`() {
    #expect(decide(.update, at: .unlisted) == .conflict(reason: PlanDecision.unlisted))
    #expect(
      decide(.synced, known: known("srv"), at: .unlisted)
        == .conflict(reason: PlanDecision.unlisted)
    )
  }

  // 001-6.
  @Test func `what is gone at the destination is a conflict`() {
    #expect(
      decide(.update, at: .absent) == .conflict(reason: "it was deleted at the destination")
    )
  }

  @Test func `what this checkpoint's runs removed is made again`() {
    #expect(decide(.update, known: known(nil), at: .absent) == .create)
  }

  @Test func `a change is sent where the destination still has what the app saw`() {
    #expect(
      decide(.update, at: Self.other, holds: true) == .update(serverID: "srv", version: "7")
    )
    #expect(decide(.update, at: .notAsked) == .update(serverID: "srv", version: "3"))
  }

  @Test(arguments: [false, nil] as [Bool?])
  func `moved, or without telling, the policy decides`(holds: Bool?) {
    guard case .conflict = decide(.update, at: Self.other, holds: holds) else {
      Issue.record("no conflict")
      return
    }
    let local = decide(.update, at: Self.other, holds: holds, policy: .local)
    #expect(local == .update(serverID: "srv", version: "7"))
  }

  @Test func `a conflict that the app knew of is one, whatever the version`() {
    guard case .conflict = decide(.conflict, at: Self.other, holds: true) else {
      Issue.record("no conflict")
      return
    }
  }

  // 000-10, 000-20.
  @Test func `synced records leave the destination's own change`() {
    #expect(decide(.synced, at: Self.other) == .trail(serverID: "srv", version: "3"))
    #expect(decide(.synced, known: known("srv"), at: Self.other) == .unchanged)
    #expect(decide(.synced, at: Self.same) == .adopt(serverID: "srv", version: "7"))
  }

  @Test func `a deletion is planned, left, or contested`() {
    #expect(decide(.delete, isDeleted: true, serverID: nil, at: .absent) == .leave(.neverSent))
    #expect(decide(.delete, isDeleted: true, at: .absent) == .leave(.alreadyGone))
    #expect(
      decide(.delete, isDeleted: true, known: known(nil), at: .notAsked) == .leave(.alreadyGone)
    )
    #expect(
      decide(.delete, isDeleted: true, at: Self.same) == .delete(serverID: "srv", version: "7")
    )
    #expect(
      decide(.delete, isDeleted: true, at: Self.other, holds: true)
        == .delete(serverID: "srv", version: "7")
    )
    guard case .conflict = decide(.delete, isDeleted: true, at: Self.other, holds: false) else {
      Issue.record("no conflict")
      return
    }
  }

  @Test(arguments: [false, true])
  func `a version in the store does not win over what a run agreed on`(isDeleted: Bool) {
    let stale = decide(
      isDeleted ? .delete : .update,
      isDeleted: isDeleted,
      known: known("srv"),
      at: Self.other,
      holds: true
    )
    guard case .conflict = stale else {
      Issue.record("no conflict: \(stale)")
      return
    }
  }

  @Test func `what is not for the server is left`() {
    #expect(decide(.ignore, at: .absent) == .leave(.ignored))
  }

  @Test func `a claim that says nothing changes nothing`() {
    for counterpart in [Self.same, Self.other, .absent, .unlisted, .notAsked] {
      for policy in ConflictPolicy.allCases {
        for known in [nil, known("srv"), known(nil)] {
          let plain = PlanDecision(
            known: known,
            wire: .sample(1),
            counterpart: counterpart,
            policy: policy
          )
          let claimed = PlanDecision(
            known: known,
            wire: .sample(1),
            counterpart: counterpart,
            policy: policy,
            claim: .none,
            holds: nil
          )
          #expect(plain == claimed)
        }
      }
    }
  }
}
