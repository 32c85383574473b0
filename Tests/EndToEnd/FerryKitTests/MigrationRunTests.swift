import FerryKit
import Foundation
import JSONText
import TestSupport
import Testing

/// A migration behind the screens of an app.
@Suite(.timeLimit(.minutes(3))) struct MigrationRunTests {
  @Test func `a migration goes through all stages, and reports them in order`() async throws {
    try await withWizard { wizard in
      let run = try await wizard.start()
      var stages: [MigrationProgress.Stage] = []
      for await progress in run.progress where stages.last != progress.stage {
        stages.append(progress.stage)
      }
      #expect(stages == [.signIn, .export, .validate, .plan, .upload, .verify, .done])
      let outcome = try await run.outcome
      #expect(outcome.ending == .done)
      #expect(outcome.records.reduce(0) { $0 + $1.created } == 200)
      #expect(outcome.records.reduce(0) { $0 + $1.read } == 424)
      #expect(outcome.verified.allSatisfy { $0.different + $0.missing + $0.untracked == 0 })
      #expect(try wizard.rowCount() == 200)
    }
  }

  @Test func `the program and the library go on with each other's runs`() async throws {
    try await withWizard { wizard in
      let outcome = try await (try await wizard.start()).outcome
      let answer = try await FerryProgram().run(
        [
          "migrate", "\(wizard.folder)/infinite-stories/default.store", "--profile",
          "\(wizard.folder)/profile/profile.yaml", "--to", wizard.backend.origin, "--format",
          "ndjson",
        ] + DemoAccount.flags,
        environment: DemoAccount.environment,
        state: "\(wizard.folder)/state"
      )
      #expect(answer.status == 0, "\(answer.standardError)")
      #expect(answer.standardOutput.contains("\"unchanged\":146"))
      #expect(!answer.standardOutput.contains(outcome.run))
      #expect(try wizard.rowCount() == 200)
    }
  }

  @Test func `a paused migration resumes, and sends no record twice`() async throws {
    try await withWizard(isSlow: true) { wizard in
      let first = try await wizard.start()
      for await progress in first.progress where progress.stage == .upload && progress.done > 0 {
        first.pause()
      }
      let paused = try await first.outcome
      #expect(paused.ending == .paused)
      #expect(paused.records.contains { $0.remaining > 0 })
      #expect(try await wizard.migration.detect().unfinishedRun?.id == paused.run)

      let second = try await (try await wizard.start()).outcome
      #expect(second.ending == .done)
      #expect(second.run == paused.run)
      #expect(try wizard.rowCount() == 200)
      #expect(try await wizard.migration.detect().unfinishedRun == nil)
    }
  }

  @Test func `a cancelled migration rolls back the records that it had sent`() async throws {
    try await withWizard(isSlow: true) { wizard in
      let run = try await wizard.start()
      for await progress in run.progress where progress.stage == .upload && progress.done > 0 {
        run.cancel()
      }
      let outcome = try await run.outcome
      #expect(outcome.ending == .rolledBack)
      #expect(outcome.records.reduce(0) { $0 + $1.created } > 0)
      #expect(try wizard.rowCount() == 0)
    }
  }

  @Test func `a finished migration is rolled back, and the app hears of it`() async throws {
    try await withWizard { wizard in
      let outcome = try await (try await wizard.start()).outcome
      #expect(try await writeBack(of: outcome.run, wizard) == ["synced": 200, "skipped": 4])
      let left = try wizard.migration.recordsWithoutEntry(of: outcome.run)
      #expect(left.map(\.entity) == ["StoryIllustration"])
      #expect(left.allSatisfy { $0.count > 0 && !$0.reason.isEmpty })
      let signIn = try await wizard.migration.signIn(WizardSteps.credentials)
      let back = try await wizard.migration.rollBack(outcome.run, as: signIn).outcome
      #expect(back.ending == .rolledBack)
      #expect(try wizard.rowCount() == 0)
      #expect(try await writeBack(of: outcome.run, wizard) == ["withdrawn": 200, "skipped": 4])
    }
  }

  /// How many entries there are of each status; the file has the very same ones.
  private func writeBack(of run: String, _ wizard: WizardSteps) async throws -> [String: Int] {
    var counts: [String: Int] = [:]
    var entries: [String] = []
    try await wizard.migration.applyWriteBack(of: run) { page in
      for record in page {
        let isAbsent = record.status == .withdrawn || record.status == .skipped
        #expect((record.serverID == nil) == isAbsent)
        counts[record.status.rawValue, default: 0] += 1
        entries.append(Self.entry(of: record).canonicalText)
      }
    }
    let path = "\(wizard.folder)/write-back.json"
    #expect(try wizard.migration.saveWriteBack(of: run, to: path) == entries.count)
    let file = try JSONValue(parsing: String(contentsOfFile: path, encoding: .utf8))
    #expect(file["records"]?.array?.map(\.canonicalText).sorted() == entries.sorted())
    return counts
  }

  /// A record as the file has it.
  private static func entry(of record: WriteBackRecord) -> JSONValue {
    func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    return [
      "entity": .string(record.entity), "localID": .string(record.localID),
      "status": .string(record.status.rawValue), "serverID": text(record.serverID),
      "serverRevision": text(record.serverRevision), "reason": text(record.reason),
      "syncedAt": text(
        record.syncedAt.map { Date(timeIntervalSince1970: Double($0)).ISO8601Format() }
      ),
      "attributes": json(.object(record.attributes)),
      "unmapped": .array(record.unmapped.map { .string($0) }),
    ]
  }

  private static func json(_ value: AttributeValue) -> JSONValue {
    switch value {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .number(JSONNumber(value))
    case .real(let value): return JSONValue(floatLiteral: value)
    case .text(let value): return .string(value)
    case .list(let values): return .array(values.map(json))
    case .object(let members):
      var object = JSONObject()
      for (name, value) in members { object[name] = json(value) }
      return .object(object)
    }
  }

  @Test func `a record that a person did not agree to is not sent`() async throws {
    try await withWizard { wizard in
      let signIn = try await wizard.migration.signIn(WizardSteps.credentials)
      let other = try JSONDecoder().decode(
        Consent.self,
        from: Data(
          #"{"store":"another","destination":"\#(wizard.backend.origin)","leavingOut":[]}"#.utf8
        )
      )
      let error = await #expect(throws: FerryError.self) {
        try await wizard.migration.start(other, as: signIn).outcome
      }
      #expect(error?.kind == .notAgreed)
      #expect(try wizard.rowCount() == 0)
    }
  }

  @Test func `a record that a person leaves out is not sent, and is counted`() async throws {
    try await withWizard { wizard in
      let store = try await wizard.migration.detect()
      let signIn = try await wizard.migration.signIn(WizardSteps.credentials)
      let consent = store.consent(leavingOut: ["CustomStoryEvent"])
      let outcome = try await wizard.migration.start(consent, as: signIn).outcome
      let events = try #require(outcome.records.first { $0.name == "CustomStoryEvent" })
      #expect(events.created == 0)
      #expect(events.notSent == 16)
    }
  }

  @Test func `a failing credential callback is reported without a secret`()
    async throws
  {
    try await withWizard { wizard in
      struct Locked: Error {}
      let none = Credentials.fetched { _ in throw Locked() }
      let error = await #expect(throws: FerryError.self) { try await wizard.migration.signIn(none) }
      #expect(error?.message.contains("could not fetch") == true)

      let wrong = Credentials.fetched { names in
        Dictionary(uniqueKeysWithValues: names.map { ($0, "wrong-secret") })
      }
      let refused = await #expect(throws: FerryError.self) {
        try await wizard.migration.signIn(wrong)
      }
      #expect(refused?.kind == .refused)
      #expect(refused?.description.contains("wrong-secret") == false)
    }
  }
}
