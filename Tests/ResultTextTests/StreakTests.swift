import Foundation
import ResultGrammar
import ResultText
import Testing

struct `Streaks of days` {
  private static func streak(_ plays: [(String, Bool)], today: String) throws -> GameStreak {
    let all = try plays.map {
      GameStreak.Play(day: try #require(CalendarDay($0.0)), isCompleted: $0.1)
    }
    return GameStreak(game: "x", plays: all, today: try #require(CalendarDay(today)))
  }

  // 002-59, 002-60.
  @Test func `days in a row add up, two results of a day count once`() throws {
    let streak = try Self.streak(
      [("2026-02-28", true), ("2026-03-01", true), ("2026-03-01", true), ("2026-02-27", true)],
      today: "2026-03-02"
    )
    #expect(streak.current == 3)
    #expect(streak.longest == 3)
    #expect(streak.played == 4)
    #expect(streak.completed == 4)
    #expect(streak.firstDay?.description == "2026-02-27")
  }

  // 002-59.
  @Test func `a gap starts again at one, and the longest streak stays`() throws {
    let streak = try Self.streak(
      [("2026-03-01", true), ("2026-03-02", true), ("2026-03-04", true)],
      today: "2026-03-04"
    )
    #expect(streak.current == 1)
    #expect(streak.longest == 2)
  }

  @Test func `a failed result ends the streak at once`() throws {
    let streak = try Self.streak(
      [("2026-03-01", true), ("2026-03-02", false)],
      today: "2026-03-02"
    )
    #expect(streak.current == 0)
    #expect(streak.longest == 1)
    #expect(streak.completed == 1)
  }

  @Test func `a streak lasts through the next day and is broken the day after`() throws {
    #expect(try Self.streak([("2026-03-01", true)], today: "2026-03-02").current == 1)
    #expect(try Self.streak([("2026-03-01", true)], today: "2026-03-03").current == 0)
  }

  @Test func `no results make no streak`() throws {
    let streak = try Self.streak([], today: "2026-03-03")
    #expect(streak.current == 0)
    #expect(streak.lastDay == nil)
  }

  private static let zones = "/usr/share/zoneinfo"

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: zones),
      "skipped: this machine has no time zones"
    ),
    arguments: [
      "Europe/Rome", "America/New_York", "Asia/Kolkata", "Australia/Sydney", "UTC",
      "America/Sao_Paulo", "Pacific/Auckland", "Asia/Tokyo", "Australia/Lord_Howe",
      // The summer of the one is two hours, and that of the other is its winter.
      "Antarctica/Troll", "Europe/Dublin",
    ]
  )
  func `a zone's offsets are those of Foundation`(name: String) throws {
    let data = try Data(contentsOf: URL(filePath: "\(Self.zones)/\(name)"))
    let zone = try #require(TimeZone(identifier: name))
    let rules = try TimeZoneRules(file: Array(data))
    for instant in stride(from: Int64(0), to: 2_200_000_000, by: 7_000_003) {
      let date = Date(timeIntervalSince1970: TimeInterval(instant))
      #expect(rules.offset(at: instant) == zone.secondsFromGMT(for: date), "\(instant)")
    }
  }

  @Test func `a zone's file that ends early is refused`() {
    #expect(throws: TimeZoneError.self) { try TimeZoneRules(file: Array("TZif2".utf8)) }
    #expect(throws: TimeZoneError.self) { try TimeZoneRules(file: []) }
  }

  @Test func `the day of a result is that of its puzzle or of its recording, as the rule says`()
    throws
  {
    let result = try ReadTexts.result("Wordle 900 3/6")
    // 2024-01-01 at 23:30 UTC.
    let instant: Int64 = 1_704_151_800
    let east = TimeZoneRules(offset: 3600)
    let recorded = GameStreak.day(of: result, recordedAt: instant, rule: .recorded, zone: east)
    let puzzle = GameStreak.day(of: result, recordedAt: instant, rule: .puzzle, zone: east)
    #expect(recorded.description == "2024-01-02")
    #expect(puzzle.description == "2023-12-06")
  }

  @Test func `days and dates agree`() {
    for number in stride(from: -200_000, to: 200_000, by: 997) {
      let day = CalendarDay(number: number)
      #expect(CalendarDay(day.description) == day)
    }
    #expect(CalendarDay("2026-02-29") == nil)
    #expect(CalendarDay(year: 1970, month: 1, day: 1)?.number == 0)
  }
}
