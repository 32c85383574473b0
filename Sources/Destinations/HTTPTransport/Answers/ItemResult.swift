package import UploadPlanning

/// What came of one request about one item.
package enum ItemResult {
  case outcome(ItemOutcome)
  /// Holds for this item and for all that would follow.
  case whole(BatchAnswer.Whole, pause: Duration?)
  /// The same, where the reason may be this very item: it was put off or lost.
  case own(BatchAnswer)

  /// The same of a request that was about this item alone.
  package init(
    _ exchange: Exchange,
    faulty: (_ status: Int, _ reason: String) -> ItemOutcome? = { _, _ in nil }
  ) {
    let own: (whole: BatchAnswer.Whole, pause: Duration?)? =
      switch exchange.meaning {
      case .later(let pause, let reason) where exchange.status == 503:
        (.deferred(reason: reason), pause)
      case .unknown(let pause, let reason) where exchange.status.map { $0 >= 500 } ?? true:
        (.unknown(reason: reason), pause)
      default: nil
      }
    guard let own else {
      self.init(exchange.meaning, faulty: faulty)
      return
    }
    self = .own(
      BatchAnswer(
        whole: own.whole,
        pause: own.pause,
        mayLieInOne: true,
        isUnanswered: exchange.status == nil
      )
    )
  }

  /// What an answer means when it is not the success that only the caller can read.
  ///
  /// `faulty` says what a status says about this item in particular, if anything.
  package init(
    _ meaning: Meaning,
    faulty: (_ status: Int, _ reason: String) -> ItemOutcome? = { _, _ in nil }
  ) {
    switch meaning {
    case .done: self = .outcome(.unknown(reason: "the answer is not about this record"))
    case .unfit(let reason):
      self = .outcome(.rejected(code: "identity.unfit", reason: reason))
    case .faulty(let status, _, let reason):
      self = .outcome(
        faulty(status, reason) ?? .rejected(code: "http.\(status)", reason: reason)
      )
    case .refused(let error): self = .whole(.refused(reason: "\(error)"), pause: nil)
    case .neverSent(let reason): self = .whole(.deferred(reason: reason), pause: nil)
    case .later(let pause, let reason): self = .whole(.deferred(reason: reason), pause: pause)
    case .unknown(nil, let reason): self = .outcome(.unknown(reason: reason))
    case .unknown(let pause?, let reason): self = .whole(.unknown(reason: reason), pause: pause)
    }
  }
}

extension ItemResult {
  /// An operation without the identity that its route needs: nothing is sent.
  package static var withoutIdentity: ItemResult {
    .outcome(
      .rejected(
        code: "identity.unknown",
        reason: "the record's identity at the destination is not known"
      )
    )
  }

  /// The same, where an unknown fate is safe to try again.
  package var repeatable: ItemResult {
    guard case .outcome(.unknown(let reason)) = self else { return self }
    return .outcome(.deferred(reason: reason))
  }
}
