import Crypto
import HTTPTransport
import NIOHTTP1
import S3Media
import TextCodecs

extension SignatureV4 {
  /// A request with the headers that sign it; `target` is its path with its query, and `host` has the port where
  /// that is not the scheme's own.
  func signed(_ request: HTTPRequest, host: String, target: String, now: Double) -> HTTPRequest {
    var request = request
    let bytes: [UInt8]
    switch request.body {
    case .json(let json):
      bytes = json
      if !request.headers.contains(name: "Content-Type") {
        request.headers.add(name: "Content-Type", value: "application/json")
      }
    case .bytes(let content, let mediaType):
      bytes = content
      request.headers.replaceOrAdd(name: "Content-Type", value: mediaType)
    case .nothing, .file: bytes = []
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
        bodyDigest: SHA256.hash(data: bytes).hexadecimal
      ),
      now: now
    )
    for field in fields { request.headers.replaceOrAdd(name: field.name, value: field.value) }
    return request
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
