package import DestinationModel
import JSONText
package import NIOHTTP1
package import Profiles

/// One attempt, and what came of it.
package struct Exchange: Sendable {
  package var meaning: Meaning
  /// The answer's status, when there was an answer.
  package var status: Int?
  /// The answer's headers; empty when there was none.
  package var headers: HTTPHeaders = [:]
  /// The secrets that must not get from the answer into a message.
  package var redaction = Redaction()
  /// Which sign-in it was sent under; `nil` where it was under none.
  package var generation: Int?
  /// Whether the answer says why it is what it is; `false` for a 503 that whatever sits in front of
  /// the destination may have given.
  package var saysWhy = true
  /// Whether a page for people is in place of the answer.
  package var isPage = false
  /// The JSON of an answer that refuses the request; `nil` for any other answer.
  package var refusal: AnswerBody?
  /// The body of a success whose request was for a document; `nil` for any other answer.
  package var document: [UInt8]?

  package init(
    meaning: Meaning,
    status: Int? = nil,
    headers: HTTPHeaders = [:],
    redaction: Redaction = Redaction()
  ) {
    self.meaning = meaning
    self.status = status
    self.headers = headers
    self.redaction = redaction
  }

  /// An attempt that was answered.
  package init(_ answer: HTTPAnswer, meaning: Meaning, redaction: Redaction) {
    self.init(
      meaning: meaning,
      status: answer.status,
      headers: answer.headers,
      redaction: redaction
    )
    saysWhy = answer.saysWhy
    isPage = answer.isPage
  }

  /// What an answer says went wrong although its status reports a success: `{"error": …}`.
  package var complaint: String? {
    guard case .done(let body?) = meaning, case let answer = body.value,
      let error = answer["error"], !error.isNull
    else { return nil }
    let text = ServerMessage(body: answer).text
    return text.isEmpty ? "the answer reports an error" : redaction.printable(text)
  }

  /// What a request that was carried out was answered; `nil` for no body, and for all else.
  package var answer: AnswerBody? {
    if case .done(let answer) = meaning { answer } else { nil }
  }

  /// Whether the answer sends a browser to another page, such as that of a sign-in.
  private var isRedirect: Bool { status == 302 || status == 303 }

  /// Why this gives nothing to read.
  ///
  /// A body that should be there and is not was cut off on its way, and may come the next time; 204 says that
  /// it does not exist, [RFC 9110, 15.3.5](https://www.rfc-editor.org/rfc/rfc9110#section-15.3.5).
  package func error(request: Route, origin: Origin) -> DestinationError {
    switch meaning {
    case .done(nil) where status == 204:
      .unexpected(request: "\(request)", reason: "204 without a body, which reports no record")
    case .done(nil):
      .unreachable(
        origin: origin.text,
        reason: "\(status.map { "\($0)" } ?? "a success") without a body",
        isAnswered: status != nil
      )
    case .done: .unexpected(request: "\(request)", reason: "the answer has another form")
    case .unfit(let reason), .faulty(_, _, let reason):
      .unexpected(request: "\(request)", reason: reason)
    case .refused(let error): error
    case .unknown(let pause?, let reason): .busy(retryAfter: pause, reason: reason)
    case .unknown(_, let reason) where isRedirect:
      .page(
        origin: origin.text,
        reason:
          "redirects are not followed, and \(request) was answered with a redirect: \(reason)"
      )
    case .unknown(_, let reason) where isPage: .page(origin: origin.text, reason: reason)
    case .neverSent(let reason), .unknown(nil, let reason):
      .unreachable(origin: origin.text, reason: reason, isAnswered: status != nil)
    case .later(let pause, let reason): .busy(retryAfter: pause, reason: reason)
    }
  }
}
