import HTTPTypes
import Hummingbird
import JSONText
import NIOCore

/// What the server says to a request.
struct Answer: Sendable {
  var status: HTTPResponse.Status = .ok
  var headers = HTTPFields()
  var body: Body

  enum Body: Sendable {
    case json(JSONValue)
    /// JSON that is written out already.
    case text([UInt8])
    case bytes(ByteBuffer, type: String)
    case nothing
  }

  /// A JSON value, as it is.
  static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Answer {
    Answer(status: status, body: .json(value))
  }

  /// `{data, message?}`, as the routes of version 1 answer.
  static func data(
    _ object: JSONObject,
    _ message: String? = nil,
    status: HTTPResponse.Status = .ok
  ) -> Answer {
    var body: JSONObject = ["data": .object(object)]
    body["message"] = message.map { .string($0) }
    return Answer(status: status, body: .json(.object(body)))
  }

  /// The answer with one more header.
  func with(_ name: HTTPField.Name, _ value: String) -> Answer {
    var answer = self
    answer.headers[name] = value
    return answer
  }

  /// The answer as the HTTP server sends it.
  var response: Response {
    guard let (bytes, type) = content else { return Response(status: status, headers: headers) }
    return Response(
      status: status,
      headers: headers(for: type),
      body: ResponseBody(byteBuffer: bytes)
    )
  }

  /// The bytes of the body and their media type, or `nil` when they do not exist.
  var content: (bytes: ByteBuffer, type: String)? {
    switch body {
    case .json(let value): (ByteBuffer(bytes: value.canonicalBytes), "application/json")
    case .text(let bytes): (ByteBuffer(bytes: bytes), "application/json")
    case .bytes(let bytes, let type): (bytes, type)
    case .nothing: nil
    }
  }

  /// The headers, with the media type of the body.
  func headers(for type: String) -> HTTPFields {
    var headers = headers
    headers[.contentType] = type
    return headers
  }

  /// How a refusal is said in this shape.
  static func refusal(_ refusal: Refusal, in shape: ErrorShape) -> Answer {
    var answer = Answer.json(shape.body(of: refusal), status: refusal.status)
    if let version = refusal.current?["version"]?.integer {
      answer.headers[.eTag] = "\"\(version)\""
    }
    return answer
  }
}
