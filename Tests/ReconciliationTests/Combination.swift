import Reconciliation

/// One combination of everything that a decision depends on.
///
/// It is a class so that a walk over many of them copies nothing.
final class Combination {
  let agreement: Agreement
  let local: LocalState
  let remote: RemoteState
  let revisions: Revisions
  var intent = Intent.verify
  var capabilities: Capabilities = []
  let triple: RecordTriple
  let difference: Difference
  /// The destination's record, whatever it shows of it; `nil` where it has none, or nothing is known.
  let truth: RecordCopy?
  /// The remote copy, where the destination showed one.
  let shown: RecordCopy?
  /// The fields that the store changed; `nil` where there is no agreement.
  let localChanges: Set<String>?

  init(_ agreement: Agreement, _ local: LocalState, _ remote: RemoteState, _ revisions: Revisions) {
    self.agreement = agreement
    self.local = local
    self.remote = remote
    self.revisions = revisions
    let copies = Copies(agreement: agreement, local: local, remote: remote, revisions: revisions)
    triple = copies.triple
    difference = triple.difference(.notes)
    truth = copies.truth
    shown = copies.shown
    localChanges = copies.localChanges
  }

  /// What is decided about the combination, or about the same with another intent.
  func decision(_ other: Intent? = nil) -> Decision {
    triple.decide(other ?? intent, on: difference, .notes, capabilities)
  }

  /// What is decided where the destination says this about the lost request.
  func decision(with receipt: RecordTriple.Receipt) -> Decision {
    var triple = triple
    triple.receipt = receipt
    return triple.decide(intent, on: difference, .notes, capabilities)
  }

  /// What is decided where a request was refused while the destination had this.
  func decision(refusedOver copy: RecordCopy) -> Decision {
    var triple = triple
    triple.refused = RecordTriple.RefusedChanges(
      before: copy,
      sent: [triple.wanted.record].compactMap(\.self)
    )
    return triple.decide(intent, .notes, capabilities)
  }

  var description: String {
    "\(agreement) \(local) \(remote) revisions \(revisions) \(intent) \(capabilities.rawValue)"
  }

  var base: RecordTriple.Base? { triple.agreement }
  var isRow: Bool { remote.isRow }
  var isPartial: Bool { remote.isPartial }

  /// What both sides last agreed on.
  enum Agreement: CaseIterable {
    case none
    /// Both sides had the same.
    case agreed
    /// A conflict in `text` kept the remote.
    case keptRemote
    /// `owner` could not be sent yet.
    case deferred
    /// The store has again what was agreed on before other content was.
    case restored
    /// The same, and the app calls the row synced.
    case restoredAndSynced
    /// The same, and the app has seen the remote's last revision.
    case restoredAndSeen

    /// Whether the store's content is measured against the base.
    var isAgreed: Bool {
      switch self {
      case .none, .restored, .restoredAndSynced, .restoredAndSeen: false
      case .agreed, .keptRemote, .deferred: true
      }
    }

    var isOlderCopy: Bool { self != .none && !isAgreed }
  }

  /// What the store has now.
  enum LocalState: CaseIterable {
    case asAgreed, changedTitle, changedMemo, changedTitleAndMemo, deferredOwner, resolvedOwner
    case deleted
  }

  /// What the destination has now, and how it shows it.
  enum RemoteState: CaseIterable {
    case notRead, notListed, absent, unreadable, unchanged, changedText, changedTitle
    case sameChange
    /// A row of a list, which leaves `memo` out.
    case row, rowOfChangedTitle, rowOfChangedMemo
    /// The same of a record that was read alone.
    case partial, partialOfChangedTitle, partialOfChangedMemo
    case replaced, restoredContent, restoredRevision
  }

  /// Which copies show a revision.
  enum Revisions: CaseIterable {
    case always, singleReadsOnly, never
  }
}

extension Capabilities {
  static let every = (0..<32).map { Capabilities(rawValue: $0) }
}

