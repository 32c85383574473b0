import Foundation
import JSONText
import LegacyFiles
import ResultGrammar
import ResultText
import Testing

/// Property lists and JSON that an app wrote.
struct ContainerTests {
  private static let result =
    #"{"id":"A","gameName":"wordle","date":"2024-03-05T10:11:12Z","score":3,"#
    + #""maxAttempts":6,"completed":true,"sharedText":"Wordle 990 3/6"}"#

  private func list(
    _ members: [String: Any],
    _ format: PropertyListSerialization.PropertyListFormat
  ) throws -> [UInt8] {
    Array(try PropertyListSerialization.data(fromPropertyList: members, format: format, options: 0))
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `JSON inside data of preferences is read, whatever form they have`(
    format: PropertyListSerialization.PropertyListFormat
  ) async throws {
    let data = Data("[\(Self.result),\(Self.result)]".utf8)
    let (form, items) = try await LegacySample.items(try list(["results": data], format))
    #expect(form == .plist)
    #expect(items.entries.map(\.stored) == ["A", "A"])
    #expect(items.entries.map(\.string) == ["Wordle 990 3/6", "Wordle 990 3/6"])
    #expect(items.entries.map(\.place.description) == ["results, element 1", "results, element 2"])
    #expect(items.entries[0].date == .instant(1_709_633_472, fraction: ""))
  }

  @Test func `an old-style list is read too`() async throws {
    let hex = Self.result.utf8.map { String(format: "%02x", $0) }.joined()
    let (form, items) = try await LegacySample.items("{ latest = <\(hex)>; }")
    #expect(form == .plist)
    #expect(items.entries.map(\.place.description) == ["latest"])
  }

  @Test(arguments: [false, true])
  func `a queue of keys is matched with the fields it names, as a list and as data`(
    isData: Bool
  ) async throws {
    let keys: Any =
      isData ? Data(#"["result_1","result_2"]"#.utf8) : ["result_1", "result_2"]
    let members: [String: Any] = [
      "resultKeys": keys, "result_1": Data(Self.result.utf8),
      "result_3": Data(Self.result.utf8),
    ]
    let (_, items) = try await LegacySample.items(try list(members, .binary))
    #expect(items.entries.compactMap(\.stored).count == 2)
    let queue = items.notes.filter { $0.code == "queue" }.map { "\($0.place): \($0.cause)" }
    #expect(
      queue.sorted() == [
        "resultKeys: it names “result_2”, and the file has no such member",
        "result_3: “resultKeys” does not name it; it is read all the same",
      ]
    )
  }

  // An app shows them to friends: they have a day, and neither a moment nor a text.
  @Test func `scores that an app publishes are not read as results, and are reported once`()
    async throws
  {
    let score =
      #"{"id":"somebody|20240305|A","userId":"somebody","dateInt":20240305,"gameId":"A","#
      + #""gameName":"wordle","score":3,"maxAttempts":6,"completed":true}"#
    let data = Data("[\(score),\(score)]".utf8)
    let (_, items) = try await LegacySample.items(try list(["scores": data], .binary))
    #expect(items.entries.isEmpty)
    #expect(items.notes.map { "\($0.code) \($0.place)" } == ["left-out scores"])
  }

  @Test func `a keyed archive inside data is read`() async throws {
    let archived = try NSKeyedArchiver.archivedData(
      withRootObject: ["sharedText": "Wordle 990 3/6", "id": "B"] as NSDictionary,
      requiringSecureCoding: false
    )
    let (_, items) = try await LegacySample.items(try list(["kept": archived], .xml))
    #expect(items.entries.map(\.stored) == ["B"])
  }

  @Test func `a backup yields results and streaks, and other content is noted`() async throws {
    let streak = #"{"id":"S","gameName":"wordle","currentStreak":2,"maxStreak":5}"#
    let backup =
      #"{"version":1,"gameResults":[\#(Self.result)],"streaks":[\#(streak)],"#
      + #""achievements":[{"a":1},{"a":2}],"customGames":[]}"#
    let (form, items) = try await LegacySample.items(backup)
    #expect(form == .json)
    #expect(
      items.entries.map(\.place.description) == ["gameResults, element 1", "streaks, element 1"]
    )
    #expect(items.notes.map(\.place) == ["version", "achievements"])
  }

  @Test(arguments: [
    ("2024-03-05T10:11:12Z", 1_709_633_472, ""), ("2024-03-05T10:11:12.250Z", 1_709_633_472, "25"),
    ("2024-03-05T11:11:12+01:00", 1_709_633_472, ""),
  ])
  func `a date is read in every known form`(text: String, seconds: Int64, fraction: String) {
    #expect(LegacyDate(text) == .instant(seconds, fraction: fraction))
  }

  @Test(arguments: [
    "2024-02-30", "2024-03-05T25:00", "yesterday", "2024-03-05T10:11:12+1", "", "1709633472",
  ])
  func `an unparsable date is nil`(text: String) {
    #expect(LegacyDate(text) == nil)
  }

  @Test func `a local time is read in the given time zone`() throws {
    let day = try #require(CalendarDay("2024-03-05"))
    let date = LegacyDate.local(day, second: 3600)
    #expect(date.text(in: TimeZoneRules(offset: 3600)) == "2024-03-05T00:00:00Z")
    #expect(date.text(in: TimeZoneRules(offset: 7200)) == "2024-03-04T23:00:00Z")
  }

  @Test func `seconds since 2001 keep their fraction`() {
    #expect(
      LegacyDate(secondsSinceReferenceDate: 731_326_272.5)
        == .instant(1_709_633_472, fraction: "5")
    )
  }

  @Test(arguments: ["{\"a\": [", "[1, 2", "{\"a\" 1}"])
  func `damaged JSON is refused with its line`(text: String) async throws {
    await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items(text, as: .json)
    }
  }
}
