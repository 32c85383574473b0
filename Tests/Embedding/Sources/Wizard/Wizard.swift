import FerryKit
import Foundation

/// The wizard of an app, with lines of text in place of its screens.
///
///     Wizard move STORE PROFILE STATE DESTINATION [pause-at COUNT | cancel-at COUNT | fetching]
///     Wizard back STORE PROFILE STATE DESTINATION RUN
@main struct Wizard {
  let migration: StoreMigration

  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count >= 5 else {
      print("usage: Wizard move|back STORE PROFILE STATE DESTINATION …")
      exit(64)
    }
    do {
      var options = MigrationOptions(store: words[1], profile: words[2], stateFolder: words[3])
      options.destination = words[4]
      if words.contains("fetching") { options.mediaFetching = MigrationOptions.MediaFetching() }
      let wizard = Wizard(migration: try StoreMigration(options))
      if words[0] == "back" {
        try await wizard.back(words[5])
      } else {
        try await wizard.move(Array(words.dropFirst(5)))
      }
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }

  /// Detect, ask, sign in, move, take the write-back over.
  private func move(_ request: [String]) async throws {
    let store = try await migration.detect()
    print("found \(store.kind): \(store.sentCount) records to send, \(store.mediaCount) files")
    for entity in store.entities { print("  \(entity.name) \(entity.count) \(entity.fate)") }
    if let run = store.unfinishedRun { print("going on with \(run.id)") }
    let consent = store.consent()

    let signIn = try await migration.signIn(Self.credentials)
    print("signed in as \(signIn.account)")

    let run = migration.start(consent, as: signIn)
    await watch(run, request)
    let outcome = try await run.outcome
    show(outcome)
    guard outcome.ending == .done || outcome.ending == .doneWithRejects else { return }
    try await takeOver(outcome.run)
  }

  /// What a progress bar shows, and the button below it.
  private func watch(_ run: MigrationRun, _ request: [String]) async {
    let limit = request.count == 2 ? Int(request[1]) : nil
    var stage: MigrationProgress.Stage?
    for await progress in run.progress {
      if progress.stage != stage { print("stage \(progress.stage)") }
      stage = progress.stage
      guard progress.stage == .upload, let limit, progress.done >= limit else { continue }
      if request[0] == "pause-at" { run.pause() } else { run.cancel() }
    }
  }

  private func back(_ name: String) async throws {
    let signIn = try await migration.signIn(Self.credentials)
    show(try await migration.rollBack(name, as: signIn).outcome)
    try await takeOver(name)
  }

  /// Writes what came back into the app's own store; here it is only counted.
  private func takeOver(_ run: String) async throws {
    var counts: [WriteBackRecord.Status: Int] = [:]
    try await migration.applyWriteBack(of: run) { page in
      for record in page { counts[record.status, default: 0] += 1 }
    }
    for (status, count) in counts { print("handed back \(count) \(status)") }
  }

  private func show(_ outcome: MigrationOutcome) {
    print("ended \(outcome.ending) \(outcome.run)")
    for line in outcome.records where line.read > 0 {
      print("  \(line.name): \(line.created) created, \(line.remaining) remaining")
    }
    for finding in outcome.findings where finding.code.hasPrefix("media.") {
      print("  \(finding.code) \(finding.record ?? "")")
    }
    for check in outcome.verified where check.different + check.missing + check.untracked > 0 {
      print("  \(check.name) is not there as it should be")
    }
  }

  /// What a sign-in screen asked for.
  private static let credentials = Credentials.fetched { names in
    let known = ["email": "demo@example.com", "password": "correct-horse"]
    return known.filter { names.contains($0.key) }
  }
}
