import Foundation
import TestSupport
import Testing

/// A value that is too large to be held keeps its own record back, by name, and no other.
@Suite(.timeLimit(.minutes(2))) struct LargeValueTests {
  @Test
  func `a record with a too large value is rejected with the reason, and all others are exported`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.sql(
        "UPDATE ZHERO SET ZNAME = zeroblob(134217729) WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZHERO)"
      )
      let package = scenario.folder + "/large.ferry"
      try await scenario.ferry([
        "export", scenario.sample.store, "--profile", scenario.profile, "-o", package,
      ]).exits(3)
      let rejects = try lines(of: package + "/rejected")
      #expect(rejects.map { $0.contains("\"code\":\"record.too-large\"") } == [true])
      let heroes = try lines(of: package + "/data") { $0.hasPrefix("Hero-") }
      #expect(heroes.count == 5)
    }
  }

  /// The lines of all files of a folder whose names are wanted.
  private func lines(
    of folder: String,
    where isWanted: (String) -> Bool = { _ in true }
  ) throws -> [Substring] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter(isWanted).flatMap {
      try String(at: "\(folder)/\($0)").split(separator: "\n")
    }
  }
}
