import Foundation
import JSONText
import TestSupport
import Testing

/// Media that records name by address, fetched on request.
@Suite(.timeLimit(.minutes(3))) struct FetchTests {
  @Test func `media named by address is fetched, linked to its record and uploaded, once`()
    async throws
  {
    try await withPictures(takesMedia: true) { scenario, pictures in
      let names = ["one.png": "/pictures/one.png", "two.png": "/moved/two.png?size=2#top"]
      try scenario.name(["/pictures/one.png", "/moved/two.png?size=2#top"], at: pictures)
      let first = try await scenario.migrate(["--fetch-media"]).exits(0)
      #expect(first.standardError.contains("fetched: 2 files"))
      #expect(first.value("verification")?["clean"] == true)
      let files = try scenario.backend.rows("files")
      let linked = try scenario.backend.rows("heroes").values.compactMap { hero in
        files.first { hero["avatarUrl"]?.text?.hasSuffix($0.key) ?? false }?.value
      }
      for (name, path) in names {
        let digest = try pictures.digest(of: name)
        let file = linked.first { $0["sha256"]?.text == digest }
        #expect(file?["mimeType"]?.text == "image/png", "\(path)")
      }

      let asked = try pictures.requests()
      #expect(asked.map(\.path).sorted() == Self.askedOnce)
      let credentials: Set = ["authorization", "cookie", "proxy-authorization", "referer"]
      #expect(asked.allSatisfy { credentials.isDisjoint(with: $0.headers) })
      let writes = try scenario.backend.writeCount()
      try await scenario.migrate(["--fetch-media"]).exits(0)
      #expect(try pictures.requests().count == asked.count)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  private static let askedOnce = [
    "/moved/two.png?size=2", "/pictures/one.png", "/pictures/two.png",
  ]

  @Test func `media of an earlier package is reused for a changed store, and the rest is fetched`()
    async throws
  {
    try await withPictures { scenario, pictures in
      try scenario.name(["/pictures/one.png", nil], at: pictures)
      try await scenario.migrate(["--fetch-media"]).exits(0)
      try scenario.name(["/pictures/one.png", "/pictures/two.png"], at: pictures)
      let second = try await scenario.migrate(["--fetch-media"]).exits(0)
      #expect(try pictures.requests().map(\.path) == ["/pictures/one.png", "/pictures/two.png"])
      #expect(second.standardError.contains("fetched: 1 file,"))
    }
  }

  @Test func `a rehearsal fetches media into a temporary folder`() async throws {
    try await withPictures { scenario, pictures in
      try scenario.name(["/pictures/one.png"], at: pictures)
      let answer = try await scenario.migrate(["--fetch-media", "-n"]).exits(0)
      #expect(answer.standardError.contains("fetched: 1 file,"))
      #expect(!FileManager.default.fileExists(atPath: "\(scenario.state)/packages"))
    }
  }

  @Test func `without the flag, media addresses stay, are reported, and are not requested`()
    async throws
  {
    try await withPictures { scenario, pictures in
      try scenario.name(["/pictures/one.png"], at: pictures)
      let package = "\(scenario.folder)/p.ferry"
      let answer = try await scenario.export(to: package).exits(0)
      #expect(try pictures.requests().isEmpty)
      let hero = try #require(
        answer.value("export")?["entities"]?.array?.first { $0["entity"] == "Hero" }
      )
      #expect(hero["tallies"]?["media.avatarImagePath.remote"]?.integer == 1)
      let kept = try scenario.avatars(in: package).filter { $0["state"] == "remote" }
      #expect(kept.map { $0["url"]?.text } == [pictures.origin + "/pictures/one.png"])
    }
  }

  @Test(arguments: Refused.all)
  func `an address without a file is reported with record, place, cause and cure`(
    _ refused: Refused
  ) async throws {
    try await withPictures { scenario, pictures in
      let address = refused.address(pictures.origin)
      try scenario.name(["/pictures/one.png", address], at: pictures)
      let package = "\(scenario.folder)/p.ferry"
      let answer = try await scenario.export(to: package, refused.flags).exits(3)
      let found = answer.findings.filter { ($0["code"]?.text ?? "").hasPrefix("media.fetch") }
      #expect(found.map { $0["code"]?.text } == [refused.code])
      let finding = try #require(found.first)
      #expect(finding["entity"] == "Hero")
      #expect(finding["record"]?.text?.hasSuffix("/Hero/p2") == true)
      #expect(finding["pointer"] == "/avatarImagePath")
      #expect(finding["cause"]?.text?.contains(refused.cause) == true, "\(finding)")
      #expect(finding["cure"]?.text?.isEmpty == false)
      #expect(!answer.standardOutput.contains("passw0rd"))

      let avatars = try scenario.avatars(in: package)
      #expect(avatars.filter { $0["state"] == "remote" }.map { $0["url"]?.text } == [address])
      let fetched = avatars.first { $0["url"]?.text == pictures.origin + "/pictures/one.png" }
      #expect(fetched?["sha256"]?.text == (try pictures.digest(of: "one.png")))
      let left = try FileManager.default.contentsOfDirectory(atPath: scenario.folder)
      #expect(left.filter { $0.hasPrefix("p.ferry") } == ["p.ferry"])
      try await scenario.ferry(["validate", package]).exits(0)
    }
  }

  @Test
  func `a host with Retry-After is requested again, and a file without a media type is accepted`()
    async throws
  {
    try await withPictures { scenario, pictures in
      try scenario.name(["/busy/one.png", "/unnamed/two.png"], at: pictures)
      let answer = try await scenario.export(to: "\(scenario.folder)/p.ferry", ["--fetch-media"])
      #expect(answer.status == 0, "\(answer)")
      #expect(answer.value("export")?["fetch"]?["files"]?.integer == 2)
    }
  }

  @Test func `hosts that the profile does not name are not asked`() async throws {
    try await withPictures { scenario, pictures in
      let profile = try String(at: scenario.profile)
      #expect(profile.contains("hosts: [127.0.0.1]"))
      try profile.replacing("hosts: [127.0.0.1]", with: "hosts: ['*.example.com']")
        .save(to: scenario.profile)
      try scenario.name(["/pictures/one.png"], at: pictures)
      let answer = try await scenario.export(to: "\(scenario.folder)/p.ferry", ["--fetch-media"])
      #expect(answer.status == 3)
      #expect(answer.findings("media.fetch-address").count == 1)
      #expect(try pictures.requests().isEmpty)
    }
  }

  @Test func `without hosts in the profile no spelling of this machine's address is requested`()
    async throws
  {
    try await withPictures { scenario, pictures in
      let profile = try String(at: scenario.profile)
      try profile.replacing("        hosts: [127.0.0.1]\n", with: "").save(to: scenario.profile)
      let port = pictures.origin.split(separator: ":").last ?? ""
      let hosts = ["127.0.0.1", "2130706433", "0x7f000001"]
      try scenario.name(hosts.map { "http://\($0):\(port)/pictures/one.png" }, at: pictures)
      let answer = try await scenario.export(to: "\(scenario.folder)/p.ferry", ["--fetch-media"])
      #expect(answer.status == 3, "\(answer)")
      #expect(answer.findings("media.fetch-address").count == hosts.count)
      #expect(try pictures.requests().isEmpty)
    }
  }

  @Test func `a second run fetches the media that a limit left out`() async throws {
    try await withPictures { scenario, pictures in
      try scenario.name(["/pictures/one.png", "/pictures/two.png"], at: pictures)
      let line = ["--fetch-media", "--max-fetches", "1"]
      let first = try await scenario.migrate(line).exits(3)
      #expect(first.standardError.contains("media.fetch-limit"))
      try await scenario.migrate(line).exits(0)
      #expect(try pictures.requests().count == 2)
    }
  }

  @Test(arguments: [FerryProgram.Stop.Kind.kill, .interrupt])
  func `an ended fetch continues with the missing media`(
    _ end: FerryProgram.Stop.Kind
  ) async throws {
    try await withPictures { scenario, pictures in
      let count = 24
      try scenario.nameEverywhere(count, "/slow/", at: pictures)
      let package = "\(scenario.folder)/p.ferry"
      let line = ["export", scenario.sample.store, "--profile", scenario.profile, "-o", package]
      let ended = try await scenario.program.run(
        line + ["--fetch-media"],
        state: scenario.state,
        stop: .init(line: "fetch …", signals: [.init(end, after: .seconds(2.2))])
      )
      #expect(ended.status == (end == .kill ? -9 : 130), "\(ended)")
      #expect(!FileManager.default.fileExists(atPath: package))
      let there = try FileManager.default.contentsOfDirectory(atPath: package + ".fetched")
        .filter { !$0.hasSuffix(".draft") }
      #expect((1..<count).contains(there.count))

      let before = try pictures.requests().count
      let again = try await scenario.export(to: package, ["--fetch-media"]).exits(0)
      #expect(try pictures.requests().count - before == count - there.count)
      #expect(again.value("export")?["media"]?["files"]?.integer ?? 0 >= Int64(count))
      let left = try FileManager.default.contentsOfDirectory(atPath: scenario.folder)
      #expect(left.filter { $0.hasPrefix("p.ferry") } == ["p.ferry"])
    }
  }
}

