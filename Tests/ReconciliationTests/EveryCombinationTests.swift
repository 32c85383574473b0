import Reconciliation
import Testing

/// Rules that hold for every combination of base, local change, remote, intent, policy and capabilities.
struct EveryCombinationTests {
  typealias Rule = (name: String, holds: @Sendable (Combination, Decision) -> Bool)

  // 001-40: every policy, in every combination with one state of the remote.
  @Test(arguments: Combination.RemoteState.allCases)
  func `every reconciliation rule holds in every combination`(remote: Combination.RemoteState) {
    var broken: [String: (count: Int, first: String)] = [:]
    forEachCombination(of: remote) { combination in
      let decision = combination.decision()
      for rule in Self.rules where !rule.holds(combination, decision) {
        let first = broken[rule.name]?.first ?? "\(combination.description) → \(decision)"
        broken[rule.name] = ((broken[rule.name]?.count ?? 0) + 1, first)
      }
    }
    for (name, found) in broken {
      Issue.record("\(name): \(found.count) times, first \(found.first)")
    }
  }

  @Test(arguments: Combination.RemoteState.allCases)
  func `a receipt decides look-ups and rollbacks, and changes no other decision`(
    remote: Combination.RemoteState
  ) {
    var broken: [String] = []
    forEachCombination(of: remote, Intent.ofEachCaller, [.usual, .listOnly]) { combination in
      let plain = combination.decision()
      let noted = combination.decision(with: .carriedOut)
      let notNoted = combination.decision(with: .notCarriedOut)
      let holds =
        switch combination.intent {
        case .lookUp: noted == .adopt && notNoted == (plain == .adopt ? .unchanged : plain)
        case .rollback: noted == .adopt && notNoted == plain
        case .plan, .precondition, .verify: noted == plain && notNoted == plain
        }
      if !holds { broken.append("\(combination.description): \(noted), \(notNoted)") }
    }
    #expect(broken.isEmpty, "\(broken.count), first \(broken.first ?? "")")
  }

  @Test(arguments: Combination.RemoteState.allCases)
  func `a refused request of which nothing was carried out changes no decision`(
    remote: Combination.RemoteState
  ) {
    var broken: [String] = []
    var count = 0
    forEachCombination(of: remote, Intent.every, [.usual, .listOnly]) { combination in
      guard let shown = combination.shown else { return }
      count += 1
      let decision = combination.decision(refusedOver: shown)
      if decision != combination.decision() {
        broken.append("\(combination.description): \(decision)")
      }
    }
    #expect((count > 0) == remote.shows)
    #expect(broken.isEmpty, "\(broken.count), first \(broken.first ?? "")")
  }

  @Test(arguments: Combination.RemoteState.allCases)
  func `a part of a refused request that was carried out lets the store win by policy alone`(
    remote: Combination.RemoteState
  ) {
    var broken: [String] = []
    var count = 0
    forEachCombination(of: remote, Intent.every, [.usual, .listOnly]) { combination in
      guard let shown = combination.shown, let changes = combination.localChanges,
        let policy = combination.intent.policy, policy != .local
      else { return }
      count += 1
      let decision = combination.decision(refusedOver: shown.with("title", "before"))
      guard case .update(let update) = decision else { return }
      let overwritten = update.fields.filter {
        !changes.contains($0.key) && $0.value != shown[$0.key]
      }
      if !overwritten.isEmpty { broken.append("\(combination.description): \(decision)") }
    }
    #expect((count > 0) == remote.shows)
    #expect(broken.isEmpty, "\(broken.count), first \(broken.first ?? "")")
  }

  private func forEachCombination(
    of remote: Combination.RemoteState,
    _ intents: [Intent] = Intent.every,
    _ capabilities: [Capabilities] = Capabilities.every,
    _ body: (Combination) -> Void
  ) {
    for agreement in Combination.Agreement.allCases {
      for local in Combination.LocalState.allCases {
        for revisions in Combination.Revisions.allCases {
          let combination = Combination(agreement, local, remote, revisions)
          for intent in intents {
            combination.intent = intent
            for capabilities in capabilities {
              combination.capabilities = capabilities
              body(combination)
            }
          }
        }
      }
    }
  }

  static let rules: [Rule] = callerRules + stateRules + requestRules + readingRules + effectRules

  // MARK: - Callers

