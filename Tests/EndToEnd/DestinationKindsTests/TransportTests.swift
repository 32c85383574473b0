import Foundation
import HTTPTransport
import JSONText
import NIOHTTP1
import Testing

struct TransportTests {
  private func failure(
    _ address: String,
    timeout: Duration = .seconds(20),
    connectTimeout: Duration = .seconds(10)
  ) async -> HTTPFailure? {
    let transport = HTTPTransport(connectTimeout: connectTimeout)
    var found: HTTPFailure?
    do throws(HTTPFailure) {
      _ = try await transport.perform(
        HTTPRequest(method: "GET", url: address + "/x", timeout: timeout)
      )
    } catch {
      found = error
    }
    await transport.shutdown()
    return found
  }

  private func failure(
    _ reply: ScriptedServer.Reply,
    timeout: Duration = .milliseconds(700)
  ) async throws -> HTTPFailure? {
    var found: HTTPFailure?
    try await ScriptedServer.run({ _ in reply }) { server in
      found = await failure(server.address, timeout: timeout)
    }
    return found
  }

  private func isUnknown(_ failure: HTTPFailure?) -> Bool {
    guard case .unknown? = failure else { return false }
    return true
  }

  // 002-43, 000-15.
  @Test(arguments: ["http://127.0.0.1:1", "http://no-such-host.invalid"])
  func `without a connection nothing was sent`(address: String) async {
    guard case .neverSent? = await failure(address) else {
      Issue.record("expected that nothing was sent")
      return
    }
  }

  @Test func `an encrypted connection that does not come about was never sent`() async throws {
    var found: HTTPFailure?
    try await ScriptedServer.run({ _ in .raw("HTTP/1.1 200 OK\r\n\r\n") }) { server in
      found = await failure("https://127.0.0.1:\(server.port)", connectTimeout: .seconds(1))
    }
    #expect(!isUnknown(found) && found != nil)
  }

  @Test(arguments: [
    ScriptedServer.Reply.cut, .silence, .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"),
    .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"),
    .raw("no HTTP at all\r\n\r\n"),
    .raw("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n{}"),
    .raw("HTTP/1.1 200 OK\r\nContent-Le"),
  ])
  func `every failure after the request leaves its outcome unknown`(
    reply: ScriptedServer.Reply
  ) async throws {
    #expect(isUnknown(try await failure(reply)))
  }

