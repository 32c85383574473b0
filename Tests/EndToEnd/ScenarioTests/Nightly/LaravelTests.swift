import JSONText
import TestSupport
import Testing

/// The profile that `ferry init --preset laravel` drafts, and a stand-in that is written from the documentation of Laravel.
///
/// The rows are counted in the stand-in's own database.
@Suite(.timeLimit(.minutes(5)))
struct LaravelTests {
  /// The store's column has the key of a folder in the store, so the reference takes its place.
  static func backend(token: String = "1|ada-token") -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "laravel",
      script: "laravel_server.py",
      credentials: ["token": token],
      path: "/api",
      filled: {
        $0.replacing("preset: laravel", with: "preset: laravel\n  settle: 1s")
          .replacing(
            "      collection: notes\n",
            with: """
                    collection: notes
                    body:
                      folder_id: { reference: folder_ref, as: number }
                      made: { field: made, as: seconds }
                    compare: { made: second }
                    unmapped: [folder]

              """
          ) + "accept-unmapped: [Note.folder]\n"
      },
      counted: {
        try $0.number(
          "SELECT (SELECT count(*) FROM notes) + (SELECT count(*) FROM folders)"
        )
      }
    )
  }

  private static let ada = ["Authorization: Bearer 1|ada-token", "Accept: application/json"]

  @Test func `130 rows are migrated, edited, deleted, verified and rolled back to nothing`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 120) { scenario in
      try await scenario.isCrossed(records: 130, second: ["updates": 3, "deletes": 2]) {
        let folder = "SELECT folders.local_id FROM notes JOIN folders ON folders.id = folder_id"
        let found = try scenario.rows("\(folder) WHERE notes.local_id = 'n001'")
        #expect(found == ["f02"])
      }
    }
  }

  @Test func `a trimmed text, an emptied one and a moment in whole seconds are no difference`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try scenario.edit(
        "UPDATE Note SET title = '  Neu  ', made = '2026-11-05T08:30:00.750+02:00'"
          + " WHERE id = 'n001'",
        "UPDATE Folder SET name = ' x ' WHERE id = 'f01'"
      )
      let first = try await scenario.migrate().exits(0)
      #expect(first.value("verification")?["clean"] == true)
      let note = "FROM notes WHERE local_id = 'n001'"
      #expect(try scenario.rows("SELECT title \(note)") == ["Neu"])
      #expect(try scenario.rows("SELECT made \(note)") == ["2026-11-05 06:30:00"])
      let second = try await scenario.migrate().exits(0)
      #expect(second.count("unchanged") == 13)
    }
  }

  @Test func `a row that another device changed is kept, and named`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.keepsTheirs {
        try scenario.ask("PATCH", "/api/notes/1", ["title": "theirs"], Self.ada)
      }
    }
  }

  @Test func `a row of another user with the same local_id is a conflict, and stays as it is`()
    async throws
  {
    try await withStandIn(Self.backend(token: "2|bob-token"), notes: 3) { scenario in
      let theirs: JSONValue = ["local_id": "f01", "name": "theirs"]
      try scenario.ask("POST", "/api/folders", theirs, Self.ada)
      let answer = try await scenario.migrate().exits(6)
      #expect(answer.count("conflicted") == 1)
      #expect(try scenario.rows("SELECT name FROM folders WHERE local_id = 'f01'") == ["theirs"])
    }
  }

  @Test
  func `a text that is too long is named with the server's reason, and the others arrive`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 20) { scenario in
      try scenario.ask("POST", "/__set", ["busy": 2])
      try await scenario.refusesOne("must not be greater than 255 characters")
    }
  }

  @Test func `a wrong token is named by preflight, and nothing is sent`() async throws {
    try await withStandIn(Self.backend(token: "wrong"), notes: 1) { scenario in
      let answer = try await scenario.ferry(["preflight"]).exits(7)
      #expect(answer.standardOutput.contains("Unauthenticated"))
      try await scenario.migrate().exits(7)
      #expect(try scenario.count() == 0)
    }
  }
}
