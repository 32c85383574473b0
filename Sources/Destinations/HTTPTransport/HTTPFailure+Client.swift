import AsyncHTTPClient
import LongTexts
import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension HTTPFailure {
  /// Sorts what the HTTP client threw; all that is not surely before the request is unknown.
  init(_ error: any Error) {
    switch error {
    case let failure as HTTPFailure: self = failure
    case let error as HTTPClientError: self.init(error)
    case let error as NIOConnectionError: self.init(error)
    case let error as IOError where Self.connectNumbers.contains(error.errnoCode):
      self = .neverSent(reason: "no connection: \(Self.words(error))")
    case let error as IOError:
      self = .unknown(reason: "the connection broke: \(Self.words(error))")
    case is NIOTooManyBytesError: self = .tooLarge
    case let failure as PackedBody.Failure: self.init(failure)
    case let fault as LongTextFault:
      self = .unknown(reason: "the request was not sent to its end: \(fault)")
    case is CancellationError:
      self = .unknown(reason: "the run was stopped while waiting for the answer")
    default:
      self =
        Self.encryptionFailure(error) ?? Self.proxyFailure(error)
        ?? .unknown(reason: "the answer cannot be read: \(error)")
    }
  }

  private static var tooLarge: HTTPFailure {
    let limit = HTTPTransport.largestAnswer >> 20
    return .unknown(
      reason: "the answer is larger than the \(limit) MiB that are taken",
      isTooLarge: true
    )
  }

  private init(_ failure: PackedBody.Failure) {
    switch failure {
    case .damaged: self = .unknown(reason: "the answer came packed, and cannot be unpacked")
    case .tooLarge: self = .tooLarge
    case .otherCoding(let name):
      self = .unknown(
        reason:
          "the answer came packed as “\(ServerMessage.printable(name))”, which was not asked for"
      )
    }
  }

  private init(_ error: HTTPClientError) {
    switch error {
    case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
      self = .neverSent(reason: "no connection in time")
    case .invalidURL, .emptyHost, .emptyScheme, .alreadyShutdown, .invalidProxyResponse,
      .proxyAuthenticationRequired, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
      self = .neverSent(reason: error.shortDescription.lowercased())
    case .remoteConnectionClosed, .uncleanShutdown:
      self = .unknown(reason: "the connection was closed before the answer was complete")
    case .deadlineExceeded, .readTimeout, .writeTimeout:
      self = .unknown(reason: "no answer in time")
    default:
      let isInvalidHeader = error.shortDescription.hasPrefix("Invalid header field")
      let reason = error.shortDescription.lowercased()
      self = isInvalidHeader ? .neverSent(reason: reason) : .unknown(reason: reason)
    }
  }

  private init(_ error: NIOConnectionError) {
    guard let first = error.connectionErrors.first else {
      self = .neverSent(reason: "the name \(error.host) is not known")
      return
    }
    let words = (first.error as? IOError).map(Self.words) ?? "\(first.error)"
    self = .neverSent(reason: "no connection to \(error.host):\(error.port): \(words)")
  }

  /// The system's error numbers that mean that no connection came about.
  ///
  /// An established connection could report an unreachable host too, but only after the kernel has
  /// resent for many minutes, which is longer than a request may take.
  private static let connectNumbers: Set<CInt> = [
    ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL,
  ]

  private static func words(_ error: IOError) -> String {
    unsafe String(cString: strerror(error.errnoCode))
  }

  /// What kept a SOCKS proxy from making a connection, before the request; its module is not imported either.
  private static func proxyFailure(_ error: any Error) -> HTTPFailure? {
    let type = String(reflecting: type(of: error))
    guard type.hasPrefix("NIOSOCKS.") else { return nil }
    let kind = type.split(separator: ".").last ?? ""
    return .neverSent(reason: "no connection through the SOCKS proxy (\(kind))")
  }

  /// What the TLS library threw, known by its type's name: its module is not this module's to import.
  private static func encryptionFailure(_ error: any Error) -> HTTPFailure? {
    let type = String(reflecting: type(of: error))
    guard type.hasPrefix("NIOSSL.") else { return nil }
    let words = "\(error)"
    let distrusts = ["CERTIFICATE_VERIFY_FAILED", "failedToValidateHostname", "unableToValidate"]
    if distrusts.contains(where: words.contains) {
      return .untrusted(reason: "its certificate does not prove that it is the right server")
    }
    guard words.contains("handshakeFailed") else { return nil }
    return .neverSent(reason: "no encrypted connection could be made")
  }
}
