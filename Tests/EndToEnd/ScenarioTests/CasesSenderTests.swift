import Foundation
import JSONText
import TestSupport
import Testing

/// Shared inputs in which messages of several people were taken for those of one.
@Suite(.enabled(if: CaseFolder.isGiven, "skipped: FERRY_CASES is not set"), .timeLimit(.minutes(2)))
struct CasesSenderTests {
  private struct Case {
    let path: String
    /// The status without `--sender`, and how many results come with `--sender Anna` or `anna`.
    let asked: Int32
    let own: Int
    let refused: Int
    var sender = "Anna"
  }

  private static let cases = [
    Case(path: "C04-line-chat/line.txt", asked: 64, own: 1, refused: 1),
    Case(
      path: "C06-discordchatexporter/discord.txt",
      asked: 64,
      own: 1,
      refused: 1,
      sender: "anna"
    ),
    Case(path: "C07-imazing-csv/imazing.csv", asked: 3, own: 1, refused: 1),
    Case(path: "C09-google-chat/messages.json", asked: 64, own: 1, refused: 1),
    Case(path: "C10-sms-ie/messages.ndjson", asked: 3, own: 1, refused: 1),
    Case(path: "C16-sms-lone-surrogate/lonesur.xml", asked: 0, own: 1, refused: 0),
    Case(path: "C18-chat-unread-lines/zh.txt", asked: 64, own: 2, refused: 1),
    Case(path: "T-texts/r1.json", asked: 3, own: 1, refused: 1),
    Case(path: "T-texts/r2.json", asked: 64, own: 0, refused: 1),
    Case(path: "T-texts/r3.txt", asked: 64, own: 0, refused: 1),
    Case(path: "T-texts/r4.txt", asked: 64, own: 1, refused: 1, sender: "anna"),
  ]

  @Test func `no result of another person or another day is given to the owner`() async throws {
    try await withTemporaryFolder { folder in
      let program = try FerryProgram()
      for (number, example) in Self.cases.enumerated() {
        let name = String(example.path.prefix { $0 != "/" })
        let place = URL(filePath: "\(folder)/\(number)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let copy = try CaseFolder.copy(name, into: place)
        let file = copy.appending(path: String(example.path.dropFirst(name.count + 1))).path
        let asked = try await program.run(
          ["import", file, "-o", "\(place.path)/a.ferry"],
          state: "\(folder)/state"
        )
        #expect(asked.status == example.asked, "\(example.path): \(asked.standardError)")
        let package = "\(place.path)/b.ferry"
        let reported = try await program.run(
          ["import", file, "--sender", example.sender, "--format", "ndjson", "-o", package],
          state: "\(folder)/state"
        )
        let lines = reported.standardOutput.split(separator: "\n").compactMap { line in
          try? JSONValue(parsing: String(line))
        }
        let counts = lines.first { $0["type"] == "import" }?["counts"]
        let imported = counts?["imported"]?.integer
        let refused = counts?["refused"]?.integer
        #expect(imported == Int64(example.own), "\(example.path): \(reported.standardError)")
        #expect(refused == Int64(example.refused), "\(example.path)")
        for record in try PackageLines(package).records("GameResult") {
          #expect(record["player"] == .null, "\(example.path)")
        }
      }
    }
  }
}
