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
  @Test func `files arrive whole, linked to their records, once, and are taken back`() async throws
  {
    try await withBucket { crossing, bucket in
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      let objects = try bucket.objects()
      #expect(objects.count > 5)
      for object in objects { #expect(object.key.hasSuffix(object.sha256)) }
      #expect(
        try linked(crossing) == Set(objects.map { "\(crossing.backend.origin)/media/\($0.key)" })
      )
      #expect(first.value("verification")?["clean"] == true)

      let writes = try crossing.backend.writeCount()
      let second = try await crossing.migrate()
      #expect(second.status == 0, "\(second.standardError)")
      #expect(try crossing.backend.writeCount() == writes)
      #expect(try bucket.objects() == objects)

      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 0, "\(back.standardError)")
      #expect(try bucket.objects().isEmpty)
    }
  }

  @Test func `files that the service says it removed, and still has, are told by a rollback`()
    async throws
  {
    let silence = Silence(
      testDescription: "removals are answered and not carried out",
      pattern: "^DELETE ",
      status: 204,
      answer: "",
      listCount: 0,
      word: ""
    )
    try await withBucket(silence: silence) { crossing, bucket in
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      let objects = try bucket.objects()
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      let told = back.findings("rollback.still-there").compactMap { $0["entity"]?.text }
      #expect(told.count == objects.count)
      #expect(told.allSatisfy { $0.hasPrefix("media:") })
      #expect(try bucket.objects() == objects)
      #expect(try crossing.backend.rows("stories").isEmpty)
    }
  }

  @Test func `a file that the app replaced is sent anew`() async throws {
    try await withBucket { crossing, bucket in
      #expect(try await crossing.migrate().status == 0)
      let before = try linked(crossing)
      let picture = try path("Avatars", crossing.sample)
      try Data("another face".utf8).write(to: URL(filePath: picture))
      let second = try await crossing.migrate()
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      let sent = try #require(try bucket.objects().first { $0.size == 12 })
      #expect(sent.key.hasSuffix(sent.sha256))
      let now = try linked(crossing)
      #expect(now.subtracting(before) == ["\(crossing.backend.origin)/media/\(sent.key)"])
      #expect(now.count == before.count)
      #expect(second.value("verification")?["clean"] == true)
    }
  }

  @Test func `a file of which the app replaced what the server takes once is told`() async throws {
    try await withBucket { crossing, bucket in
      #expect(try await crossing.migrate().status == 0)
      let before = try linked(crossing)
      let audio = try audioPath(crossing.sample)
      try Data("another voice".utf8).write(to: URL(filePath: audio))
      let second = try await crossing.migrate()
      #expect(second.status == 6, "\(second.standardOutput)\(second.standardError)")
      let told = second.findings("plan.conflict").compactMap { $0["cause"]?.text }
      #expect(told == ["the destination takes audioUrl only when it makes the record"])
      #expect(try linked(crossing) == before)
      // Nothing would name it.
      #expect(try !bucket.objects().contains { $0.size == 13 })
    }
  }

  @Test func `without its checkpoint the program finds the files there`() async throws {
    try await withBucket { crossing, bucket in
      #expect(try await crossing.migrate().status == 0)
      let objects = try bucket.objects()
      var other = crossing
      other.stateName = "elsewhere"
      let again = try await other.migrate()
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(try bucket.objects() == objects)
    }
  }

  @Test
  func `without its checkpoint, a file that the app replaced is told, and sent where it is to win`()
    async throws
  {
    try await withBucket { crossing, bucket in
      #expect(try await crossing.migrate().status == 0)
      let before = try linked(crossing)
      let picture = try path("Avatars", crossing.sample)
      try Data("another face".utf8).write(to: URL(filePath: picture))
      var other = crossing
      other.stateName = "elsewhere"
      let told = try await other.migrate()
      #expect(told.status == 6, "\(told.standardOutput)\(told.standardError)")
      let causes = told.findings("upload.conflict").compactMap { $0["cause"]?.text }
      #expect(causes == ["avatarUrl at the destination names another one"])
      #expect(try linked(crossing) == before)

      other.stateName = "a third"
      let sent = try await other.migrate(["--on-conflict", "local"])
      #expect(sent.status == 0, "\(sent.standardOutput)\(sent.standardError)")
      #expect(sent.value("verification")?["clean"] == true)
      let object = try #require(try bucket.objects().first { $0.size == 12 })
      let now = try linked(crossing)
      #expect(now.subtracting(before) == ["\(crossing.backend.origin)/media/\(object.key)"])
      #expect(now.count == before.count)
    }
  }

  @Test func `a file that somebody removed is found by verify`() async throws {
    try await withBucket { crossing, bucket in
      #expect(try await crossing.migrate().status == 0)
      let package = "\(crossing.folder)/p.ferry"
      _ = try await crossing.export(to: package)
      try bucket.remove(try #require(try bucket.objects().first?.key))
      let verdict = try await crossing.ferry(["verify", package] + crossing.destination)
      #expect(verdict.status == 6, "\(verdict.standardOutput)\(verdict.standardError)")
      #expect(verdict.findings("verify.missing").count == 1)
    }
  }

  @Test func `a file that somebody removed is sent again to who asks for the store's own`()
    async throws
  {
    try await withBucket { crossing, bucket in
      #expect(try await crossing.migrate().status == 0)
      let objects = try bucket.objects()
      try bucket.remove(try #require(objects.first?.key))
      #expect(try await crossing.migrate().status == 6)
      let again = try await crossing.migrate(["--full", "--on-conflict", "local"])
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(Set(try bucket.objects()) == Set(objects))
    }
  }

  @Test func `a file that somebody replaced by a shorter one is found by verify`() async throws {
    try await withBucket { crossing, bucket in
      #expect(try await crossing.migrate().status == 0)
      let package = "\(crossing.folder)/p.ferry"
      _ = try await crossing.export(to: package)
      let key = try #require(try bucket.objects().first?.key)
      let shorter = "\(crossing.folder)/shorter"
      try Data("no picture".utf8).write(to: URL(filePath: shorter))
      try bucket.put(key, shorter)
      let verdict = try await crossing.ferry(["verify", package] + crossing.destination)
      #expect(verdict.status == 6, "\(verdict.standardOutput)\(verdict.standardError)")
      #expect(verdict.findings("verify.different").count == 1)
    }
  }

  @Test func `a file that another of the same size replaced is found by verify`() async throws {
    try await withBucket { crossing, bucket in
      #expect(try await crossing.migrate().status == 0)
      let package = "\(crossing.folder)/p.ferry"
      _ = try await crossing.export(to: package)
      let object = try #require(try bucket.objects().first)
      let other = "\(crossing.folder)/other"
      try Data(repeating: 0, count: object.size).write(to: URL(filePath: other))
      try bucket.put(object.key, other)
      let verdict = try await crossing.ferry(["verify", package] + crossing.destination)
      #expect(verdict.status == 6, "\(verdict.standardOutput)\(verdict.standardError)")
      #expect(verdict.findings("verify.different").count == 1)
    }
  }

  @Test func `files that nobody here sent are listed by verify, and nothing else`() async throws {
    try await withBucket { crossing, bucket in
      #expect(try await crossing.migrate().status == 0)
      let package = "\(crossing.folder)/p.ferry"
      _ = try await crossing.export(to: package)
      let sent = try #require(try bucket.objects().first)
      let stray = sent.key.replacing(sent.sha256, with: String(repeating: "ab", count: 32))
      let file = "\(crossing.folder)/stray"
      try Data("left over".utf8).write(to: URL(filePath: file))
      try bucket.put(stray, file)
      // Another account's file, and one that the app named in its own way.
      let account = try #require(sent.key.split(separator: "/").dropFirst().first)
      try bucket.put(stray.replacing("/\(account)/", with: "/another/"), file)
      try bucket.put("\(sent.key.dropLast(64))picture.png", file)
      let verdict = try await crossing.ferry(["verify", package] + crossing.destination)
      #expect(verdict.status == 0, "\(verdict.standardOutput)\(verdict.standardError)")
      let found = verdict.findings("verify.stray-file")
      #expect(found.map { $0["record"]?.text } == [stray])
    }
  }

  @Test func `a file that was begun and not ended is listed by verify`() async throws {
    try await withInterruptedFile { crossing, bucket in
      let package = "\(crossing.folder)/p.ferry"
      _ = try await crossing.export(to: package)
      let verdict = try await crossing.ferry(["verify", package] + crossing.destination)
      #expect(verdict.findings("verify.unfinished-file").count == 1, "\(verdict.standardError)")
    }
  }

  @Test(arguments: Silence.all)
  func `where the service does not list files, verify says so and ends as it would`(
    _ silence: Silence
  ) async throws {
    try await withBucket(silence: silence) { crossing, bucket in
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      let package = "\(crossing.folder)/p.ferry"
      _ = try await crossing.export(to: package)
      let verdict = try await crossing.ferry(["verify", package] + crossing.destination)
      #expect(verdict.status == 0, "\(verdict.standardOutput)\(verdict.standardError)")
      let notes = verdict.findings("verify.strays-unknown")
      let categories = Set(notes.compactMap { $0["entity"]?.text })
      #expect(notes.count == silence.listCount * categories.count && !categories.isEmpty)
      #expect(notes.allSatisfy { $0["severity"]?.text == "note" })
      #expect(notes.allSatisfy { $0["cause"]?.text?.contains(silence.word) == true })
      try bucket.remove(try #require(try bucket.objects().first?.key))
      let broken = try await crossing.ferry(["verify", package] + crossing.destination)
      #expect(broken.status == 6, "\(broken.standardOutput)\(broken.standardError)")
    }
  }

  @Test func `taking one store back leaves the file that another store has too`() async throws {
    try await withBucket { crossing, bucket in
      let sample = try madeStore(
        in: "\(crossing.folder)/other",
        seed: "another",
        heroes: 4,
        stories: 12
      )
      let (mine, theirs) = (try audioPath(crossing.sample), try audioPath(sample))
      try FileManager.default.removeItem(atPath: theirs)
      try FileManager.default.copyItem(atPath: mine, toPath: theirs)
      let other = crossing.with(sample)
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      let mineAlone = try linked(crossing)
      let second = try await other.migrate()
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")

      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      let shared = mineAlone.intersection(try linked(crossing))
      #expect(!shared.isEmpty)
      #expect(back.count("conflicted", in: "rollback") == shared.count)
      let package = "\(crossing.folder)/verified.ferry"
      _ = try await other.export(to: package)
      let verdict = try await other.ferry(["verify", package] + other.destination)
      #expect(verdict.status == 0, "\(verdict.standardOutput)\(verdict.standardError)")
      let left = Set(try bucket.objects().map { "\(crossing.backend.origin)/media/\($0.key)" })
      #expect(try linked(crossing) == left)
    }
  }

  @Test func `where a key names no account, no file is taken from under another's records`()
    async throws
  {
    try await withBucket { crossing, bucket in
      let profile = try String(contentsOfFile: crossing.profile, encoding: .utf8)
      try profile.replacing("/{account}/", with: "/").write(
        toFile: crossing.profile,
        atomically: true,
        encoding: .utf8
      )
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      let objects = try bucket.objects()
      #expect(objects.count > 5)
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(try bucket.objects() == objects)
    }
  }

  @Test func `a file that was there before the run stays when the run is taken back`() async throws
  {
    try await withBucket { crossing, bucket in
      let first = try await crossing.migrate()
      let object = try #require(try bucket.objects().first)
      #expect(try await crossing.rollback(try first.run()).status == 0)
      try bucket.put(object.key, try await file(object.sha256, crossing))
      let second = try await crossing.migrate()
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      let media = second.value("upload")?["media"]?.array ?? []
      #expect(media.reduce(0) { $0 + ($1["unchanged"]?.integer ?? 0) } == 1)
      let back = try await crossing.rollback(try second.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try bucket.objects().map(\.key) == [object.key])
    }
  }

  /// The hero was changed on another device since, and names its picture at the storage's own host.
  @Test func `a file that a record names by an escaped key stays when the run is taken back`()
    async throws
  {
    try await withBucket { crossing, bucket in
      let profile = try String(contentsOfFile: crossing.profile, encoding: .utf8)
      try profile.replacing("member: user.id", with: "member: user.email").write(
        toFile: crossing.profile,
        atomically: true,
        encoding: .utf8
      )
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      let heroes = try crossing.backend.rows("heroes")
      let hero = try #require(heroes.first { $0.value["avatarUrl"]?.text != nil })
      let address = try #require(hero.value["avatarUrl"]?.text)
      #expect(address.contains("%2540"))
      let moved = address.replacing(
        "\(crossing.backend.origin)/media/",
        with: "https://storage.example/"
      )
      let client = try await AppClient(crossing)
      try client.patch(
        "/api/v1/heroes/\(hero.key)",
        ["name": "Changed there", "avatarUrl": .string("\(moved)?signature=1")]
      )
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      let left = try bucket.objects()
      #expect(left.count == 1)
      #expect(left.allSatisfy { address.hasSuffix($0.sha256) })
    }
  }

  @Test func `a large file goes in parts, and after each kill on with those that are missing`()
    async throws
  {
    try await withInterruptedFile { crossing, bucket in
      let parts = try bucket.parts()
      let last = try await crossing.migrate()
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      let objects = try bucket.objects()
      for object in objects { #expect(object.key.hasSuffix(object.sha256)) }
      #expect(objects.contains { $0.size == Self.largeSize })
      let all = try bucket.parts()
      for (name, moment) in parts { #expect(all[name] == moment) }
      #expect(all.count == 8)
    }
  }

  @Test func `a run that was killed amid a large file leaves nothing when it is taken back`()
    async throws
  {
    try await withInterruptedFile { crossing, bucket in
      let back = try await crossing.rollback(try await runName(crossing))
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try bucket.objects().isEmpty)
      #expect(try bucket.parts().isEmpty)
    }
  }

  @Test func `parts of a large file are found even after a run that was refused`() async throws {
    try await withInterruptedFile { crossing, bucket in
      var locked = crossing
      locked.environment["S3_SECRET_KEY"] = "another"
      let refused = try await locked.migrate()
      #expect(refused.status == 7, "\(refused.standardOutput)\(refused.standardError)")
      let back = try await crossing.rollback(try await runName(crossing))
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try bucket.objects().isEmpty)
      #expect(try bucket.parts().isEmpty)
    }
  }

  @Test func `a wrong secret ends the run with what to do`() async throws {
    try await withBucket(secretKey: "another") { crossing, bucket in
      let answer = try await crossing.migrate()
      #expect(answer.status == 7, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.standardError.contains("SignatureDoesNotMatch"))
      #expect(!answer.standardError.contains("another"))
      #expect(try bucket.objects().isEmpty)
    }
  }

  @Test func `a bucket that is not there ends the run with what to do`() async throws {
    try await withBucket(named: "absent") { crossing, _ in
      let answer = try await crossing.migrate()
      #expect(answer.status == 7, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.standardError.contains("there is no bucket “absent”"))
    }
  }

  @Test func `after a bucket that is not there, the files go into that of the mended profile`()
    async throws
  {
    try await withBucket(named: "absent") { crossing, bucket in
      let package = "\(crossing.folder)/p.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      let words = ["upload", package] + crossing.destination
      #expect(try await crossing.ferry(words).status == 7)
      let profile = try String(contentsOfFile: crossing.profile, encoding: .utf8)
      try profile.replacing("name: absent", with: "name: \(bucket.bucket)").write(
        toFile: crossing.profile,
        atomically: true,
        encoding: .utf8
      )
      let mended = try await crossing.ferry(words + ["--accept-change", "profile"])
      #expect(mended.status == 0, "\(mended.standardOutput)\(mended.standardError)")
      #expect(!mended.findings("media.stray").isEmpty)
      let keys = try bucket.objects().map(\.key)
      #expect(keys.count > 5)
      #expect(try linked(crossing) == Set(keys.map { "\(crossing.backend.origin)/media/\($0)" }))
    }
  }

  // MARK: - The scene

  private static let largeSize = 36_700_161

  /// The addresses that records refer to files by.
  private func linked(_ crossing: Crossing) throws -> Set<String> {
    let heroes = try crossing.backend.rows("heroes").values.compactMap { $0["avatarUrl"]?.text }
    let stories = try crossing.backend.rows("stories").values.compactMap { $0["audioUrl"]?.text }
    return Set(heroes + stories)
  }

  /// The path of the media file with this content, in the app's container.
  private func file(_ digest: String, _ crossing: Crossing) async throws -> String {
    let package = "\(crossing.folder)/files.ferry"
    _ = try await crossing.export(to: package)
    return "\(package)/media/sha256/\(digest.prefix(2))/\(digest)"
  }

  /// One of a store's audio files.
  private func audioPath(_ sample: Sample) throws -> String { try path("AudioStories", sample) }

  /// The first file of a folder of the app's.
  private func path(_ name: String, _ sample: Sample) throws -> String {
    let folder = "\(sample.folder)/container/Documents/\(name)"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return "\(folder)/\(try #require(names.min()))"
  }

  /// Lends a bucket to which a migration sent some parts of a large file before each kill.
  private func withInterruptedFile(
    _ body: (Crossing, ObjectStore) async throws -> Void
  ) async throws {
    try await withBucket(holdingParts: true) { crossing, bucket in
      try enlargeAudio(crossing)
      let hold = Self.holdFile(in: crossing.folder)
      try Data().write(to: URL(filePath: hold))
      var parts: [String: String] = [:]
      for wait in [1.5, 2, 4, 8] where parts.isEmpty || wait < 4 {
        let killed = try await crossing.program.run(
          ["migrate", crossing.sample.store] + crossing.destination,
          environment: crossing.environment,
          state: crossing.state,
          stop: .kill(after: .seconds(wait), line: "upload …")
        )
        #expect(killed.wasKilled, "\(killed.standardError)")
        let now = try bucket.parts()
        // What arrived was not sent again.
        for (name, moment) in parts { #expect(now[name] == moment) }
        parts = now
      }
      #expect(!parts.isEmpty && parts.count < 8, "\(parts)")
      try FileManager.default.removeItem(atPath: hold)
      try await body(crossing, bucket)
    }
  }

  /// While it is there, the later parts of a file do not arrive.
  private static func holdFile(in folder: String) -> String { "\(folder)/hold" }

  /// The name of the run that the state folder knows.
  private func runName(_ crossing: Crossing) async throws -> String {
    let status = try await crossing.program.run(["status"], state: crossing.state)
    let said = status.standardOutput + status.standardError
    return String(try #require(said.firstMatch(of: /[0-9a-f]{6}-[0-9]+/), "\(said)").output)
  }

  /// Makes one of the audio files larger than eight parts.
  private func enlargeAudio(_ crossing: Crossing) throws {
    var generator = SystemRandomNumberGenerator()
    var bytes = Data(capacity: Self.largeSize + 8)
    while bytes.count < Self.largeSize {
      withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
    }
    try bytes.prefix(Self.largeSize).write(to: URL(filePath: try audioPath(crossing.sample)))
  }

  private func withBucket(
    named name: String? = nil,
    secretKey: String = ObjectStore.secretKey,
    silence: Silence? = nil,
    holdingParts: Bool = false,
    _ body: (Crossing, ObjectStore) async throws -> Void
  ) async throws {
    try await withCrossing { crossing in
      let bucket = try ObjectStore()
      var crossing = crossing
      let proxy =
        holdingParts
        ? try RealServer.holding(
          "^PUT .*partNumber=[3-8]",
          while: Self.holdFile(in: crossing.folder),
          before: bucket.origin,
          in: crossing.folder
        ) : try silence?.proxy(before: bucket.origin, in: crossing.folder)
      defer { withExtendedLifetime(proxy) {} }
      try crossing.putFiles(
        into: proxy?.origin ?? bucket.origin,
        named: name ?? bucket.bucket,
        secretKey: secretKey
      )
      try await body(crossing, bucket)
    }
  }
}

extension Crossing {
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
    let text = try String(contentsOfFile: profile, encoding: .utf8)
      .replacing("settle: 200ms", with: "settle: 2s")
    try ObjectStore.profile(
      text,
      keepingFilesAt: bucket,
      in: name,
      shownAt: "\(backend.origin)/media"
    )
    .write(toFile: profile, atomically: true, encoding: .utf8)
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
