import Foundation
import JSONText
import TestSupport
import Testing

/// Media files in a bucket of OpenStack Swift's S3 service, which checks signatures and digests.
///
/// `FERRY_SWIFT` names the Python of its environment; `.ci/servers.sh` installs it. The tests share one
/// server; each has a bucket of its own.
@Suite(
  .enabled(
    if: ObjectStore.python != nil,
    "skipped: FERRY_SWIFT does not name OpenStack Swift's Python"
  ),
  .timeLimit(.minutes(5))
)
struct ObjectStoreTests {
  // 001-42, 001-43, 001-44.
  @Test func `files arrive whole, linked to their records, once, and are rolled back`() async throws
  {
    try await withBucket { scenario, bucket in
      let first = try await scenario.migrate().exits(0)
      let objects = try bucket.objects()
      #expect(objects.count > 5)
      for object in objects { #expect(object.key.hasSuffix(object.sha256)) }
      #expect(
        try linked(scenario) == Set(objects.map { "\(scenario.backend.origin)/media/\($0.key)" })
      )
      #expect(first.value("verification")?["clean"] == true)

      let writes = try scenario.backend.writeCount()
      try await scenario.migrate().exits(0)
      #expect(try scenario.backend.writeCount() == writes)
      #expect(try bucket.objects() == objects)

      try await scenario.rollback(try first.run()).exits(0)
      #expect(try bucket.objects().isEmpty)
    }
  }

  /// The addresses that records refer to files by.
  func linked(_ scenario: MigrationScenario) throws -> Set<String> {
    let heroes = try scenario.backend.rows("heroes").values.compactMap { $0["avatarUrl"]?.text }
    let stories = try scenario.backend.rows("stories").values.compactMap { $0["audioUrl"]?.text }
    return Set(heroes + stories)
  }

  /// While it is there, the later parts of a file do not arrive.
  static func holdFile(in folder: String) -> String { "\(folder)/hold" }

  func withBucket(
    named name: String? = nil,
    secretKey: String = ObjectStore.secretKey,
    silence: Silence? = nil,
    holdingParts: Bool = false,
    _ body: (MigrationScenario, ObjectStore) async throws -> Void
  ) async throws {
    try await withScenario { scenario in
      let bucket = try ObjectStore()
      var scenario = scenario
      let proxy =
        holdingParts
        ? try RealServer.holding(
          "^PUT .*partNumber=[3-8]",
          while: Self.holdFile(in: scenario.folder),
          before: bucket.origin,
          in: scenario.folder
        ) : try silence?.proxy(before: bucket.origin, in: scenario.folder)
      defer { withExtendedLifetime(proxy) {} }
      try scenario.putFiles(
        into: proxy?.origin ?? bucket.origin,
        named: name ?? bucket.bucket,
        secretKey: secretKey
      )
      try await body(scenario, bucket)
    }
  }
}

extension MigrationScenario {
  /// Rewrites the profile so that files go into a bucket, and takes what opens it.
  mutating func putFiles(
    into bucket: String,
    named name: String,
    secretKey: String = ObjectStore.secretKey
  ) throws {
    credentials += [
      "--credential", "s3-access-key=env:S3_ACCESS_KEY",
      "--credential", "s3-secret-key=env:S3_SECRET_KEY",
    ]
    environment["S3_ACCESS_KEY"] = ObjectStore.accessKey
    environment["S3_SECRET_KEY"] = secretKey
    // A part that was on its way when the program was killed may arrive a little later.
    let text = try String(at: profile).replacing("settle: 200ms", with: "settle: 2s")
    try ObjectStore.profile(
      text,
      keepingFilesAt: bucket,
      in: name,
      shownAt: "\(backend.origin)/media"
    )
    .save(to: profile)
  }
}

/// A service that does not list everything: a key without the right, or one that cannot.
struct Silence: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let pattern: String
  let status: Int
  let answer: String
  /// How many of the two lists are not given.
  let listCount: Int
  /// What the service says.
  let word: String

  static let all = [
    Silence(
      testDescription: "no right to list",
      pattern: #"^GET /[^/?]+\?"#,
      status: 403,
      answer: "<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>",
      listCount: 2,
      word: "AccessDenied"
    ),
    Silence(
      testDescription: "uploads cannot be listed",
      pattern: #"^GET /[^/?]+\?.*uploads="#,
      status: 501,
      answer: "<Error><Code>NotImplemented</Code><Message>Not here</Message></Error>",
      listCount: 1,
      word: "NotImplemented"
    ),
    Silence(
      testDescription: "uploads are answered with the files",
      pattern: #"^GET /[^/?]+\?.*uploads="#,
      status: 200,
      answer: "<ListBucketResult><Name>media</Name></ListBucketResult>",
      listCount: 1,
      word: "ListMultipartUploadsResult"
    ),
  ]

  fileprivate func proxy(before origin: String, in folder: String) throws -> RealServer {
    try RealServer.refusing(pattern, status: status, answer: answer, before: origin, in: folder)
  }
}
