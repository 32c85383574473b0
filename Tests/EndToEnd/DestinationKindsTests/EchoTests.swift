import DestinationModel
import Foundation
import HTTPTransport
import JSONText
import REST
import Testing
import UploadPlanning

/// What a server that repeats what it was sent reports it.
struct EchoTests {
  /// How a server may spell what it repeats.
  enum Way: CaseIterable {
    case asItIs, inCapitals, percentEncoded, inBase64, behindAName, beforeSomething, brokenByALine
    case whereAMessageIsCut

    func spell(_ secret: String) -> String {
      switch self {
      case .asItIs: secret
      case .inCapitals: secret.uppercased()
      case .percentEncoded: secret.utf8.map { "%" + String($0, radix: 16) }.joined()
      case .inBase64: Data(secret.utf8).base64EncodedString()
      case .behindAName: Data("user:\(secret)".utf8).base64EncodedString()
      case .beforeSomething: Data("\(secret):and more".utf8).base64EncodedString()
      case .brokenByALine: String(secret.prefix(9)) + "\r\n  " + String(secret.dropFirst(9))
      case .whereAMessageIsCut: String(repeating: "x", count: 280) + secret
      }
    }
  }

  @Test(arguments: Way.allCases)
  func `a secret that an answer repeats is not printed`(way: Way) async throws {
    for secret in [Sample.token, Sample.password] {
      let words = try await reason("not taken: \(way.spell(secret))!")
      #expect(words.contains("not taken"))
      // Nor any part of it of some length; what else was encoded with it is not secret.
      for spelling in way == .beforeSomething ? [secret] : [secret, way.spell(secret)] {
        let squeezed = Array(spelling.lowercased().filter { !$0.isWhitespace && $0 != "x" })
        let parts = (0..<max(1, squeezed.count - 7)).map {
          String(squeezed[$0..<min($0 + 8, squeezed.count)])
        }
        #expect(!parts.contains { words.contains($0) }, "\(words)")
      }
    }
  }

  private func reason(_ message: String) async throws -> String {
    var words = ""
    let reply = ScriptedServer.Reply.json(["message": .string(message)], status: 422)
    try await withScript({ _ in reply }) { destination, _ in
      let answer = await destination.send(.heroes(.create, [.number(1)]))
      words = "\(answer.outcomes)".lowercased()
    }
    return words
  }

  @Test func `a value that only resembles a secret is printed`() async throws {
    let words = "the tokens of a session have expired"
    #expect(try await reason(words).contains(words))
  }

  @Test(arguments: [
    "ftp://demo:s3cret-pw@example.com", "demo:s3cret-pw@example.com",
    "https://example.com/x?token=s3cret-pw", "https://example.com/#s3cret-pw",
  ])
  func `a refused address is reported without its secrets`(address: String) {
    #expect {
      try Origin(address)
    } throws: { error in
      !"\(error)".contains("s3cret-pw")
    }
  }
}
