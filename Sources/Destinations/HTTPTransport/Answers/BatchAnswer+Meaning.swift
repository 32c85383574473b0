package import DestinationModel
package import Profiles
package import UploadPlanning

extension BatchAnswer {
  /// What an answer means for a batch when it is not the success that only the caller can read.
  package static func answer(
    _ exchange: Exchange,
    for items: [OutgoingBatch.Item],
    route: Route
  ) -> BatchAnswer {
    let status = exchange.status
    switch exchange.meaning {
    case .done: return BatchAnswer(whole: .unknown(reason: "the answer has another form"))
    case .unfit(let reason):
      return faulty(items, code: "identity.unfit", reason: reason)
    case .faulty(let said, _, let reason) where [404, 405, 410].contains(status ?? said):
      return .refused("\(route) is not there: \(reason)")
    case .faulty(let status, _, let reason):
      return faulty(items, code: "http.\(status)", reason: reason)
    case .refused(let error): return .refused("\(error)")
    case .neverSent(let reason): return BatchAnswer(whole: .deferred(reason: reason))
    case .later(let pause, let reason):
      return BatchAnswer(
        whole: .deferred(reason: reason),
        pause: pause,
        mayLieInOne: status == 503
      )
    case .unknown(let pause, let reason):
      return BatchAnswer(
        whole: .unknown(reason: reason),
        pause: pause,
        mayLieInOne: status.map { $0 >= 500 } ?? true,
        isUnanswered: status == nil
      )
    }
  }

  /// Nothing was sent: a request takes fewer items.
  package static func tooMany(_ items: [OutgoingBatch.Item], limit: Int) -> BatchAnswer {
    BatchAnswer(whole: .splittable(reason: "\(items.count) items, and \(limit) are the limit"))
  }

  /// A refusal of the whole is the item's own when there is only one.
  package static func faulty(
    _ items: [OutgoingBatch.Item],
    code: String,
    reason: String
  ) -> BatchAnswer {
    guard items.count == 1 else { return BatchAnswer(whole: .splittable(reason: reason)) }
    return BatchAnswer(outcomes: [items[0].operation: .rejected(code: code, reason: reason)])
  }
}
