import Foundation
import JSONText
import TestSupport
import Testing

extension FetchTests {
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
