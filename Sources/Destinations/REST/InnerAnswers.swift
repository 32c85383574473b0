import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import Records
import Synchronization
import UploadPlanning

/// The answer to one of the requests that went together in one.
struct InnerAnswer: Hashable {
  /// The status; of an answer that has none, 200 for a success and 400 for a refusal.
  let status: Int
  /// The path of its request, where it names that.
  let path: String?
  /// The number of its request, where it names that.
  let number: Int?
  let headers: JSONObject
  /// `nil` for an answer without a body, and for `null`.
  let body: JSONValue?

  init(status: Int, body: JSONValue?) {
    self.status = status
    self.body = body
    (path, number, headers) = (nil, nil, JSONObject())
  }

  /// Gives `nil` where it does not say what became of its request.
  init?(_ response: JSONValue, _ parts: RequestBatch.AnswerParts) {
    path = response.value(at: parts.path)?.text
    number = parts.id.flatMap { response.value(at: $0)?.shortText }.flatMap { Int($0) }
    headers = response.value(at: parts.headers)?.object ?? JSONObject()
    let status = Self.status(response.value(at: parts.status))
    if let success = parts.success.flatMap({ response.value(at: $0) }) {
      (self.status, body) = (status ?? 200, success)
    } else if let error = parts.error.flatMap({ response.value(at: $0) }) {
      (self.status, body) = (status ?? 400, error)
    } else {
      guard let status else { return nil }
      let body = response.value(at: parts.body)
      (self.status, self.body) = (status, body?.isNull == true ? nil : body)
    }
  }

  /// A status as a number; some write it as text.
  static func status(_ value: JSONValue?) -> Int? {
    (value?.integer).map { Int($0) } ?? value?.text.flatMap { Int($0) }
  }
}

/// The answers to the requests that went together in one, each beside the item it is for.
///
/// | an answer | is the item's |
/// |---|---|
/// | names a path, or the number of a request | whose request had it |
/// | has a row, or a body, with an identity | whose identity it is, in this spelling or else in another, where the client chose it |
/// | names nothing | that is left, when one is left or all that are left were answered the same |
///
/// Its place among the others says something only where the profile says that the answers are in order. An
/// item that is named twice, or not at all, has none.
struct InnerAnswers {
  /// In the order of the items.
  let ofItems: [InnerAnswer?]

  /// Gives `nil` where the answers are not those to the requests: another count, one without a
  /// status, or one for something that was not asked for.
  ///
  /// The one answer to one request that names no path is its, whatever identity it has.
  ///
  /// - Parameters:
  ///   - answer: The answer to the request that had them all.
  ///   - batch: Where the answers are in it, and what their parts are called.
  ///   - paths: The items' paths, in their order.
  ///   - ids: The identities that the client chose, in the same order; empty where it did not.
  ///   - row: Where the body of an answer has the row.
  ///   - id: The identity of a row; `nil` for a row without one.
  init?(
    _ answer: AnswerBody?,
    _ batch: RequestBatch,
    _ paths: [String],
    _ ids: [String],
    _ row: MemberPath,
    _ id: (JSONValue) -> String?
  ) {
    let responses = answer?.value.value(at: batch.responses)?.array ?? []
    let answers = responses.compactMap { InnerAnswer($0, batch.answerParts) }
    guard answers.count == paths.count, responses.count == paths.count else { return nil }
    let places = Self.places(paths)
    let owners = Self.places(ids)
    let spelled = Self.spellings(ids)
    var found: [Int: [InnerAnswer]] = [:]
    var nameless: [InnerAnswer] = []
    for (order, response) in answers.enumerated() {
      let body = response.body
      let name = body?.value(at: row).flatMap(id) ?? body.flatMap(id)
      let named = name.flatMap { owners[JSONName($0)] ?? spelled[$0.identitySpelling] }
      if batch.isInOrder {
        guard named ?? order == order else { return nil }
        found[order] = [response]
      } else if let number = response.number {
        guard paths.indices.contains(number) else { return nil }
        found[number, default: []].append(response)
      } else if let path = response.path {
        guard let place = places[JSONName(path)] else { return nil }
        found[place, default: []].append(response)
      } else if !ids.isEmpty, name != nil {
        guard let place = named ?? (paths.count == 1 ? 0 : nil) else { return nil }
        found[place, default: []].append(response)
      } else {
        nameless.append(response)
      }
    }
    let isAnyOrder = nameless.allSatisfy { $0 == nameless.first }
    let left = paths.indices.filter { found[$0] == nil }
    let common = isAnyOrder && left.count == nameless.count ? nameless.first : nil
    ofItems = paths.indices.map { place in
      guard let own = found[place] else { return common }
      return own.count == 1 ? own[0] : nil
    }
  }

