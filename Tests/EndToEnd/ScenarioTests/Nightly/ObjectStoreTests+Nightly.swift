import Foundation
import JSONText
import TestSupport
import Testing

extension ObjectStoreTests {
  @Test func `a rollback reports files that the service says it removed, and still has`()
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
    try await withBucket(silence: silence) { scenario, bucket in
      let first = try await scenario.migrate().exits(0)
      let objects = try bucket.objects()
      let back = try await scenario.rollback(try first.run()).exits(6)
      let reported = back.findings("rollback.still-present").compactMap { $0["entity"]?.text }
      #expect(reported.count == objects.count)
      #expect(reported.allSatisfy { $0.hasPrefix("media:") })
      #expect(try bucket.objects() == objects)
      #expect(try scenario.backend.rows("stories").isEmpty)
    }
  }

  @Test func `a file that the app replaced is sent again`() async throws {
    try await withBucket { scenario, bucket in
      try await scenario.migrate().exits(0)
      let before = try linked(scenario)
      let picture = try path("Avatars", scenario.sample)
      try Data("another face".utf8).write(to: URL(filePath: picture))
      let second = try await scenario.migrate().exits(0)
      let sent = try #require(try bucket.objects().first { $0.size == 12 })
      #expect(sent.key.hasSuffix(sent.sha256))
      let now = try linked(scenario)
      #expect(now.subtracting(before) == ["\(scenario.backend.origin)/media/\(sent.key)"])
      #expect(now.count == before.count)
      #expect(second.value("verification")?["clean"] == true)
    }
  }

  @Test func `a replaced file that the server stores only once is reported`() async throws {
    try await withBucket { scenario, bucket in
      try await scenario.migrate().exits(0)
      let before = try linked(scenario)
      let audio = try audioPath(scenario.sample)
      try Data("another voice".utf8).write(to: URL(filePath: audio))
      let second = try await scenario.migrate().exits(6)
      let reported = second.findings("plan.conflict").compactMap { $0["cause"]?.text }
      #expect(reported == ["the destination takes audioUrl only when a record is made"])
      #expect(try linked(scenario) == before)
      // Nothing would name it.
      #expect(try !bucket.objects().contains { $0.size == 13 })
    }
  }

  @Test func `without a checkpoint the uploaded files are found`() async throws {
    try await withBucket { scenario, bucket in
      try await scenario.migrate().exits(0)
      let objects = try bucket.objects()
      var other = scenario
      other.stateName = "elsewhere"
      try await other.migrate().exits(0)
      #expect(try bucket.objects() == objects)
    }
  }

  @Test
  func `without a checkpoint, a replaced file is reported, and sent if the store wins`()
    async throws
  {
    try await withBucket { scenario, bucket in
      try await scenario.migrate().exits(0)
      let before = try linked(scenario)
      let picture = try path("Avatars", scenario.sample)
      try Data("another face".utf8).write(to: URL(filePath: picture))
      var other = scenario
      other.stateName = "elsewhere"
      let reported = try await other.migrate().exits(6)
      let causes = reported.findings("upload.conflict").compactMap { $0["cause"]?.text }
      #expect(causes == ["avatarUrl at the destination names another one"])
      #expect(try linked(scenario) == before)

      other.stateName = "a third"
      let sent = try await other.migrate(["--on-conflict", "local"]).exits(0)
      #expect(sent.value("verification")?["clean"] == true)
      let object = try #require(try bucket.objects().first { $0.size == 12 })
      let now = try linked(scenario)
      #expect(now.subtracting(before) == ["\(scenario.backend.origin)/media/\(object.key)"])
      #expect(now.count == before.count)
    }
  }

  @Test func `verify finds a file that another device removed`() async throws {
    try await withBucket { scenario, bucket in
      try await scenario.migrate().exits(0)
      let package = "\(scenario.folder)/p.ferry"
      _ = try await scenario.export(to: package)
      try bucket.remove(try #require(try bucket.objects().first?.key))
      let verdict = try await scenario.ferry(["verify", package] + scenario.destination).exits(6)
      #expect(verdict.findings("verify.missing").count == 1)
    }
  }

  @Test func `a file that another device removed is sent again if a person chose the store's`()
    async throws
  {
    try await withBucket { scenario, bucket in
      try await scenario.migrate().exits(0)
      let objects = try bucket.objects()
      try bucket.remove(try #require(objects.first?.key))
      try await scenario.migrate().exits(6)
      try await scenario.migrate(["--full", "--on-conflict", "local"]).exits(0)
      #expect(Set(try bucket.objects()) == Set(objects))
    }
  }

  @Test func `verify finds a file that another device replaced by a shorter one`() async throws {
    try await withBucket { scenario, bucket in
      try await scenario.migrate().exits(0)
      let package = "\(scenario.folder)/p.ferry"
      _ = try await scenario.export(to: package)
      let key = try #require(try bucket.objects().first?.key)
      let shorter = "\(scenario.folder)/shorter"
      try Data("no picture".utf8).write(to: URL(filePath: shorter))
      try bucket.put(key, shorter)
      let verdict = try await scenario.ferry(["verify", package] + scenario.destination).exits(6)
      #expect(verdict.findings("verify.different").count == 1)
    }
  }

  @Test func `a file that another of the same size replaced is found by verify`() async throws {
    try await withBucket { scenario, bucket in
      try await scenario.migrate().exits(0)
      let package = "\(scenario.folder)/p.ferry"
      _ = try await scenario.export(to: package)
      let object = try #require(try bucket.objects().first)
      let other = "\(scenario.folder)/other"
      try Data(repeating: 0, count: object.size).write(to: URL(filePath: other))
      try bucket.put(object.key, other)
      let verdict = try await scenario.ferry(["verify", package] + scenario.destination).exits(6)
      #expect(verdict.findings("verify.different").count == 1)
    }
  }

  @Test func `verify lists files that no run of this store sent, and nothing else`() async throws {
    try await withBucket { scenario, bucket in
      try await scenario.migrate().exits(0)
      let package = "\(scenario.folder)/p.ferry"
      _ = try await scenario.export(to: package)
      let sent = try #require(try bucket.objects().first)
      let orphaned = sent.key.replacing(sent.sha256, with: String(repeating: "ab", count: 32))
      let file = "\(scenario.folder)/stray"
      try Data("left over".utf8).write(to: URL(filePath: file))
      try bucket.put(orphaned, file)
      // Another account's file, and one that the app named in its own way.
      let account = try #require(sent.key.split(separator: "/").dropFirst().first)
      try bucket.put(orphaned.replacing("/\(account)/", with: "/another/"), file)
      try bucket.put("\(sent.key.dropLast(64))picture.png", file)
      let verdict = try await scenario.ferry(["verify", package] + scenario.destination).exits(0)
      let found = verdict.findings("verify.orphaned-file")
      #expect(found.map { $0["record"]?.text } == [orphaned])
    }
  }

  @Test func `a file that was begun and not ended is listed by verify`() async throws {
    try await withInterruptedFile { scenario, bucket in
      let package = "\(scenario.folder)/p.ferry"
      _ = try await scenario.export(to: package)
      let verdict = try await scenario.ferry(["verify", package] + scenario.destination)
      #expect(verdict.findings("verify.unfinished-file").count == 1, "\(verdict)")
    }
  }

  @Test(arguments: Silence.all)
  func `if the service does not list files, verify reports that, and keeps its status`(
    _ silence: Silence
  ) async throws {
    try await withBucket(silence: silence) { scenario, bucket in
      try await scenario.migrate().exits(0)
      let package = "\(scenario.folder)/p.ferry"
      _ = try await scenario.export(to: package)
      let verdict = try await scenario.ferry(["verify", package] + scenario.destination).exits(0)
      let notes = verdict.findings("verify.files-unlisted")
      let categories = Set(notes.compactMap { $0["entity"]?.text })
      #expect(notes.count == silence.listCount * categories.count && !categories.isEmpty)
      #expect(notes.allSatisfy { $0["severity"]?.text == "note" })
      #expect(notes.allSatisfy { $0["cause"]?.text?.contains(silence.word) == true })
      try bucket.remove(try #require(try bucket.objects().first?.key))
      try await scenario.ferry(["verify", package] + scenario.destination).exits(6)
    }
  }

  @Test func `rolling one store back leaves a file that another store has too`() async throws {
    try await withBucket { scenario, bucket in
      let sample = try madeStore(
        in: "\(scenario.folder)/other",
        seed: "another",
        heroes: 4,
        stories: 12
      )
      let (mine, theirs) = (try audioPath(scenario.sample), try audioPath(sample))
      try FileManager.default.removeItem(atPath: theirs)
      try FileManager.default.copyItem(atPath: mine, toPath: theirs)
      let other = scenario.with(sample)
      let first = try await scenario.migrate().exits(0)
      let mineAlone = try linked(scenario)
      try await other.migrate().exits(0)

      let back = try await scenario.rollback(try first.run()).exits(6)
      let shared = mineAlone.intersection(try linked(scenario))
      #expect(!shared.isEmpty)
      #expect(back.count("conflicted", in: "rollback") == shared.count)
      let package = "\(scenario.folder)/verified.ferry"
      _ = try await other.export(to: package)
      try await other.ferry(["verify", package] + other.destination).exits(0)
      let left = Set(try bucket.objects().map { "\(scenario.backend.origin)/media/\($0.key)" })
      #expect(try linked(scenario) == left)
    }
  }

  @Test func `if a key names no account, no file of another account's records is removed`()
    async throws
  {
    try await withBucket { scenario, bucket in
      let profile = try String(at: scenario.profile)
      try profile.replacing("/{account}/", with: "/").save(to: scenario.profile)
      let first = try await scenario.migrate().exits(0)
      let objects = try bucket.objects()
      #expect(objects.count > 5)
      try await scenario.rollback(try first.run()).exits(6)
      #expect(try bucket.objects() == objects)
    }
  }

  @Test func `a file that existed before the run stays when the run is rolled back`() async throws {
    try await withBucket { scenario, bucket in
      let first = try await scenario.migrate()
      let object = try #require(try bucket.objects().first)
      try await scenario.rollback(try first.run()).exits(0)
      try bucket.put(object.key, try await file(object.sha256, scenario))
      let second = try await scenario.migrate().exits(0)
      let media = second.value("upload")?["media"]?.array ?? []
      #expect(media.reduce(0) { $0 + ($1["unchanged"]?.integer ?? 0) } == 1)
      try await scenario.rollback(try second.run()).exits(0)
      #expect(try bucket.objects().map(\.key) == [object.key])
    }
  }

  /// The hero was changed on another device since, and names its picture at the storage's own host.
  @Test func `a file that a record names by an escaped key stays when the run is rolled back`()
    async throws
  {
    try await withBucket { scenario, bucket in
      let profile = try String(at: scenario.profile)
      try profile.replacing("member: user.id", with: "member: user.email").save(
        to: scenario.profile
      )
      let first = try await scenario.migrate().exits(0)
      let heroes = try scenario.backend.rows("heroes")
      let hero = try #require(heroes.first { $0.value["avatarUrl"]?.text != nil })
      let address = try #require(hero.value["avatarUrl"]?.text)
      #expect(address.contains("%2540"))
      let moved = address.replacing(
        "\(scenario.backend.origin)/media/",
        with: "https://storage.example/"
      )
      let client = try await AppClient(scenario)
      try client.patch(
        "/api/v1/heroes/\(hero.key)",
        ["name": "Changed there", "avatarUrl": .string("\(moved)?signature=1")]
      )
      try await scenario.rollback(try first.run()).exits(6)
      let left = try bucket.objects()
      #expect(left.count == 1)
      #expect(left.allSatisfy { address.hasSuffix($0.sha256) })
    }
  }

  @Test func `a large file is sent in parts, and resumes after each kill with the missing ones`()
    async throws
  {
    try await withInterruptedFile { scenario, bucket in
      let parts = try bucket.parts()
      try await scenario.migrate().exits(0)
      let objects = try bucket.objects()
      for object in objects { #expect(object.key.hasSuffix(object.sha256)) }
      #expect(objects.contains { $0.size == Self.largeSize })
      let all = try bucket.parts()
      for (name, moment) in parts { #expect(all[name] == moment) }
      #expect(all.count == 8)
    }
  }

  @Test func `a run that was killed amid a large file leaves nothing when it is rolled back`()
    async throws
  {
    try await withInterruptedFile { scenario, bucket in
      try await scenario.rollback(try await runName(scenario)).exits(0)
      #expect(try bucket.objects().isEmpty)
      #expect(try bucket.parts().isEmpty)
    }
  }

  @Test func `parts of a large file are found even after a run that was refused`() async throws {
    try await withInterruptedFile { scenario, bucket in
      var locked = scenario
      locked.environment["S3_SECRET_KEY"] = "another"
      try await locked.migrate().exits(7)
      try await scenario.rollback(try await runName(scenario)).exits(0)
      #expect(try bucket.objects().isEmpty)
      #expect(try bucket.parts().isEmpty)
    }
  }

  @Test func `a wrong secret ends the run with a cure`() async throws {
    try await withBucket(secretKey: "another") { scenario, bucket in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("SignatureDoesNotMatch"))
      #expect(!answer.standardError.contains("another"))
      #expect(try bucket.objects().isEmpty)
    }
  }

  @Test func `a missing bucket ends the run with a cure`() async throws {
    try await withBucket(named: "absent") { scenario, _ in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("there is no bucket “absent”"))
    }
  }

  @Test func `after a missing bucket, the files are sent to the corrected profile's bucket`()
    async throws
  {
    try await withBucket(named: "absent") { scenario, bucket in
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let words = ["upload", package] + scenario.destination
      try await scenario.ferry(words).exits(7)
      let profile = try String(at: scenario.profile)
      try profile.replacing("name: absent", with: "name: \(bucket.bucket)").save(
        to: scenario.profile
      )
      let mended = try await scenario.ferry(words + ["--accept-change", "profile"]).exits(0)
      #expect(!mended.findings("media.orphaned").isEmpty)
      let keys = try bucket.objects().map(\.key)
      #expect(keys.count > 5)
      #expect(try linked(scenario) == Set(keys.map { "\(scenario.backend.origin)/media/\($0)" }))
    }
  }

  // MARK: - The scene

  private static let largeSize = 36_700_161

  /// The path of the media file with this content, in the app's container.
  private func file(_ digest: String, _ scenario: MigrationScenario) async throws -> String {
    let package = "\(scenario.folder)/files.ferry"
    _ = try await scenario.export(to: package)
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
    _ body: (MigrationScenario, ObjectStore) async throws -> Void
  ) async throws {
    try await withBucket(holdingParts: true) { scenario, bucket in
      try enlargeAudio(scenario)
      let hold = Self.holdFile(in: scenario.folder)
      try Data().write(to: URL(filePath: hold))
      var parts: [String: String] = [:]
      for wait in [1.5, 2, 4, 8] where parts.isEmpty || wait < 4 {
        let killed = try await scenario.run(
          ["migrate", scenario.sample.store] + scenario.destination,
          stop: .kill(after: .seconds(wait), line: "upload …")
        )
        #expect(killed.wasKilled, "\(killed)")
        let now = try bucket.parts()
        // What arrived was not sent again.
        for (name, moment) in parts { #expect(now[name] == moment) }
        parts = now
      }
      #expect(!parts.isEmpty && parts.count < 8, "\(parts)")
      try FileManager.default.removeItem(atPath: hold)
      try await body(scenario, bucket)
    }
  }

  /// The name of the run that the state folder knows.
  private func runName(_ scenario: MigrationScenario) async throws -> String {
    let status = try await scenario.program.run(["status"], state: scenario.state)
    let said = status.standardOutput + status.standardError
    return String(try #require(said.firstMatch(of: /[0-9a-f]{6}-[0-9]+/), "\(said)").output)
  }

  /// Makes one of the audio files larger than eight parts.
  private func enlargeAudio(_ scenario: MigrationScenario) throws {
    var generator = SystemRandomNumberGenerator()
    var bytes = Data(capacity: Self.largeSize + 8)
    while bytes.count < Self.largeSize {
      withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
    }
    try bytes.prefix(Self.largeSize).write(to: URL(filePath: try audioPath(scenario.sample)))
  }
}
