import Crypto
package import DestinationModel
import TextCodecs

/// Signs requests to a service of AWS, or one like it: AWS Signature Version 4, with the whole body's digest in it.
///
/// Sources: “Authenticating Requests (AWS Signature Version 4)” of the Amazon S3 API reference, and
/// <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>.
package struct SignatureV4: Sendable {
  let accessKey: String
  let secretKey: Secret
  /// The token of keys that are good for a session; `nil` for lasting ones.
  let sessionToken: Secret?
  let region: String
  let service: String

  /// The signature of anyone who has these keys, for one region and one service.
  package init(
    accessKey: String,
    secretKey: Secret,
    sessionToken: Secret? = nil,
    region: String,
    service: String = "s3"
  ) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
    self.region = region
    self.service = service
  }

  /// S3 wants the body's digest in a header, and paths encoded once; all others want paths encoded twice.
  private var isOfObjects: Bool { service == "s3" }

  /// A request as the signature sees it.
  package struct Subject {
    let method: String
    /// The host, with the port where it is not the scheme's own.
    let host: String
    /// The path as it is sent, percent-encoded once.
    let path: String
    /// The names and values of the query, not yet encoded.
    let query: [(name: String, value: String)]
    /// The headers that are signed besides host, date and digest; names in lower case.
    let headers: [(name: String, value: String)]
    /// The SHA-256 of the body, in hexadecimal digits.
    let bodyDigest: String

    /// A request with what is signed of it.
    package init(
      method: String,
      host: String,
      path: String,
      query: [(name: String, value: String)] = [],
      headers: [(name: String, value: String)] = [],
      bodyDigest: String
    ) {
      self.method = method
      self.host = host
      self.path = path
      self.query = query
      self.headers = headers
      self.bodyDigest = bodyDigest
    }
  }

  /// The headers that a request has to carry; `now` is in seconds since 1970.
  package func headers(for subject: Subject, now: Double) -> [(name: String, value: String)] {
    let time = Self.time(now)
    var headers = subject.headers
    headers.append(("host", subject.host))
    if isOfObjects { headers.append(("x-amz-content-sha256", subject.bodyDigest)) }
    if let sessionToken { headers.append(("x-amz-security-token", sessionToken.exposed)) }
    headers.append(("x-amz-date", time))
    headers.sort { $0.name < $1.name }
    let names = headers.map(\.name).joined(separator: ";")
    let request = [
      subject.method,
      isOfObjects ? subject.path : PercentCoding.encoded(subject.path, keeping: "/"),
      Self.canonicalQuery(subject.query),
      headers.map { "\($0.name):\(Self.trimmed($0.value))\n" }.joined(), names, subject.bodyDigest,
    ].joined(separator: "\n")
    let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
    let text = [
      "AWS4-HMAC-SHA256", time, scope, SHA256.hash(data: Array(request.utf8)).hexadecimal,
    ].joined(separator: "\n")
    let signature = Self.code(key(for: time.prefix(8)), text)
    let authorization =
      "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope),SignedHeaders=\(names),"
      + "Signature=\(signature.hexadecimal)"
    headers.removeAll { $0.name == "host" }
    headers.append(("Authorization", authorization))
    return headers
  }

  private func key(for day: Substring) -> SymmetricKey {
    var key = SymmetricKey(data: Array("AWS4\(secretKey.exposed)".utf8))
    for part in [String(day), region, service, "aws4_request"] {
      key = SymmetricKey(data: Self.code(key, part))
    }
    return key
  }

  private static func code(_ key: SymmetricKey, _ text: String) -> HMAC<SHA256>.MAC {
    HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
  }

  /// The query as it is sent and signed: encoded, and in the order of the encoded names.
  static func canonicalQuery(_ query: [(name: String, value: String)]) -> String {
    query.map { (PercentCoding.encoded($0.name), PercentCoding.encoded($0.value)) }
      .sorted { $0 < $1 }
      .map { "\($0.0)=\($0.1)" }
      .joined(separator: "&")
  }

  private static func trimmed(_ value: String) -> String {
    value.split(separator: " ").joined(separator: " ")
  }

  /// `20261120T231500Z`.
  private static func time(_ now: Double) -> String {
    Timestamp.text(secondsSince1970: Int64(now.rounded(.down))).filter { $0 != "-" && $0 != ":" }
  }
}
