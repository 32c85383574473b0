import Foundation
import JSONText
import ResultGrammar
import ResultText
import SchemaValidation
import Schemas
import Testing

struct `Descriptions of games` {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/ResultText/Games")

  private static let made = """
    {"game": "thimble", "name": "Thimble", "scoring": "attempts", "maximum": 4,
     "anchor": {"puzzle": 10, "day": "2025-01-01"},
     "forms": [{"head": "Thimble No. {puzzle:number} ({score:attempts}~of~{max:count})[ {hard?=!}]",
       "maxima": [4], "finds": ["mood: {mood:text}"],
       "grid": {"cells": "🔺🔻", "hits": "🔺", "width": 3, "rows": "score", "endsSolved": true}}]}
    """

  private static func reader(_ json: String) throws -> ResultReader {
    let game = try GameDescription(json: Array(json.utf8), file: "made.json")
    return ResultReader(catalogue: try GameCatalogue(games: [game]))
  }

  @Test func `a game is read from its description alone`() throws {
    var reader = try Self.reader(Self.made)
    let text = "my Thimble No. 12 2 of 4 !\n🔺🔻🔺\n🔺🔺🔺\nmood: fine, thanks\n"
    let reading = reader.read(Array(text.utf8))
    let result = try #require(reading.results.first)
    #expect(result.identity == "thimble/12")
    #expect(result.score == ResultNumber(2))
    #expect(result.hardMode == true)
    #expect(result.puzzleDay?.description == "2025-01-03")
    #expect(result["mood"] == .text("fine, thanks"))
    let refused = reader.read(Array("Thimble No. 12 3 of 4\n🔺🔻🔺\n🔺🔺🔺".utf8))
    #expect(
      refused.reason
        == "Thimble at byte 0: 2 rows of squares belong to it, and the score 3 wants 3"
    )
  }

  @Test func `the list names every file of the folder, byte for byte`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
    #expect(BuiltInGames.files.map(\.name).sorted() == names.sorted())
    for (name, bytes) in BuiltInGames.files {
      #expect(try bytes == Array(Data(contentsOf: Self.folder.appending(path: name))), "\(name)")
    }
  }

  @Test func `every description holds to its schema and is named like its game`() throws {
    let schema = try #require(PublishedSchemas.bytes(named: "ferry.game.v1.schema.json"))
    let set = try SchemaSet(schemas: [(address: "file:///game", bytes: schema)])
    let validator = try set.schema(at: "file:///game")
    for (name, bytes) in BuiltInGames.files {
      let document = JSONDocument()
      try document.parse(copying: bytes)
      let faults = validator.faults(document, document.root)
      #expect(faults.isEmpty, "\(name): \(faults)")
      #expect(try GameDescription(json: bytes, file: name).id + ".json" == name)
    }
  }

  @Test(arguments: [
    "[puzzle", "{puzzle}", "{puzzle:nonsense}", "a]", "{x#y=z}", "((((((((((a))))))))))", "\\",
  ])
  func `a pattern that is not well formed is refused with its place`(pattern: String) throws {
    let quoted = JSONValue.string("Ab " + pattern).canonicalText
    let json = """
      {"game": "x", "name": "X", "scoring": "points", "forms": [{"head": \(quoted)}]}
      """
    #expect(throws: GameDescriptionError.self) { try Self.reader(json) }
  }

  @Test func `two games with one id are refused`() throws {
    let game = try GameDescription(json: Array(Self.made.utf8), file: "made.json")
    #expect(throws: GameDescriptionError.sameID("thimble")) {
      try GameCatalogue(games: [game, game])
    }
  }

  @Test func `an added game description replaces the one of the same name`() throws {
    let game = try GameDescription(json: Array(Self.made.utf8), file: "made.json")
    let changed = Self.made.replacing("Thimble", with: "Bobbin")
    let other = try GameDescription(json: Array(changed.utf8), file: "made.json")
    let catalogue = try GameCatalogue(games: [game]).adding([other])
    #expect(catalogue.games.map(\.name) == ["Bobbin"])
  }

  @Test func `a text's outcome is one line of JSON`() throws {
    var reader = try Self.reader(Self.made)
    var writer = JSONWriter()
    reader.read(Array("Thimble No. 12 x of 4".utf8)).write(line: 7, to: &writer)
    let value = try JSONValue(parsing: writer.bytes)
    #expect(value["line"]?.integer == 7)
    #expect(value["bucket"]?.text == "refused")
    writer.reset()
    let text = "Thimble No. 12 1 of 4\n🔺🔺🔺"
    reader.read(Array(text.utf8)).write(line: 8, bucket: "duplicate", to: &writer)
    let line = try JSONValue(parsing: writer.bytes)
    #expect(line["bucket"]?.text == "duplicate")
    #expect(line["results"]?[0]?["game"]?.text == "thimble")
    #expect(line["results"]?[0]?["puzzle"]?.integer == 12)
    #expect(line["results"]?[0]?["score"]?.integer == 1)
    #expect(line["results"]?[0]?["hardMode"]?.boolean == false)
    #expect(line["reason"]?.isNull == true)
  }
}