extension Intent {
  /// One intent of each caller.
  static let ofEachCaller: [Intent] = [
    .plan(.fail), .precondition(.fail), .lookUp, .verify, .rollback,
  ]

  static let every =
    ConflictPolicy.allCases.flatMap { [Intent.plan($0), .precondition($0)] }
    + [.lookUp, .verify, .rollback]

  var policy: ConflictPolicy? {
    switch self {
    case .plan(let policy), .precondition(let policy): policy
    case .lookUp, .verify, .rollback: nil
    }
  }
}

// MARK: - The copies

/// The copies of a combination.
private struct Copies {
  let agreement: Combination.Agreement
  let local: Combination.LocalState
  let remote: Combination.RemoteState
  let revisions: Combination.Revisions

  /// The state of the record before a run of ours changed it.
  static let before = RecordCopy.note.with("title", "0")

  var triple: RecordTriple {
    RecordTriple(
      base: base,
      isOlderCopy: agreement.isOlderCopy,
      wanted: wanted,
      remote: remoteCopy,
      beforeImages: [Self.before],
      claim: claim
    )
  }

  var base: RecordTriple.Base? {
    let remote = RecordCopy.note.at(revision: revisions == .never ? nil : "2")
    return switch agreement {
    case .none: nil
    case .agreed, .restored, .restoredAndSynced, .restoredAndSeen: RecordTriple.Base(remote)
    case .keptRemote:
      RecordTriple.Base(local: .record(store), remote: remote, isKeptRemote: true)
    case .deferred: RecordTriple.Base(local: .record(store), remote: remote)
    }
  }

  private var claim: SyncClaim? {
    switch agreement {
    case .none, .agreed, .keptRemote, .deferred, .restored: nil
    case .restoredAndSynced: SyncClaim(state: .synced)
    case .restoredAndSeen: SyncClaim(state: .changed, lastSeen: .revision("2"))
    }
  }

  /// The store's record as it was agreed on.
  private var store: RecordCopy {
    switch agreement {
    case .none, .agreed, .restored, .restoredAndSynced, .restoredAndSeen: .note
    case .keptRemote: .note.with("text", "T")
    case .deferred: .note.with("owner", Self.pending)
    }
  }

  private static let pending = FieldValue.pending(.record(key: "o1"))

  var wanted: LocalCopy {
    switch local {
    case .asAgreed: .record(store)
    case .changedTitle: .record(store.with("title", "B"))
    case .changedMemo: .record(store.with("memo", "N"))
    case .changedTitleAndMemo: .record(store.with("title", "B").with("memo", "N"))
    case .deferredOwner: .record(store.with("owner", Self.pending))
    case .resolvedOwner: .record(store.with("owner", "17"))
    case .deleted: .absent(deletedAt: nil)
    }
  }

  var localChanges: Set<String>? {
    guard agreement.isAgreed else { return nil }
    return switch local {
    case .asAgreed: []
    case .changedTitle: ["title"]
    case .changedMemo: ["memo"]
    case .changedTitleAndMemo: ["title", "memo"]
    case .deferredOwner: agreement == .deferred ? [] : ["owner"]
    case .resolvedOwner: ["owner"]
    case .deleted: []
    }
  }

  var truth: RecordCopy? {
    let copy: RecordCopy?
    switch remote {
    case .absent: copy = nil
    case .notRead, .notListed, .unreadable, .unchanged, .row, .partial: copy = .note
    case .changedText: copy = .note.with("text", "Y").at(revision: "3")
    case .changedTitle, .rowOfChangedTitle, .partialOfChangedTitle:
      copy = .note.with("title", "C").at(revision: "3")
    case .rowOfChangedMemo, .partialOfChangedMemo:
      copy = .note.with("memo", "P").at(revision: "3")
    case .sameChange: copy = (wanted.record ?? .note).with("owner", .null).at(revision: "3")
    case .replaced: copy = RecordCopy(["made": "friday", "author": "bob"], revision: "2")
    case .restoredContent: copy = Self.before.at(revision: "4")
    case .restoredRevision: copy = .note.with("text", "old").at(revision: "1")
    }
    return revisions == .never ? copy?.at(revision: nil) : copy
  }

