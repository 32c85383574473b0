import Foundation
import JSONText
import TestSupport
import Testing

extension ImportTests {
  @Test func `importing the same file or an overlapping backup again adds no result`() async throws
  {
    try await withStreakSync { scenario in
      let files = ["preferences.xml.plist", "sms-backup.xml"]
        .map { "\(scenario.sample.folder)/\($0)" }
      let rules = ["--profile", scenario.profile]
      let first = "\(scenario.folder)/first.ferry"
      let once = try await scenario.ferry(["import"] + files + rules + ["-o", first]).exits(3)
      let same = try await scenario.ferry(["import"] + files + rules + ["-o", first]).exits(3)
      #expect(same.value("import")?["alreadyPresent"] == true)
      #expect(
        same.findings("import.refused").map { $0["cause"] }
          == once.findings("import.refused").map { $0["cause"] }
      )
      let second = "\(scenario.folder)/second.ferry"
      let again = try await scenario.ferry(
        ["import"] + files + rules + ["--into", first, "-o", second]
      )
      #expect(again.value("import")?["counts"]?["newResults"] == 0)
      let backup = "\(scenario.sample.folder)/StreakSync_Backup_2024-03-16_073000.json"
      let third = "\(scenario.folder)/third.ferry"
      let overlapping = try await scenario.ferry(
        ["import", backup, "\(scenario.sample.folder)/game_results.json"] + rules
          + ["--into", second, "-o", third]
      )
      let counts = overlapping.value("import")?["counts"]
      #expect(counts?["newResults"] == 1 && counts?["knownResults"] == 17)
      let records = try PackageLines(first).records("GameResult")
      #expect(try PackageLines(second).records("GameResult") == records)
      #expect(try PackageLines(third).records("GameResult").count == records.count + 1)
    }
  }

  @Test func `a partly refused text is written to rejected too, and sets the exit status`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let text =
        #"Wordle 990 1/6\n\n🟩🟩🟩🟩🟩\n\nFoodGuessr - 30 Jul 2025 GMT\n"#
        + #"Total score: 12,000 / 15,000"#
      try Data(#"[{"text":"\#(text)","date":"2024-03-05T10:11:12Z"}]"#.utf8)
        .write(to: URL(filePath: "\(folder)/notes.json"))
      let package = "\(folder)/notes.ferry"
      for _ in 1...2 {
        try await FerryProgram().run(
          ["import", "\(folder)/notes.json", "-o", package],
          state: "\(folder)/state"
        ).exits(3)
      }
      #expect(try PackageLines(package).records("GameResult").count == 1)
      let rejects = try String(at: "\(package)/rejected/GameResult-00001.jsonl")
      #expect(rejects.contains("import.part-refused") && rejects.contains("30 Jul 2025"))
      let valid = try await FerryProgram().run(["validate", package], state: "\(folder)/state")
      #expect(valid.status == 0, "\(valid)")
    }
  }

  @Test func `XML that names nothing as a text is refused, with how to name it`() async throws {
    try await withStreakSync { scenario in
      let file = "\(scenario.folder)/scores.xml"
      let text = "<scores><share>Wordle 942 3/6</share></scores>"
      try Data(text.utf8).write(to: URL(filePath: file))
      let package = "\(scenario.folder)/p.ferry"
      let refused = try await scenario.ferry(["import", file, "-o", package]).exits(10)
      #expect(refused.standardError.contains("<scores>"), "\(refused)")
      #expect(refused.standardError.contains("--xml-text"), "\(refused)")
      #expect(!FileManager.default.fileExists(atPath: package))
      let named = try await scenario.ferry(
        ["import", file, "--xml-text", "share", "-o", package]
      )
      #expect(named.value("import")?["counts"]?["texts"] == 1, "\(named)")
    }
  }

  @Test func `XML without texts among other files is named as left out`() async throws {
    try await withStreakSync { scenario in
      let file = "\(scenario.folder)/settings.xml"
      try Data("<settings><share>yes</share></settings>".utf8).write(to: URL(filePath: file))
      let answer = try await scenario.ferry(
        ["import", file, "\(scenario.sample.folder)/sms-backup.xml"]
          + ["-o", "\(scenario.folder)/p.ferry"]
      ).exits(3)
      #expect(answer.standardOutput.contains("<settings>"), "\(answer)")
    }
  }

  @Test(arguments: ["preferences.plist", "preferences.xml.plist"])
  func `a wrong stored result is kept as evidence and reported`(
    name: String
  ) async throws {
    try await withStreakSync { scenario in
      let package = "\(scenario.folder)/a.ferry"
      let answer = try await scenario.ferry(
        ["import", "\(scenario.sample.folder)/\(name)", "--profile", scenario.profile]
          + ["-o", package]
      ).exits(0)
      let findings = answer.value("import")?["counts"]?["findings"]
      for code in [
        "import.completed-differs", "import.score-differs", "import.game-id-reused",
        "import.stored-only", "import.streak-differs",
      ] {
        #expect((findings?[code]?.integer ?? 0) > 0, "\(code): \(answer)")
      }
      let records = try PackageLines(package).records("GameResult")
      let wrong = records.first { $0["puzzleNumber"] == 997 && $0["gameName"] == "wordle" }
      #expect(wrong?["score"] == 4 && wrong?["stored"] == ["score": 3])
      let streaks = try PackageLines(package).records("GameStreak")
      #expect(streaks.contains { $0["gameName"] == "wordle" && $0["maxStreak"] == 5 })
    }
  }

  @Test func `explaining JSON Lines writes one object a line and imports nothing`() async throws {
    try await withStreakSync { scenario in
      let lines = "\(scenario.folder)/texts.jsonl"
      let texts = [
        "Wordle 1,234 3/6*\\n\\n⬛⬛⬛⬛⬛\\n⬛🟨⬛⬛⬛\\n🟩🟩🟩🟩🟩", "hello", "Wordle 990 7/6",
        "look: Wordle 1.234 3/6*\\n\\n⬛⬛⬛⬛⬛\\n⬛🟨⬛⬛⬛\\n🟩🟩🟩🟩🟩",
      ]
      try (texts.map { "{\"text\":\"\($0)\"}" }.joined(separator: "\n") + "\n").save(to: lines)
      let answer = try await scenario.ferry(
        ["import", lines, "--explain", "--as", "jsonl", "--text-field", "text"]
      ).exits(0)
      #expect(answer.values.map { $0["line"] } == [1, 2, 3, 4])
      let buckets = answer.values.map { $0["bucket"]?.text }
      #expect(buckets == ["result", "none", "refused", "duplicate"])
      let result = answer.values.first?["results"]?[0]
      #expect(result?["game"] == "wordle" && result?["puzzle"] == 1234 && result?["score"] == 3)
      #expect(result?["hardMode"] == true && result?["completed"] == true)
      #expect(answer.values.last?["reason"]?.text?.contains("number 1") == true)
      let counts = "4 texts = 1 described + 0 undescribed + 1 duplicate + 1 refused"
      #expect(answer.standardError.contains(counts))
    }
  }

  @Test func `hostile files are refused with their place, and no package is written`()
    async throws
  {
    try await withStreakSync { scenario in
      let bomb = "<!DOCTYPE smses [<!ENTITY a \"b\">]><smses><sms body=\"&a;\"/></smses>"
      let file = "\(scenario.folder)/bomb.xml"
      try bomb.save(to: file)
      let package = "\(scenario.folder)/b.ferry"
      let answer = try await scenario.ferry(["import", file, "-o", package]).exits(10)
      #expect(answer.standardError.contains("bomb.xml, line 1"), "\(answer)")
      #expect(!FileManager.default.fileExists(atPath: package))
    }
  }
}
