import Foundation
import JSONText
import TestSupport
import Testing

/// Secrets that an app left in its preferences: named, and in no package.
@Suite(.timeLimit(.minutes(2))) struct SecretTests {
  private static let secrets = [
    "openAIKey": "sk-made-up-0001", "OPENAI_API_KEY": "sk-made-up-0002",
    "com.example.auth_token": "made-up-0003", "userPassword": "made-up-0004",
    "jwt": "made-up-0005", "clientSecret": "made-up-0006", "refreshToken": "made-up-0007",
  ]
  private static let plain = [
    "theme": "dark-0101", "com.example.sync.serverChangeToken": "mark-0102",
    "tokenCount": "twelve-0103", "keyboardLayout": "dvorak-0104", "gameResultKeys": "a-0105",
    "deviceCode": "4711-0106", "sessionToken": "no-secret-0107",
  ]

  // 001-50.
  @Test func `keys whose names hint at a secret stay out of the package and are named`()
    async throws
  {
    try await withPreferences { folder, profile in
      let answer = try await export(folder, profile).exits(0)
      let named = answer.findings("export.secret").compactMap { $0["pointer"]?.text }
      // By its name “sessionToken” is one too.
      #expect(Set(named) == Set((Self.secrets.keys + ["sessionToken"]).map { "/\($0)" }))
      let record = try #require(try PackageLines("\(folder)/p.ferry").records("Preferences").first)
      for (key, value) in Self.plain where key != "sessionToken" {
        #expect(record[key] == .string(value), "\(key)")
      }
      try expectNoSecrets(folder, answer)
    }
  }

  @Test func `the profile names further secrets, and keys that hold no secret`() async throws {
    try await withPreferences { folder, profile in
      try append(
        "secrets: { also: [Preferences.deviceCode], except: [sessionToken] }",
        to: profile
      )
      let answer = try await export(folder, profile).exits(0)
      let named = answer.findings("export.secret").compactMap { $0["pointer"]?.text }
      #expect(Set(named) == Set((Self.secrets.keys + ["deviceCode"]).map { "/\($0)" }))
      let record = try #require(try PackageLines("\(folder)/p.ferry").records("Preferences").first)
      #expect(record["sessionToken"] == "no-secret-0107" && record["deviceCode"] == nil)
      try expectNoSecrets(folder, answer)
    }
  }

  @Test func `preferences that are left out whole still have their secrets named`() async throws {
    try await withPreferences { folder, profile in
      let text =
        "ferry-profile: 1\napp: secrets\nomit-entities: Preferences\nentities:\n  played: {}\n"
      try text.save(to: profile)
      let answer = try await export(folder, profile).exits(0)
      #expect(answer.findings("export.secret").count == Self.secrets.count + 1)
      try expectNoSecrets(folder, answer)
    }
  }

  @Test func `a field that would carry a secret is a fault of the profile`() async throws {
    try await withPreferences { folder, profile in
      let text = try String(at: profile)
      try text.replacing("Preferences: {}", with: "Preferences: { fields: { key: openAIKey } }")
        .save(to: profile)
      let answer = try await export(folder, profile).exits(12)
      #expect(answer.standardError.contains("openAIKey"))
      #expect(answer.standardError.contains("secrets: { except: […] }"))
    }
  }

  @Test func `preferences in a container keep their secrets as they do by themselves`()
    async throws
  {
    try await withPreferences { folder, profile in
      let place = "\(folder)/app/Library/Preferences"
      try makeFolder(place)
      try FileManager.default.moveItem(
        atPath: "\(folder)/app.plist",
        toPath: "\(place)/com.example.app.plist"
      )
      let answer = try await export(folder, profile, of: "app").exits(0)
      #expect(answer.findings("export.secret").count == Self.secrets.count + 1)
      try expectNoSecrets(folder, answer)
    }
  }

  private func export(
    _ folder: String,
    _ profile: String,
    of source: String = "app.plist"
  ) async throws -> Answer {
    try await FerryProgram().answer(
      ["export", "\(folder)/\(source)", "--profile", profile, "-o", "\(folder)/p.ferry"],
      state: "\(folder)/state"
    )
  }

  /// No file of the package, and nothing that was printed, has the value of a secret.
  private func expectNoSecrets(_ folder: String, _ answer: Answer) throws {
    let package = "\(folder)/p.ferry"
    var texts = [answer.standardOutput, answer.standardError]
    for path in try FileManager.default.subpathsOfDirectory(atPath: package) {
      guard let bytes = FileManager.default.contents(atPath: "\(package)/\(path)") else { continue }
      texts.append(String(decoding: bytes, as: UTF8.self))
    }
    #expect(texts.contains { $0.contains("2026-01-01") })
    for value in Self.secrets.values {
      #expect(!texts.contains { $0.contains(value) }, "\(value)")
    }
  }

  private func append(_ line: String, to profile: String) throws {
    let text = try String(at: profile)
    try (text + line + "\n").save(to: profile)
  }

  private func withPreferences(_ body: (_ folder: String, _ profile: String) async throws -> Void)
    async throws
  {
    try await withTemporaryFolder { folder in
      var list: [String: Any] = ["played": [["day": "2026-01-01", "points": 3]]]
      for (key, value) in Self.secrets { list[key] = value }
      for (key, value) in Self.plain { list[key] = value }
      let bytes = try PropertyListSerialization.data(
        fromPropertyList: list,
        format: .binary,
        options: 0
      )
      try bytes.write(to: URL(filePath: "\(folder)/app.plist"))
      let profile = "\(folder)/profile.yaml"
      let text = "ferry-profile: 1\napp: secrets\nentities:\n  Preferences: {}\n  played: {}\n"
      try text.save(to: profile)
      try await body(folder, profile)
    }
  }
}
