/// What became of one item of a request.
package enum ItemOutcome: Hashable, Sendable {
  /// The destination has it, under this identity and version.
  case stored(serverID: String, version: String?)
  /// The destination carried it out and gave the record an identity of its own, although the
  /// request chose one; `nil` where the answer does not say which.
  case displaced(serverID: String?, version: String?, reason: String)
  /// The destination had the very same before this was sent: it is no one's of this run.
  case adopted(serverID: String, version: String?)
  /// The destination has a place for it, under this identity, and does not count it yet: once that is
  /// written down, it is sent again with this identity and version.
  case staged(serverID: String, version: String?)
  /// The destination no longer has it.
  case removed
  /// The destination read it and refused it; sending it again would give the same answer.
  case rejected(code: String, reason: String)
  /// A record of this identity is there already (create with a client-chosen identity).
  case exists
  /// The record is not at the version it was expected to be.
  case conflicted(reason: String)
  /// There is no record of this identity (update or delete).
  case missing
  /// Not carried out; may succeed later.
  case deferred(reason: String)
  /// The destination carried it out, and the answer does not say which record it made.
  case unnamed(reason: String)
  /// Sent, and that is unknown.
  case unknown(reason: String)

  /// The code of a record that the destination made, as it answered, and that a look-up does not find.
  package static let unnamed = "upload.unnamed"
}

/// What became of a request as a whole.
package struct BatchAnswer: Sendable {
  /// What holds for every item that `outcomes` does not name.
  package enum Whole: Hashable, Sendable {
    /// The request was answered item by item; an item without an outcome is unknown.
    case answered
    /// Not carried out: the request never left, or the destination said so (429, 503 before work).
    case deferred(reason: String)
    /// Too large, or refused as a whole for a reason that may lie in one item only.
    case splittable(reason: String)
    /// Sent, and that is unknown.
    case unknown(reason: String)
    /// The destination will not serve this account: sign-in, rights, quota, wrong environment.
    case refused(reason: String)
  }

  package let whole: Whole
  package let outcomes: [Int64: ItemOutcome]
  /// How long the destination asks not to be spoken to, all requests included.
  package let pause: Duration?
  /// Whether a request that was put off or lost may have been so for what is in it: some servers answer
  /// 503 or 500 for ever to what they cannot store, or close the connection.
  package let mayLieInOne: Bool
  /// Whether there was no answer at all, as from a destination that is down.
  package let isUnanswered: Bool
  /// What was said to single items, each in a request or an answer of its own, that may have been put
  /// off or lost for their own sake.
  package let singles: [Int64: BatchAnswer]

  package init(
    whole: Whole = .answered,
    outcomes: [Int64: ItemOutcome] = [:],
    pause: Duration? = nil,
    mayLieInOne: Bool = false,
    isUnanswered: Bool = false,
    singles: [Int64: BatchAnswer] = [:]
  ) {
    self.singles = singles
    self.mayLieInOne = mayLieInOne
    self.isUnanswered = isUnanswered
    self.whole = whole
    self.outcomes = outcomes
    self.pause = pause
  }
}

extension BatchAnswer {
  /// The same with the outcomes of items that were not sent.
  package func adding(_ unsent: [Int64: ItemOutcome]) -> BatchAnswer {
    BatchAnswer(
      whole: whole,
      outcomes: outcomes.merging(unsent) { $1 },
      pause: pause,
      mayLieInOne: mayLieInOne,
      isUnanswered: isUnanswered,
      singles: singles
    )
  }

  /// The pause of a destination that is not to be asked again, and names no time: a year, which is as good
  /// as for ever.
  package static var unstatedPause: Duration { .seconds(31_536_000) }
}

extension BatchAnswer.Whole {
  /// What this says about an item that has no outcome of its own.
  var outcomeForAll: ItemOutcome {
    switch self {
    case .answered: .unknown(reason: "the answer does not name it")
    case .deferred(let reason): .deferred(reason: reason)
    case .splittable(let reason): .rejected(code: "destination.refused", reason: reason)
    case .unknown(let reason): .unknown(reason: reason)
    case .refused(let reason): .deferred(reason: reason)
    }
  }
}

extension BatchAnswer {
  /// Whether the destination carried anything out; what is refused may have been refused on this side.
  var carriedAnyOut: Bool {
    guard whole == .answered else { return false }
    return outcomes.values.contains { outcome in
      switch outcome {
      case .stored, .displaced, .adopted, .staged, .removed, .exists, .missing, .unnamed: true
      case .rejected, .conflicted, .deferred, .unknown: false
      }
    }
  }
}
