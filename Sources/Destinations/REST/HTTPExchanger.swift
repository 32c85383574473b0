import DestinationModel
package import HTTPTransport
import JSONText
import LongTexts
package import NIOHTTP1
package import Profiles
import S3Media
import Synchronization
import TextCodecs

/// One request of a profile, before it is authorised.
package struct Call: Sendable {
  package let route: Route
  /// The text for the route's `{names}`.
  var values: [String: String] = [:]
  package var query: [(name: String, value: String)] = []
  var headers: HTTPHeaders = [:]
  package var body = HTTPRequest.Body.nothing
  /// The media type of the document that it asks for, which is taken as it comes; `nil` for JSON.
  var document: String?
  /// How much longer it may take than others, for the size of what it carries.
  var extraTime: Duration = .zero

  package init(
    route: Route,
    values: [String: String] = [:],
    query: [(name: String, value: String)] = [],
    headers: HTTPHeaders = [:],
    body: HTTPRequest.Body = .nothing
  ) {
    self.route = route
    self.values = values
    self.query = query
    self.headers = headers
    self.body = body
  }
}

/// Where the long texts of what goes and comes are, once that is settled.
final class TextsInUse: Sendable {
  private let texts = Mutex<LongTexts?>(nil)

  var value: LongTexts? { texts.withLock { $0 } }

  func use(_ texts: LongTexts) { self.texts.withLock { $0 = texts } }
}

/// The way from a call to the server and back: one attempt each.
struct HTTPExchanger: Sendable {
  let origin: Origin
  let transport: HTTPTransport
  let forbidden: ForbiddenRoutes
  let timeout: Duration
  /// What the profile says that refusals mean.
  let meanings: [AnswerRule]
  /// Seconds since 1970.
  let now: @Sendable () -> Double
  let texts = TextsInUse()

  /// The same way to another server.
  func at(_ server: Origin) -> HTTPExchanger {
    HTTPExchanger(
      origin: server,
      transport: transport,
      forbidden: ForbiddenRoutes([]),
      timeout: timeout,
      meanings: meanings,
      now: now
    )
  }

  /// Sends a call as an account.
  func send(_ call: Call, as authorization: Session.Authorization) async -> Exchange {
    await send(
      call,
      adding: authorization.fields,
      authorization.query,
      authorization.signature,
      redaction: authorization.redaction
    )
  }

  /// Sends a call with these header fields and query parameters beside its own, and signed where something
  /// signs it.
  func send(
    _ call: Call,
    adding fields: [SecretField],
    _ query: [SecretField] = [],
    _ signature: SignatureV4? = nil,
    redaction: Redaction
  ) async -> Exchange {
    guard let call = call.prepared(texts.value) else {
      return Exchange(
        meaning: .unfit(reason: "a name in the body or a header of \(call.route) has no value")
      )
    }
    guard let path = Self.path(of: call) else {
      return Exchange(
        meaning: .unfit(reason: "the identity for \(call.route) cannot be part of a path")
      )
    }
    if let rule = forbidden.rule(against: call.route.method, path: path) {
      return Exchange(
        meaning: .refused(
          .misconfigured(
            reason: "the profile forbids \(call.route) (\(rule))",
            cure: "take the route out of the profile"
          )
        )
      )
    }
    var asked = call
    asked.query += query.map { ($0.name, $0.value.exposed) }
    let target = origin.path + path + Self.query(of: asked, after: path)
    var request = HTTPRequest(
      method: call.route.method.rawValue,
      url: origin.text + target,
      headers: call.headers,
      body: call.body,
      timeout: timeout + call.extraTime
    )
    request.headers.replaceOrAdd(name: "Accept", value: "application/json")
    request.texts = texts.value
    let own = Set((call.route.content?.headers ?? []).map { $0.name.lowercased() })
    for field in fields where !own.contains(field.name.lowercased()) {
      request.headers.replaceOrAdd(name: field.name, value: field.value.exposed)
    }
    if let type = call.document { request.headers.replaceOrAdd(name: "Accept", value: type) }
    if let signature {
      request = signature.signed(request, host: origin.authority, target: target, now: now())
    }
    var exchange = await perform(
      request,
      named: "\(call.route)",
      redaction: redaction,
      isForDocument: call.document != nil
    )
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
    redaction: Redaction,
    isForDocument: Bool = false
  ) async -> Exchange {
    do throws(HTTPFailure) {
      let answer = try await transport.perform(request)
      if isForDocument, (200...299).contains(answer.status), answer.status != 202 {
        var exchange = Exchange(
          meaning: .done(nil),
          status: answer.status,
          headers: answer.headers,
          redaction: redaction
        )
        exchange.document = answer.body
        return exchange
      }
      let meaning = Meaning(
        of: answer,
        to: name,
        redaction: redaction,
        now: now(),
        meanings: meanings
      )
      var exchange = Exchange(answer, meaning: meaning, redaction: redaction)
      if (400...499).contains(answer.status) { exchange.refusal = AnswerBody(answer.body) }
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
