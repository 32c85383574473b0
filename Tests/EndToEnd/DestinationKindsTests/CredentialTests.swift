import DestinationModel
import Files
import Foundation
import REST
import Testing

struct CredentialTests {
  private func read(_ text: String, environment: [String: String] = [:]) async throws -> String? {
    let reader = CredentialReader(
      [try CredentialReference(parsing: text)],
      environment: environment,
      runCommand: { command in Array("out of \(command)\n".utf8) }
    )
    return try await reader.credentials(named: ["token"])["token"]?.exposed
  }

  private func write(_ content: String, mode: Int = 0o600, to path: String) throws {
    try Data(content.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  @Test func `a secret comes from a file, a variable or a command`() async throws {
    try await withTemporaryFolder { folder in
      try write("from a file\n", to: folder + "/secret")
      #expect(try await read("token=file:\(folder)/secret") == "from a file")
    }
    #expect(try await read("token=env:TOKEN", environment: ["TOKEN": "x:y=z"]) == "x:y=z")
    #expect(try await read("token=command:pass show ferry") == "out of pass show ferry")
  }

  @Test func `a secret that is to be typed is asked for by its name`() async throws {
    let reader = CredentialReader(
      [try CredentialReference(parsing: "token=ask")],
      environment: [:],
      ask: { name in Array("typed for \(name)".utf8) }
    )
    let secrets = try await reader.credentials(named: ["token"])
    #expect(secrets["token"]?.exposed == "typed for token")
  }

  @Test func `without a terminal a secret that is to be typed is refused`() async throws {
    await #expect(throws: DestinationError.self) { try await read("token=ask") }
  }

  @Test(arguments: ["token", "=file:a", "token=abc", "token=file:", "to ken=env:A", "token=raw:A"])
  func `an unknown form of a credential is refused without printing it`(text: String) throws {
    let error = #expect(throws: DestinationError.self) { try CredentialReference(parsing: text) }
    #expect(error?.description.contains("abc") == false)
  }

  @Test func `a credential under a misspelt name is answered with the name that is asked for`()
    async throws
  {
    let reader = CredentialReader(
      [try CredentialReference(parsing: "pasword=env:P")],
      environment: ["P": "s"]
    )
    let error = await #expect(throws: DestinationError.self) {
      try await reader.credentials(named: ["password"])
    }
    #expect(error?.description.contains("password=… for “pasword”") == true)
  }

  @Test func `faults of credentials are found without a command or a question`() async throws {
    try await withTemporaryFolder { folder in
      try write("s", mode: 0o644, to: "\(folder)/open")
      let reader = CredentialReader(
        try [
          "open=file:\(folder)/open", "unset=env:NOTHING", "set=env:P", "made=command:false",
          "typed=ask",
        ].map { try CredentialReference(parsing: $0) },
        environment: ["P": "s"]
      )
      #expect(reader.fault(of: "open")?.description.contains("chmod 600") == true)
      #expect(reader.fault(of: "unset")?.description.contains("no NOTHING") == true)
      #expect(reader.fault(of: "absent")?.description.contains("is not given") == true)
      for name in ["set", "made", "typed"] { #expect(reader.fault(of: name) == nil, "\(name)") }
    }
  }

  @Test(arguments: [0o640, 0o604, 0o620])
  func `a credential file that other users may change is refused`(mode: Int) async throws {
    try await withTemporaryFolder { folder in
      try write("s", mode: mode, to: folder + "/secret")
      await #expect(throws: DestinationError.self) {
        try await read("token=file:\(folder)/secret")
      }
    }
  }

  @Test func `a folder or a missing file is refused as a credential`() async throws {
    try await withTemporaryFolder { folder in
      for path in [folder, folder + "/missing"] {
        await #expect(throws: DestinationError.self) { try await read("token=file:\(path)") }
      }
    }
  }

  /// Lays a secret out as Kubernetes mounts one: `token → ..data/token`, `..data → ..2026_01`.
  private func mount(in folder: String) throws -> String {
    try FileManager.default.createDirectory(
      atPath: folder + "/..2026_01",
      withIntermediateDirectories: false
    )
    try write("s", to: folder + "/..2026_01/token")
    for (name, target) in [("..data", "..2026_01"), ("token", "..data/token")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/" + name,
        withDestinationPath: target
      )
    }
    return folder + "/token"
  }

  @Test(arguments: [0o755, 0o1777])
  func `a credential link into a folder that only the owner may write is accepted`(mode: Int)
    async throws
  {
    try await withTemporaryFolder { folder in
      let path = try mount(in: folder)
      // In a folder with the sticky bit no one can put another link in the place of ours.
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
      #expect(try await read("token=file:\(path)") == "s")
    }
  }

