import Foundation
import JSONText
import TestSupport
import Testing

extension ChangesetTests {
  @Test func `a remotely removed record is made again by another machine, with a warning`()
    async throws
  {
    try await withNotes { scenario in
      let first = try await scenario.migrate()
      try await scenario.rollback(try first.run()).exits(0)
      var elsewhere = scenario
      elsewhere.stateName = "another-machine"
      let later = try await elsewhere.migrate().exits(0)
      #expect(later.count("created") == 50)
      let reported = later.findings("plan.made-again").compactMap { $0["entity"]?.text }
      #expect(Set(reported) == ["CustomStoryEvent", "Hero", "Story"])
    }
  }

  @Test func `records that the same machine rolled back are made again without a warning`()
    async throws
  {
    try await withNotes { scenario in
      let first = try await scenario.migrate()
      try await scenario.rollback(try first.run()).exits(0)
      let later = try await scenario.migrate().exits(0)
      #expect(later.count("created") == 50)
      #expect(later.findings("plan.made-again").isEmpty)
    }
  }

  @Test func `a server's list of all its rows is read into a package`() async throws {
    try await withNotes { scenario in
      try await scenario.migrate().exits(0)
      let package = "\(scenario.folder)/back.ferry"
      let flags = scenario.destination.map { $0 == "--to" ? "--from" : $0 }
      let answer = try await scenario.ferry(["export", "-o", package] + flags).exits(0)
      let counts = (answer.value("export")?["entities"]?.array ?? [])
        .compactMap { $0["records"]?.integer }
      // One notebook is the server's own.
      #expect(counts.reduce(0, +) == Int64(try live(scenario).count) + 1)
    }
  }
}
