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
}

/// A server with pictures.
struct Pictures {
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

func withPictures(
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
  func name(_ places: [String?], at pictures: Pictures) throws {
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
  func nameEverywhere(_ count: Int, _ path: String, at pictures: Pictures) throws {
    let text = try String(at: profile)
    try text.replacing("types: { mp3: audio/mpeg", with: "types: { png: image/png, mp3: audio/mpeg")
      .save(to: profile)
    try Python.edit(
      sample.store,
      "UPDATE ZSTORY SET ZAUDIOFILENAME = '\(pictures.origin)\(path)' || Z_PK || '.png'"
        + " WHERE Z_PK IN (SELECT Z_PK FROM ZSTORY ORDER BY Z_PK LIMIT \(count))"
    )
  }

  func export(to package: String, _ more: [String]) async throws -> Answer {
    try await ferry(["export", sample.store, "--profile", profile, "-o", package] + more)
  }

  /// What a package says of the heroes' pictures.
  func avatars(in package: String) throws -> [JSONValue] {
    try PackageLines(package).records("Hero").compactMap { $0["avatarImagePath"] }
      .filter { $0.object != nil }
  }
}
