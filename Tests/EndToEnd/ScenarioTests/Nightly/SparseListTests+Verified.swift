import JSONText
import TestSupport
import Testing

// What a verification says of what the list leaves out.

extension SparseListTests {
  /// Exports the store, and gives the words that compare the export with the server.
  private func verification(of notes: Notes) async throws -> [String] {
    let package = "\(notes.scenario.folder)/v.ferry"
    try await notes.scenario.export(to: package).exits(0)
    return ["verify", package] + notes.scenario.destination
  }

  @Test func `a verification reads the records whose fields the list leaves out`() async throws {
    try await withNote { notes in
      let verify = try await verification(of: notes)
      let same = try await notes.scenario.ferry(verify).exits(0)
      #expect(same.findings("verify.unknown").isEmpty)
      try notes.change(["text": "theirs"])
      let other = try await notes.scenario.ferry(verify).exits(6)
      let causes = other.findings("verify.different").compactMap { $0["cause"]?.text }
      #expect(causes == ["it differs at the destination in text"])
    }
  }

  @Test func `without a route for one record, an unlisted field is not reported as different`()
    async throws
  {
    try await withNote(readsOne: false) { notes in
      let answer = try await notes.scenario.ferry(try await verification(of: notes)).exits(6)
      #expect(answer.findings("verify.different").isEmpty)
      #expect(answer.findings("verify.unknown").compactMap { $0["record"]?.text } == ["n1"])
    }
  }

  @Test
  func `without a route for one record, verify notes the fields that a change may have cleared`()
    async throws
  {
    try await withNote(listsRevisions: true, text: nil, readsOne: false) { notes in
      let made = try await notes.scenario.ferry(try await verification(of: notes)).exits(0)
      #expect(made.findings("verify.unknown").isEmpty)
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.scenario.migrate().exits(0)
      let noted = answer.findings("verify.unknown")
      #expect(noted.compactMap { $0["severity"]?.text } == ["note"], "\(answer)")
    }
  }

  @Test func `a verification names a note that cannot be read alone`() async throws {
    try await withNote { notes in
      let verify = try await verification(of: notes) + ["--retries", "0"]
      try notes.breakReading(of: ["n1"])
      let answer = try await notes.scenario.ferry(verify).exits(6)
      #expect(answer.findings("verify.unknown").compactMap { $0["record"]?.text } == ["n1"])
    }
  }
}
