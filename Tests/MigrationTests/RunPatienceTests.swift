import Migration
import Profiles
import Retrying
import Testing

/// How patient a run is to which no one said how patient to be.
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
  @Test func `requests to CloudKit are retried after 2, 4 and 8 seconds`() throws {
    let options = try options(Self.cloud)
    #expect(options.retry == RetryPolicy(limit: 3, first: .seconds(2), longest: .seconds(8)))
  }

  // 003-13.
  @Test func `the profile's retry rules for its queue are used`() throws {
    let options = try options(Self.cloud, "retry: { limit: 3, first: 60s, longest: 8m }")
    #expect(options.retry == RetryPolicy(limit: 3, first: .seconds(60), longest: .seconds(480)))
  }

  // 001-48.
  @Test func `by default a request is tried again three times, after one to thirty seconds`() {
    #expect(
      SessionOptions().retry
        == RetryPolicy(limit: 3, first: .seconds(1), factor: 2, longest: .seconds(30))
    )
  }
}
