import JSONText
import TestSupport
import Testing

/// A server of Ruby on Rails with what its own generator writes, and the profile that `ferry init --preset rails`
/// drafts.
///
/// The records are counted in the database of the server.
@Suite(
  .enabled(if: Servers.rails != nil, "skipped: FERRY_RAILS does not name a Ruby that has Rails"),
  .timeLimit(.minutes(5))
)
struct RailsTests {
  /// The store's column has the key of a folder in the store, so the reference takes its place.
  static func backend(
    keys: String = "number",
    token: String = "rails-token",
    more: String = ""
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "rails",
      script: "rails_server.rb",
      credentials: ["token": token],
      interpreter: Servers.rails ?? "ruby",
      arguments: [
        keys, "folder name:string",
        "note title:string stars:bigint score:float made:datetime done:boolean picture:text "
          + "folder:references",
      ],
      filled: {
        $0.replacing("preset: rails", with: "preset: rails\n  settle: 1s")
          .replacing(
            "      collection: notes\n",
            with: """
                    collection: notes
                    body: { folder_id: { reference: folder_ref, as: number } }
                    compare: { made: instant }
                    unmapped: [folder]
              \(more)
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

  private static let token = ["Authorization: Bearer rails-token"]

  @Test func `50 records are migrated, edited, deleted, verified and rolled back to nothing`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 40) { scenario in
      try await scenario.isCrossed(records: 50, second: ["updates": 3, "deletes": 2]) {
        let folder = "SELECT folders.local_id FROM notes JOIN folders ON folders.id = folder_id"
        let found = try scenario.rows("\(folder) WHERE notes.local_id = 'n001'")
        #expect(found == ["f02"])
      }
    }
  }

  @Test func `UUIDs as keys, and the name of the model around the fields, make no difference`()
    async throws
  {
    let wrapped = "      create: { wrap: note }\n      update: { wrap: note }\n"
    try await withStandIn(Self.backend(keys: "uuid", more: wrapped), notes: 3) { scenario in
      let first = try await scenario.migrate().exits(0)
      #expect(first.count("created") == 13)
      #expect(try scenario.rows("SELECT length(folder_id) FROM notes") == ["36", "36", "36"])
      try scenario.edit("UPDATE Note SET title = title || '!', folder = 'f09'")
      let second = try await scenario.migrate().exits(0)
      #expect(second.count("updated") == 3)
      #expect(second.value("verification")?["clean"] == true)
      try await scenario.ferry(["rollback", try second.run()]).exits(0)
      try await scenario.ferry(["rollback", try first.run()]).exits(0)
      #expect(try scenario.count() == 0)
    }
  }

  @Test func `a record that another device changed is kept, and named`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.keepsTheirs {
        let id = try #require(try scenario.rows("SELECT id FROM notes").first)
        try scenario.ask("PATCH", "/notes/\(id)", ["title": "theirs"], Self.token)
      }
    }
  }

  @Test func `a reference that Rails refuses is named with its reason, and the others arrive`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 20) { scenario in
      try await scenario.refusesOne(
        "folder: must exist",
        spoilt: "UPDATE Note SET folder = NULL WHERE id = 'n007'"
      )
    }
  }

  @Test func `a wrong token is named by preflight, and nothing is sent`() async throws {
    try await withStandIn(Self.backend(token: "wrong"), notes: 1) { scenario in
      try await scenario.ferry(["preflight"]).exits(7)
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("--credential"))
      #expect(try scenario.count() == 0)
    }
  }
}
