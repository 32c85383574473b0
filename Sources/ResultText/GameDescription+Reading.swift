import JSONText
import ResultGrammar

extension GameDescription {
  /// Reads a description.
  ///
  /// - Parameters:
  ///   - bytes: The description's JSON.
  ///   - file: What errors call it.
  /// - Throws: ``GameDescriptionError`` naming the member that is wrong.
  package init(json bytes: [UInt8], file: String) throws(GameDescriptionError) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw .notJSON(file: file, cause: error.description)
    }
    var reader = DescriptionReader(file: file)
    guard let object = value.object else { throw reader.wrong("", "an object is wanted") }
    id = try reader.text(object, "game", at: "")
    name = try reader.text(object, "name", at: "")
    let word = try reader.text(object, "scoring", at: "")
    guard let scoring = Scoring(rawValue: word) else {
      throw reader.wrong("/scoring", "\(word) is not a way of scoring")
    }
    self.scoring = scoring
    maximum = object["maximum"]?.integer.map(Int.init)
    anchor = try reader.anchor(object)
    hasDailyStreak = object["streak"]?.text != "none"
    guard let list = object["forms"]?.array, !list.isEmpty else {
      throw reader.wrong("/forms", "at least one form is wanted")
    }
    var forms: [ResultForm] = []
    for (index, form) in list.enumerated() {
      forms.append(try reader.form(form, at: "/forms/\(index)"))
    }
    self.forms = forms
    slots = reader.slots
    json = bytes
  }
}

/// Reads the members of one description.
private struct DescriptionReader {
  let file: String
  var slots = Slot.names

  func wrong(_ pointer: String, _ cause: String) -> GameDescriptionError {
    .badMember(file: file, pointer: pointer.isEmpty ? "its root" : pointer, cause: cause)
  }

  func text(
    _ object: JSONObject,
    _ name: String,
    at pointer: String
  ) throws(GameDescriptionError) -> String {
    guard let text = object[name]?.text, !text.isEmpty else {
      throw wrong(pointer + "/" + name, "a text is wanted")
    }
    return text
  }

  func anchor(_ object: JSONObject) throws(GameDescriptionError) -> GameDescription.Anchor? {
    guard let value = object["anchor"] else { return nil }
    guard let puzzle = value["puzzle"]?.integer, puzzle.magnitude <= 1 << 42,
      let text = value["day"]?.text,
      let day = CalendarDay(text)
    else { throw wrong("/anchor", "a puzzle's number and a day are wanted") }
    return GameDescription.Anchor(puzzle: Int(puzzle), day: day)
  }

  /// Patterns, written as one text or as a list of them.
  mutating func patterns(
    _ value: JSONValue?,
    at pointer: String
  ) throws(GameDescriptionError) -> [TextPattern] {
    guard let value else { return [] }
    let texts = value.array?.map(\.text) ?? [value.text]
    var patterns: [TextPattern] = []
    for text in texts {
      guard let text else { throw wrong(pointer, "a pattern is a text") }
      var known = slots
      let pattern = try TextPattern(text) { name in
        if let index = known.firstIndex(of: name) { return index }
        known.append(name)
        return known.count - 1
      }
      slots = known
      patterns.append(pattern)
    }
    return patterns
  }

  private mutating func slot(_ name: String) -> Int {
    if let index = slots.firstIndex(of: name) { return index }
    slots.append(name)
    return slots.count - 1
  }

  mutating func form(
    _ value: JSONValue,
    at pointer: String
  ) throws(GameDescriptionError) -> ResultForm {
    var form = ResultForm()
    form.heads = try patterns(value["head"], at: pointer + "/head")
    guard !form.heads.isEmpty else { throw wrong(pointer + "/head", "a head is wanted") }
    for head in form.heads where head.trigger.count < 2 {
      throw wrong(pointer + "/head", "a head begins with at least two characters of its own")
    }
    form.offersHardMode = form.heads.contains {
      $0.steps.contains(.keepFlag(slot: Slot.hard))
    }
    form.needs = try patterns(value["needs"], at: pointer + "/needs")
    form.finds = try patterns(value["finds"], at: pointer + "/finds")
    form.lost = try patterns(value["lost"], at: pointer + "/lost")
    form.looksBefore = value["looksBefore"]?.boolean ?? false
    form.variant = value["variant"]?.text
    form.isNameless = value["nameless"]?.boolean ?? false
    form.scores = range(value["scores"]).map { Int64($0.lowerBound)...Int64($0.upperBound) }
    form.overIsLost = value["overMaximumIsLost"]?.boolean ?? false
    form.refusal = value["refuse"]?.text
    form.maxima = (value["maxima"]?.array ?? []).compactMap(\.integer)
    for member in value["counts"]?.object?.members ?? [] {
      let others = member.value["not"]?.text
      let counted = scalars(others ?? member.value.text ?? "")
      form.counts.append((slot(member.name), counted, others != nil))
    }
    if let rule = value["score"] { form.score = try score(rule, at: pointer + "/score") }
    if let rule = value["completed"] {
      form.completed = try completed(rule, at: pointer + "/completed")
    }
    if let rule = value["grid"] { form.grid = try grid(rule, at: pointer + "/grid") }
    if let rule = value["boards"] { form.boards = try boards(rule, at: pointer + "/boards") }
    return form
  }