  private static let callerRules: [Rule] = [
    (
      "verify sends nothing",
      { combination, decision in combination.intent != .verify || !decision.sends }
    ),
    (
      "look-up, verify and rollback ask no person and settle no conflict",
      { combination, decision in
        guard combination.intent.policy == nil else { return true }
        if case .ask = decision { return false }
        return decision != .keptRemote(.now) && decision != .remoteNewer
      }
    ),
    (
      "a precondition check decides as a plan does, but always reads",
      { combination, decision in
        guard case .precondition(let policy) = combination.intent else { return true }
        if combination.remote == .notRead { return decision == .readFirst }
        return decision == combination.decision(.plan(policy))
      }
    ),
    (
      "a person is asked only under ask",
      { combination, decision in
        if case .ask = decision { return combination.intent.policy == .ask }
        return combination.intent.policy != .ask || decision != .keptRemote(.now)
      }
    ),
    (
      "a conflict never keeps the remote under fail or local",
      { combination, decision in
        guard combination.intent.policy == .fail || combination.intent.policy == .local else {
          return true
        }
        return decision != .keptRemote(.now)
      }
    ),
    (
      "no policy matters where only the store changed",
      { combination, decision in
        guard let policy = combination.intent.policy, combination.agreement.isAgreed,
          combination.remote == .unchanged || combination.remote == .row
        else { return true }
        let isSure = combination.remote == .unchanged || combination.revisions == .always
        guard isSure || combination.local != .deleted else { return true }
        let other = combination.intent.with(policy == .fail ? .local : .fail)
        return decision == combination.decision(other)
      }
    ),
  ]

  // MARK: - States of the remote

  private static let stateRules: [Rule] = [
    (
      "a record under a reused ID is a conflict for every caller and policy",
      { combination, decision in
        guard combination.remote == .replaced,
          combination.agreement.isAgreed || combination.local != .deleted
        else { return true }
        return decision == .conflict(.replaced)
      }
    ),
    (
      "a restored state is a conflict, and never remote newer",
      { combination, decision in
        guard combination.isRestored else { return true }
        if combination.intent == .rollback {
          return !decision.sends && decision.writeBack != .replace
        }
        if case .conflict = decision { return true }
        return combination.intent == .lookUp && decision == .readFirst
      }
    ),
    (
      "a plan names a restored state as the reason",
      { combination, decision in
        guard combination.isRestored, combination.intent.policy != nil else { return true }
        return decision == .conflict(.restored)
      }
    ),
    (
      "an older copy of the store is sent only where the store wins",
      { combination, decision in
        guard combination.agreement.isOlderCopy, combination.agreement != .restoredAndSeen,
          combination.intent.policy != nil
        else { return true }
        return !decision.sends || combination.intent.policy == .local
      }
    ),
    (
      "an older copy of the store that the app calls synced asks no one and sends nothing",
      { combination, decision in
        guard combination.agreement == .restoredAndSynced, combination.intent.policy != nil,
          combination.shown != nil, combination.local != .deleted, combination.remote != .replaced
        else { return true }
        switch decision {
        case .remoteNewer, .adopt, .unchanged, .readFirst: return true
        case .conflict(let conflict): return conflict == .restored && combination.isRestored
        case .create, .update, .delete, .keptRemote, .skip, .ask: return false
        }
      }
    ),
    (
      "a plan names an older copy of the store as the reason, unless it cannot send or read anyway",
      { combination, decision in
        guard combination.agreement == .restored, combination.intent.policy != nil,
          combination.local != .deleted
        else { return true }
        switch decision {
        case .conflict(let conflict), .ask(let conflict):
          return conflict.isOfOlderCopy || combination.isRestored
        case .keptRemote: return combination.intent.policy?.mayKeepRemote == true
        case .adopt: return combination.difference.outstanding.isEmpty
        case .remoteNewer, .unchanged, .skip: return false
        case .create, .update, .delete, .readFirst: return true
        }
      }
    ),
    (
      "an unreadable record is a conflict",
      { combination, decision in
        combination.remote != .unreadable || decision == .conflict(.unreadable(reason: "403"))
      }
    ),
    (
      "a deleted record is never updated, and created only if no run knows it or the store wins",
      { combination, decision in
        guard combination.remote == .absent else { return true }
        switch decision {
        case .create:
          return combination.local != .deleted
            && (combination.agreement == .none || combination.intent.policy == .local
              || combination.base == nil && combination.intent == .lookUp)
        case .update, .delete, .adopt, .readFirst, .remoteNewer, .keptRemote, .skip: return false
        case .unchanged: return combination.local == .deleted
        case .ask(let conflict), .conflict(let conflict):
          return conflict == .remotelyDeleted || conflict == .deletedByThisRun
        }
      }
    ),
    (
      "a record that the destination has is never created",
      { combination, decision in combination.shown == nil || decision != .create }
    ),
    (
      "only a change of the remote's is remote newer, or what an older copy that is synced lacks",
      { combination, decision in
        guard decision == .remoteNewer, combination.agreement != .restoredAndSynced
        else { return true }
        return combination.truth.map { truth in
          ComparisonRules.notes.fields.contains { truth[$0] != RecordCopy.note[$0] }
        } ?? false
      }
    ),
    (
      "an earlier conflict is listed only where there was one and nothing changed since",
      { combination, decision in
        guard decision == .keptRemote(.earlier) else { return true }
        return combination.agreement == .keptRemote && !combination.showsRemoteChange
      }
    ),
    (
      "a record without a base is deleted by no one",
      { combination, decision in
        guard combination.agreement == .none, case .delete = decision else { return true }
        return false
      }
    ),
  ]

