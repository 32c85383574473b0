import Foundation
import JSONText
import TestSupport
import Testing

/// A profile that is exchanged for another while a run is not at its end, or before it is rolled back.
@Suite(.timeLimit(.minutes(3))) struct ProfileChangeTests {
  static let accepting = ["--accept-change", "profile"]
  // MARK: - Uploads

  @Test func `an interrupted run's remainder is planned again, with records added meanwhile`()
    async throws
  {
    try await NoteStore.with { app in
      let (words, _) = try await upload(of: app, stoppedBy: "status:1:503@PUT /collections/notes")
      try use(try streaksFirst(), in: app)
      let answer = try await app.scenario.ferry(words + Self.accepting).exits(0)
      #expect(answer.count("created", of: "note") == 5)
      #expect(answer.count("created", of: "streak") == 2)
      #expect(answer.count("created", of: "book") == 0)
      #expect(try counts(app) == [2, 1, 5])
      try await app.scenario.ferry(["verify"] + words.dropFirst()).exits(0)
    }
  }

  // MARK: - What is played

  /// Begins to upload a book and five notes, and is stopped on the way; gives the words of the line, and
  /// the run.
  func upload(
    of app: NoteStore,
    stoppedBy fault: String
  ) async throws -> (words: [String], run: String) {
    for number in 1...5 { try app.add(.init(id: "n\(number)")) }
    let package = "\(app.scenario.folder)/p.ferry"
    try await app.scenario.export(to: package).exits(0)
    let words = ["upload", package] + app.scenario.destination
    try app.scenario.backend.setFaults(fault)
    let stopped = try await app.scenario.ferry(words + ["--retries", "0"]).exits(5)
    try app.scenario.backend.setFaults("")
    return (words, try stopped.run())
  }

  /// How many streaks, books and notes are at the server.
  func counts(_ app: NoteStore) throws -> [Int] {
    try ["streaks", "books", "notes"].map { try app.server($0).count }
  }

  // MARK: - The profiles

  func use(_ profile: String, in app: NoteStore) throws {
    try use(profile, in: app.scenario)
  }

  func use(_ profile: String, in scenario: MigrationScenario) throws {
    try profile.save(to: scenario.profile)
  }

  static let unsent = "  streak:\n    role: derived\n    identity: { attribute: id }\n"
  static let sent = "  streak:\n    identity: { attribute: id }\n"

  /// The profile with streaks that are sent, before all else.
  func streaksFirst() throws -> String {
    let first = try replacing(Self.unsent, with: "", in: NoteStore.profile())
    let described = try replacing(
      "entities:\n  user:",
      with: "entities:\n\(Self.sent)  user:",
      in: first
    )
    return try replacing(
      "  entities:\n    book:\n",
      with: "  entities:\n\(Self.routes)    book:\n",
      in: described
    )
  }

  func replacing(_ old: String, with new: String, in text: String) throws -> String {
    try #require(text.contains(old), "“\(old)” is in the profile")
    return text.replacing(old, with: new)
  }

  static let routes = """
        streak:
          replay: id
          list:
            request: GET /collections/streaks/records
            items: records
            limit: { name: limit, value: 100 }
            cursor: { name: after, member: next }
          id: id
          content: data
          version: version
          read: { request: "GET /collections/streaks/records/{id}" }
          create: { request: "PUT /collections/streaks/records/{id}", if-none-match: true }
          update: { request: "PATCH /collections/streaks/records/{id}", if-match: true }
          delete: { request: "DELETE /collections/streaks/records/{id}", if-match: true }
          unmapped: [id]
          body: { days: days }

    """
}
