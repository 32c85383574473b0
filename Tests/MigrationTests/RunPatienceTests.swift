import Migration
import Profiles
import Retrying
import Testing

/// How patient a run is to which nobody said how patient to be.
struct RunPatienceTests {
  private func options(_ kind: String, _ patience: String = "") throws -> SessionOptions {
    let yaml = """
      ferry-profile: 1
      app: sample
      entities:
        Note: { fields: { text: text } }
      api:
        \(kind)
        \(patience)
        entities:
          Note: { record-type: Note, types: { text: string }, body: { text: text } }
      """
    return SessionOptions(profile: try Profile(yaml: yaml, path: "sample.yaml"))
  }

  private static let cloud = "kind: cloudkit\n  container: iCloud.sample"

  // 002-48.
  @Test func `before CloudKit it waits for 2, 4 and 8 seconds`() throws {
    let options = try options(Self.cloud)
    #expect(options.retry == RetryPolicy(limit: 3, first: .seconds(2), longest: .seconds(8)))
  }

  // 003-13.
  @Test func `what the profile says of its queue holds`() throws {
    let options = try options(Self.cloud, "retry: { limit: 3, first: 60s, longest: 8m }")
    #expect(options.retry == RetryPolicy(limit: 3, first: .seconds(60), longest: .seconds(480)))
  }

  // 001-48.
  @Test func `else it tries three times again, after a second, and after no more than thirty`() {
    #expect(
      SessionOptions().retry
        == RetryPolicy(limit: 3, first: .seconds(1), factor: 2, longest: .seconds(30))
    )
  }
}