  @Test(arguments: ["000", "001", "042", "099"])
  func `a status outside HTTP leaves the outcome of the request unknown`(
    status: String
  ) async throws {
    for body in ["{}", ""] {
      let found = try await failure(
        .raw("HTTP/1.1 \(status) x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      )
      #expect(found.map { "\($0)" }?.contains("status \(Int(status) ?? 0)") == true)
      #expect(isUnknown(found))
    }
  }

  @Test(arguments: [100, 102, 103, 199])
  func `an answer to come is announced, and not read as the answer`(status: Int) async throws {
    try await ScriptedServer.run({ _ in
      .raw("HTTP/1.1 \(status) x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    }) { server in
      let transport = HTTPTransport()
      let answer = try await transport.perform(HTTPRequest(method: "GET", url: server.address))
      #expect(answer.status == 200)
      #expect(answer.body == Array("{}".utf8))
      await transport.shutdown()
    }
  }

  @Test(arguments: [100, 102, 103])
  func `an interim response with a body is refused as an answer`(status: Int) async throws {
    let head = "HTTP/1.1 \(status) x\r\nContent-Length: 2\r\n\r\n"
    #expect(isUnknown(try await failure(.raw(head + "{}"))))
    #expect(isUnknown(try await failure(.raw(head))))
  }

  @Test func `an unrequested protocol upgrade is an answer without a body`()
    async throws
  {
    try await ScriptedServer.run({ _ in
      .raw("HTTP/1.1 101 x\r\nUpgrade: y\r\nConnection: upgrade\r\nContent-Length: 2\r\n\r\n{}")
    }) { server in
      let transport = HTTPTransport()
      let answer = try await transport.perform(HTTPRequest(method: "GET", url: server.address))
      #expect(answer.status == 101)
      #expect(answer.body.isEmpty)
      await transport.shutdown()
    }
  }

  @Test(arguments: ["Content-Length: 104857600", "Transfer-Encoding: chunked", "X: y"])
  func `an answer of more than 64 MiB is not read to its end`(field: String) async throws {
    let piece = String(repeating: "x", count: 65 << 20)
    let body = field.hasPrefix("T") ? "4100000\r\n\(piece)\r\n0\r\n\r\n" : piece
    let found = try await failure(
      .raw("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n\(body)"),
      timeout: .seconds(60)
    )
    #expect(found.map { "\($0)" }?.contains("larger than the 64 MiB") == true)
    #expect(isUnknown(found))
  }

  @Test func `a file of any size can be requested by HEAD`() async throws {
    try await ScriptedServer.run({ _ in
      .raw("HTTP/1.1 200 OK\r\nContent-Length: 1048576000\r\n\r\n")
    }) { server in
      let transport = HTTPTransport()
      let answer = try await transport.perform(HTTPRequest(method: "HEAD", url: server.address))
      #expect(answer.headers.first(name: "Content-Length") == "1048576000")
      await transport.shutdown()
    }
  }

  // 001-3.
  @Test func `a body that comes too slowly runs out of time`() async throws {
    let reply = ScriptedServer.Reply(bytes: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")
    #expect(isUnknown(try await failure(reply)))
  }

  @Test func `a request asks for uncompressed bytes and names its program`() async throws {
    try await ScriptedServer.run({ _ in .json([:]) }) { server in
      let transport = HTTPTransport(userAgent: "ferry/9")
      _ = try await transport.perform(HTTPRequest(method: "GET", url: server.address + "/a"))
      #expect(server.requests.first?.header("Accept-Encoding") == "identity")
      #expect(server.requests.first?.header("User-Agent") == "ferry/9")
      await transport.shutdown()
    }
  }

  /// A small JSON text, packed by others: `gzip -n`, and deflate with its header and without.
  private static let packed: [(coding: String, body: String)] = [
    ("gzip", "H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA"),
    ("X-GZip", "H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA"),
    ("deflate", "eJyrVkpUsjKsBQAIKgIJ"), ("deflate", "q1ZKVLIyrAUA"), ("identity", "eyJhIjoxfQ=="),
    ("identity", "77u/eyJhIjoxfQ=="),
  ]

  // C14: gzip, deflate, bom.
  @Test(arguments: packed)
  func `an answer that comes packed although plain bytes were asked for is read`(
    coding: String,
    body: String
  ) async throws {
    let bytes = [UInt8](try #require(Data(base64Encoded: body)))
    let head =
      "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(bytes.count)\r\n\r\n"
    try await ScriptedServer.run({ _ in .raw(content: Array(head.utf8) + bytes) }) { server in
      let transport = HTTPTransport()
      let answer = try await transport.perform(HTTPRequest(method: "GET", url: server.address))
      #expect(AnswerBody(answer.body)?.value == ["a": 1])
      await transport.shutdown()
    }
  }

  @Test(arguments: [("br", "came packed as “br”"), ("gzip", "cannot be unpacked")])
  func `an answer that cannot be unpacked says so`(coding: String, words: String) async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: 2\r\n\r\n"
    let found = try await failure(.raw(head + "{}"), timeout: .seconds(20))
    #expect(isUnknown(found))
    #expect(found.map { "\($0)" }?.contains(words) == true)
  }

  @Test func `an answer that is small only while packed is not unpacked to its end`() throws {
    // 100,000 zeros, packed twice.
    let packed = [
      "H4sIAAAAAAACA5Pv5mAAASbmtwcNGYGMQwu++ufy8i9goDFoCGeunSp4ZUEbIwMAk7X5L4QAAAA="
    ]
    .joined()
    let bytes = [UInt8](try #require(Data(base64Encoded: packed)))
    let headers: HTTPHeaders = ["Content-Encoding": "gzip, gzip"]
    #expect(try PackedBody.unpacked(bytes, headers, limit: 100_000).count == 100_000)
    #expect(throws: PackedBody.Failure.tooLarge) {
      try PackedBody.unpacked(bytes, headers, limit: 99_999)
    }
  }

  @Test func `a header of the profile's own is sent as it is given`() async throws {
    try await ScriptedServer.run({ _ in .json([:]) }) { server in
      let transport = HTTPTransport()
      let headers: HTTPHeaders = ["Content-Type": "application/vnd.api+json", "User-Agent": "mine"]
      _ = try await transport.perform(
        HTTPRequest(
          method: "POST",
          url: server.address,
          headers: headers,
          body: .json([0x7B, 0x7D])
        )
      )
      #expect(server.requests.first?.header("Content-Type") == "application/vnd.api+json")
      #expect(server.requests.first?.header("User-Agent") == "mine")
      await transport.shutdown()
    }
  }

  @Test func `a redirect is an answer and leads nowhere`() async throws {
    try await ScriptedServer.run({ request in
      .text("", status: 307, headers: [("Location", "/elsewhere")])
    }) { server in
      let transport = HTTPTransport()
      let answer = try await transport.perform(
        HTTPRequest(method: "POST", url: server.address + "/a", body: .json([]))
      )
      #expect(answer.status == 307)
      #expect(server.lines == ["POST /a"])
      await transport.shutdown()
    }
  }
}
