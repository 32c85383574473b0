import Crypto
package import HTTPTransport
import LongTexts
import NIOHTTP1
import TextCodecs

extension SignatureV4 {
  /// A request with the headers that sign it; `target` is its path with its query, and `host` has the port where
  /// that is not the scheme's own.
  package func signed(_ request: HTTPRequest, host: String, target: String, now: Double)
    -> HTTPRequest
  {
    var request = request
    switch request.body {
    case .json, .long:
      if !request.headers.contains(name: "Content-Type") {
        request.headers.add(name: "Content-Type", value: "application/json")
      }
    case .bytes(_, let mediaType):
      request.headers.replaceOrAdd(name: "Content-Type", value: mediaType)
    case .nothing, .file, .form: break
    }
    let signed = request.headers.map { ($0.name.lowercased(), $0.value) }.filter {
      $0.0 == "content-type" || $0.0.hasPrefix("x-amz-")
    }
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    let fields = headers(
      for: Subject(
        method: request.method,
        host: host,
        path: parts[0],
        query: parts.count > 1 ? Self.query(parts[1]) : [],
        headers: signed,
        bodyDigest: Self.digest(of: request)
      ),
      now: now
    )
    for field in fields { request.headers.replaceOrAdd(name: field.name, value: field.value) }
    return request
  }

  /// The SHA-256 of what is sent, in hexadecimal digits; long texts are read for it in pieces.
  private static func digest(of request: HTTPRequest) -> String {
    switch request.body {
    case .json(let bytes):
      // A text that is not at hand is named when the request is sent.
      guard let body = try? request.texts?.body(of: bytes) else { return digest(of: bytes) }
      return digest(of: body)
    case .long(let body): return digest(of: body)
    case .bytes(let bytes, _): return digest(of: bytes)
    case .nothing, .file, .form: return digest(of: [])
    }
  }

  private static func digest(of bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }

  private static func digest(of body: LongBody) -> String {
    var hash = SHA256()
    let reader = body.reader()
    while let piece = try? reader.next() { hash.update(data: piece) }
    return hash.finalize().hexadecimal
  }

  /// The names and values of a query that is encoded.
  private static func query(_ text: String) -> [(name: String, value: String)] {
    text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (
        PercentCoding.decoded(parts[0]), parts.count > 1 ? PercentCoding.decoded(parts[1]) : ""
      )
    }
  }
}
