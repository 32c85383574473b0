package import Files
import NIOHTTP1
import Synchronization

/// Replaces the transport of the same name: nothing is sent, and the answers are given.
package final class HTTPTransport: Sendable {
  package static let largestAnswer = 64 << 20

  /// No caller waits for a turn, however long the answers ask for quiet.
  package let turns = RateLimiter()

  private let answers = Mutex<[Result<HTTPAnswer, HTTPFailure>]>([])

  package init(userAgent: String = "ferry", connectTimeout: Duration = .seconds(10)) {}

  package func shutdown() async {}

  package struct Turn {}

  package func turn() async throws(HTTPFailure) -> Turn { Turn() }

  package func perform(_ request: HTTPRequest, in _: Turn) async throws(HTTPFailure) -> HTTPAnswer {
    try await perform(request)
  }

  /// Takes the answers of the requests to come, in their order.
  package func prepare(_ answers: [Result<HTTPAnswer, HTTPFailure>]) {
    self.answers.withLock { $0 = answers.reversed() }
  }

  package func perform(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPAnswer {
    guard let answer = answers.withLock({ $0.popLast() }) else {
      throw .neverSent(reason: "there are no more answers")
    }
    return try answer.get()
  }
}

/// As the real one has it.
package struct HTTPDownload: Sendable {
  package let head: HTTPAnswer
  package let body: Body

  package enum Body: Hashable, Sendable {
    case kept(size: Int64)
    case left
    case tooLarge
    case unwritable(FileError)
  }
}

extension HTTPTransport {
  /// Gives what the next answer says of a body, and keeps none.
  package func download(
    _ request: HTTPRequest,
    to path: String,
    atMost limit: Int64,
    where isWanted: @escaping @Sendable (HTTPAnswer) -> Bool
  ) async throws(HTTPFailure) -> HTTPDownload {
    let answer = try await perform(request)
    guard isWanted(answer) else { return HTTPDownload(head: answer, body: .left) }
    let size = Int64(answer.body.count)
    return HTTPDownload(head: answer, body: size > limit ? .tooLarge : .kept(size: size))
  }
}
