import JSONText
import ResultGrammar
import ResultText

/// What a source says a text means, held against what was read from it.
struct FieldComparison {
  let game: String
  let result: GameResult
  var compared = 0
  var otherMeasures = 0
  var differences: [String] = []

  init(game: String, result: GameResult, expected: JSONObject) {
    self.game = game
    self.result = result
    for member in expected.members { compare(member.name, member.value) }
  }

  private mutating func compare(_ name: String, _ value: JSONValue) {
    let answer: Bool?
    switch name {
    case "puzzle": answer = isPuzzle(value)
    case "score": answer = isScore(value)
    case "guesses": answer = game == "travle" ? nil : isScore(value)
    case "maxAttempts", "maxScore": answer = result.maxAttempts == value.integer.map { Int($0) }
    case "completed": answer = result.completed == value.boolean
    case "hardMode": answer = (result.hardMode ?? false) == value.boolean
    case "timeSeconds": answer = seconds == value.integer.map { Int($0) }
    case "date": answer = result.puzzleDay.map { $0.description == value.text }
    case "outcome": answer = isOutcome(value.text?.lowercased() ?? "")
    case "mode", "variant": answer = result.variant == value.text
    case "tries": answer = isTries(value)
    case "value": answer = isValue(value)
    case "stars": answer = isStars(value)
    case "noMistakes": answer = (result["noMistakes"] == .flag(true)) == value.boolean
    case "groupsSolved": answer = isScore(value)
    case "hops": answer = isScore(value)
    case "rank" where value.text != nil: answer = result["rank"] == .text(value.text ?? "")
    case "theme": answer = result["theme"] == .text(value.text ?? "")
    case "hints" where game == "strands": answer = isScore(value)
    case "hints" where result["hints"] == nil: answer = value.integer == 0
    case "detected": answer = true
    case "detail", "parsedData":
      for member in value.object?.members ?? [] { compareDetail(member.name, member.value) }
      return
    default: answer = isField(name, value)
    }
    note(name, value, answer)
  }

  private mutating func compareDetail(_ name: String, _ value: JSONValue) {
    let number = value.integer ?? value.text.flatMap { Int64($0) }
    let answer: Bool?
    switch name {
    case "puzzleNumber", "challengeNumber": answer = result.puzzle == number.map { Int($0) }
    case "solved", "solvedAll": answer = result.completed == value.boolean
    case "seconds": answer = seconds == number.map { Int($0) }
    case "hardMode": answer = (result.hardMode ?? false) == value.boolean
    case "guesses", "guessCount", "solvedCategories", "hintCount", "points":
      answer = isScore(value)
    case "difficulty", "mode": answer = result.variant == value.text?.lowercased()
    case "theme": answer = result["theme"] == .text(value.text ?? "")
    case "hints" where game == "strands" || game == "minutecryptic": answer = isScore(value)
    case "backtrackCount": answer = result["backtracks"] == nil && number == 0
    case "mistakes", "backtracks", "hints", "redraws", "underPar": answer = isField(name, value)
    default: answer = nil
    }
    note(name, value, answer)
  }

  /// `nil` says that the source measures in a way of its own.
  private mutating func note(_ name: String, _ value: JSONValue, _ answer: Bool?) {
    guard let answer else {
      otherMeasures += 1
      return
    }
    compared += 1
    if !answer { differences.append("\(name) should be \(value.canonicalText)") }
  }

  private var seconds: Int? {
    result.timeSeconds.map { Int($0.digits) / Self.power(of: $0.scale) }
  }

  private static func power(of scale: Int) -> Int {
    (0..<scale).reduce(1) { power, _ in power * 10 }
  }

  /// Some sources count days of their own where the text has a date.
  private func isPuzzle(_ value: JSONValue) -> Bool? {
    if let number = result.puzzle {
      if let text = value.text { return text.hasSuffix(String(number)) }
      return Self.numberedByItself.contains(game) ? nil : number == value.integer.map { Int($0) }
    }
    guard let text = value.text else { return nil }
    if let day = result.puzzleDay {
      return text == day.description || text.first?.isLetter == true || text.contains("/")
    }
    return result["puzzle"] == .text(text)
  }

  /// Games that a source numbers by their dates, though the text has a number.
  private static let numberedByItself: Set = ["timdle"]

  private func isScore(_ value: JSONValue) -> Bool? {
    guard let wanted = value.double ?? value.text.flatMap({ Double($0) }) else {
      return value.isNull ? result.score == nil : nil
    }
    if Self.scoredByItself.contains(game) { return nil }
    guard let score = result.score else {
      // A failure written as one more than the game allows; a distance written as a negative.
      return result.maxAttempts.map { Double($0) + 1 } == wanted || wanted == 0 && !result.completed
        || isField("away", JSONValue(integerLiteral: Int64(-wanted))) == true
    }
    if Double(score.description) == wanted { return true }
    if isField("correct", value) == true { return true }
    return game == "octordle" ? nil : false
  }

  /// Games that a source gives points of its own.
  private static let scoredByItself: Set = ["top5", "dordle", "queensultimate"]

  private func isOutcome(_ outcome: String) -> Bool? {
    switch outcome {
    case "win": result.completed
    case "loss": !result.completed
    case "nearwin": !result.completed
    default: nil
    }
  }

  /// `tries` ranks results: it is the score, the digits of the time, or a sum of the source's own.
  private func isTries(_ value: JSONValue) -> Bool? {
    if value.text?.uppercased() == "X" { return !result.completed }
    guard let number = value.integer ?? value.text.flatMap({ Int64($0) }) else { return nil }
    if let score = result.score, Int64(score.description) == number { return true }
    if let seconds {
      let digits = seconds / 60 * 100 + seconds % 60
      if Int(number) == digits || Int(number) == seconds { return true }
    }
    return Self.rankedByItself.contains(game) ? nil : false
  }

  private static let rankedByItself: Set = [
    "bracketcity", "catfishing", "cluesbysam", "color", "color2", "time", "connections", "contexto",
    "decipher",
    "chronophoto", "foodguessr", "geogrid", "geozee", "minutecryptic", "moreless", "murdle",
    "nerdlecross", "nflxdle", "picsey", "posterdle", "queensultimate", "snoop", "spellcheck",
    "tempoindovinr", "timdle", "timeguessr", "travle", "waffle", "whentaken", "wordgrid",
    "dontwordle",
  ]

  private func isValue(_ value: JSONValue) -> Bool? {
    guard let number = value.integer else { return nil }
    if let seconds, Int64(seconds) == number { return true }
    if isField("mistakes", value) == true { return true }
    return isScore(value)
  }

  private func isStars(_ value: JSONValue) -> Bool? {
    game == "waffle" ? isScore(value) : nil
  }

  private func isField(_ name: String, _ value: JSONValue) -> Bool? {
    guard let field = result[name] else { return nil }
    switch field {
    case .number(let number): return value.integer.map { String($0) } == number.description
    case .text(let text): return value.text == text
    case .flag(let flag): return value.boolean == flag
    case .day(let day): return value.text == day.description
    case .numbers: return nil
    }
  }
}
