import Foundation
import JSONText
import TestSupport
import Testing

/// Dates of legacy files, which state neither their unit nor their form: no result gets a wrong one, and none
/// gets none, without a word.
@Suite(.timeLimit(.minutes(2))) struct ImportDateTests {
  private struct Answer {
    let finished: FerryProgram.Finished
    let records: [JSONValue]
    let rejects: String

    /// The days of the results, in the order of the package.
    var days: [String?] { records.map { $0["date"]?.text.map { String($0.prefix(10)) } } }

    var findings: JSONValue? { counts?["findings"] }

    var counts: JSONValue? {
      let lines = finished.standardOutput.split(separator: "\n").compactMap { line in
        try? JSONValue(parsing: String(line))
      }
      return lines.first { $0["type"] == "import" }?["counts"]
    }
  }

  private func ferry(
    _ text: String,
    as name: String = "results.json",
    _ flags: [String] = []
  ) async throws -> Answer {
    var answer: Answer?
    try await withTemporaryFolder { folder in
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
      let package = "\(folder)/results.ferry"
      let finished = try await FerryProgram().run(
        ["import", "\(folder)/\(name)", "-o", package, "--format", "ndjson"] + flags,
        state: "\(folder)/state"
      )
      let rejects = "\(package)/rejected/GameResult-00001.jsonl"
      let hasRejects = FileManager.default.fileExists(atPath: rejects)
      answer = Answer(
        finished: finished,
        records: try PackageLines(package).records("GameResult"),
        rejects: hasRejects ? try String(at: rejects) : ""
      )
    }
    return try #require(answer)
  }

  /// Results as an app stores them, one of each date; their text says nothing.
  private static func stored(_ dates: String...) -> String {
    let results = dates.enumerated().map { number, date in
      #"{"id":"R\#(number)","gameName":"tradle","completed":true,"score":2,"maxAttempts":6,"#
        + #""sharedText":"two of six","date":\#(date)}"#
    }
    return "[\(results.joined(separator: ",\n"))]"
  }

  private static let line = #"{"text":"Wordle 1000 1/6\n\n🟩🟩🟩🟩🟩","date":DATE}"#

  @Test func `a number is read in seconds since 2001, as the usual encoder writes it`()
    async throws
  {
    let answer = try await ferry(Self.stored("731326272", "731326272.5"))
    #expect(answer.finished.status == 0, "\(answer.finished.standardOutput)")
    #expect(answer.days == ["2024-03-05", "2024-03-05"])
  }

  @Test(arguments: ["1710633600", "1710633600000", "20240317", "19799"])
  func `a date number in another unit rejects its result`(
    number: String
  ) async throws {
    let answer = try await ferry(Self.stored("731326272", number))
    #expect(answer.finished.status == 3, "\(answer.finished.standardOutput)")
    #expect(answer.days == ["2024-03-05"])
    #expect(answer.counts?["refused"] == 1 && answer.counts?["complete"] == true)
    #expect(answer.findings?["import.date-unit"] == 1)
    #expect(answer.rejects.contains(#""position":"element 2""#), "\(answer.rejects)")
  }

  @Test(
    arguments: [
      ("seconds-since-1970", "1710633600"), ("milliseconds-since-1970", "1710633600000"),
      ("seconds-since-2001", "732326400"),
    ]
  )
  func `the unit that the line or the profile declares counts for the whole import`(
    unit: String,
    number: String
  ) async throws {
    let text = Self.stored(number)
    let flagged = try await ferry(text, ["--date-unit", unit])
    #expect(flagged.finished.status == 0, "\(flagged.finished.standardOutput)")
    #expect(flagged.days == ["2024-03-17"])
    try await withTemporaryFolder { folder in
      let profile = """
        ferry-profile: 1
        app: scores
        entities:
          GameResult:
            schema: ferry.GameResult.v1.schema.json
            identity: { attribute: id }
            fields: { id: id }
        import: { results: GameResult, date-unit: \(unit) }

        """
      try Data(profile.utf8).write(to: URL(filePath: "\(folder)/profile.yaml"))
      let reported = try await ferry(text, ["--profile", "\(folder)/profile.yaml"])
      #expect(reported.finished.status == 0, "\(reported.finished.standardError)")
      #expect(reported.days == ["2024-03-17"])
    }
  }

  @Test func `a number outside its declared unit is refused`() async throws {
    let text = Self.stored("731326272", "1710633600", "1710633600000")
    let answer = try await ferry(text, ["--date-unit", "seconds-since-1970"])
    #expect(answer.finished.status == 3, "\(answer.finished.standardOutput)")
    #expect(answer.days == ["2024-03-17"])
    #expect(answer.findings?["import.date-unit"] == 2)
  }

  @Test func `the date of the last change is read like the date itself`() async throws {
    let text =
      #"[{"id":"A","gameName":"tradle","completed":true,"score":2,"maxAttempts":6,"#
      + #""sharedText":"two of six","date":731326272,"lastModified":731326273}]"#
    let answer = try await ferry(text)
    #expect(answer.records.first?["lastModified"] == "2024-03-05T10:11:13Z")
  }

  @Test(
    arguments: [
      #""17.03.2024""#, #""yesterday""#, "true", "[2024,3,17]", #""2567-03-17T10:11:12Z""#,
    ]
  )
  func `a date in no known form rejects the result, and the reason says so`(
    date: String
  ) async throws {
    let answer = try await ferry(Self.stored(date))
    #expect(answer.finished.status == 3, "\(answer.finished.standardOutput)")
    #expect(answer.records.isEmpty)
    #expect(answer.findings?["import.date-form"] == 1)
    #expect(answer.rejects.contains("R0"), "what was stored is kept")
  }

  @Test(
    arguments: [
      ("results.jsonl", "import.date-form", #""17.03.2024""#),
      ("results.jsonl", "import.date-unit", "1710633600"),
      ("results.jsonl", "import.date-unit", #""731326272""#),
      ("results.xml", "import.date-form", "17.03.2024"),
      ("results.xml", "import.date-unit", "731326272"),
      ("results.sms.xml", "import.date-form", "1710633600"),
    ]
  )
  func `a shared text whose date is unread gets no other, not even that of --date`(
    name: String,
    code: String,
    date: String
  ) async throws {
    let text: String
    switch name {
    case "results.jsonl":
      let line = Self.line.replacingOccurrences(of: "DATE", with: date)
      text = line + "\n" + #"{"text":"hello","date":"soon"}"# + "\n"
    case "results.xml":
      text = "<log><m><text>Wordle 1000 1/6\n\n🟩🟩🟩🟩🟩</text><date>\(date)</date></m></log>"
    default:
      let body = "Wordle 1000 1/6&#10;&#10;🟩🟩🟩🟩🟩"
      text = "<smses><sms address=\"1\" type=\"2\" date=\"\(date)\" body=\"\(body)\"/></smses>"
    }
    let answer = try await ferry(text, as: name, ["--date", "2024-05-01"])
    #expect(answer.finished.status == 3, "\(answer.finished.standardOutput)")
    #expect(answer.records.isEmpty)
    #expect(answer.counts?["refused"] == 1)
    #expect(answer.findings?[code] == 1)
    #expect(answer.findings?["import.no-date"] == nil)
  }

  @Test(arguments: ["2024-03-17T10:11:12Z", "2024-03-17 10:11:12 +0000"])
  func `a text in an array of objects has the date beside it, however Apple's tools write it`(
    date: String
  ) async throws {
    let text = Self.line.replacingOccurrences(of: "DATE", with: "\"\(date)\"")
    let answer = try await ferry("[\(text)]", ["--date", "2024-05-01"])
    #expect(answer.finished.status == 0, "\(answer.finished.standardOutput)")
    #expect(answer.days == ["2024-03-17"])
    #expect(answer.findings?["import.no-date"] == nil)
  }

  @Test func `a stored result without a date is reported, and has the day of --date`() async throws
  {
    let text =
      #"[{"id":"A","gameName":"wordle","completed":true,"score":1,"maxAttempts":6,"#
      + #""sharedText":"Wordle 1000 1/6\n\n🟩🟩🟩🟩🟩"}]"#
    let answer = try await ferry(text)
    #expect(answer.finished.status == 0, "\(answer.finished.standardOutput)")
    #expect(answer.records.first?["date"] == .null)
    #expect(answer.findings?["import.no-date"] == 1)
    let dated = try await ferry(text, ["--date", "2024-03-17"])
    #expect(dated.days == ["2024-03-17"])
    #expect(dated.findings?["import.no-date"] == nil)
  }

  // Of all these an app may say nothing: an empty text, white space, null, an archive's date without one.
  @Test func `a stored result with an empty date is reported as well, and has the day of --date`()
    async throws
  {
    let text = Self.stored("null", "\"\"", "\" \"", #"{"$date":null}"#, #"{"$date":""}"#)
    let answer = try await ferry(text)
    #expect(answer.finished.status == 0, "\(answer.finished.standardOutput)")
    #expect(answer.records.filter { $0["date"]?.isNull == true }.count == 5)
    #expect(answer.findings?["import.no-date"] == 5)
    let dated = try await ferry(text, ["--date", "2024-03-17"])
    #expect(dated.days == Array(repeating: "2024-03-17", count: 5))
    #expect(dated.findings?["import.no-date"] == nil)
  }

  @Test(arguments: [[], ["--explain"]])
  func `a found date is quoted only when the user asks for values`(
    flags: [String]
  ) async throws {
    try await withTemporaryFolder { folder in
      let file = "\(folder)/results.json"
      let text = Self.stored(#""17.03.2024""#, "1710633600")
      try Data(text.utf8).write(to: URL(filePath: file))
      let goal = flags.isEmpty ? ["-o", "\(folder)/a.ferry"] : flags
      for form in ["text", "ndjson"] {
        let line = ["import", file, "--format", form] + goal
        let silent = try await FerryProgram().run(line, state: "\(folder)/state")
        for value in ["17.03.2024", "1710633600"] {
          #expect(!silent.standardOutput.contains(value), "\(silent)")
        }
        let asked = try await FerryProgram().run(
          line + ["--show-values"],
          state: "\(folder)/state"
        )
        for value in ["17.03.2024", "1710633600"] {
          #expect(asked.standardOutput.contains(value), "\(asked)")
        }
      }
    }
  }

  @Test func `the cure names the unit in which the number is a date`() async throws {
    let answer = try await ferry(Self.stored("1710633600000"))
    #expect(answer.finished.standardOutput.contains("--date-unit milliseconds-since-1970"))
    #expect(answer.finished.standardOutput.contains("element 1"))
  }
}
