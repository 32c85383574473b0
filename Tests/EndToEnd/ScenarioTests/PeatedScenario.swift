import Foundation
import JSONText
import TestSupport

/// A store of Peated and a server that has what the store says was sent, and other people's things.
struct PeatedScenario {
  let scenario: MigrationScenario

  /// The signed-in person's number.
  static let person = "1041"

  /// The tastings or comments that are at the server, by their numbers.
  func server(_ table: String) throws -> [Int64: JSONValue] {
    var rows: [Int64: JSONValue] = [:]
    for row in try scenario.backend.dump()[table]?.array ?? [] {
      if let id = row["id"]?.integer { rows[id] = row }
    }
    return rows
  }

  /// What a person sees, however the server numbered it.
  func contents() throws -> [String] {
    let tastings = try server("tastings")
    func text(_ row: JSONValue?, _ names: String...) -> String {
      names.map { row?[$0]?.canonicalText ?? "-" }.joined(separator: " ")
    }
    let own = tastings.values.map {
      text($0["bottle"], "id") + text($0, "createdAt", "rating", "notes", "tags", "servingStyle")
    }
    let comments = try server("comments").values.map { comment in
      text(comment, "comment", "createdAt")
        + text(comment["tasting"]?.integer.flatMap { tastings[$0] }, "createdAt")
    }
    return (own + comments).sorted()
  }

  /// The tags of the sample and of these tests; the server refuses all others.
  private static let tags = [
    "peat", "smoke", "honey", "vanilla", "dried fruit", "sea salt", "orange peel", "leather", "ash",
    "iodine", "salt",
  ]

  /// Gives the server what the store says that it has.
  func seed(own: String = DemoAccount.email) async throws {
    let package = "\(scenario.folder)/seed-\(own).ferry"
    let exported = try await scenario.export(to: package)
    guard exported.status == 0 else { throw TestSupportError(exported.standardError) }
    let lines = PackageLines(package)
    let tastings = try lines.records("Tasting").filter { $0["id"]?.text.flatMap(Int64.init) != nil }
    let comments = try lines.records("Comment").filter { $0["id"]?.text.flatMap(Int64.init) != nil }
    for (account, isOwn) in [(own, true), ("feed@example.com", false)] {
      func whose(_ rows: [JSONValue]) -> [JSONValue] {
        rows.filter { ($0["user"]?.text == Self.person) == isOwn }
      }
      let rows: JSONValue = [
        "account": .string(account),
        "bottles": .array((501...509).map { .number(JSONNumber($0)) }),
        "tastings": .array(try whose(tastings).map(Self.tasting)),
        "comments": .array(try whose(comments).map(Self.comment)),
        "tags": .array(Self.tags.map { .string($0) }), "people": [1007, 1012, 1055],
        "friends": isOwn ? [1007, 1012] : [],
      ]
      _ = try scenario.backend.request("POST", "/__dev/tastings", rows)
    }
  }

  private static func tasting(_ record: JSONValue) throws -> JSONValue {
    [
      "id": try number(record["id"]), "bottle": try number(record["bottle"]),
      "rating": rating(record["rating"]?.double), "notes": record["notes"] ?? .null,
      "servingStyle": record["servingStyle"] ?? .null, "tags": record["tags"] ?? [],
      "createdAt": record["createdAt"] ?? .null,
    ]
  }

  private static func comment(_ record: JSONValue) throws -> JSONValue {
    [
      "id": try number(record["id"]), "tasting": try number(record["tasting"]),
      "comment": record["text"] ?? .null, "createdAt": record["createdAt"] ?? .null,
    ]
  }

  private static func number(_ value: JSONValue?) throws -> JSONValue {
    guard let number = value?.text.flatMap(Int64.init) else { throw TestSupportError("no number") }
    return .number(JSONNumber(number))
  }

  /// The server's scale: below two and a half stars pass, below four sip, else savor.
  static func rating(_ stars: Double?) -> JSONValue {
    stars.map { $0 < 2.5 ? -1 : $0 < 4 ? 1 : 2 } ?? .null
  }

  /// What ties the person to others and to tastings: `friend 1007`.
  func ties() throws -> [String] {
    (try scenario.backend.dump()["ties"]?.array ?? []).compactMap { tie in
      guard let kind = tie["kind"]?.text, let other = tie["other"]?.integer else { return nil }
      return "\(kind) \(other)"
    }
  }

