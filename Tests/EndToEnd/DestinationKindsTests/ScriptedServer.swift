import JSONText
import NIOCore
import NIOPosix
import Synchronization

/// A server on a free port that answers byte for byte as a test says, and remembers what came.
final class ScriptedServer: Sendable {
  /// A request as it came.
  struct Request: Sendable {
    let method: String
    let target: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    var line: String { "\(method) \(target)" }

    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }

    func header(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  /// What goes back over the connection.
  struct Reply: Sendable {
    var bytes: String
    /// What goes back instead where it is no text.
    var content: [UInt8]?
    /// Whether the connection is closed after the bytes.
    var closes = false
    /// Whether nothing at all happens, until the client gives up.
    var isSilent = false

    static let cut = Reply(bytes: "", closes: true)
    static let silence = Reply(bytes: "", isSilent: true)

    static func raw(_ bytes: String) -> Reply { Reply(bytes: bytes, closes: true) }

    static func raw(content: [UInt8]) -> Reply {
      Reply(bytes: "", content: content, closes: true)
    }

    static func json(
      _ value: JSONValue,
      status: Int = 200,
      headers: [(String, String)] = []
    ) -> Reply {
      text(value.canonicalText, status: status, type: "application/json", headers: headers)
    }

    static func text(
      _ text: String,
      status: Int = 200,
      type: String = "text/html",
      headers: [(String, String)] = []
    ) -> Reply {
      var lines = ["HTTP/1.1 \(status) Status", "Content-Type: \(type)"]
      lines += headers.map { "\($0): \($1)" }
      lines.append("Content-Length: \(text.utf8.count)")
      return Reply(bytes: lines.joined(separator: "\r\n") + "\r\n\r\n" + text)
    }
  }

  typealias Script = @Sendable (Request) -> Reply

  let port: Int
  private let channel: any Channel
  private let log: Log

  /// The requests so far.
  final class Log: Sendable {
    let requests = Mutex<[Request]>([])
  }

  var requests: [Request] { log.requests.withLock { $0 } }
  var lines: [String] { requests.map(\.line) }
  var address: String { "http://127.0.0.1:\(port)" }

  private init(channel: any Channel, port: Int, log: Log) {
    self.channel = channel
    self.port = port
    self.log = log
  }

  /// Serves for as long as `body` runs.
  static func run(
    _ script: @escaping Script,
    body: (ScriptedServer) async throws -> Void
  ) async throws {
    let log = Log()
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            ScriptHandler { request in
              log.requests.withLock { $0.append(request) }
              return script(request)
            }
          )
        }
      }
    let channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
    let server = ScriptedServer(
      channel: channel,
      port: channel.localAddress?.port ?? 0,
      log: log
    )
    do {
      try await body(server)
    } catch {
      try await channel.close()
      throw error
    }
    try await channel.close()
  }
}

/// Gathers a request's bytes and answers once it is whole.
private final class ScriptHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let answer: (ScriptedServer.Request) -> ScriptedServer.Reply
  private var bytes: [UInt8] = []

  init(_ answer: @escaping (ScriptedServer.Request) -> ScriptedServer.Reply) {
    self.answer = answer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    bytes += Array(unwrapInboundIn(data).readableBytesView)
    guard let request = takeRequest() else { return }
    let reply = answer(request)
    if reply.isSilent { return }
    let buffer = reply.content.map { ByteBuffer(bytes: $0) } ?? ByteBuffer(string: reply.bytes)
    if reply.closes {
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(buffer)).whenComplete { _ in
        channel.close(promise: nil)
      }
    } else {
      context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }
  }

  private func takeRequest() -> ScriptedServer.Request? {
    let end = Array("\r\n\r\n".utf8)
    guard let split = bytes.firstRange(of: end) else { return nil }
    let head = String(decoding: bytes[..<split.lowerBound], as: UTF8.self)
    let lines = head.split(separator: "\r\n").map(String.init)
    let words = (lines.first ?? "").split(separator: " ").map(String.init)
    let headers = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      return (name: parts[0], value: String(parts[1].drop { $0 == " " }))
    }
    let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap {
      Int($0.value)
    }
    let bodyEnd = split.upperBound + (length ?? 0)
    guard bytes.count >= bodyEnd else { return nil }
    let body = Array(bytes[split.upperBound..<bodyEnd])
    bytes.removeFirst(bodyEnd)
    return ScriptedServer.Request(
      method: words[0],
      target: words[1],
      headers: headers,
      body: body
    )
  }
}
