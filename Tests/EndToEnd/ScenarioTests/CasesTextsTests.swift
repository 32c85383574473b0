import Foundation
import JSONText
import TestSupport
import Testing

/// Shared texts that were once credited to the wrong game, or vanished.
@Suite(
  .timeLimit(.minutes(1)),
  .enabled(if: CaseFolder.isGiven, "skipped: FERRY_CASES is not set")
)
struct CasesTextsTests {
  @Test func `the case T-texts is read as its README says, and unread texts are rejected`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let texts = try CaseFolder.copy("T-texts", into: URL(filePath: folder))
      let files = ["r5", "r6", "r6b", "r7", "r10", "r11"].map { "\(texts.path)/\($0).txt" }
      let package = "\(folder)/results.ferry"
      try await FerryProgram().run(
        ["import"] + files + ["-o", package, "--format", "ndjson"],
        state: "\(folder)/state"
      ).exits(3)
      let records = try PackageLines(package).records("GameResult")
      let results = records.map { record in
        let score = record["score"]?.integer.map(String.init) ?? "none"
        let isCompleted = record["completed"] == true ? "" : ", lost"
        // A text without a number is known by its digest.
        let identity = (record["identity"]?.text ?? "").prefix { $0 != "#" }
        return "\(identity): \(score)\(isCompleted)"
      }
      #expect(
        results.sorted() == [
          "betweenle/389: 0, lost", "conexo/2026-01-27: 12", "foodguessr/2025-07-30: 12000",
          "picsey: 0, lost",
          "strands/607: none", "strands/692: 0",
          "termo/81: 3", "wordle/1607: 5", "wordle/628: 3",
        ]
      )
      let rejects = try String(at: "\(package)/rejected/GameResult-00001.jsonl")
      #expect(rejects.split(separator: "\n").count == 1, "\(rejects)")
      #expect(rejects.contains("Globle at byte 0"))
    }
  }
}
