import AsyncHTTPClient
import DevelopmentBackend
import JSONText
import NIOCore
import NIOHTTP1
import Synchronization

/// What a server answered.
struct Reply: Sendable {
  let status: Int
  let headers: HTTPHeaders
  let bytes: [UInt8]

  /// The body as JSON; null when it is not one.
  var json: JSONValue {
    (try? JSONValue(parsing: bytes)) ?? .null
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func header(_ name: String) -> String? { headers.first(name: name) }

  /// The text at a pointer into the body; empty when it is missing.
  func text(_ pointer: String) -> String { json.value(at: pointer)?.text ?? "" }

  /// The whole number at a pointer into the body; -1 when it is missing.
  func number(_ pointer: String) -> Int64 { json.value(at: pointer)?.integer ?? -1 }
}

/// Speaks to one server, as one account or as no one.
struct TestClient: Sendable {
  let port: Int
  var token: String?

  /// The client signed in as this account.
  func signedIn(
    _ email: String = "demo@example.com",
    _ password: String = "correct-horse"
  ) async throws -> TestClient {
    let reply = try await post(
      "/api/auth/sign-in/email",
      ["email": .string(email), "password": .string(password)]
    )
    return TestClient(port: port, token: reply.text("/token"))
  }

  func get(_ path: String) async throws -> Reply { try await send("GET", path) }

  func post(_ path: String, _ body: JSONValue = [:]) async throws -> Reply {
    try await send("POST", path, body)
  }

  func patch(_ path: String, _ body: JSONValue) async throws -> Reply {
    try await send("PATCH", path, body)
  }

  func delete(_ path: String) async throws -> Reply { try await send("DELETE", path) }

  func put(
    _ path: String,
    _ body: JSONValue,
    _ headers: [(String, String)] = []
  ) async throws -> Reply {
    try await send("PUT", path, body, headers)
  }

  /// Sends a form with fields and a file, as a browser does.
  func form(_ path: String, _ fields: [String: String] = [:], file: [UInt8]) async throws -> Reply {
    let mark = "a-mark-of-parts"
    var body: [UInt8] = []
    for (name, value) in fields {
      let head = "--\(mark)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n"
      body += Array("\(head)\(value)\r\n".utf8)
    }
    let disposition = "Content-Disposition: form-data; name=\"file\"; filename=\"a.png\""
    body += Array("--\(mark)\r\n\(disposition)\r\n\r\n".utf8) + file
    body += Array("\r\n--\(mark)--\r\n".utf8)
    let type = ("content-type", "multipart/form-data; boundary=\(mark)")
    return try await send("POST", path, bytes: body, [type])
  }

  func send(
    _ method: String,
    _ path: String,
    _ body: JSONValue? = nil,
    _ headers: [(String, String)] = []
  ) async throws -> Reply {
    try await send(method, path, bytes: body?.canonicalBytes, headers)
  }

  func send(
    _ method: String,
    _ path: String,
    bytes: [UInt8]?,
    _ headers: [(String, String)] = []
  ) async throws -> Reply {
    let address = path.hasPrefix("http") ? path : "http://127.0.0.1:\(port)\(path)"
    var request = HTTPClientRequest(url: address)
    request.method = HTTPMethod(rawValue: method)
    if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if let bytes { request.body = .bytes(bytes) }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
    let body = try await response.body.collect(upTo: 1 << 28)
    return Reply(
      status: Int(response.status.code),
      headers: response.headers,
      bytes: Array(body.readableBytesView)
    )
  }

  /// The state that the server reports of itself.
  func state() async throws -> JSONValue { try await get("/__dev/state").json }
}

/// Runs a server on a free port for as long as `body` needs it.
func withServer<Result: Sendable>(
  _ configuration: DevelopmentBackend.Configuration = .init(),
  body: @escaping @Sendable (TestClient) async throws -> Result
) async throws -> Result {
  let backend = try DevelopmentBackend(configuration: configuration)
  let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
  return try await withThrowingTaskGroup(of: Result?.self) { group in
    group.addTask {
      defer { continuation.finish() }
      try await backend.run { continuation.yield($0) }
      return nil
    }
    group.addTask {
      for await port in ports { return try await body(TestClient(port: port)) }
      return nil
    }
    defer { group.cancelAll() }
    while let outcome = try await group.next() {
      if let outcome { return outcome }
    }
    throw ServerDidNotStart()
  }
}

struct ServerDidNotStart: Error {}

/// Runs a server and signs in to it.
func withSignedInServer<Result: Sendable>(
  _ change: (inout DevelopmentBackend.Configuration) -> Void = { _ in },
  body: @escaping @Sendable (TestClient) async throws -> Result
) async throws -> Result {
  var configuration = DevelopmentBackend.Configuration()
  change(&configuration)
  return try await withServer(configuration) { client in
    try await body(try await client.signedIn())
  }
}

/// A hero that every limit allows.
let goodHero: JSONValue = [
  "name": "Ada", "age": 7, "traits": ["brave", "kind"], "hairColor": "red",
  "specialAbilities": ["flying"], "appearance": "a green coat",
]
