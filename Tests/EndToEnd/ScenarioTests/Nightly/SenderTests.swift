import Foundation
import JSONText
import TestSupport
import Testing

/// Whose results a chat or a message backup holds, and what becomes of those of others.
@Suite(.timeLimit(.minutes(3))) struct SenderTests {
  @Test func `a chat of several senders is refused until --sender is given`()
    async throws
  {
    try await withChat { scenario, chat in
      let package = "\(scenario.folder)/a.ferry"
      let answer = try await scenario.ferry(["import", chat, "-o", package]).exits(64)
      #expect(answer.standardError.contains("Ada (3), Bob (1)"), "\(answer)")
      #expect(answer.standardError.contains("--sender NAME"), "\(answer)")
      #expect(answer.standardError.contains("--all-senders"), "\(answer)")
      let left = try FileManager.default.contentsOfDirectory(atPath: scenario.folder)
      #expect(!left.contains { $0.hasPrefix("a.ferry") }, "\(left)")
    }
  }

  @Test func `messages in JSON need --sender like a chat`() async throws {
    try await withChat { scenario, _ in
      let file = "\(scenario.folder)/result.json"
      let text = #"Wordle 990 1/6\n\n🟩🟩🟩🟩🟩"#
      let messages = ["Ada", "Bob"].map { name in
        #"{"from":"\#(name)","date":"2024-03-05T10:11:12","text":"\#(text)"}"#
      }
      try #"{"messages":[\#(messages.joined(separator: ","))]}"#.save(to: file)
      let package = "\(scenario.folder)/a.ferry"
      let asked = try await scenario.ferry(["import", file, "-o", package]).exits(64)
      #expect(asked.standardError.contains("Ada (1), Bob (1)"), "\(asked)")
      let reported = try await scenario.ferry(["import", file, "--sender", "Bob", "-o", package])
      #expect(reported.status == 3, "\(reported)")
      let counts = reported.value("import")?["counts"]
      #expect(counts?["imported"] == 1 && counts?["refused"] == 1 && counts?["duplicate"] == 0)
      let records = try PackageLines(package).records("GameResult")
      #expect(records.map { $0["date"] } == ["2024-03-05T10:11:12Z"])
    }
  }

  @Test(
    arguments: [
      ("a.txt", "Bob\nWordle 990 1/6\n\n🟩🟩🟩🟩🟩\n\nAda\nWordle 990 2/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"),
      (
        "a.json",
        #"{"Bob":["Wordle 990 1/6\n\n🟩🟩🟩🟩🟩"],"Ada":["Wordle 990 2/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩"]}"#
      ),
    ]
  )
  func `two scores of one puzzle in a file without senders belong to no player`(
    name: String,
    text: String
  ) async throws {
    try await withChat { scenario, _ in
      let file = "\(scenario.folder)/\(name)"
      try text.save(to: file)
      let package = "\(scenario.folder)/a.ferry"
      let answer = try await scenario.ferry(["import", file, "--date", "2024-03-05", "-o", package])
      #expect(answer.status == 3, "\(answer)")
      let counts = answer.value("import")?["counts"]
      #expect(counts?["imported"] == 0 && counts?["refused"] == 2)
      guard name == "a.txt" else { return }
      let reported = try await scenario.ferry(
        [
          "import", file, "--as", "text", "--date", "2024-03-05", "-o",
          "\(scenario.folder)/b.ferry",
        ]
      )
      #expect(reported.value("import")?["counts"]?["imported"] == 1, "\(reported)")
    }
  }

  @Test func `files of one name in two folders each keep the results that they contest`()
    async throws
  {
    try await withChat { scenario, _ in
      var files: [String] = []
      for puzzle in [989, 990] {
        let folder = "\(scenario.folder)/\(puzzle)"
        try makeFolder(folder)
        let text =
          "Bob\nWordle \(puzzle) 1/6\n\n🟩🟩🟩🟩🟩\n\n"
          + "Ada\nWordle \(puzzle) 2/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
        try text.save(to: "\(folder)/a.txt")
        files.append("\(folder)/a.txt")
      }
      let package = "\(scenario.folder)/a.ferry"
      let answer = try await scenario.ferry(
        ["import"] + files + ["--date", "2024-03-05", "-o", package]
      )
      let counts = answer.value("import")?["counts"]
      #expect(counts?["imported"] == 0 && counts?["refused"] == 4, "\(answer)")
    }
  }

  @Test func `names beside texts without results need no --sender`() async throws {
    try await withChat { scenario, _ in
      let log = "\(scenario.folder)/log.json"
      try #"[{"user":"7","message":"began to read"},{"user":"8","message":"came to an end"}]"#
        .save(to: log)
      let own = "\(scenario.folder)/own.txt"
      try "Wordle 990 1/6\n\n🟩🟩🟩🟩🟩".save(to: own)
      let answer = try await scenario.ferry(
        ["import", log, own, "--date", "2024-03-05", "-o", "\(scenario.folder)/a.ferry"]
      ).exits(0)
      #expect(answer.value("import")?["counts"]?["imported"] == 1)
    }
  }

  @Test func `with --sender, only that person's results are imported, and others are refused`()
    async throws
  {
    try await withChat { scenario, chat in
      let package = "\(scenario.folder)/a.ferry"
      let answer = try await scenario.ferry(
        ["import", chat, "--sender", "Ada", "--profile", scenario.profile, "-o", package]
      ).exits(3)
      let counts = answer.value("import")?["counts"]
      #expect(counts?["imported"] == 2 && counts?["refused"] == 1 && counts?["none"] == 1)
      let records = try PackageLines(package).records("GameResult")
      #expect(records.map { $0["player"] } == [.null, .null])
      try await scenario.ferry(["plan", package] + scenario.destination).exits(0)
    }
  }

  @Test func `several names of one person are all own`() async throws {
    try await withChat { scenario, chat in
      let answer = try await scenario.ferry(
        ["import", chat, "--sender", "Ada", "--sender", "Bob", "-o", "\(scenario.folder)/a.ferry"]
      ).exits(0)
      let counts = answer.value("import")?["counts"]
      // One person has one result of a puzzle: the second that was shared is a duplicate.
      #expect(counts?["imported"] == 2 && counts?["duplicate"] == 1)
      #expect(counts?["othersResults"] == 0)
    }
  }

  @Test func `with all senders each result keeps its player, and no such result is sent`()
    async throws
  {
    try await withChat { scenario, chat in
      let package = "\(scenario.folder)/a.ferry"
      let answer = try await scenario.ferry(
        ["import", chat, "--all-senders", "--sender", "Ada", "--profile", scenario.profile]
          + ["-o", package]
      ).exits(0)
      #expect(answer.value("import")?["counts"]?["othersResults"] == 1)
      let records = try PackageLines(package).records("GameResult")
      #expect(records.map { $0["player"] } == [.null, "Bob", .null])
      for verb in ["plan", "upload"] {
        let sent = try await scenario.ferry([verb, package] + scenario.destination).exits(4)
        #expect(sent.standardError.contains("1 result of others"), "\(sent)")
      }
      #expect(try scenario.backend.dump()["records"] == [])
      // The mark stays when more is added.
      let more = "\(scenario.folder)/more.ferry"
      let own = "\(scenario.folder)/own.txt"
      try "Wordle 700 1/6\n\n🟩🟩🟩🟩🟩\n".save(to: own)
      try await scenario.ferry(
        ["import", own, "--date", "2024-03-07", "--profile", scenario.profile]
          + ["--into", package, "-o", more]
      ).exits(0)
      let sent = try await scenario.ferry(["upload", more] + scenario.destination)
      #expect(sent.standardError.contains("1 result of others"), "\(sent)")
    }
  }

  @Test func `a message backup's sent results are imported, and received ones are refused`()
    async throws
  {
    try await withChat { scenario, _ in
      let backup = try Self.backup(in: scenario.folder, types: [2, 1])
      let answer = try await scenario.ferry(
        ["import", backup, "-o", "\(scenario.folder)/a.ferry"]
      ).exits(3)
      let counts = answer.value("import")?["counts"]
      #expect(counts?["imported"] == 1 && counts?["refused"] == 1)
      #expect(answer.standardOutput.contains("Bo sent it"), "\(answer)")
      let wanted = try await scenario.ferry(
        ["import", backup, "--sender", "Bo", "-o", "\(scenario.folder)/b.ferry"]
      )
      #expect(wanted.value("import")?["counts"]?["imported"] == 2)
    }
  }

  @Test func `a message backup of one received thread is its sender's, not the owner's`()
    async throws
  {
    try await withChat { scenario, _ in
      let backup = try Self.backup(in: scenario.folder, types: [1, 1])
      let package = "\(scenario.folder)/a.ferry"
      let answer = try await scenario.ferry(["import", backup, "-o", package]).exits(3)
      #expect(answer.value("import")?["counts"]?["imported"] == 0)
      #expect(answer.value("import")?["counts"]?["refused"] == 2)
    }
  }

  private static func backup(in folder: String, types: [Int]) throws -> String {
    let path = "\(folder)/sms.xml"
    let messages = types.enumerated().map { number, type in
      "<sms address=\"+43\" contact_name=\"Bo\" type=\"\(type)\" date=\"170962380000\(number)\" "
        + "body=\"Wordle \(990 + number) 1/6&#10;&#10;🟩🟩🟩🟩🟩\"/>"
    }
    try "<smses>\(messages.joined())</smses>".save(to: path)
    return path
  }

  /// A chat of two, with two results of Ada and one of Bob.
  private func withChat(_ body: (MigrationScenario, String) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      var sample = Sample(folder: "\(Samples.folder)/streaksync")
      sample.storeName = "preferences.plist"
      let chat = "\(folder)/chat.txt"
      try """
      [05.03.24, 10:11:12] Ada: Wordle 990 2/6

      ⬛🟨⬛⬛⬛
      🟩🟩🟩🟩🟩
      [05.03.24, 10:12:00] Bob: Wordle 990 1/6

      🟩🟩🟩🟩🟩
      [06.03.24, 09:00:00] Ada: Wordle 991 1/6

      🟩🟩🟩🟩🟩
      [06.03.24, 09:01:00] Ada: well done, me

      """.save(to: chat)
      try await withBackend(in: "\(folder)/server") { backend in
        try await body(
          MigrationScenario(
            folder: folder,
            backend: backend,
            program: try FerryProgram(),
            sample: sample,
            profile: sample.profile
          ),
          chat
        )
      }
    }
  }
}