  var remoteCopy: RemoteCopy {
    switch (remote, truth) {
    case (.notRead, _): return .notRead
    case (.notListed, _): return .notListed
    case (.unreadable, _): return .unreadable(reason: "403")
    case (_, nil): return .absent
    case (_, let truth?):
      guard remote.isPartial else { return .read(truth) }
      guard remote.isRow else { return .read(truth.row) }
      return .listed(revisions == .always ? truth.row : truth.row.at(revision: nil))
    }
  }

  var shown: RecordCopy? {
    if case .present(let copy, _) = remoteCopy { copy } else { nil }
  }
}

extension Combination.RemoteState {
  /// Whether the destination shows a record.
  var shows: Bool {
    switch self {
    case .notRead, .notListed, .absent, .unreadable: false
    case .unchanged, .changedText, .changedTitle, .sameChange, .row, .rowOfChangedTitle,
      .rowOfChangedMemo, .partial, .partialOfChangedTitle, .partialOfChangedMemo, .replaced,
      .restoredContent, .restoredRevision:
      true
    }
  }

  var isRow: Bool {
    switch self {
    case .row, .rowOfChangedTitle, .rowOfChangedMemo: true
    case .notRead, .notListed, .absent, .unreadable, .unchanged, .changedText, .changedTitle,
      .sameChange, .partial, .partialOfChangedTitle, .partialOfChangedMemo, .replaced,
      .restoredContent, .restoredRevision:
      false
    }
  }

  var isPartial: Bool {
    switch self {
    case .partial, .partialOfChangedTitle, .partialOfChangedMemo: true
    case .notRead, .notListed, .absent, .unreadable, .unchanged, .changedText, .changedTitle,
      .sameChange, .row, .rowOfChangedTitle, .rowOfChangedMemo, .replaced, .restoredContent,
      .restoredRevision:
      isRow
    }
  }
}

extension Combination {
  /// Whether the destination went back to an older state, as far as anybody can see it.
  var isRestored: Bool {
    guard agreement != .none else { return false }
    return switch remote {
    case .restoredContent: true
    case .restoredRevision: revisions != .never
    case .notRead, .notListed, .absent, .unreadable, .unchanged, .changedText, .changedTitle,
      .sameChange, .row, .rowOfChangedTitle, .rowOfChangedMemo, .partial, .partialOfChangedTitle,
      .partialOfChangedMemo, .replaced:
      false
    }
  }

  /// Whether the remote copy itself shows a change since the agreement.
  var showsRemoteChange: Bool {
    guard let base, let shown else { return false }
    return ComparisonRules.notes.fields.contains { name in
      shown[name].map { $0 != base.remote[name] } ?? false
    }
  }
}

// MARK: - The destination

extension Combination {
  /// What a request leaves at the destination; `nil` where it refuses it, or the check before it does.
  func outcome(of update: Decision.Update) -> RecordCopy? {
    guard var record = truth, holds(update.precondition, of: record) else { return nil }
    if capabilities.contains(.replacesWhole) { record.fields = [:] }
    for (name, value) in update.fields { record.fields[name] = value }
    return revisions == .never ? record : record.at(revision: "9")
  }

  /// Whether a record is what a request expects: by the destination where it takes conditions, else by the
  /// check of what it shows.
  func holds(_ precondition: Precondition, of record: RecordCopy) -> Bool {
    switch precondition {
    case .nothing: return true
    case .revision(let revision):
      if capabilities.contains(.conditionalWrite) { return record.revision == revision }
      return shown?.revision == nil || shown?.revision == revision
    case .content(let names, let digest):
      let values = names.reduce(into: [String: FieldValue]()) { $0[$1] = record[$1] }
      return ComparisonRules.notes.digest(values) == digest
    }
  }
}