  private func score(
    _ value: JSONValue,
    at pointer: String
  ) throws(GameDescriptionError) -> ScoreRule {
    if let counted = value["count"]?.text {
      guard let known = value["known"]?.text else { return .count(scalars(counted)) }
      return .signs(scalars(counted), known: scalars(known))
    }
    switch value.text {
    case "stated": return .stated
    case "optional": return .optional
    case "rowLength": return .rowLength
    case "hitPosition": return .hitPosition
    case "rows": return .rows
    case "time": return .time
    case "groups": return .groups
    case "boardSum": return .boardSum
    case "boardMean": return .boardMean
    case "sum": return .sum
    case "none": return .none
    default: throw wrong(pointer, "no such rule for a score")
    }
  }

  private mutating func completed(
    _ value: JSONValue,
    at pointer: String
  ) throws(GameDescriptionError) -> CompletedRule {
    if let least = value["atLeast"]?.integer {
      guard let name = value["field"]?.text else { return .atLeast(least) }
      return .counted(slot: slot(name), Int(least))
    }
    if let text = value["lacks"] { return .lacks(try patterns(text, at: pointer + "/lacks")) }
    if let text = value["contains"] {
      return .contains(try patterns(text, at: pointer + "/contains"))
    }
    switch value.text {
    case "scored": return .scored
    case "always": return .always
    case "full": return .full
    case "never": return .never
    default: throw wrong(pointer, "no such rule for completion")
    }
  }

  private func grid(
    _ value: JSONValue,
    at pointer: String
  ) throws(GameDescriptionError) -> GridRule {
    guard let cells = value["cells"]?.text else { throw wrong(pointer, "cells are wanted") }
    var rule = GridRule(cells: scalars(cells), hits: scalars(value["hits"]?.text ?? ""))
    if let widths = range(value["width"]) { rule.widths = widths }
    rule.rowsFollowScore = value["rows"]?.text == "score"
    rule.rows = range(value["rows"])
    rule.isSpaced = value["spaced"]?.boolean ?? false
    rule.isOptional = value["optional"]?.boolean ?? false
    rule.endsSolved = value["endsSolved"]?.boolean ?? false
    rule.showsScore = value["showsScore"]?.boolean ?? false
    rule.hasBlocks = value["blocks"]?.boolean ?? false
    return rule
  }

  private func boards(
    _ value: JSONValue,
    at pointer: String
  ) throws(GameDescriptionError) -> BoardsRule {
    guard let count = value["count"]?.integer, let maximum = value["maximum"]?.integer,
      let grids = BoardsRule.Grids(rawValue: value["grids"]?.text ?? "none"),
      (1...64).contains(count)
    else { throw wrong(pointer, "a count and a maximum are wanted") }
    let digits = value["digits"]?.integer ?? 1
    guard (1...9).contains(digits) else { throw wrong(pointer, "a number has 1 to 9 digits") }
    var rule = BoardsRule(count: Int(count), maximum: maximum, grids: grids)
    rule.digits = Int(digits)
    rule.failedValues = (value["failed"]?.array ?? []).compactMap(\.integer)
    rule.areDistinct = value["distinct"]?.boolean ?? false
    return rule
  }

  /// A number, or a list of the least and the most.
  private func range(_ value: JSONValue?) -> ClosedRange<Int>? {
    if let number = value?.integer { return Int(number)...Int(number) }
    guard let list = value?.array, list.count == 2, let least = list[0].integer,
      let most = list[1].integer, least <= most
    else { return nil }
    return Int(least)...Int(most)
  }

  private func scalars(_ text: String) -> [UInt32] {
    text.unicodeScalars.compactMap { NormalText.fold($0.value) }.filter { $0 != 0x20 }
  }
}