  // MARK: - Requests

  private static let requestRules: [Rule] = [
    (
      "no request is sent that the destination has no route for",
      { combination, decision in
        switch decision {
        case .update: combination.capabilities.contains(.update)
        case .delete: combination.capabilities.contains(.delete)
        case .create, .adopt, .unchanged, .readFirst, .remoteNewer, .keptRemote, .skip, .ask,
          .conflict:
          true
        }
      }
    ),
    (
      "a plan sends nothing of a record that the store did not change",
      { combination, decision in
        guard combination.intent.policy != nil, combination.localChanges == [],
          combination.local != .deleted
        else { return true }
        return !decision.sends || decision == .create
      }
    ),
    (
      "no request carries a reference that is not there yet",
      { _, decision in
        (decision.sent ?? [:]).values.allSatisfy { value in
          if case .pending = value { false } else { true }
        }
      }
    ),
    (
      "a PATCH carries only fields that the remote has with another value",
      { combination, decision in
        guard let sent = decision.sent, !combination.capabilities.contains(.replacesWhole),
          let shown = combination.shown
        else { return true }
        let proven = combination.provenToRollback(decision)
        return sent.allSatisfy { name, value in
          (shown[name] ?? proven?[name]).map { $0 != value } ?? false
        }
      }
    ),
    (
      "a PUT carries every field",
      { combination, decision in
        guard let sent = decision.sent, combination.capabilities.contains(.replacesWhole) else {
          return true
        }
        return Set(sent.keys) == ComparisonRules.notes.fields
      }
    ),
    (
      "a change to a field that the remote does not show is not sent",
      { combination, decision in
        guard let sent = decision.sent, let shown = combination.shown else { return true }
        return sent.allSatisfy { name, value in
          shown.shows(name) || value == combination.base?.remote[name]
            || combination.provenToRollback(decision) != nil
        }
      }
    ),
    (
      "a request is made on the revision that was read, else on what was read",
      { combination, decision in
        guard let precondition = decision.precondition, let shown = combination.shown else {
          return true
        }
        switch precondition {
        case .nothing: return false
        case .revision(let revision):
          return revision == shown.revision
            || shown.revision == nil && revision == combination.base?.remote.revision
              && combination.capabilities.contains(.conditionalWrite)
        case .content(let names, _):
          return shown.revision == nil
            && names == ComparisonRules.notes.fields.filter(shown.shows)
        }
      }
    ),
  ]

  // MARK: - Reading

  private static let readingRules: [Rule] = [
    (
      "a record is read first only where it can be read better than it was",
      { combination, decision in
        guard decision == .readFirst else { return true }
        return switch combination.remote {
        case .notRead: true
        case .notListed, .row, .rowOfChangedTitle, .rowOfChangedMemo:
          combination.capabilities.contains(.readOne)
        case .absent, .unreadable, .unchanged, .changedText, .changedTitle, .sameChange, .partial,
          .partialOfChangedTitle, .partialOfChangedMemo, .replaced, .restoredContent,
          .restoredRevision:
          false
        }
      }
    ),
    (
      "verify calls no record unchanged of which a field is not shown",
      { combination, decision in
        guard combination.intent == .verify, combination.isPartial,
          combination.local != .deleted
        else { return true }
        return decision != .unchanged && decision != .adopt
      }
    ),
    (
      "a local change to a field that is not shown is read for, or a conflict",
      { combination, decision in
        guard combination.intent.policy != nil, combination.isPartial,
          combination.localChanges?.contains("memo") == true
        else { return true }
        if combination.isRow, combination.capabilities.contains(.readOne) {
          return decision == .readFirst
        }
        return decision == .conflict(.fieldNotListed(["memo"]))
      }
    ),
  ]

