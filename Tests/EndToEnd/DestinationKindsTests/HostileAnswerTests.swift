import DestinationModel
import Foundation
import REST
import Records
import TestSupport
import Testing
import UploadPlanning

/// Answers that were made to do harm, when there is a folder of them: what `FERRY_HOSTILE` names has them
/// in `http`.
@Suite(
  .enabled(if: HostileAnswers.folder != nil, "skipped: FERRY_HOSTILE is not set"),
  .timeLimit(.minutes(2))
)
struct HostileAnswerTests {
  @Test func `no hostile answer counts as success, and its report is safe to print`() async throws {
    let folder = try #require(HostileAnswers.folder) + "/http"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(names.count >= 15)
    for name in names {
      let bytes = try HostileAnswers.bytes(of: "\(folder)/\(name)")
      try await withScript({ _ in .raw(content: bytes) }) { destination, server in
        let batch = await destination.send(.heroes(.create, [.number(1), .number(2)]))
        let single = await destination.send(.events([.number(3)]))
        for number in 1...2 {
          #expect(batch.word(Int64(number)) != "stored", "\(name)")
        }
        #expect(single.word(3) != "stored", "\(name)")
        var said = "\(batch) \(single)"
        do throws(DestinationError) {
          let page = try await destination.page(of: "Hero", after: nil, since: nil)
          Issue.record("\(name) was read as \(page.records.count) records")
        } catch {
          said += "\(error)"
        }
        #expect(!said.contains(Sample.token), "\(name)")
        #expect(!said.unicodeScalars.contains { $0.drivesTerminals }, "\(name)")
        // Nothing is sent twice by itself, but for a new sign-in.
        #expect(server.requests.count <= 12, "\(name)")
      }
    }
  }
}

private enum HostileAnswers {
  static let folder = ProcessInfo.processInfo.environment["FERRY_HOSTILE"]

  /// An answer, in which a token that it echoes is the one that it was sent.
  static func bytes(of path: String) throws -> [UInt8] {
    let data = try Data(contentsOf: URL(filePath: path))
    guard let text = String(data: data, encoding: .utf8), text.contains("tok_SECRET9999") else {
      return Array(data)
    }
    let body = text.replacing("tok_SECRET9999", with: Sample.token)
    let length = body.components(separatedBy: "\r\n\r\n").last?.utf8.count ?? 0
    return Array(body.replacing(/Content-Length: \d+/, with: "Content-Length: \(length)").utf8)
  }
}
