import Crypto
import DestinationModel
import HTTPTransport
import NIOHTTP1
import LongTexts
import Profiles
import TextCodecs

/// A bucket of an S3 service: one signed attempt a call.
struct ObjectStore: Sendable {
  let api: BucketApi
  let origin: Origin
  let transport: HTTPTransport
  let credentials: any CredentialSource
  let timeout: Duration
  /// Seconds since 1970.
  let now: @Sendable () -> Double

  /// A request to the bucket, or to one object of it.
  struct Request {
    var method: String
    /// The object's key; `nil` for the bucket itself.
    var key: String?
    var query: [(name: String, value: String)] = []
    /// Names in lower case.
    var headers: [(name: String, value: String)] = []
    var body = Body.nothing
    /// Whether a success brings bytes of the object.
    var isOfContent = false
  }

  /// What a request carries.
  enum Body {
    case nothing
    case text(String)
    case slice(FileSlice, FileSlice.Sums)
  }

  /// Sends one request.
  func send(_ request: Request) async -> ObjectAnswer {
    let secrets: [String: Secret]
    do throws(DestinationError) {
      secrets = try await credentials.credentials(named: [api.accessKey, api.secretKey])
    } catch {
      return ObjectAnswer(meaning: .refused(error))
    }
    guard let accessKey = secrets[api.accessKey], let secretKey = secrets[api.secretKey] else {
      return ObjectAnswer(meaning: .refused(.missingCredential(api.accessKey)))
    }
    let signature = SignatureV4(
      accessKey: accessKey.exposed,
      secretKey: secretKey,
      region: api.region
    )
    var redaction = Redaction()
    for secret in secrets.values { redaction.add(secret) }
    do throws(HTTPFailure) {
      // A signature is good for minutes, and a turn may take longer to come.
      let turn = try await transport.turn()
      let answer = try await transport.perform(signed(request, signature), in: turn)
      var read = ObjectAnswer(answer, bucket: api.name, redaction: redaction, now: now())
      if request.isOfContent, 200...299 ~= answer.status {
        // What an object holds says nothing of the answer.
        read.meaning = .done(nil)
        read.document = ObjectDocument()
        read.content = answer.body
      }
      // The service's other word for 429.
      let status = read.code == "SlowDown" ? 429 : answer.status
      read.meaning = read.meaning.heeded(by: transport.turns, status: status)
      return read
    } catch {
      return ObjectAnswer(meaning: Meaning(of: error, origin: origin.text))
    }
  }

  private func signed(_ request: Request, _ signature: SignatureV4) -> HTTPRequest {
    let path = path(of: request.key)
    var headers = request.headers
    let body: HTTPRequest.Body
    let digest: String
    switch request.body {
    case .nothing:
      body = .nothing
      digest = SHA256.hash(data: [UInt8]()).hexadecimal
    case .text(let text):
      let bytes = Array(text.utf8)
      body = .bytes(bytes, mediaType: "application/xml")
      headers.append(("content-type", "application/xml"))
      digest = SHA256.hash(data: bytes).hexadecimal
    case .slice(let slice, let sums):
      let given = headers.first { $0.name == "content-type" }?.value
      let type = given ?? "application/octet-stream"
      if given == nil { headers.append(("content-type", type)) }
      body = .file(slice.source, offset: slice.offset, size: slice.size, mediaType: type)
      headers.append(("content-md5", Base64.text(sums.md5)))
      digest = sums.sha256.hexadecimal
    }
    let fields = signature.headers(
      for: SignatureV4.Subject(
        method: request.method,
        host: origin.authority,
        path: path,
        query: request.query,
        headers: headers,
        bodyDigest: digest
      ),
      now: now()
    )
    let query = SignatureV4.canonicalQuery(request.query)
    var sent = HTTPRequest(
      method: request.method,
      url: origin.text + path + (query.isEmpty ? "" : "?\(query)"),
      headers: HTTPHeaders(fields.map { ($0.name, $0.value) }),
      body: body,
      timeout: timeout
        + .seconds((request.isOfContent ? S3MediaStore.pieceSize : body.size) >> 16)
    )
    sent.keepsCoding = request.isOfContent
    return sent
  }

  /// The path of an object, or of the bucket itself, as it is sent.
  func path(of key: String?) -> String {
    let bucket = "\(origin.path)/\(PercentCoding.encoded(api.name))"
    return key.map { "\(bucket)/\(PercentCoding.encoded($0, keeping: "/"))" } ?? bucket
  }
}

