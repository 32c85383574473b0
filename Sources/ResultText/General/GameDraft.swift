package import JSONText
import ResultGrammar

/// A description of a game, drafted from results that no description knows.
///
/// It says what all of the results show, and is a beginning: a person who knows the game adds its rules.
package struct GameDraft: Sendable {
  package let name: String
  private var results: [UndescribedResult] = []

  package init(name: String) { self.name = name }

  package var count: Int { results.count }

  package mutating func add(_ result: UndescribedResult) { results.append(result) }

  /// The description under the schema `ferry.game.v1`.
  package var description: JSONValue {
    var form = JSONObject()
    form["head"] = .string(head)
    if isTimed { form["finds"] = .array([.string("{time:time}"), .string("{time:duration}")]) }
    form["score"] = .string(isScored ? "stated" : isTimed ? "time" : "none")
    if !isScored, !isTimed { form["completed"] = .string("always") }
    var game = JSONObject()
    game["game"] = .string(id)
    game["name"] = .string(name)
    game["scoring"] = .string(isScored ? "attempts" : isTimed ? "seconds" : "points")
    game["forms"] = .array([.object(form)])
    return .object(game)
  }

  /// Small letters and digits, as an id has them.
  package var id: String {
    let letters = name.lowercased().unicodeScalars.filter {
      $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
    }
    return letters.isEmpty ? "game" : String(String.UnicodeScalarView(letters))
  }

  private var isScored: Bool {
    results.allSatisfy { $0.maximum != nil && ($0.score != nil || $0.completed == false) }
  }

  private var isTimed: Bool { !isScored && results.allSatisfy { $0.timeSeconds != nil } }

  private var head: String {
    let special: Set<Character> = ["[", "]", "(", ")", "{", "}", "|", "~", "\\"]
    var head = name.reduce(into: "") { $0 += special.contains($1) ? "\\\($1)" : String($1) }
    if results.allSatisfy({ $0.puzzle != nil }) {
      head += " [#]{puzzle:number}"
    } else if results.allSatisfy({ $0.puzzleDay != nil }) {
      head += " {date:date}"
    }
    return isScored ? head + " {score:attempts}/{max:count}[{hard?=*}]" : head
  }
}
