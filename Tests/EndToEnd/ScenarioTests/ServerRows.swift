import JSONText
import TestSupport

extension BackendProgram {
  /// The rows of a table, by their server identity.
  nonisolated func rows(_ table: String) throws -> [String: JSONValue] {
    var rows: [String: JSONValue] = [:]
    for row in try dump()[table]?.array ?? [] {
      if let id = (row["id"] ?? row["storageKey"])?.text { rows[id] = row }
    }
    return rows
  }

  /// What the user knows a row by, however the server numbered it: heroes by name and ability,
  /// stories by title, content and hero, events by title and seed, looks by hero, hair and prompt.
  nonisolated func contents() throws -> [String] {
    let heroes = try rows("heroes")
    func text(_ row: JSONValue?, _ names: String...) -> String {
      names.map { row?[$0]?.canonicalText ?? "-" }.joined(separator: " ")
    }
    func hero(of row: JSONValue) -> String {
      text(row["heroId"]?.text.flatMap { heroes[$0] }, "name", "specialAbilities")
    }
    return
      (try rows("stories").values.map { text($0, "title", "content") + hero(of: $0) }
      + rows("visualProfiles").values.map {
        text($0, "hairColor", "canonicalPrompt") + hero(of: $0)
      } + heroes.values.map { text($0, "name", "specialAbilities", "traits") }
      + rows("customEvents").values.map { text($0, "title", "promptSeed") }).sorted()
  }

  /// Every row of a user's, as it is.
  nonisolated func userRows() throws -> JSONValue {
    let dump = try dump()
    var rows = JSONObject()
    for table in ["heroes", "stories", "customEvents", "records", "files"] {
      rows[table] = dump[table]
    }
    return .object(rows)
  }

  /// A table's row of which `member` is `value`.
  nonisolated func row(_ table: String, where member: String, is value: JSONValue) throws
    -> JSONValue
  {
    guard let row = try rows(table).values.first(where: { $0[member] == value }) else {
      throw TestSupportError("no row of \(table) has \(member) \(value.canonicalText)")
    }
    return row
  }
}
