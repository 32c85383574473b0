import Foundation
import JSONText
import TestSupport
import Testing

/// Texts that the destination takes the beginning of, as the profile says.
@Suite(.timeLimit(.minutes(2))) struct ShortenedTextTests {
  @Test func `a shortened text is reported by every run, and is not a difference`() async throws {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1", title: "short"), .init(id: "n2", title: "rather long"))
      let profile = try String(at: app.scenario.profile)
      let cut = "title: { field: title, longest: 6, when-longer: cut }"
      try profile.replacing("body:\n        title: title", with: "body:\n        \(cut)")
        .save(to: app.scenario.profile)
      for run in 1...2 {
        let answer = try await app.scenario.migrate().exits(0)
        #expect(answer.value("verification")?["clean"] == true, "\(answer)")
        let reported = answer.findings("plan.shortened")
        #expect(reported.compactMap { $0["entity"] } == ["note"], "\(run): \(answer)")
        #expect(reported.first?["cause"]?.text?.contains("“title” is cut") == true)
        #expect(reported.first?["cause"]?.text?.contains("1 record") == true)
      }
      #expect(try app.server()["n2"]?["data"]?["title"] == "rather")
    }
  }
}
