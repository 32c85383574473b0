import ResultGrammar
import ResultText
import Testing

/// Descriptions that another device wrote by hand and got wrong, and texts that break a described rule.
struct `Faults of described games` {
  private static func description(_ members: String) -> String {
    "{\"game\":\"thimble\",\"name\":\"Thimble\",\"scoring\":\"points\"\(members)}"
  }

  private static func form(_ members: String) -> String {
    description(",\"forms\":[{\"head\":\"Thimble {puzzle:number}\"\(members)}]")
  }

  @Test(arguments: [
    ("{", "is not JSON", "correct the file"), ("[]", "its root", "ferry.game.v1"),
    ("{\"name\":\"X\"}", "/game", "a text is wanted"),
    ("{\"game\":\"\",\"name\":\"X\"}", "/game", "a text is wanted"),
    (
      "{\"game\":\"x\",\"name\":\"X\",\"scoring\":\"luck\"}", "/scoring",
      "luck is not a way of scoring"
    ),
    (description(",\"anchor\":{\"puzzle\":1,\"day\":\"soon\"}"), "/anchor", "a day"),
    (description(""), "/forms", "at least one form"),
    (description(",\"forms\":[{}]"), "/forms/0/head", "a head is wanted"),
    (description(",\"forms\":[{\"head\":[1]}]"), "/forms/0/head", "a pattern is a text"),
    (
      description(",\"forms\":[{\"head\":\"T{puzzle:number}\"}]"), "/forms/0/head", "two characters"
    ),
    (form(",\"score\":\"guessed\""), "/forms/0/score", "no such rule for a score"),
    (form(",\"completed\":\"maybe\""), "/forms/0/completed", "no such rule for completion"),
    (form(",\"grid\":{}"), "/forms/0/grid", "cells are wanted"),
    (form(",\"boards\":{\"count\":4}"), "/forms/0/boards", "a count and a maximum"),
    (
      form(",\"boards\":{\"count\":4,\"maximum\":9,\"digits\":-1}"), "/forms/0/boards",
      "1 to 9 digits"
    ),
    (
      form(",\"boards\":{\"count\":4,\"maximum\":9,\"digits\":40}"), "/forms/0/boards",
      "1 to 9 digits"
    ),
    (
      description(",\"anchor\":{\"puzzle\":-9223372036854775808,\"day\":\"2024-01-01\"}"),
      "/anchor", "a puzzle's number"
    ),
    (form(",\"finds\":\"{x#1\""), "{x#1", "= is missing"),
  ])
  func `a description that is wrong is refused with its file, place and cure`(
    json: String,
    place: String,
    cause: String
  ) throws {
    let error = #expect(throws: GameDescriptionError.self) {
      try GameDescription(json: Array(json.utf8), file: "thimble.json")
    }
    let said = try #require(error).description
    #expect(said.contains(place) && said.contains(cause), "\(said)")
    #expect(said.contains("thimble.json") || said.contains("put a backslash"), "\(said)")
  }

  @Test(arguments: [
    ("\"score\":\"stated\"", "Thimble 1", "no score belongs to it"),
    ("\"finds\":\"of {score:count}\",\"scores\":[2,4]", "Thimble 1 of 5", "not between 2 and 4"),
    (
      "\"finds\":\"{score:count}/{max:count}\"", "Thimble 1\n9/6",
      "the score 9 is not between 0 and 6"
    ),
    (
      "\"score\":\"none\",\"grid\":{\"cells\":\"🔺🔻\",\"width\":2,\"rows\":[2,3]}",
      "Thimble 1\n🔺🔻", "1 rows of squares belong to it, and the game has 2 to 3"
    ),
  ])
  func `a text that breaks its game's rule is refused with the rule`(
    rule: String,
    text: String,
    cause: String
  ) throws {
    let json = Self.form("," + rule)
    let game = try GameDescription(json: Array(json.utf8), file: "thimble.json")
    var reader = ResultReader(catalogue: try GameCatalogue(games: [game]))
    let reading = reader.read(Array(text.utf8))
    #expect(reading.bucket == .refused)
    #expect(reading.reason?.contains(cause) == true, "\(reading.reason ?? "no reason")")
  }

  @Test func `a number below one keeps the zeros behind its point`() {
    #expect(ResultNumber(digits: 5, scale: 3).description == "0.005")
    #expect(ResultNumber(digits: -5, scale: 1).description == "-0.5")
  }
}
