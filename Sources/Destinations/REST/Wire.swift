import JSONText
import NIOHTTP1
import Profiles
import TextCodecs

/// One request of a profile, before it is authorised.
struct Call: Sendable {
  let route: Route
  /// What stands for the route's `{names}`.
  var values: [String: String] = [:]
  var query: [(name: String, value: String)] = []
  var headers: HTTPHeaders = [:]
  var body = HTTPRequest.Body.nothing
}

/// One attempt, and what came of it.
struct Exchange: Sendable {
  var meaning: Meaning
  /// The answer's status, when there was an answer.
  var status: Int?
  /// The answer's headers; empty when there was none.
  var headers: HTTPHeaders = [:]
  /// The secrets that must not get from the answer into a message.
  var redaction = Redaction()
  /// Which sign-in it was sent under; `nil` where it was under none.
  var generation: Int?
  /// Whether the answer says why it is what it is; `false` for a 503 that whatever stands before the
  /// destination may have given.
  var saysWhy = true

  /// What an answer says went wrong although its status tells of a success: `{"error": …}`.
  var complaint: String? {
    guard case .done(let body?) = meaning, case let answer = body.value,
      let error = answer["error"], !error.isNull
    else { return nil }
    let text = ServerMessage(body: answer).text
    return text.isEmpty ? "the answer tells of an error" : redaction.printable(text)
  }

  /// What a request that was carried out was answered; `nil` for no body, and for all else.
  var answer: AnswerBody? {
    if case .done(let answer) = meaning { answer } else { nil }
  }

  /// Why this gives nothing to read.
  ///
  /// A body that should be there and is not was cut off on its way, and may come the next time; 204 says that
  /// there is none, [RFC 9110, 15.3.5](https://www.rfc-editor.org/rfc/rfc9110#section-15.3.5).
  func error(request: Route, origin: Origin) -> DestinationError {
    switch meaning {
    case .done(nil) where status == 204:
      .unexpected(request: "\(request)", reason: "204 without a body, which tells of no record")
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
    case .neverSent(let reason), .unknown(nil, let reason):
      .unreachable(origin: origin.text, reason: reason, isAnswered: status != nil)
    case .later(let pause, let reason): .busy(retryAfter: pause, reason: reason)
    }
  }
}

/// A header field with a secret in it.
struct SecretField: Sendable {
  let name: String
  let value: Secret
}

/// The way from a call to the server and back: one attempt each.
struct Wire: Sendable {
  let origin: Origin
  let transport: HTTPTransport
  let forbidden: ForbiddenRoutes
  let timeout: Duration
  /// What the profile says that refusals mean.
  let meanings: [AnswerRule]
  /// Seconds since 1970.
  let now: @Sendable () -> Double

  /// Sends a call with these header fields beside its own.
  func send(_ call: Call, adding fields: [SecretField], redaction: Redaction) async -> Exchange {
    guard let path = Self.path(of: call) else {
      return Exchange(
        meaning: .unfit(reason: "the identity for \(call.route) cannot be part of a path")
      )
    }
    if let rule = forbidden.rule(against: call.route.method, path: path) {
      return Exchange(
        meaning: .refused(
          .misconfigured(
            reason: "\(call.route) must never be called (\(rule))",
            cure: "take the route out of the profile"
          )
        )
      )
    }
    var request = HTTPRequest(
      method: call.route.method.rawValue,
      url: origin.text + origin.path + path + Self.query(of: call, after: path),
      headers: call.headers,
      body: call.body,
      timeout: timeout
    )
    request.headers.replaceOrAdd(name: "Accept", value: "application/json")
    for field in fields {
      request.headers.replaceOrAdd(name: field.name, value: field.value.exposed)
    }
    var exchange = await perform(request, named: "\(call.route)", redaction: redaction)
    exchange.meaning = exchange.meaning.heeded(by: transport.turns, status: exchange.status)
    if let quiet = PauseHint.backoff(headers: exchange.headers) {
      transport.turns.keepQuiet(for: quiet)
    }
    return exchange
  }

  /// Sends a request as it is, to wherever it goes.
  func perform(
    _ request: HTTPRequest,
    named name: String,
    redaction: Redaction
  ) async -> Exchange {
    do throws(HTTPFailure) {
      let answer = try await transport.perform(request)
      let meaning = Meaning(
        of: answer,
        to: name,
        redaction: redaction,
        now: now(),
        meanings: meanings
      )
      var exchange = Exchange(
        meaning: meaning,
        status: answer.status,
        headers: answer.headers,
        redaction: redaction
      )
      exchange.saysWhy = answer.saysWhy
      return exchange
    } catch {
      let reading = request.method == "GET" ? name : nil
      return Exchange(meaning: Meaning(of: error, origin: origin.text, reading: reading))
    }
  }

  /// The call's path with all names filled in; `nil` when a value would lead elsewhere.
  static func path(of call: Call) -> String? {
    let values = call.values.values
    guard values.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return nil }
    guard let path = call.route.path(call.values) else { return nil }
    return path.hasPrefix("/") ? path : "/" + path
  }

  private static func query(of call: Call, after path: String) -> String {
    guard !call.query.isEmpty else { return "" }
    let pairs = call.query.map {
      "\(PercentCoding.encoded($0.name))=\(PercentCoding.encoded($0.value))"
    }
    return (path.contains("?") ? "&" : "?") + pairs.joined(separator: "&")
  }
}

extension JSONValue {
  /// The value that a path of members leads to, or `nil`; the empty path leads to the value itself.
  ///
  /// In an array a name is the place of an element, counted from zero.
  func value(at path: MemberPath) -> JSONValue? {
    var value: JSONValue? = self
    for name in path.names {
      if let place = Int(name), value?.array != nil {
        value = value?[place]
      } else {
        value = value?[name]
      }
    }
    return value
  }
}