  /// The places of identities by what their spellings have in common, as far as one has it alone.
  private static func spellings(_ ids: [String]) -> [String: Int] {
    Dictionary(grouping: ids.indices) { ids[$0].identitySpelling }
      .compactMapValues { $0.count == 1 ? $0[0] : nil }
  }

  private static func places(_ names: [String]) -> [JSONName: Int] {
    Dictionary(
      zip(names.map { JSONName($0) }, names.indices),
      uniquingKeysWith: { first, _ in first }
    )
  }
}

/// The items that a request with others could not settle, until they went alone.
final class UnsettledItems: Sendable {
  private let ids = Mutex<Set<RecordID>>([])

  func add(_ items: [OutgoingBatch.Item]) {
    ids.withLock { $0.formUnion(items.map(\.record)) }
  }

  func remove(_ item: OutgoingBatch.Item) {
    _ = ids.withLock { $0.remove(item.record) }
  }

  func holdsAny(of items: [OutgoingBatch.Item]) -> Bool {
    ids.withLock { ids in !ids.isEmpty && items.contains { ids.contains($0.record) } }
  }
}

extension ItemResult {
  /// What became of the only item of a request.
  init(_ answer: BatchAnswer, of item: OutgoingBatch.Item) {
    if let single = answer.singles[item.operation] ?? (answer.mayLieInOne ? answer : nil) {
      self = .own(single)
    } else if let outcome = answer.outcomes[item.operation], answer.whole == .answered {
      if case .deferred(let reason) = outcome, let pause = answer.pause {
        self = .whole(.deferred(reason: reason), pause: pause)
      } else {
        self = .outcome(outcome)
      }
    } else {
      self = .whole(answer.whole, pause: answer.pause)
    }
  }
}

extension BatchAnswer {
  /// What became of an item behind one whose answer was lost.
  static let notSent = ItemOutcome.deferred(reason: "an answer before it did not come")

  /// An answer with an outcome for each item.
  static func each(
    _ items: [OutgoingBatch.Item],
    _ outcome: (OutgoingBatch.Item) -> ItemOutcome
  ) -> BatchAnswer {
    let outcomes = items.map { ($0.operation, outcome($0)) }
    return BatchAnswer(outcomes: Dictionary(outcomes, uniquingKeysWith: { first, _ in first }))
  }

  /// This answer for some items, and another for the rest of them.
  func merged(with other: BatchAnswer, of items: [OutgoingBatch.Item]) -> BatchAnswer {
    var outcomes = outcomes
    for item in items {
      outcomes[item.operation] = other.outcomes[item.operation] ?? other.whole.outcome
    }
    let refusals = [whole, other.whole].filter { whole in
      if case .refused = whole { true } else { false }
    }
    return BatchAnswer(
      whole: refusals.first ?? .answered,
      outcomes: outcomes,
      pause: [pause, other.pause].compactMap { $0 }.max(),
      singles: singles.merging(other.singles) { $1 }
    )
  }
}

extension BatchAnswer.Whole {
  /// What this says about one item that went together with others that were answered.
  var outcome: ItemOutcome {
    switch self {
    case .answered: .unknown(reason: "the answer does not name it")
    case .unknown(let reason): .unknown(reason: reason)
    case .deferred(let reason), .splittable(let reason), .refused(let reason):
      .deferred(reason: reason)
    }
  }
}