  @Test(arguments: ["", "/..2026_01"], [0o777, 0o775])
  func `a credential link that other users may change is refused`(
    place: String,
    mode: Int
  ) async throws {
    try await withTemporaryFolder { folder in
      let path = try mount(in: folder)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder + place)
      await #expect(throws: DestinationError.self) { try await read("token=file:\(path)") }
    }
  }

  @Test(arguments: [(0o755, true), (0o1777, true), (0o777, false), (0o775, false)])
  func `a credential link through a folder that other users may change is refused`(
    mode: Int,
    isTaken: Bool
  ) async throws {
    try await withTemporaryFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder + "/shared/own",
        withIntermediateDirectories: true
      )
      try write("s", to: folder + "/shared/own/token")
      try FileManager.default.setAttributes(
        [.posixPermissions: mode],
        ofItemAtPath: folder + "/shared"
      )
      for target in ["shared/own/token", folder + "/shared/own/token"] {
        let path = folder + "/token\(target.utf8.count)"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        if isTaken {
          #expect(try await read("token=file:\(path)") == "s")
        } else {
          await #expect(throws: DestinationError.self) { try await read("token=file:\(path)") }
        }
      }
    }
  }

  @Test func `the target of a credential link is checked for the same permissions`() async throws {
    try await withTemporaryFolder { folder in
      let path = try mount(in: folder)
      try write("s", mode: 0o644, to: folder + "/..2026_01/token")
      await #expect(throws: DestinationError.self) { try await read("token=file:\(path)") }
    }
  }

  @Test func `credential links that form a cycle are refused`() async throws {
    try await withTemporaryFolder { folder in
      for (name, target) in [("a", "b"), ("b", "a")] {
        try FileManager.default.createSymbolicLink(
          atPath: folder + "/" + name,
          withDestinationPath: target
        )
      }
      await #expect(throws: DestinationError.self) { try await read("token=file:\(folder)/a") }
    }
  }

  @Test(arguments: ["", "\n", "a\nb", "a\r\nHost: b", "a\u{0}b", "a\tb", "a\u{7F}"])
  func `a credential with a line break is refused`(content: String) async {
    await #expect(throws: DestinationError.self) {
      try await read("token=env:TOKEN", environment: ["TOKEN": content])
    }
  }

  @Test func `a secret of several lines is refused by its name, with a cure`() async {
    let error = await #expect(throws: DestinationError.self) {
      try await read("token=env:TOKEN", environment: ["TOKEN": "canary\r\nX-Admin: yes"])
    }
    let words = error?.description ?? ""
    #expect(words.contains("“token” holds a line break"))
    #expect(words.contains("store the bare secret in one line"))
    #expect(!words.contains("canary") && !words.contains("X-Admin"))
  }

  @Test(arguments: [1, 8 << 10])
  func `a secret of any length is read whole`(length: Int) async throws {
    let secret = String(repeating: "t", count: length)
    try await withTemporaryFolder { folder in
      try write(secret + "\n", to: folder + "/secret")
      #expect(try await read("token=file:\(folder)/secret") == secret)
    }
    #expect(try await read("token=env:TOKEN", environment: ["TOKEN": secret]) == secret)
  }

  @Test func `one line end is not part of the secret`() async throws {
    #expect(try await read("token=env:T", environment: ["T": "abc\r\n"]) == "abc")
    await #expect(throws: DestinationError.self) {
      try await read("token=env:T", environment: ["T": "abc\n\n"])
    }
  }

  @Test func `an unknown name is refused by name`() async {
    let error = await #expect(throws: DestinationError.self) {
      try await GivenCredentials([:]).credentials(named: ["password"])
    }
    #expect(error?.description.contains("password") == true)
  }

  @Test func `a secret is not printed`() {
    let secret = Secret("canary-5711")
    var dumped = ""
    dump([secret], to: &dumped)
    let texts = ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped]
    #expect(texts.allSatisfy { !$0.contains("canary") })
  }

  @Test func `a renewed secret replaces the old one, readable by its owner alone`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let path = folder + "/secret"
      try write("old\n", to: path)
      let reader = CredentialReader(
        [try CredentialReference(parsing: "token=file:\(path)")],
        environment: [:]
      )
      #expect(reader.canReplace("token"))
      try await reader.replace("token", with: Secret("new/+="))
      #expect(try await read("token=file:\(path)") == "new/+=")
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names == ["secret"])
    }
  }

  @Test func `a secret that changes has to lie in a file`() async throws {
    let reader = CredentialReader(
      [try CredentialReference(parsing: "token=env:TOKEN")],
      environment: ["TOKEN": "t"]
    )
    #expect(!reader.canReplace("token"))
    await #expect(throws: DestinationError.self) {
      try await reader.replace("token", with: Secret("new"))
    }
  }

  @Test func `several credentials in one flag are answered with the way to give them`() async throws
  {
    let error = try await #require(throws: DestinationError.self) {
      try await read("token=env:TOKEN,other=env:OTHER")
    }
    guard case .misconfigured(_, let cure) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cure.contains("a --credential of its own"))
  }

  @Test func `a key of several lines is taken whole, where a token of several is refused`()
    async throws
  {
    try await withTemporaryFolder { folder in
      try write("one\ntwo\n", to: folder + "/key")
      let text = "key=file:\(folder)/key"
      let reader = CredentialReader([try CredentialReference(parsing: text)], environment: [:])
      #expect(try await reader.document(named: "key").exposed == "one\ntwo\n")
      await #expect(throws: DestinationError.self) {
        try await reader.credentials(named: ["key"])
      }
    }
  }
}
