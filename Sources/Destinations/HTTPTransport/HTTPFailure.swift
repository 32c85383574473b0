/// Why a request has no answer, distinguished by whether the server can have acted on it.
package enum HTTPFailure: Error, Hashable, Sendable {
  /// No connection came about; not a byte of the request left.
  case neverSent(reason: String)
  /// The server asked for a time of quiet that is not over; not a byte of the request left.
  case heldBack(pause: Duration)
  /// The server's certificate is not to be trusted; not a byte of the request left.
  case untrusted(reason: String)
  /// The connection broke, the time ran out, or the answer could not be read; where it is too large, it
  /// will be so the next time.
  case unknown(reason: String, isTooLarge: Bool = false)
}

extension HTTPFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .neverSent(let reason), .untrusted(let reason), .unknown(let reason, _): reason
    case .heldBack: "it asked for quiet, and that time is not over"
    }
  }
}
