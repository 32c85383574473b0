import JSONText
import TestSupport
import Testing

// What a verification says of what the list leaves out.

extension SparseListTests {
  /// Exports the store, and gives the words that compare the export with the server.
  private func verification(of notes: Notes) async throws -> [String] {
    let package = "\(notes.scenario.folder)/v.ferry"
    let exported = try await notes.scenario.export(to: package)
    #expect(exported.status == 0, "\(exported.standardOutput)\(exported.standardError)")
    return ["verify", package] + notes.scenario.destination
  }

  @Test func `a verification reads the records whose fields the list leaves out`() async throws {
    try await withNote { notes in
      let verify = try await verification(of: notes)
      let same = try await notes.scenario.ferry(verify)
      #expect(same.status == 0, "\(same.standardOutput)\(same.standardError)")
      #expect(same.findings("verify.unknown").isEmpty)
      try notes.change(["text": "theirs"])
      let other = try await notes.scenario.ferry(verify)
      #expect(other.status == 6, "\(other.standardOutput)\(other.standardError)")
      let causes = other.findings("verify.different").compactMap { $0["cause"]?.text }
      #expect(causes == ["it differs at the destination in text"])
    }
  }

  @Test func `without a route for one record, an unlisted field is not reported as different`()
    async throws
  {
    try await withNote(readsOne: false) { notes in
      let answer = try await notes.scenario.ferry(try await verification(of: notes))
      #expect(answer.status == 6, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.findings("verify.different").isEmpty)
      #expect(answer.findings("verify.unknown").compactMap { $0["record"]?.text } == ["n1"])
    }
  }

  @Test
  func `without a route for one record, verify notes the fields that a change may have cleared`()
    async throws
  {
    try await withNote(listsRevisions: true, text: nil, readsOne: false) { notes in
      let made = try await notes.scenario.ferry(try await verification(of: notes))
      #expect(made.status == 0, "\(made.standardOutput)\(made.standardError)")
      #expect(made.findings("verify.unknown").isEmpty)
      try notes.sql("UPDATE Note SET title = 'mine'")
      let answer = try await notes.scenario.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      let noted = answer.findings("verify.unknown")
      #expect(noted.compactMap { $0["severity"]?.text } == ["note"], "\(answer.standardOutput)")
    }
  }

  @Test func `a verification names a note that cannot be read alone`() async throws {
    try await withNote { notes in
      let verify = try await verification(of: notes) + ["--retries", "0"]
      try notes.breakReading(of: ["n1"])
      let answer = try await notes.scenario.ferry(verify)
      #expect(answer.status == 6, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.findings("verify.unknown").compactMap { $0["record"]?.text } == ["n1"])
    }
  }
}
