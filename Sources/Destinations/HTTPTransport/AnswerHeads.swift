import NIOCore
import NIOHTTP1

/// Ends a connection whose answer has a status that HTTP does not have, before the client sees it.
///
/// Statuses have three digits, the first from 1 to 5, and one without a meaning is to be read as the
/// first of its class; below 100 there is no class. The client takes that head for one that
/// announces another, and has no state for the body that follows.
///
/// https://www.rfc-editor.org/rfc/rfc9110#section-15
final class AnswerHeads: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart

  private var hasFailed = false

  /// Puts a handler behind the decoder of a connection that has just been made.
  static func check(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.submit {
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
      try pipeline.addHandler(AnswerHeads(), position: .after(decoder))
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasFailed else { return }
    if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
      hasFailed = true
      let reason = "the answer has the status \(head.status.code), which HTTP does not have"
      context.fireErrorCaught(HTTPFailure.unknown(reason: reason))
      context.close(promise: nil)
    } else {
      context.fireChannelRead(data)
    }
  }
}
