import ArgumentParser
import Checkpoint
import CommandOptions
import CommandOutput
import Execution
import JSONText
import Records
import Reporting
import StageSupport
import StoreReading
import StoreWriting

/// `ferry write-back`: what the app has to write into its own store.
struct WriteBackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write-back",
    abstract: "Write what the app has to put into its own store after a run.",
    discussion: """
      EXAMPLES
        ferry write-back save 2735d6-1 -o write-back.json
        ferry write-back apply write-back.json --copy app.store -o new.store

      Without a verb, `save` is meant.
      """,
    subcommands: [WriteBackSaveCommand.self, WriteBackApplyCommand.self],
    defaultSubcommand: WriteBackSaveCommand.self
  )
}

/// `ferry write-back save`: the file for the app.
struct WriteBackSaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "save",
    abstract: "Write the file that says what the app puts into its own store.",
    discussion: """
      EXAMPLES
        ferry write-back save 2735d6-1 -o write-back.json

      One entry for each record: entity, local identity, server identity, server revision, status, \
      and the values of the store's attributes. `replace` and `restore` carry the server's content. \
      `failed` and `conflicted` have a reason: the app keeps its row as not synced. `skipped` is \
      what the run left out. After a rollback, the entries are `withdrawn`. Each row of the app's \
      queue of changes has an outcome. The file obeys the schema ferry.write-back.v1.

      EXIT STATUS
        0   The file is written.
        12  The package of the run is encrypted, and --identity opens nothing.
        64  No run of this name is known.
      """
  )

  @Argument(help: "The run.")
  var run: String

  @Option(name: [.short, .long], help: "The file to write.", completion: .file())
  var output: String

  @OptionGroup(title: "Encrypted packages") var identity: IdentityOptions

  func validate() throws { try OutputForm.json.check(output, of: "--output") }

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    let identities = try identity.identities()
    try await context.run {
      let found = try FoundRun(run, inOrBelow: context.state)
      let count = try found.writeBack(identities: identities).write(to: output)
      context.screen.result(["\(count) records written to \(output)"])
      context.screen.result(
        .object([
          "type": "write-back", "run": .string(found.run.id), "file": .string(output),
          "records": .number(JSONNumber(Int64(count))),
        ])
      )
      return .done
    }
  }
}

/// `ferry write-back apply`: the file, applied to a copy of the store.
struct WriteBackApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Apply a write-back file to a copy of the store, and read the copy back.",
    discussion: """
      EXAMPLES
        ferry write-back apply write-back.json --copy app.store -o new.store

      The store is only read. Attributes and links are set in a copy of a Core Data store or a plain \
      SQLite database, which then is read as an export reads it: each record has the values of its \
      entry, and all others are as they were. The app's own import can be compared with it.

      EXIT STATUS
        0   The copy is written.
        3   The copy is written, and values that have no form in it are named.
        6   The copy does not read back as the file says; nothing is written.
        10  The store cannot be read.
        12  The file is of another store, or the profile does not fit.
        64  The file is no write-back file.
      """
  )

  @Argument(help: "The write-back file.", completion: .file())
  var file: String

  @Option(help: "The store to copy.", completion: .file())
  var copy: String

  @Option(name: [.short, .long], help: "The new store.", completion: .file())
  var output: String

  @OptionGroup(title: "Profile") var profile: ProfileOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let profile = try context.profile(at: profile.place(beside: copy))
      do throws(StoreWritingError) {
        let result = try WriteBackApplication(file, profile: profile).apply(to: copy, at: output)
        context.screen.result(lines(of: result))
        context.screen.result(json(of: result))
        return result.skipped.isEmpty ? .done : .finishedWithRejects
      } catch {
        if case .notAsWritten = error {
          context.screen.alarm("ferry: \(error)".plainLines)
          return .differences
        }
        throw error.reason
      }
    }
  }

  private func lines(of result: WriteBackApplication.Result) -> [String] {
    [
      "\(result.updatedCount) rows updated, \(result.restoredCount) made again, "
        + "\(result.removedCount) removed, \(result.settledOperationCount) queued changes removed",
      "\(result.comparedCount) records read back from \(output)",
    ] + result.skippedWords
  }

  private func json(of result: WriteBackApplication.Result) -> JSONValue {
    .object([
      "type": "write-back-applied", "file": .string(output),
      "updated": .whole(result.updatedCount), "restored": .whole(result.restoredCount),
      "removed": .whole(result.removedCount), "kept": .whole(result.keptCount),
      "operationsRemoved": .whole(result.settledOperationCount),
      "compared": .whole(result.comparedCount),
      "skipped": .array(
        result.skipped.map {
          .object([
            "entity": .string($0.record.entity.text), "localID": .string($0.record.key),
            "reason": .string($0.reason),
          ])
        }
      ),
    ])
  }
}

extension WriteBackApplication.Result {
  /// A line for each entity and reason, with a record as an example.
  fileprivate var skippedWords: [String] {
    let groups = Dictionary(grouping: skipped) { [$0.record.entity.text, $0.reason] }
    return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, members in
      let example = members[0].record
      return members.count == 1
        ? "not written: \(example): \(key[1])"
        : "not written: \(members.count) records of \(key[0]), for example \(example.key): \(key[1])"
    }
  }
}

extension StoreWritingError {
  /// What a person is told of it.
  fileprivate var reason: any Error {
    switch self {
    case .store(let error): error
    case .file(let error): error
    case .profile(let error): error
    case .otherStore(let path, let expected, let found):
      MigrationError.otherStore(recorded: expected, now: found, checkpoint: path)
    case .unreadableFile:
      MigrationError.badChoice(
        reason: "\(self)",
        cure: "write it with `ferry write-back save RUN -o FILE`"
      )
    case .unsupportedStore, .refused, .notAsWritten:
      MigrationError.badChoice(
        reason: "\(self)",
        cure: "have the app take the write-back file over"
      )
    }
  }
}
