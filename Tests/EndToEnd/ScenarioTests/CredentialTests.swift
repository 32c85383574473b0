import Foundation
import JSONText
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct CredentialTests {
  static let canary = "canary-b7f1-never-to-be-seen"

  // 001-14.
  @Test func `a password appears only in its own request`() async throws {
    try await withScenario { scenario in
      var scenario = scenario
      try scenario.backend.addAccount(email: "ann@example.com", password: Self.canary)
      let secret = "\(scenario.folder)/secret"
      try Data("\(Self.canary)\n".utf8).write(to: URL(filePath: secret))
      scenario.environment = ["FERRY_TEST_EMAIL": "ann@example.com"]
      scenario.credentials = [
        "--credential", "email=env:FERRY_TEST_EMAIL", "--credential", "password=file:\(secret)",
      ]
      try mode(0o644, of: secret)
      let refused = try await scenario.migrate().exits(64)
      #expect(refused.standardError.contains(secret))
      #expect(refused.standardError.contains("600"))
      #expect(try scenario.backend.writeCount() == 0)

      try mode(0o600, of: secret)
      let first = try await scenario.migrate().exits(0)
      let package = "\(scenario.folder)/p.ferry"
      let answers = [
        refused, first, try await scenario.export(to: package),
        try await scenario.ferry(["verify", package] + scenario.destination),
        try await scenario.rollback(try first.run()), try await scenario.ferry(["status"]),
      ]
      for answer in answers {
        #expect(!answer.standardOutput.contains(Self.canary))
        #expect(!answer.standardError.contains(Self.canary))
      }
      try expectNoCanary(below: scenario.folder, except: ["secret", "server/backend.sqlite"])
    }
  }

  func mode(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// The server keeps the password, as it must; no other user does.
  func expectNoCanary(below folder: String, except: [String]) throws {
    try expectNone(of: Self.canary, below: folder, except: except)
  }

  func expectNone(of secret: String, below folder: String, except: [String]) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      guard !except.contains(where: { name.hasPrefix($0) }) else { continue }
      let path = "\(folder)/\(name)"
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
        !isFolder.boolValue
      else { continue }
      let bytes = try Data(contentsOf: URL(filePath: path))
      #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(name)")
    }
  }
}
