import DestinationModel
import JSONText
import LongTexts
import Records
import UploadPlanning

/// Another device's words about a record, without what the record says.
///
/// A destination may quote in a refusal what it was sent. Its words are printed, logged and remembered, and
/// values of records belong into none of that.
struct RecordWords {
  /// The texts of the records, the longest first.
  private let values: [String]

  /// Shorter texts are in sentences that have nothing to do with them.
  private static let shortestValue = 4
  /// Of a long text the beginning is looked for as well: anyone who quotes one may cut it.
  private static let longestHead = 24

  init(of items: [OutgoingBatch.Item], _ texts: LongTexts) {
    var values: Set<String> = []
    for item in items {
      var own: Set<String> = []
      if let body = try? JSONValue(parsing: item.body) { Self.collect(body, texts, into: &own) }
      // By its identity a record is named everywhere.
      values.formUnion(own.subtracting([item.clientID, item.record.key, item.serverID ?? ""]))
    }
    self.values = values.sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
  }

  /// The words, with an ellipsis for each value in them.
  func redacted(_ words: String) -> String {
    values.reduce(words) { $0.contains($1) ? $0.replacing($1, with: "…") : $0 }
  }

  private static func collect(
    _ value: JSONValue,
    _ texts: LongTexts,
    into values: inout Set<String>
  ) {
    if let long = value.text.flatMap({ LongText(standIn: Array($0.utf8)) }) {
      let head = texts.beginning(of: long, upTo: 8 * longestHead) ?? ""
      if head.count >= shortestValue { values.insert(String(head.prefix(longestHead))) }
    } else if let text = value.text, text.utf8.count >= shortestValue {
      values.insert(text)
      if text.count > longestHead { values.insert(String(text.prefix(longestHead))) }
    }
    for element in value.array ?? [] { collect(element, texts, into: &values) }
    for member in value.object?.members ?? [] { collect(member.value, texts, into: &values) }
  }
}

extension BatchAnswer {
  /// The same, in which no words quote what was sent.
  func redacted(about items: [OutgoingBatch.Item], _ texts: LongTexts) -> BatchAnswer {
    guard speaks else { return self }
    let words = RecordWords(of: items, texts)
    return BatchAnswer(
      whole: whole.redacted(words),
      outcomes: outcomes.mapValues { $0.redacted(words) },
      pause: pause,
      mayLieInOne: mayLieInOne,
      isUnanswered: isUnanswered,
      singles: singles.mapValues { single in
        BatchAnswer(
          whole: single.whole.redacted(words),
          outcomes: single.outcomes.mapValues { $0.redacted(words) },
          pause: single.pause,
          mayLieInOne: single.mayLieInOne,
          isUnanswered: single.isUnanswered
        )
      }
    )
  }

  /// Whether it holds words at all.
  private var speaks: Bool {
    if whole != .answered || !singles.isEmpty { return true }
    return outcomes.values.contains { outcome in
      switch outcome {
      case .rejected, .conflicted, .deferred, .unnamed, .unknown: true
      case .stored, .displaced, .adopted, .staged, .removed, .exists, .missing: false
      }
    }
  }
}

extension BatchAnswer.Whole {
  fileprivate func redacted(_ words: RecordWords) -> Self {
    switch self {
    case .answered: self
    case .deferred(let reason): .deferred(reason: words.redacted(reason))
    case .splittable(let reason): .splittable(reason: words.redacted(reason))
    case .unknown(let reason): .unknown(reason: words.redacted(reason))
    case .refused(let reason): .refused(reason: words.redacted(reason))
    }
  }
}

extension ItemOutcome {
  fileprivate func redacted(_ words: RecordWords) -> ItemOutcome {
    switch self {
    case .rejected(let code, let reason): .rejected(code: code, reason: words.redacted(reason))
    case .conflicted(let reason): .conflicted(reason: words.redacted(reason))
    case .deferred(let reason): .deferred(reason: words.redacted(reason))
    case .unnamed(let reason): .unnamed(reason: words.redacted(reason))
    case .unknown(let reason): .unknown(reason: words.redacted(reason))
    case .stored, .displaced, .adopted, .staged, .removed, .exists, .missing: self
    }
  }
}
