package import DestinationModel
import NIOHTTP1
package import Profiles

/// What an answer, or the lack of one, means for its request, before anybody looks at items.
///
/// What the profile says under `meanings` comes before this table. A request that makes records takes less
/// for granted, see `RESTDestination.weighed(_:making:)`.
///
/// | seen | meaning |
/// |---|---|
/// | 2xx with JSON, or without a body | `done` |
/// | 2xx with anything else; 202; 302, 303, 304; 5xx not named below; a broken connection | `unknown` |
/// | more than is taken, to a request that only asks | `refused` |
/// | no connection | `neverSent` |
/// | 408, 425, 429, 503; 409 with `Retry-After`, or with words that ask to repeat it | `later` |
/// | 403 with `Retry-After`, or with no requests left of those that are allowed for now | `later` |
/// | 401, 402, 403, 407, 421, 501, 507; a quota by its code; 301, 307, 308; no trust | `refused` |
/// | 404, 405, 410 with a page of HTML | `refused`: the route itself is not there |
/// | any other 4xx | `faulty`: something about what was sent |
/// | not sent, because an identity cannot be part of a path | `unfit` |
package enum Meaning: Sendable {
  /// Carried out; the value is `nil` for an empty body.
  case done(AnswerBody?)
  /// Not sent, because what it is about cannot be said in a request.
  case unfit(reason: String)
  /// Read and not carried out, because of its content.
  case faulty(status: Int, code: String?, reason: String)
  /// Not carried out, and neither will any other request.
  case refused(DestinationError)
  /// Not a byte left.
  case neverSent(reason: String)
  /// Not carried out; may be after a while.
  case later(pause: Duration?, reason: String)
  /// It is unknown whether it was carried out; the destination may ask to wait all the same.
  case unknown(pause: Duration? = nil, reason: String)
}

extension Meaning {
  /// - Parameters:
  ///   - answer: The answer, as it came.
  ///   - request: The route, for messages: `POST /api/batch`.
  ///   - redaction: The secrets that no message may hold.
  ///   - now: Seconds since 1970.
  ///   - meanings: What the profile says that refusals mean.
  package init(
    of answer: HTTPAnswer,
    to request: String,
    redaction: Redaction,
    now: Double,
    meanings: [AnswerRule] = []
  ) {
    let body = AnswerBody(answer.body)
    if (200...299).contains(answer.status) {
      self = Self.success(answer, body)
      return
    }
    let message = ServerMessage(body: body?.value)
    let code = message.code.map { redaction.printable($0, limit: ServerMessage.longestCode) }
    let text = redaction.printable(message.text)
    let reason = Self.sentence(answer.status, code, text)
    let pause = PauseHint.pause(
      headers: answer.headers,
      body: body?.value,
      message: message.text,
      now: now
    )
    let requestedPause = PauseHint.retryAfter(headers: answer.headers, now: now)
    if let rule = meanings.first(where: { $0.matches(status: answer.status, reason: reason) }) {
      self = Self.said(
        rule.means,
        answer.status,
        code,
        reason,
        pause: pause,
        requestedPause: requestedPause
      )
      return
    }
    if let code, Self.isClientError(answer.status), code.lowercased().contains("quota") {
      self = .refused(.quota(reason: reason))
      return
    }
    switch answer.status {
    case 300, 301, 305, 307...399: self = Self.redirected(request, reason)
    case 401, 407: self = .refused(.unauthorized(reason: reason))
    case 402, 507: self = .refused(.quota(reason: reason))
    case 403 where requestedPause != nil || PauseHint.isUsedUp(answer.headers):
      self = .later(pause: pause, reason: reason)
    case 403, 421: self = .refused(.forbidden(reason: reason))
    case 404, 405, 410:
      let isPage = answer.mediaType == "text/html"
      self =
        isPage
        ? .refused(.unexpected(request: request, reason: "\(reason), with a page of HTML"))
        : .faulty(status: answer.status, code: code, reason: reason)
    case 408, 425, 429, 503: self = .later(pause: pause, reason: reason)
    case 409 where requestedPause != nil: self = .later(pause: pause, reason: reason)
    case 409 where message.asksToRepeat: self = .later(pause: .seconds(1), reason: reason)
    case 400...499: self = .faulty(status: answer.status, code: code, reason: reason)
    case 501: self = .refused(.unexpected(request: request, reason: reason))
    default: self = .unknown(pause: requestedPause, reason: reason)
    }
  }

