/// A line of a fault plan that could not be understood.
package struct FaultPlanError: Error, Hashable, CustomStringConvertible {
  package let rule: String
  package let reason: String

  package var description: String { "fault rule \"\(rule)\": \(reason)" }
}

extension FaultPlan {
  /// Reads a plan; empty text is a plan in which nothing goes wrong.
  package init(parsing text: String) throws(FaultPlanError) {
    var rules: [FaultRule] = []
    for part in text.split(whereSeparator: { $0 == "," || $0 == ";" || $0.isNewline }) {
      let rule = part.trimmed
      guard !rule.isEmpty, !rule.hasPrefix("#") else { continue }
      rules.append(try FaultRule(parsing: rule))
    }
    self.init(rules: rules)
  }
}

extension FaultRule {
  fileprivate init(parsing text: String) throws(FaultPlanError) {
    func refuse(_ reason: String) -> FaultPlanError { FaultPlanError(rule: text, reason: reason) }

    let halves = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let words = halves[0].split(separator: ":", omittingEmptySubsequences: false).map(\.trimmed)
    guard words.count >= 2 else { throw refuse("a number is missing, as in drop-before:7") }
    guard let occurrence = Occurrence(parsing: words[1]) else {
      throw refuse("\"\(words[1])\" is neither a number from 1 nor n=4 nor n=4-6")
    }
    guard let effect = Effect(word: words[0], details: Array(words.dropFirst(2))) else {
      throw refuse("\"\(words[0])\" with these details is not known")
    }
    var method: String?
    var prefix = ""
    if halves.count == 2 {
      for word in halves[1].split(separator: " ") {
        if word.hasPrefix("/") { prefix = String(word) } else { method = word.uppercased() }
      }
    }
    self.init(effect, occurrence, method: method, pathPrefix: prefix)
  }
}

extension FaultRule.Occurrence {
  fileprivate init?(parsing text: String) {
    guard text.hasPrefix("n=") else {
      guard let step = Int(text), step >= 1 else { return nil }
      self = .every(step)
      return
    }
    let bounds = text.dropFirst(2).split(separator: "-").map { Int($0) }
    guard let first = bounds.first, let lower = first, lower >= 1, bounds.count <= 2,
      let upper = bounds[bounds.count - 1], upper >= lower
    else { return nil }
    self = .only(lower...upper)
  }
}

extension FaultRule.Effect {
  fileprivate init?(word: String, details: [String]) {
    switch (word, details.count) {
    case ("drop-before", 0), ("lose", 0): self = .dropBefore
    case ("drop-after", 0): self = .dropAfter
    case ("html", 0): self = .page
    case ("truncate", 0): self = .truncate
    case ("pretend", 0): self = .pretend
    case ("late", 1):
      guard let milliseconds = Self.milliseconds(details[0]) else { return nil }
      self = .late(milliseconds: milliseconds)
    case ("delay", 1):
      guard let milliseconds = Self.milliseconds(details[0]) else { return nil }
      self = .delay(milliseconds: milliseconds)
    case ("status", 1...2):
      guard let status = Int(details[0]), (200...599).contains(status) else { return nil }
      guard details.count == 2 else {
        self = .status(status, retryAfter: nil)
        return
      }
      guard details[1].hasPrefix("retry-after=") else { return nil }
      self = .status(status, retryAfter: String(details[1].dropFirst("retry-after=".count)))
    default: return nil
    }
  }

  /// The milliseconds of `300ms`, `2s` or `300`.
  private static func milliseconds(_ text: String) -> Int? {
    let number: Int? =
      if text.hasSuffix("ms") {
        Int(text.dropLast(2))
      } else if text.hasSuffix("s") {
        Int(text.dropLast()).map { $0 * 1_000 }
      } else {
        Int(text)
      }
    guard let number, (0...600_000).contains(number) else { return nil }
    return number
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
