import HTTPTransport
import NIOCore
import NIOPosix
import Testing

/// Requests that go through a SOCKS proxy.
struct SOCKSProxyTests {
  @Test func `a SOCKS proxy is given the name of the host, and the request`() async throws {
    try await withProxy(answering: 0) { transport in
      let answer = try await transport.perform(
        HTTPRequest(method: "GET", url: "http://api.example.com/")
      )
      #expect(String(decoding: answer.body, as: UTF8.self) == "api.example.com")
    }
  }

  @Test func `a request is not sent where the SOCKS proxy makes no connection`() async throws {
    // 5: the host refused it, <https://www.rfc-editor.org/rfc/rfc1928#section-6>.
    try await withProxy(answering: 5) { transport in
      do throws(HTTPFailure) {
        _ = try await transport.perform(
          HTTPRequest(method: "POST", url: "http://api.example.com/")
        )
        Issue.record("an answer came")
      } catch {
        guard case .neverSent(let reason) = error else {
          Issue.record("\(error)")
          return
        }
        #expect(reason.contains("SOCKS"))
      }
    }
  }

  private func withProxy(
    answering reply: UInt8,
    _ body: (HTTPTransport) async throws -> Void
  ) async throws {
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(SOCKSHandler(reply: reply))
        }
      }
    let channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(channel.localAddress?.port)
    let transport = HTTPTransport(
      proxies: try ProxySettings(["ALL_PROXY": "socks5://127.0.0.1:\(port)"])
    )
    let result: Result<Void, any Error>
    do { result = .success(try await body(transport)) } catch { result = .failure(error) }
    await transport.shutdown()
    try await channel.close()
    try result.get()
  }
}

/// A proxy that connects to no one: it answers each request by the name of the host that it was given.
private final class SOCKSHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let reply: UInt8
  private var isGreeted = false
  private var host: String?

  init(reply: UInt8) { self.reply = reply }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = Array(unwrapInboundIn(data).readableBytesView)
    let answer: [UInt8]
    if let host {
      answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(host.utf8.count)\r\n\r\n\(host)".utf8)
    } else if isGreeted {
      // Version, command, nothing, 3 for a name, its length, the name, and two bytes for the port.
      host = String(decoding: bytes.dropFirst(5).dropLast(2), as: UTF8.self)
      answer = [5, reply, 0, 1, 0, 0, 0, 0, 0, 0]
    } else {
      isGreeted = true
      answer = [5, 0]
    }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
  }
}