  /// Changes a tasting as the app does on another device.
  func patch(_ id: Int64, _ body: JSONValue, by email: String = DemoAccount.email) throws {
    let answer = try scenario.backend.request(
      "POST",
      "/v1/auth/login",
      ["email": .string(email), "password": "correct-horse"]
    )
    let token = answer["accessToken"]?.text
    _ = try scenario.backend.request("PATCH", "/v1/tastings/\(id)", body, token: token)
  }

  func sql(_ statements: String...) throws {
    for statement in statements { try scenario.sql(statement) }
  }

  /// The identity that the app made up for what the server does not know yet.
  static func local(_ number: Int) -> String {
    let digits = String(number)
    return "5E0A7C3D-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }
}

// MARK: - How far back moments may be

extension PeatedScenario {
  private static let moment = "createdAt: { field: createdAt, as: utc, on: once, within: 168h"

  /// Has the profile send tastings without their moments, as the page of the app says.
  func leaveOutMoments() throws {
    try Self.edit(scenario.profile) { text in
      guard let line = text.range(of: "        \(Self.moment) }\n") else {
        throw TestSupportError("no moment in the profile")
      }
      var changed = text.replacingCharacters(in: line, with: "")
      let edits = [
        ("createdAt: instant, notes", "notes"),
        ("unmapped: [updatedAt]", "unmapped: [createdAt, updatedAt]"),
        ("key: [bottle, createdAt]", "key: [bottle, notes, rating, servingStyle, tags]"),
      ]
      for (old, new) in edits { changed = try Self.replaced(old, by: new, in: changed) }
      return changed
    }
  }

  /// Makes what the server does not know yet two years older.
  func age() throws {
    for table in ["ZTASTING", "ZCOMMENT"] {
      try sql("UPDATE \(table) SET ZCREATEDAT = ZCREATEDAT - 63072000 WHERE ZID LIKE '5E0A7C3D%'")
    }
  }

  /// Makes one of them an hour old.
  func refresh(_ table: String, local number: Int) throws {
    try sql(
      "UPDATE \(table) SET ZCREATEDAT = strftime('%s', 'now') - 978310800 "
        + "WHERE ZID = '\(Self.local(number))'"
    )
  }

  private static func edit(_ profile: String, _ change: (String) throws -> String) throws {
    let text = try String(at: profile)
    try change(text).save(to: profile)
  }

  private static func replaced(
    _ old: String,
    by new: String,
    times: Int = 1,
    in text: String
  ) throws -> String {
    guard text.ranges(of: old).count == times else {
      throw TestSupportError("“\(old)” is not in the profile \(times) time(s)")
    }
    return text.replacing(old, with: new)
  }
}

/// Lends a copy of the SwiftData sample and a server that has what it says was sent.
func withPeated(_ body: (PeatedScenario) async throws -> Void) async throws {
  try await withTemporaryFolder { folder in
    let sample = try Sample(folder: "\(Samples.folder)/peated").copied(into: folder)
    // The app was used last just now: the server takes no moment of more than seven days ago.
    let now = Date.now.ISO8601Format().replacing("Z", with: "+00:00")
    let script = "\(Samples.folder)/peated/make-stores.py"
    try Python.run([script, "--folder", sample.folder, "--now", now])
    let profile = try sample.profile(into: folder)
    try await withBackend(in: "\(folder)/server") { backend in
      let scenario = PeatedScenario(
        scenario: MigrationScenario(
          folder: folder,
          backend: backend,
          program: try FerryProgram(),
          sample: sample,
          profile: profile
        )
      )
      try backend.addAccount(email: "feed@example.com", password: "correct-horse")
      try await scenario.seed()
      try await body(scenario)
    }
  }
}

/// Lends the SQLite database and a server that has what its rows say was sent.
func withPeatedDatabase(_ body: (MigrationScenario) async throws -> Void) async throws {
  let email = "morag@example.com"
  try await withPeated { peated in
    var scenario = peated.scenario
    scenario.sample.storeName = "peated.sqlite3"
    scenario.profile = "\(scenario.sample.folder)/sqlite.profile.yaml"
    let text = try String(at: scenario.profile)
    try text.replacing("settle: 60s", with: "settle: 200ms").save(to: scenario.profile)
    // The person has another number here, and is known by the address.
    try scenario.backend.reset()
    try scenario.backend.addAccount(email: email, password: "correct-horse")
    for (name, value) in scenario.environment where value == DemoAccount.email {
      scenario.environment[name] = email
    }
    try await peated.seed(own: email)
    try await body(scenario)
  }
}
