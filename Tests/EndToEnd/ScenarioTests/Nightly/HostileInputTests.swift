import Foundation
import JSONText
import TestSupport
import Testing

/// Files that were made to do harm, each given to the command it belongs to, when there is a folder
/// of them.
///
/// `FERRY_HOSTILE` names a folder with an `index.jsonl`, in which `must` says what a good program
/// answers: `error`, `accept`, or `skip` where a part is left out and reported.
@Suite(
  .enabled(if: HostileInputs.folder != nil, "skipped: FERRY_HOSTILE is not set"),
  .timeLimit(.minutes(5))
)
struct HostileInputTests {
  @Test
  func `every hostile input ends with a message within time and memory bounds, and is unchanged`()
    async throws
  {
    let folder = try #require(HostileInputs.folder)
    let rows = try await withTemporaryFolder { try HostileInputs.answers(to: folder, in: $0) }
    #expect(rows.count > 150)
    for row in rows {
      let note = Comment(rawValue: "\(row.file): \(row.status), \(row.said)")
      #expect(row.isAnswered, note)
      #expect(row.seconds < 2, note)
      #expect(row.mebibytes < 64, note)
      #expect(!row.isChanged, note)
      #expect(row.isSafeToPrint, note)
    }
  }
}
