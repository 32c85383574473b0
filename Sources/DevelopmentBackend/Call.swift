import HTTPTypes
import Hummingbird
import JSONText
import NIOCore
import TextCodecs

/// One request, read whole, as the routes see it.
struct Call: Sendable {
  let method: HTTPRequest.Method
  let path: String
  let headers: HTTPFields
  /// `http://host:port` as the client addressed it.
  let origin: String
  let parameters: [String: String]
  let query: [String: String]
  let body: ByteBuffer

  /// Bodies larger than this are refused.
  static let largestBody = 64 * 1_024 * 1_024

  init(_ request: Request, _ context: RouteContext) async throws {
    method = request.method
    path = request.uri.path
    headers = request.headers
    origin = "http://\(request.head.authority ?? "localhost")"
    var parameters: [String: String] = [:]
    for (name, value) in context.parameters {
      parameters[String(name)] = Self.decoded(String(value))
    }
    let rest = context.parameters.getCatchAll()
    if !rest.isEmpty { parameters["**"] = Self.decoded(rest.joined(separator: "/")) }
    self.parameters = parameters
    var query: [String: String] = [:]
    for (name, value) in request.uri.queryParameters { query[String(name)] = String(value) }
    self.query = query
    do {
      body = try await request.body.collect(upTo: Self.largestBody)
    } catch is NIOTooManyBytesError {
      throw Refusal(.contentTooLarge, "PayloadTooLarge", "The body is too large")
    }
  }

  /// The part of the path with this name.
  func parameter(_ name: String) throws(Refusal) -> String {
    guard let value = parameters[name], !value.isEmpty else {
      throw .notFound("Not found")
    }
    return value
  }

  /// Whether the request means to change something other than who is signed in.
  var isChange: Bool {
    if path.hasPrefix("/database/") { return path.hasSuffix("/modify") }
    return method != .get && method != .head && !path.hasPrefix("/api/auth")
      && !path.hasPrefix("/v1/auth")
  }

  /// The token after `Authorization: Bearer`.
  var token: String? {
    guard let header = headers[.authorization] else { return nil }
    let words = header.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
    return String(words[1])
  }

  /// The body as JSON, or `nil` when it is not.
  var json: JSONValue? {
    try? JSONValue(parsing: body.readableBytesView)
  }

  /// The body as a JSON object, or a refusal in the words of the routes.
  func object() throws(Refusal) -> JSONObject {
    guard let object = json?.object else {
      throw .validation("Invalid or missing JSON body")
    }
    return object
  }

  /// A whole number of the query, kept within bounds; `fallback` when it is not one, or 0.
  func number(_ name: String, fallback: Int, within bounds: ClosedRange<Int>) -> Int {
    let number = query[name].flatMap { Int($0) } ?? 0
    return min(max(number == 0 ? fallback : number, bounds.lowerBound), bounds.upperBound)
  }

  /// The text with its percent escapes undone; as it is when they are broken.
  private static func decoded(_ text: String) -> String {
    PercentCoding.strictlyDecoded(text) ?? text
  }
}
