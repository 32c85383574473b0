import NIOHTTP1
import Synchronization

/// Stands in for the transport of the same name: nothing is sent, and the answers are given.
package final class HTTPTransport: Sendable {
  package static let largestAnswer = 64 << 20

  private let answers = Mutex<[Result<HTTPAnswer, HTTPFailure>]>([])

  package init(userAgent: String = "ferry", connectTimeout: Duration = .seconds(10)) {}

  package func shutdown() async {}

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