/// An answer of an S3 service.
struct ObjectAnswer: Sendable {
  var meaning: Meaning
  var status: Int?
  var headers: HTTPHeaders = [:]
  /// The answer's XML, as far as it is sound.
  var document = ObjectDocument()
  /// The bytes of the object as they came, where they were asked for.
  var content: [UInt8] = []

  /// Whether a success is the service's own: a page of a person in between has nothing of it.
  var reportsObject: Bool {
    headers.contains(name: "ETag") || document.root == "CompleteMultipartUploadResult"
  }

  /// Whether the object is not there.
  var isMissing: Bool { if case .faulty(status: 404, _, _) = meaning { true } else { false } }

  /// The service's own word for what is wrong: `NoSuchUpload`.
  var code: String? { document.root == "Error" ? document.first("Code") : nil }

  init(meaning: Meaning) {
    self.meaning = meaning
  }

  /// Reads an answer.
  ///
  /// | seen | meaning |
  /// |---|---|
  /// | 2xx | `done`; with an error inside: as that error |
  /// | 408, 409 of two at once, 429, 500, 502, 503, 504 | `later`: all that is sent here can be repeated |
  /// | 403, 401, a bucket that is not there, a wrong region, a wrong clock | `refused`, with what to do |
  /// | any other | as anywhere else |
  init(_ answer: HTTPAnswer, bucket: String, redaction: Redaction, now: Double) {
    status = answer.status
    headers = answer.headers
    document = ObjectDocument(answer.body)
    let code = document.root == "Error" ? document.first("Code") : nil
    let text = redaction.printable(document.first("Message") ?? "")
    let name = code.map { "\(answer.status) \($0)" } ?? "status \(answer.status)"
    let reason = text.isEmpty ? name : "\(name): \(text)"
    let pause = PauseHint.pause(headers: answer.headers, message: text, now: now)
    switch (answer.status, code) {
    case (200...299, nil): meaning = .done(nil)
    case (_, "RequestTimeTooSkewed"):
      meaning = .refused(
        .misconfigured(reason: "the clock is wrong: \(reason)", cure: "set this machine's clock")
      )
    case (_, "NoSuchBucket"):
      meaning = .refused(
        .misconfigured(
          reason: "there is no bucket “\(bucket)”: \(reason)",
          cure: "make it, or correct api.media.bucket in the profile"
        )
      )
    case (400, "AuthorizationHeaderMalformed"), (400, "IllegalLocationConstraintException"),
      (400, "InvalidRegionName"):
      meaning = .refused(
        .misconfigured(
          reason: "the bucket is of another region: \(reason)",
          cure: "give its endpoint and region in api.media.bucket"
        )
      )
    case (_, "SignatureDoesNotMatch"), (_, "InvalidAccessKeyId"), (401, _):
      meaning = .refused(.unauthorized(reason: reason))
    case (403, _): meaning = .refused(.forbidden(reason: reason))
    case (_, "QuotaExceeded"), (402, _), (507, _): meaning = .refused(.quota(reason: reason))
    case (_, "ConditionalRequestConflict"), (_, "OperationAborted"), (_, "SlowDown"),
      (_, "RequestTimeout"), (_, "InternalError"), (408, _), (429, _), (500, _), (502...504, _):
      meaning = .later(pause: pause, reason: reason)
    case (300...399, _):
      meaning = .refused(
        .misconfigured(
          reason: "the bucket is at another address: \(reason)",
          cure: "give its endpoint and region in api.media.bucket"
        )
      )
    case (501, _):
      meaning = .refused(
        .misconfigured(
          reason: "the service cannot do that: \(reason)",
          cure: "if it does not take If-None-Match, set create-only: false in api.media.bucket"
        )
      )
    case (400...499, _), (200...299, _):
      meaning = .faulty(status: answer.status, code: code, reason: reason)
    default: meaning = .unknown(reason: reason)
    }
  }
}

extension HTTPRequest.Body {
  /// The number of bytes.
  var size: Int64 {
    switch self {
    case .nothing: 0
    case .json(let bytes), .bytes(let bytes, _): Int64(bytes.count)
    case .long(let body): body.size
    case .file(_, _, let size, _): size
    case .form(let form): form.size
    }
  }
}
