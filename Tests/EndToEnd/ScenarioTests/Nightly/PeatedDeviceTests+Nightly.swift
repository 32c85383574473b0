import Foundation
import JSONText
import TestSupport
import Testing

extension PeatedDeviceTests {
  // 003-3, 003-8: the app posts the payload alone, and no row is ever written.
  @Test func `a queued tasting without a row is created from its payload`() async throws {
    try await withDevice { scenario in
      let answer = try await scenario.migrate().exits(0)
      let buckets = ["created", "updated", "deleted"]
      #expect(buckets.map { answer.count($0, of: "Tasting") } == [4, 1, 1], "\(answer)")
      #expect(answer.value("verification")?["clean"] == true)
      let tastings = try PeatedScenario(scenario: scenario).server("tastings")
      let moment = try #require(
        StoreQuery.rows(
          scenario.sample.store,
          "SELECT strftime('%Y-%m-%dT%H:%M:%S', created_at) FROM offline_operations "
            + "WHERE id = '\(Self.operation(1))'"
        ).first
      )
      let first = try #require(
        tastings.values.first { $0["createdAt"]?.text?.hasPrefix(moment) == true }
      )
      #expect(first["bottle"]?["id"] == 501 && first["rating"] == 2)
      // What the queue does not speak of stays as it is there.
      #expect(tastings[90_003]?["tags"] == ["peat", "ash"])
      #expect(tastings[90_003]?["notes"]?.text?.isEmpty == false)
      #expect(tastings[90_006] == nil)
    }
  }

  // 000-7
  @Test func `all queued updates of a tasting without a row are sent`() async throws {
    try await withDevice { scenario in
      let peated = PeatedScenario(scenario: scenario)
      for (number, change) in [#""notes":"a""#, #""notes":"b","tags":["peat"]"#].enumerated() {
        try scenario.sql(
          "INSERT INTO offline_operations VALUES ('\(Self.operation(98 + number))', 'updateTasting', "
            + #"'{"tastingId":"90001",\#(change)}', "#
            + "strftime('%Y-%m-%dT%H:%M:%f', 'now', '-\(2 - number) minutes'), 0, NULL, 'pending', NULL)"
        )
      }
      let answer = try await scenario.migrate().exits(0)
      let there = try peated.server("tastings")[90_001]
      #expect(there?["notes"] == "b" && there?["tags"] == ["peat"], "\(answer)")
      let sent = try await scenario.savedWriteBack(of: answer).entry("90001")
      #expect(
        sent?["status"] == "synced" && sent?["attributes"] == [:],
        "\(String(describing: sent))"
      )
      // The store has no place for what changes there.
      try peated.patch(90_001, ["notes": "there"], by: "morag@example.com")
      let next = try await scenario.migrate().exits(0)
      let entry = try await scenario.savedWriteBack(of: next).entry("90001")
      #expect(entry?["status"] == "conflicted", "\(String(describing: entry))")
      #expect(entry?["unmapped"] == ["notes"])
    }
  }

  @Test func `a queued picture that its tasting lacks is sent, and removed by a rollback`()
    async throws
  {
    try await withDevice { scenario in
      // An app before this one has sent the tasting, and was killed before its picture.
      let profile = try String(at: scenario.profile)
      var before = scenario
      before.stateName = "before"
      before.profile = "\(scenario.folder)/before.yaml"
      let route = "/v1/tastings/{id}/image"
      try profile.replacing("imageUrl: { file: imageData, type: image/jpeg }", with: "")
        .replacing("      files:\n        imageUrl:\n", with: "")
        .replacing(
          "          request: POST \(route)\n          remove: DELETE \(route)\n",
          with: ""
        )
        .replacing("unmapped: [bottle, userId", with: "unmapped: [bottle, imageData, userId")
        .save(to: before.profile)
      try await before.migrate().exits(0)
      func pictures() throws -> Int {
        try PeatedScenario(scenario: scenario).server("tastings").values
          .count { $0["imageUrl"]?.text != nil }
      }
      #expect(try pictures() == 0)
      // The tasting never had a picture there that a person could have removed.
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.standardError.contains("plan: complete 1 (Tasting 1)"), "\(answer)")
      let buckets = ["completed", "updated", "unchanged"]
      #expect(buckets.map { answer.count($0, of: "Tasting") } == [1, 0, 4], "\(answer)")
      #expect(try pictures() == 1)
      try await scenario.rollback(try answer.run()).exits(0)
      #expect(try pictures() == 0)
    }
  }

  @Test func `a second run and a run of another machine create no queued tasting again`()
    async throws
  {
    try await withDevice { scenario in
      try await scenario.migrate().exits(0)
      try await scenario.expectNothingToSend()
      var other = scenario
      other.stateName = "another-machine"
      try await other.expectNothingToSend()
    }
  }

  @Test func `a rollback removes the tastings that the queue made`() async throws {
    try await withDevice { scenario in
      let peated = PeatedScenario(scenario: scenario)
      let before = try peated.server("tastings")
      let answer = try await scenario.migrate().exits(0)
      // The backend takes no toast back, and a rollback makes nothing again that the queue deleted.
      try await scenario.rollback(try answer.run()).exits(6)
      #expect(
        try Set(peated.server("tastings").keys) == Set(before.keys).subtracting([90_006])
      )
      let operations = try await scenario.savedWriteBack(of: answer)["operations"]?.array ?? []
      let made = operations.first { $0["key"]?.text == Self.operation(1) }
      #expect(made?["outcome"] == "not-carried")
      #expect(made?["reason"]?.text?.contains("rollback") == true, "\(operations)")
    }
  }

  // 003-8, 003-12, 003-34
  @Test func `the write-back says of each operation what became of it, and why`() async throws {
    try await withDevice { scenario in
      let answer = try await scenario.migrate().exits(0)
      let operations = try await scenario.savedWriteBack(of: answer)["operations"]?.array ?? []
      let outcomes = operations.map { operation in
        "\(Int(operation["key"]?.text?.suffix(2) ?? "") ?? 0) \(operation["outcome"]?.text ?? "")"
      }
      #expect(
        Set(outcomes) == [
          "1 carried", "2 carried", "3 carried", "4 carried", "5 not-carried", "6 expired",
          "7 expired", "8 carried", "9 carried", "10 carried", "11 folded", "12 carried",
          "13 carried", "14 carried", "15 carried", "16 carried", "17 not-carried",
          "18 not-carried",
        ]
      )
      #expect(operations.allSatisfy { $0["outcome"] == "carried" || $0["reason"]?.text != nil })
      let first = operations.first { $0["key"]?.text == Self.operation(1) }
      #expect(first?["targetEntity"] == "Tasting")
      #expect(first?["targetLocalID"] == .string(Self.operation(1)))
    }
  }

  // What the store's own row brought, no run carried; what the server had, no run sent.
  @Test func `a later run says of each operation what the run that settled it said`() async throws {
    try await withPeatedDatabase { scenario in
      let first = try await scenario.migrate().exits(0)
      let said = try await scenario.savedWriteBack(of: first)["operations"]
      let exhausted = said?.array?.first { $0["key"]?.text == Self.operation(5) }
      #expect(exhausted?["outcome"] == "folded")
      let second = try await scenario.migrate().exits(0)
      #expect(try await scenario.savedWriteBack(of: second)["operations"] == said)
    }
  }

  @Test
  func `an operation whose tasting the server refuses is not carried, with the server's reason`()
    async throws
  {
    try await withDevice { scenario in
      try scenario.sql(
        "UPDATE offline_operations SET payload = CAST(replace(CAST(payload AS TEXT), "
          + #"'"bottleId":"501"', '"bottleId":"999"') AS BLOB) WHERE id = '\#(Self.operation(1))'"#
      )
      let answer = try await scenario.migrate().exits(3)
      let operations = try await scenario.savedWriteBack(of: answer)["operations"]?.array ?? []
      let first = operations.first { $0["key"]?.text == Self.operation(1) }
      #expect(first?["outcome"] == "not-carried", "\(operations)")
      #expect(first?["reason"]?.text?.contains("Cannot identify bottle.") == true)
    }
  }

  @Test func `a sent change whose operation is gone is skipped in the next write-back`()
    async throws
  {
    try await withDevice { scenario in
      let answer = try await scenario.migrate().exits(0)
      let copy = try await scenario.appliedWriteBack(of: answer).store
      try scenario.install(copy)
      let next = try await scenario.migrate().exits(3)
      let file = try await scenario.savedWriteBack(of: next)
      for (entity, key) in [("Tasting", Self.operation(1)), ("Comment", Self.operation(13))] {
        let gone = file.entries(entity).first { $0["localID"]?.text == key }
        #expect(gone?["status"] == "skipped", "\(file)")
        #expect(gone?["reason"] == "the store no longer has it")
      }
    }
  }

  @Test(arguments: [false, true])
  func `changes that a rollback reversed and the queue no longer has are named`(
    isChangedAgain: Bool
  ) async throws {
    try await withDevice { scenario in
      let answer = try await scenario.migrate().exits(0)
      let copy = try await scenario.appliedWriteBack(of: answer).store
      try await scenario.rollback(try answer.run()).exits(6)
      // The app still has the changes.
      let waiting = try await scenario.migrate(["-n"])
      #expect(waiting.findings("plan.queue-reversed").isEmpty, "\(waiting)")
      try scenario.install(copy)
      try scenario.sql("DELETE FROM offline_operations")
      if isChangedAgain {
        // A newer change of a tasting says nothing of what the earlier one changed.
        try scenario.sql(
          "INSERT INTO offline_operations VALUES ('\(Self.operation(99))', 'updateTasting', "
            + #"'{"tastingId":"90003","notes":"Again"}', "#
            + "strftime('%Y-%m-%dT%H:%M:%f', 'now'), 0, NULL, 'pending', NULL)"
        )
      }
      let next = try await scenario.migrate().exits(3)
      let named = next.findings("plan.queue-reversed").map { finding in
        "\(finding["entity"]?.text ?? "") \(finding["record"]?.text ?? "")"
      }
      let made = (1...4).map { "Tasting \(Self.operation($0))" }
      let others = ["Tasting 90003", "Comment \(Self.operation(13))", "Friend 1055"]
      #expect(Set(named) == Set(made + others) && named.count == 7, "\(next)")
      // Once the newer change went out, the tasting is as its queue says.
      let later = try await scenario.migrate().exits(0)
      let count = isChangedAgain ? 6 : 7
      #expect(later.findings("plan.queue-reversed").count == count, "\(later)")
    }
  }

  @Test func `the app's own replay makes nothing twice where the store has the rows too`()
    async throws
  {
    try await withPeatedDatabase { scenario in
      let answer = try await scenario.migrate().exits(0)
      let applied = try await scenario.appliedWriteBack(of: answer)
      let replay = try PeatedReplay(scenario)
      #expect(try replay.run(applied.store) == 0)
      #expect(try replay.run(scenario.sample.store) >= 4)
    }
  }

  // 003-9: one of the rows may be what it made.
  @Test func `a queued tasting that no row has the values of is named, and not created`()
    async throws
  {
    try await withPeatedDatabase { scenario in
      try scenario.sql("UPDATE tastings SET notes = 'Edited since' WHERE id = -1")
      let answer = try await scenario.migrate().exits(0)
      let named = answer.findings("plan.queued").filter {
        $0["cause"]?.text?.contains("names no record") == true
      }
      #expect(named.map { $0["record"]?.text } == [Self.operation(1)], "\(answer)")
      #expect(answer.count("created", of: "Tasting") == 5)
    }
  }

  // 003-34
  @Test(arguments: [
    "type IN ('uploadImage', 'updateProfile')", "retry_count = 3",
    "type = 'createTasting' AND retry_count = 2",
  ])
  func `a queue of which nothing is replayed ends with status 3`(kept: String) async throws {
    try await withDevice { scenario in
      // What is kept has to be old by the newest of the queue.
      try scenario.sql(
        "DELETE FROM offline_operations WHERE NOT (\(kept)) AND type <> 'updateProfile'"
      )
      let writes = try scenario.backend.writeCount()
      let answer = try await scenario.migrate().exits(3)
      #expect(answer.findings("plan.queue-unreplayed").count == 1, "\(answer)")
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  @Test func `with kills and lost answers, each queued tasting is created once`() async throws {
    try await withDevice { scenario in
      let before = try PeatedScenario(scenario: scenario).server("tastings").count
      try scenario.backend.setFaults("delay:1:60ms@POST /v1/;drop-after:2@POST /v1/tastings")
      for wait in [0.2, 0.5] { try await scenario.kill(after: wait) }
      let last = try await scenario.migrate(["--retries", "20"]).exits(0)
      #expect(last.value("verification")?["clean"] == true)
      #expect(try PeatedScenario(scenario: scenario).server("tastings").count == before + 4 - 1)
    }
  }

  /// The key of an operation of the sample.
  private static func operation(_ number: Int) -> String {
    let digits = String(number)
    return "0FF11E00-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }
}
