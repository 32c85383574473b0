import HTTPTypes
import NIOCore

/// A request as it arrived, before anything was done.
package struct ReceivedRequest: Sendable {
  package let method: String
  package let path: String
  /// Whether it means to change something other than who is signed in.
  package let isChange: Bool
  package let body: [UInt8]
}

/// What becomes of one request.
package enum RequestFate: Sendable {
  /// What a request does, to be done later.
  package typealias Work = @Sendable () async -> Void

  /// What the plan of faults says.
  case planned
  /// The connection closes, and nothing was done.
  case dropped
  /// It is done, and the connection closes without an answer.
  case unanswered
  /// The answer is 503, and nothing was done.
  case putOff
  /// The connection closes, and the request is done by anyone who takes it.
  case kept(@Sendable (@escaping Work) -> Void)
  /// It is answered, and done once more by anyone who takes it.
  case repeated(@Sendable (@escaping Work) -> Void)
}

extension ReceivedRequest {
  init(_ call: Call) {
    method = call.method.rawValue
    path = call.path
    isChange = call.isChange
    body = Array(call.body.readableBytesView)
  }
}
