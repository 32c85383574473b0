import Records
import Testing
import UploadPlanning

struct PlanDecisionTests {
  /// One row of the table that ``PlanDecision`` is documented by.
  struct Line: Sendable {
    let isKnown: Bool
    /// `nil` where it makes no difference.
    let isChanged: Bool?
    let counterparts: [Counterpart]
    let decision: @Sendable (Counterpart, ConflictPolicy) -> PlanDecision?
  }

  static let same = Counterpart.same(serverID: "there", version: "7")
  static let kept = Counterpart.different(serverID: "there", version: "1")
  static let untold = Counterpart.different(serverID: "there", version: nil)
  static let moved = Counterpart.different(serverID: "there", version: "7")

  static let lines: [Line] = [
    Line(isKnown: false, isChanged: nil, counterparts: [.notAsked, .absent]) { _, _ in .create },
    Line(isKnown: false, isChanged: nil, counterparts: [same]) { _, _ in
      .adopt(serverID: "there", version: "7")
    },
    Line(isKnown: false, isChanged: nil, counterparts: [kept, moved], decision: byPolicy),
    Line(isKnown: true, isChanged: false, counterparts: [.notAsked, same]) { _, _ in .unchanged },
    Line(isKnown: true, isChanged: false, counterparts: [kept, untold, moved]) { _, _ in .unchanged
    },
    Line(isKnown: true, isChanged: nil, counterparts: [.absent]) { _, _ in
      .conflict(reason: "it was deleted at the destination")
    },
    Line(isKnown: true, isChanged: nil, counterparts: [.unlisted]) { _, _ in
      .conflict(reason: PlanDecision.unlisted)
    },
    Line(isKnown: true, isChanged: true, counterparts: [.notAsked]) { _, _ in
      .update(serverID: "known", version: "1")
    },
    Line(isKnown: true, isChanged: true, counterparts: [same]) { _, _ in
      .adopt(serverID: "there", version: "7")
    },
    Line(isKnown: true, isChanged: true, counterparts: [kept, untold]) { _, _ in
      .update(serverID: "there", version: "1")
    },
    Line(isKnown: true, isChanged: true, counterparts: [moved], decision: byPolicy),
  ]

  /// What a policy says of a contested record; `nil` for the cases that carry only a reason.
  @Sendable static func byPolicy(
    _ counterpart: Counterpart,
    _ policy: ConflictPolicy
  ) -> PlanDecision? {
    guard policy == .local, case .different(let serverID, let version) = counterpart else {
      return nil
    }
    return .update(serverID: serverID, version: version)
  }

  // 000-34, 001-37, 001-40.
  @Test(arguments: lines.indices)
  func `every row of the table is decided as it says`(index: Int) {
    let line = Self.lines[index]
    for isChanged in line.isChanged.map({ [$0] }) ?? [true, false] {
      for counterpart in line.counterparts {
        for policy in ConflictPolicy.allCases {
          let decision = PlanDecision(
            known: line.isKnown ? known(serverID: "known") : nil,
            wire: .sample(isChanged ? 2 : 1),
            counterpart: counterpart,
            policy: policy
          )
          if let expected = line.decision(counterpart, policy) {
            #expect(decision == expected)
          } else {
            expectContested(decision, policy: policy, counterpart: counterpart)
          }
        }
      }
    }
  }

  @Test func `a record whose creation was undone is created again`() {
    let decision = PlanDecision(
      known: known(serverID: nil),
      wire: .sample(1),
      counterpart: .notAsked,
      policy: .fail
    )
    #expect(decision == .create)
  }

  private func known(serverID: String?) -> KnownRecord {
    KnownRecord(
      serverID: serverID,
      version: "1",
      content: .sample(1),
      wire: .sample(1),
      generation: 1
    )
  }

  private func expectContested(
    _ decision: PlanDecision,
    policy: ConflictPolicy,
    counterpart: Counterpart
  ) {
    switch (policy, decision) {
    case (.fail, .conflict): break
    case (.newest, .contested(let serverID, let version, _)),
      (.merge, .contested(let serverID, let version, _)),
      (.ask, .contested(let serverID, let version, _)):
      #expect(counterpart == .different(serverID: serverID, version: version))
    case (.server, .yield(let serverID, let version, _)):
      #expect(counterpart == .different(serverID: serverID, version: version))
    default: Issue.record("\(policy) decided \(decision)")
    }
  }
}
