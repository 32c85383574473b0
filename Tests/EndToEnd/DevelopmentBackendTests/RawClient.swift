import NIOCore
import NIOPosix

/// Sends bytes over a fresh connection and answers everything that comes until it closes.
func rawAnswer(_ request: String, _ port: Int) async throws -> String {
  let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    .connect(host: "127.0.0.1", port: port) { channel in
      channel.eventLoop.makeCompletedFuture {
        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
      }
    }
  return try await channel.executeThenClose { inbound, outbound in
    try await outbound.write(ByteBuffer(string: request))
    var answer = ""
    for try await bytes in inbound { answer += String(buffer: bytes) }
    return answer
  }
}
