import HTTPTypes
import Hummingbird
import JSONText
import NIOCore

/// Carries out what the fault plan decided for one request.
struct Misbehaviour {
  let verdict: Observation.Verdict
  let shape: ErrorShape
  let channel: any Channel

  /// Answers with what `work` answers, or as its fate or the verdict wants it.
  func respond(
    _ fate: RequestFate,
    doing work: @escaping @Sendable () async -> Answer
  ) async throws -> Response {
    switch fate {
    case .planned: break
    case .dropped: return await cut()
    case .unanswered:
      _ = await work()
      return await cut()
    case .putOff: return refusal(503, retryAfter: nil).response
    case .kept(let take):
      take { _ = await work() }
      return await cut()
    case .repeated(let take):
      take { _ = await work() }
    }
    if verdict.delayMilliseconds > 0 {
      try await Task.sleep(for: .milliseconds(verdict.delayMilliseconds))
    }
    switch verdict.effect {
    case nil, .delay:
      return await work().response
    case .dropBefore:
      return await cut()
    case .dropAfter:
      _ = await work()
      return await cut()
    case .late(let milliseconds):
      // Not a child: it goes on when the request is over.
      Task {
        try? await Task.sleep(for: .milliseconds(milliseconds))
        _ = await work()
      }
      return await cut()
    case .status(let status, let retryAfter):
      return refusal(status, retryAfter: retryAfter).response
    case .page:
      return Answer(body: .bytes(ByteBuffer(string: Self.page), type: "text/html")).response
    case .truncate:
      return truncated(await work())
    case .pretend:
      return await Storage.$isPretending.withValue(true) { await work() }.response
    }
  }

  /// Closes the connection; what is answered afterwards reaches no one.
  private func cut() async -> Response {
    do {
      try await channel.close()
    } catch {
      // The client was faster; the connection is closed, which is all that is wanted.
    }
    return Response(status: .serviceUnavailable)
  }

  private func refusal(_ status: Int, retryAfter: String?) -> Answer {
    let code =
      switch status {
      case 401: "Unauthorized"
      case 403: "Forbidden"
      case 404: "NotFound"
      case 429: "RateLimitExceeded"
      case 503: "ServiceUnavailable"
      case 500...: "InternalServerError"
      default: "ValidationError"
      }
    var refusal = Refusal(
      HTTPResponse.Status(code: status),
      code,
      "This answer was asked for by the fault plan"
    )
    refusal.retryAfter = retryAfter.flatMap { Int($0) }
    var answer = Answer.refusal(refusal, in: shape)
    if let retryAfter, shape != .cloud { answer.headers[.retryAfter] = retryAfter }
    return answer
  }

  /// The head of an answer, the first half of its bytes, and the end of the connection.
  private func truncated(_ answer: Answer) -> Response {
    let (bytes, type) = answer.content ?? (ByteBuffer(), "text/plain")
    var headers = answer.headers(for: type)
    let half = bytes.getSlice(at: bytes.readerIndex, length: bytes.readableBytes / 2) ?? bytes
    // A body is announced even if it is missing, so that the answer always falls short.
    headers[.contentLength] = String(max(bytes.readableBytes, 1))
    let channel = channel
    return Response(
      status: answer.status,
      headers: headers,
      body: ResponseBody(contentLength: max(bytes.readableBytes, 1)) { writer in
        try await writer.write(half)
        try await channel.close()
      }
    )
  }

  private static let page = """
    <!DOCTYPE html>
    <html><head><title>Sign in to the network</title></head>
    <body><h1>Welcome</h1><p>Accept the terms to go on.</p></body></html>
    """
}
