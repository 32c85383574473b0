import Foundation
import TestSupport
import Testing

/// Files that do harm by their size alone, each given to the command it belongs to.
@Suite(.timeLimit(.minutes(5))) struct LargeInputTests {
  /// The most memory that an input may take, in MiB, with the program itself, which takes some 33.
  private static let mostMemory = 72.0
  /// The most processor time that an input may take, in seconds.
  ///
  /// What harms is to be refused within 2, and what is accepted is read whole; the rest is for machines that
  /// are slow. Time in which the program waits, or others have the processor, does not count.
  private static func mostSeconds(_ row: HostileInputs.Row) -> Double {
    row.must == "error" ? 10 : 20
  }

  @Test
  func `every large input ends with a message within time and memory bounds, and is unchanged`()
    async throws
  {
    let rows = try await withTemporaryFolder { folder in
      let script = ServerScript.path("large_inputs.py")
      _ = try Python.run(["-B", script, folder + "/inputs"])
      try FileManager.default.createDirectory(
        atPath: folder + "/place",
        withIntermediateDirectories: false
      )
      return try HostileInputs.answers(to: folder + "/inputs", in: folder + "/place")
    }
    #expect(rows.count == 15)
    for row in rows {
      let cost = "\(row.mebibytes) MiB, \(row.seconds) s"
      let note = Comment(rawValue: "\(row.file): \(row.status), \(cost), \(row.said)")
      #expect(row.isAnswered, note)
      #expect(row.mebibytes < Self.mostMemory, note)
      #expect(row.seconds < Self.mostSeconds(row), note)
      #expect(!row.isChanged, note)
      #expect(row.isSafeToPrint, note)
    }
  }
}
