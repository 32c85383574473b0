import Foundation
import JSONText
import TestSupport
import Testing

/// One record at which the backend fails each time: alone, in a batch, and in a changeset.
@Suite(.timeLimit(.minutes(5))) struct PoisonTests {
  @Test func `a record that makes the server fail is refused by name, and all others arrive`()
    async throws
  {
    try await withScenario(.legacy) { scenario in
      var scenario = scenario
      scenario.profile = try Self.impatient(scenario.profile, in: scenario.folder)
      try scenario.sql(
        "UPDATE ZSTORY SET ZTITLE = 'poison' WHERE Z_PK = 5",
        "UPDATE ZCUSTOMSTORYEVENT SET ZTITLE = 'poison' WHERE Z_PK = 2"
      )
      try Self.poison(scenario, "stories", "NEW.title = 'poison'")
      try Self.poison(scenario, "customEvents", "NEW.title = 'poison'")
      let answer = try await scenario.migrate().exits(3)
      let refused = answer.findings("destination.keeps-failing").compactMap { $0["entity"]?.text }
      #expect(refused == ["CustomStoryEvent"])
      #expect(answer.findings("upload.conflict").isEmpty)
      // Its batch answers for each story; another one names the event.
      #expect(answer.findings("batch.failed").count == 1)
      #expect(try scenario.backend.rows("stories").count == 144)
      #expect(try scenario.backend.rows("customEvents").count == 15)
      try await scenario.rollback(try answer.run()).exits(0)
      #expect(try scenario.backend.contents().isEmpty)
    }
  }

  /// Makes the server's own database fail at rows of this kind.
  static func poison(_ scenario: MigrationScenario, _ table: String, _ condition: String)
    throws
  {
    try Python.edit(
      "\(scenario.folder)/server/backend.sqlite",
      "CREATE TRIGGER poison_\(table) BEFORE INSERT ON \(table) WHEN \(condition) "
        + "BEGIN SELECT RAISE(ABORT, 'no such luck'); END"
    )
  }

  /// The profile, with a server at which a lost request arrives soon or not at all.
  static func impatient(_ path: String, in folder: String) throws -> String {
    let text = try String(at: path).replacing(/\n  settle: .*/, with: "")
      .replacing(
        "\napi:\n",
        with: "\napi:\n  settle: 300ms\n  retry: { limit: 1, first: 50ms, longest: 200ms }\n"
      )
    let copy = "\(folder)/impatient.yaml"
    try text.save(to: copy)
    return copy
  }
}