/// An address that gives no file, and what is informed of it.
struct Refused: Sendable, CustomTestStringConvertible {
  let path: String
  let code: String
  let cause: String
  var flags = ["--fetch-media"]

  var testDescription: String { path }

  func address(_ origin: String) -> String {
    path.hasPrefix("/") ? origin + path : path.replacing("ORIGIN", with: origin.dropFirst(7))
  }

  static let all = [
    Refused(path: "/missing/a.png", code: "media.fetch-refused", cause: "404"),
    Refused(path: "/loop/a.png", code: "media.fetch-redirected", cause: "more than 5 times"),
    Refused(path: "/file/a.png", code: "media.fetch-redirected", cause: "neither http nor https"),
    Refused(path: "/page/a.png", code: "media.fetch-other-kind", cause: "text/html"),
    Refused(path: "/packed/a.png", code: "media.fetch-other-kind", cause: "packed"),
    Refused(
      path: "/large/a.png",
      code: "media.fetch-too-large",
      cause: "1048576 bytes",
      flags: ["--fetch-media", "--max-fetch-size", "1"]
    ),
    Refused(
      path: "/endless/a.png",
      code: "media.fetch-too-large",
      cause: "1048576 bytes",
      flags: ["--fetch-media", "--max-fetch-size", "1"]
    ),
    Refused(path: "/cut/a.png", code: "media.fetch-unreachable", cause: "127.0.0.1"),
    Refused(
      path: "/silent/a.png",
      code: "media.fetch-unreachable",
      cause: "no answer",
      flags: ["--fetch-media", "--fetch-timeout", "1s"]
    ),
    Refused(
      path: "http://reader:passw0rd@ORIGIN/pictures/a.png",
      code: "media.fetch-address",
      cause: "a name or a password"
    ),
    Refused(
      path: "http://127.0.0.1:66000/a.png",
      code: "media.fetch-address",
      cause: "a port that is not a number from 1 to 65535"
    ),
    Refused(path: "http://127.0.0.1:9/a.png", code: "media.fetch-unreachable", cause: "127.0.0.1"),
  ]
}

