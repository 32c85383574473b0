package import Files
package import LongTexts
package import NIOHTTP1

/// One request, ready to be sent as it is.
package struct HTTPRequest: Sendable {
  package var method: String
  /// The whole address: `https://api.example.com/api/v1/heroes?limit=100`.
  package var url: String
  package var headers: HTTPHeaders
  package var body: Body
  /// How long the request may take, from the connection to the answer's last byte.
  package var timeout: Duration
  /// Whether the body of a success is taken as it comes, and not unpacked: it is that of a file.
  package var keepsCoding = false
  /// Where the long texts lie that the body has stand-ins for, and where those of a JSON answer are put, which
  /// then has stand-ins too; `nil` where both are as they are.
  package var texts: LongTexts?

  /// What a request carries.
  package enum Body: Sendable {
    case nothing
    case json([UInt8])
    case bytes([UInt8], mediaType: String)
    /// JSON whose long texts are read while it is sent.
    case long(LongBody)
    /// A part of a file, of exactly this size, streamed.
    case file(FileSource, offset: Int64 = 0, size: Int64, mediaType: String)
    /// A form with a file, which is streamed.
    case form(FormBody)
  }

  package init(
    method: String,
    url: String,
    headers: HTTPHeaders = [:],
    body: Body = .nothing,
    timeout: Duration = .seconds(30)
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }
}

/// One answer, read to its end.
package struct HTTPAnswer: Sendable {
  package let status: Int
  package let headers: HTTPHeaders
  package let body: [UInt8]

  package init(status: Int, headers: HTTPHeaders, body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The media type, in lower case and without its parameters; empty when none is said.
  package var mediaType: String {
    let field = headers.first(name: "Content-Type") ?? ""
    let type = field.split(separator: ";", maxSplits: 1).first ?? ""
    return type.filter { !$0.isWhitespace }.lowercased()
  }
}
