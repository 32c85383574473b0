import DestinationModel
import Foundation
import Planning
import Profiles
import TestSupport
import Testing

/// What is found of a profile without a network.
struct OfflineChecksTests {
  @Test(arguments: [(#"{"type": "object"}"#, 0), (#"{"type": "objekt"}"#, 1), ("{", 1)])
  func `a file that is not a schema is found before anything is read`(schema: String, faults: Int)
    async throws
  {
    try await withTemporaryFolder { folder in
      try Data(schema.utf8).write(to: URL(filePath: "\(folder)/note.schema.json"))
      let yaml = """
        ferry-profile: 1
        app: sample
        entities:
          Note: { identity: { attribute: id }, fields: { id: id }, schema: note.schema.json }
        """
      let profile = try Profile(yaml: yaml, path: "\(folder)/profile.yaml")
      let found = OfflineChecks.of(profile).filter { $0.name == "schema" }
      #expect(found.count == faults)
      #expect(found.allSatisfy { $0.verdict == .unfit && $0.detail.contains("note.schema.json") })
    }
  }
}