/// A server with pictures.
private struct Pictures {
  let server: RealServer
  let log: String

  var origin: String { server.origin }

  struct Request {
    let path: String
    let headers: Set<String>
  }

  /// What it was asked for, in order.
  func requests() throws -> [Request] {
    try String(at: log).split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      return Request(path: words[0], headers: Set(words.dropFirst().map { $0.lowercased() }))
    }
  }

  func digest(of name: String) throws -> String? {
    try RealServer.get("\(origin)/digest/\(name)")["sha256"]?.text
  }
}

private func withPictures(
  takesMedia: Bool = false,
  _ body: (MigrationScenario, Pictures) async throws -> Void
) async throws {
  try await withScenario(takesMedia: takesMedia) { scenario in
    let log = "\(scenario.folder)/asked"
    let server = try RealServer(
      "/usr/bin/env",
      [
        "python3",
        ServerScript.path("media_server.py"), "{port}",
        log,
      ],
      in: scenario.folder,
      answersAt: "/ready"
    )
    // No one of these tests asks a host elsewhere.
    try scenario.sql(
      "UPDATE ZHERO SET ZAVATARIMAGEPATH = NULL WHERE ZAVATARIMAGEPATH LIKE 'http%'",
      "UPDATE ZSTORY SET ZAUDIOFILENAME = NULL WHERE ZAUDIOFILENAME LIKE 'http%'",
      "UPDATE ZSTORYILLUSTRATION SET ZIMAGEPATH = NULL WHERE ZIMAGEPATH LIKE 'http%'",
      "UPDATE ZCUSTOMSTORYEVENT SET ZPICTOGRAMPATH = NULL WHERE ZPICTOGRAMPATH LIKE 'http%'"
    )
    // The server is on this machine, which is asked only where the profile names it.
    var profile = try String(at: scenario.profile)
    for category in ["pictogram", "avatar", "audio", "illustration"] {
      let line = "        category: \(category)\n"
      profile = profile.replacing(line, with: line + "        hosts: [127.0.0.1]\n")
    }
    try profile.save(to: scenario.profile)
    try await body(scenario, Pictures(server: server, log: log))
    withExtendedLifetime(server) {}
  }
}

extension MigrationScenario {
  /// Has the first heroes name their pictures by these addresses, or by paths of the server.
  fileprivate func name(_ places: [String?], at pictures: Pictures) throws {
    for (index, place) in places.enumerated() {
      let address = place.map { $0.hasPrefix("/") ? pictures.origin + $0 : $0 }
      try Python.edit(
        sample.store,
        "UPDATE ZHERO SET ZAVATARIMAGEPATH = \(address.map { "'\($0)'" } ?? "NULL")"
          + " WHERE Z_PK = \(index + 1)"
      )
    }
  }

  /// Has so many stories name a picture each, where their sound would be.
  fileprivate func nameEverywhere(_ count: Int, _ path: String, at pictures: Pictures) throws {
    let text = try String(at: profile)
    try text.replacing("types: { mp3: audio/mpeg", with: "types: { png: image/png, mp3: audio/mpeg")
      .save(to: profile)
    try Python.edit(
      sample.store,
      "UPDATE ZSTORY SET ZAUDIOFILENAME = '\(pictures.origin)\(path)' || Z_PK || '.png'"
        + " WHERE Z_PK IN (SELECT Z_PK FROM ZSTORY ORDER BY Z_PK LIMIT \(count))"
    )
  }

  fileprivate func export(to package: String, _ more: [String]) async throws -> Answer {
    try await ferry(["export", sample.store, "--profile", profile, "-o", package] + more)
  }

  /// What a package says of the heroes' pictures.
  fileprivate func avatars(in package: String) throws -> [JSONValue] {
    try PackageLines(package).records("Hero").compactMap { $0["avatarImagePath"] }
      .filter { $0.object != nil }
  }
}
