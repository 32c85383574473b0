/// What goes wrong, and at which requests: the same requests in the same order fail the same way.
///
/// A plan is written as rules, one a line, or parted by `,` or `;`:
///
/// ```
/// drop-before:7                    every 7th request: the connection closes, nothing was done
/// drop-after:3@POST /api/batch     every 3rd of these: done, then closed without an answer
/// lose:n=4                         the 4th request only, like drop-before
/// late:2:3s                        the connection closes, and the request is done that much later
/// delay:5:300ms                    answered late
/// status:4:429:retry-after=2       that status instead of being done
/// html:9                           200 with a page of HTML, nothing was done
/// truncate:11                      done, then half of the answer
/// pretend:6                        answered as if done, but rolled back
/// ```
///
/// Each rule counts the requests it matches, in the order of arrival. Of several rules that meet
/// at one request, every delay applies, and the first of the others.
package struct FaultPlan: Hashable, Sendable {
  package var rules: [FaultRule]

  /// A plan of these rules; by default nothing goes wrong.
  package init(rules: [FaultRule] = []) {
    self.rules = rules
  }
}

/// One way to go wrong, and the requests it happens at.
package struct FaultRule: Hashable, Sendable, CustomStringConvertible {
  package let effect: Effect
  package let occurrence: Occurrence
  /// The only method this is about, or `nil` for any.
  package let method: String?
  /// What the path begins with; empty for any.
  package let pathPrefix: String

  /// What happens to the request.
  package enum Effect: Hashable, Sendable {
    /// The connection closes before anything was done.
    case dropBefore
    /// The request is done and the connection closes without an answer.
    case dropAfter
    /// The connection closes, and the request is done this many milliseconds later.
    case late(milliseconds: Int)
    /// The answer is late by this many milliseconds.
    case delay(milliseconds: Int)
    /// The request is not done; this status is the answer.
    case status(Int, retryAfter: String?)
    /// The request is not done; the answer is 200 with a page of HTML.
    case page
    /// The request is done; half of the answer's bytes arrive.
    case truncate
    /// The request is answered as if it were done, and everything is rolled back.
    case pretend
  }

  /// Which of the matching requests it happens at.
  package enum Occurrence: Hashable, Sendable {
    case every(Int)
    case only(ClosedRange<Int>)

    /// Whether the request with this number, from 1, is one of them.
    package func includes(_ number: Int) -> Bool {
      switch self {
      case .every(let step): number % step == 0
      case .only(let range): range.contains(number)
      }
    }
  }

  package init(
    _ effect: Effect,
    _ occurrence: Occurrence,
    method: String? = nil,
    pathPrefix: String = ""
  ) {
    self.effect = effect
    self.occurrence = occurrence
    self.method = method
    self.pathPrefix = pathPrefix
  }

  /// Whether a request is one of those the rule counts.
  package func matches(method: String, path: String) -> Bool {
    (self.method == nil || self.method == method) && path.hasPrefix(pathPrefix)
  }

  package var description: String {
    let number =
      switch occurrence {
      case .every(let step): "\(step)"
      case .only(let range) where range.count == 1: "n=\(range.lowerBound)"
      case .only(let range): "n=\(range.lowerBound)-\(range.upperBound)"
      }
    let what =
      switch effect {
      case .dropBefore: "drop-before:\(number)"
      case .dropAfter: "drop-after:\(number)"
      case .late(let milliseconds): "late:\(number):\(milliseconds)ms"
      case .delay(let milliseconds): "delay:\(number):\(milliseconds)ms"
      case .status(let status, nil): "status:\(number):\(status)"
      case .status(let status, let wait?): "status:\(number):\(status):retry-after=\(wait)"
      case .page: "html:\(number)"
      case .truncate: "truncate:\(number)"
      case .pretend: "pretend:\(number)"
      }
    let filter = [method ?? "", pathPrefix].filter { !$0.isEmpty }.joined(separator: " ")
    return filter.isEmpty ? what : "\(what)@\(filter)"
  }
}