  // MARK: - Effects

  private static let effectRules: [Rule] = [
    (
      "a request overwrites a change of the remote's only by policy",
      { combination, decision in
        guard case .update(let update) = decision, let base = combination.base,
          let truth = combination.truth, combination.intent.policy != .local,
          let after = combination.outcome(of: update)
        else { return true }
        return ComparisonRules.notes.fields.allSatisfy { name in
          truth[name] == base.remote[name] || after[name] == truth[name]
        }
      }
    ),
    (
      "a plan's request changes only what the store changed",
      { combination, decision in
        guard case .update(let update) = decision, let truth = combination.truth,
          let policy = combination.intent.policy, policy != .local,
          let changes = combination.localChanges, let after = combination.outcome(of: update)
        else { return true }
        return ComparisonRules.notes.fields.allSatisfy { name in
          changes.contains(name) || after[name] == truth[name]
        }
      }
    ),
    (
      "a deletion removes a change of the remote's only by policy",
      { combination, decision in
        guard case .delete(let precondition) = decision, combination.intent.policy != .local,
          let base = combination.base, let truth = combination.truth,
          combination.remote != .notRead, combination.holds(precondition, of: truth)
        else { return true }
        return ComparisonRules.notes.fields.allSatisfy { truth[$0] == base.remote[$0] }
      }
    ),
    (
      "a record that was sent or settled is not sent again by the next plan",
      { combination, decision in
        guard combination.intent.policy != nil, combination.local != .deleted,
          let next = combination.next(after: decision)
        else { return true }
        let again = next.decide(.plan(.local), .notes, combination.capabilities)
        return !again.sends
      }
    ),
  ]
}

extension ConflictPolicy {
  fileprivate var mayKeepRemote: Bool {
    switch self {
    case .remote, .newest, .merge: true
    case .local, .ask, .fail: false
    }
  }
}

extension Conflict {
  /// Whether it is that of an older copy of the store, or one that no copy of the store could avoid.
  fileprivate var isOfOlderCopy: Bool {
    switch self {
    case .localRestored, .remotelyDeleted, .replaced, .fieldNotListed, .recordNotListed,
      .unreadable, .noRoute, .createOnly:
      true
    case .bothChanged, .withoutBase, .deletedLocally, .remotelyChanged, .stillPresent, .restored,
      .deferred, .deletedByThisRun:
      false
    }
  }
}

extension Intent {
  fileprivate func with(_ policy: ConflictPolicy) -> Intent {
    switch self {
    case .plan: .plan(policy)
    case .precondition: .precondition(policy)
    case .lookUp, .verify, .rollback: self
    }
  }
}

extension Combination {
  /// What the run left, where a rollback sends it on the condition that the revision is still the run's.
  fileprivate func provenToRollback(_ decision: Decision) -> RecordCopy? {
    guard intent == .rollback, let left = base?.remote, let revision = left.revision,
      decision.precondition == .revision(revision)
    else { return nil }
    return left
  }

  /// The question that the next plan asks, once a decision is carried out and written down; `nil`
  /// where nothing is written down.
  fileprivate func next(after decision: Decision) -> RecordTriple? {
    switch decision {
    case .update(let update):
      guard let after = outcome(of: update) else { return nil }
      return next(after, isKeptRemote: false)
    case .adopt: return shown.flatMap { next($0, isKeptRemote: false) }
    case .keptRemote: return shown.flatMap { next($0, isKeptRemote: true) }
    case .unchanged, .create, .delete, .readFirst, .remoteNewer, .skip, .ask, .conflict:
      return nil
    }
  }

  private func next(_ known: RecordCopy, isKeptRemote: Bool) -> RecordTriple {
    let base = RecordTriple.Base(local: triple.wanted, remote: known, isKeptRemote: isKeptRemote)
    return RecordTriple(base: base, wanted: triple.wanted, remote: .read(known))
  }
}
