import JSONText
import TestSupport
import Testing

/// What every stand-in has to show, whatever its backend.
extension StandInScenario {
  /// Migrates all records, changes three notes, deletes two and adds one, verifies, and rolls back to nothing.
  ///
  /// `first` and `second` say how many requests of a kind the two runs send.
  func isCrossed(
    records: Int = 250,
    first requests: [String: Int64] = [:],
    second laterRequests: [String: Int64] = [:],
    arrived: () throws -> Void = {}
  ) async throws {
    try await ferry(["preflight"]).exits(0)
    #expect(try count() == 0)
    try seen(reset: true)
    let first = try await migrate().exits(0)
    #expect(Int(first.count("created")) == records)
    #expect(first.value("verification")?["clean"] == true)
    #expect(try count() == records)
    try saw(requests)
    try arrived()
    try edit(
      "UPDATE Note SET title = title || ' – neu' WHERE id IN ('n001', 'n010')",
      "UPDATE Note SET title = title || ' – neu' WHERE id = (SELECT max(id) FROM Note)",
      "DELETE FROM Note WHERE id IN ('n002', 'n003')",
      "INSERT INTO Note(id, title, stars, folder) VALUES ('n241', 'late', 1, 'f01')"
    )
    try seen(reset: true)
    let second = try await migrate(["--delete"]).exits(0)
    #expect(second.count("updated") == 3)
    #expect(second.count("deleted") == 2)
    #expect(second.count("created") == 1)
    #expect(second.value("verification")?["clean"] == true)
    #expect(try count() == records - 1)
    try saw(laterRequests)
    let package = "\(folder)/notes.ferry"
    try await FerryProgram().answer(
      ["export", store, "--profile", profile, "-o", package],
      state: "\(folder)/state"
    ).exits(0)
    try await ferry(["verify", package]).exits(0)
    let third = try await migrate().exits(0)
    #expect(Int(third.count("unchanged")) == records - 1)
    // What the second run deleted stays deleted.
    try await ferry(["rollback", try second.run()]).exits(6)
    try await ferry(["rollback", try first.run()]).exits(0)
    #expect(try count() == 0)
  }

  private func saw(_ requests: [String: Int64]) throws {
    for (kind, number) in requests {
      let sent = try seen(kind)
      #expect(sent == number, "\(kind)")
    }
  }

  /// Kills a run five times, ends it, and rolls all of it back.
  func isStoredOnce(records: Int = 250) async throws {
    try await FerryProgram().kill(
      ["migrate", store] + flags,
      state: "\(folder)/state",
      after: [0.06, 0.12, 0.18, 0.24, 0.3]
    )
    let last = try await migrate(["--retries", "20"]).exits(0)
    #expect(try count() == records)
    for run in try last.runs() where try count() > 0 {
      try await ferry(["rollback", run, "--retries", "20"]).exits(0)
    }
    #expect(try count() == 0)
  }

  /// Changes one of three notes as another device does, and all three in the app.
  func keepsTheirs(_ change: () throws -> Void) async throws {
    try await migrate().exits(0)
    try change()
    try edit("UPDATE Note SET title = title || '!'")
    let second = try await migrate().exits(6)
    #expect(second.count("updated") == 2)
    #expect(second.findings("plan.conflict-kept-remote").count == 1)
  }

  /// Spoils one of twenty notes, which the server refuses with these words.
  func refusesOne(_ words: String..., spoilt: String = StandInScenario.longTitle) async throws {
    try await refusesOne(words, spoilt: spoilt)
  }

  /// A title that is longer than any of the servers takes.
  static let longTitle = "UPDATE Note SET title = printf('%.*c', 300, 'x') WHERE id = 'n007'"

  /// The same with a list of words.
  func refusesOne(_ words: [String], spoilt: String = StandInScenario.longTitle) async throws {
    try edit(spoilt)
    let answer = try await migrate().exits(3)
    #expect(answer.count("created") == 29)
    #expect(answer.count("rejected") == 1)
    for word in words { #expect(answer.standardOutput.contains(word)) }
    #expect(try count() == 29)
  }

  /// Gives the notes a field that the server does not have, then another collection.
  func namesWhatIsMissing(
    notes: String = "notes",
    nothing: String = "nothing"
  ) async throws {
    let draft = try String(at: profile)
    try draft.replacing("\"folder\": {", with: "heading: title, \"folder\": {").save(to: profile)
    let answer = try await ferry(["preflight"])
    #expect(answer.status != 0)
    #expect(answer.standardOutput.contains("“\(notes)” has no field heading"))
    try draft.replacing("collection: \"\(notes)\"", with: "collection: \(nothing)")
      .save(to: profile)
    let other = try await ferry(["preflight"])
    #expect(other.status != 0)
    #expect(other.standardOutput.contains("shows no collection “\(nothing)”"))
    #expect(try count() == 0)
  }

  /// The note that the stand-in's table of items lists first.
  func firstNote() throws -> String {
    try #require(try rows("SELECT id FROM item WHERE collection = 'notes'").first)
  }
}