  /// The same of a destination that is asked less often after this; any other answer is taken in as well.
  ///
  /// A status of 429 that names no time to wait gets a pause all the same: asked again at once, it would be
  /// answered the same.
  package func heeded(by turns: RateLimiter, status: Int?) -> Meaning {
    switch self {
    case .later(nil, let reason) where status == 429:
      return .later(
        pause: turns.slowDown(asked: nil),
        reason: "\(reason) (it names no time to wait; --rate sets fewer requests a second)"
      )
    case .later(let pause?, let reason) where [403, 429, 503].contains(status):
      return .later(pause: turns.slowDown(asked: pause), reason: reason)
    case .done, .faulty: turns.noteAnswer()
    case .later, .unfit, .refused, .neverSent, .unknown: break
    }
    return self
  }

  /// - Parameters:
  ///   - failure: Why there is no answer.
  ///   - origin: The server, for messages.
  ///   - reading: The request, for messages, where it only asks; `nil` where it may have changed
  ///     something.
  package init(of failure: HTTPFailure, origin: String, reading: String? = nil) {
    switch failure {
    case .neverSent(let reason): self = .neverSent(reason: reason)
    case .heldBack(let pause): self = .later(pause: pause, reason: "\(failure)")
    case .unknown(let reason, let isTooLarge):
      if let reading, isTooLarge {
        self = .refused(
          .misconfigured(
            reason: "\(reading) cannot be read: \(reason)",
            cure: "have less given at a time: a smaller “limit” of the list in the profile, "
              + "where it has pages; an account that comes in one answer cannot be larger"
          )
        )
      } else {
        self = .unknown(reason: reason)
      }
    case .untrusted(let reason):
      self = .refused(
        .elsewhere(
          reason: "\(origin) is not trusted: \(reason)",
          cure: "check the address, and the certificates that this machine trusts"
        )
      )
    }
  }

  private static func success(_ answer: HTTPAnswer, _ body: AnswerBody?) -> Meaning {
    if answer.status == 202 {
      return .unknown(reason: "202: the destination will carry it out later")
    }
    if let body { return .done(body) }
    if answer.body.isEmpty { return .done(nil) }
    if answer.isPage {
      return .unknown(
        reason: "\(answer.status) with a page of HTML (text/html), as a website or a proxy sends it"
      )
    }
    let type = answer.mediaType.isEmpty ? "something" : ServerMessage.printable(answer.mediaType)
    return .unknown(reason: "\(answer.status) with \(type) that is not whole JSON")
  }

  /// What a refusal means by the profile's own word; anyone who asked distinguishes `exists` from `rejected`.
  private static func said(
    _ means: AnswerRule.Means,
    _ status: Int,
    _ code: String?,
    _ reason: String,
    pause: Duration?,
    requestedPause: Duration?
  ) -> Meaning {
    switch means {
    case .later: .later(pause: pause, reason: reason)
    case .unknown: .unknown(pause: requestedPause, reason: reason)
    case .exists, .conflict, .rejected: .faulty(status: status, code: code, reason: reason)
    case .missing: .faulty(status: 404, code: code, reason: reason)
    case .signIn: .refused(.unauthorized(reason: reason))
    }
  }

  private static func redirected(_ request: String, _ reason: String) -> Meaning {
    .refused(
      .elsewhere(
        reason: "redirects are not followed, and \(request) was sent elsewhere: \(reason)",
        cure: "give the destination's final address"
      )
    )
  }

  private static func isClientError(_ status: Int) -> Bool {
    (400...499).contains(status) && status != 429
  }

  private static func sentence(_ status: Int, _ code: String?, _ text: String) -> String {
    let name = code.map { "\(status) \($0)" } ?? "status \(status)"
    return text.isEmpty ? name : "\(name): \(text)"
  }
}
