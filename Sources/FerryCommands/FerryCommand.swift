package import ArgumentParser
import CBuildMark
import CheckedDatabases
import Checkpoint
import CommandOutput
import Dispatch
import Files
import Foundation
import Reporting

/// `ferry`: moves an app's local store to the app's backend, and can bring it back.
package struct FerryCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "ferry",
    abstract: "Move an app's local store to the app's backend, and back.",
    discussion: """
      EXAMPLES
        ferry inspect default.store
        ferry migrate default.store --to production -n
        ferry migrate default.store --to production

      The source is never written; nothing is dropped in silence; killing ferry at any moment \
      loses nothing and duplicates nothing: the same command again resumes.

      Each flag of each verb can also be a variable: FERRY_ and its name in capitals, with _ for -, \
      several values with commas. Or it is a key of a settings file: that of --config, else \
      ferry.yaml beside the profile that is named, else the one in the current folder. A section \
      with the name of a verb holds for that verb alone. A flag goes before a variable, and a \
      variable before the file. `ferry config` shows what is set, and by whom.

      `ferry --generate-completion-script zsh`, or bash, or fish, writes what that shell needs to \
      complete verbs, flags and values.

      EXIT STATUS
        0         Done, or nothing to do.
        1         A failure not named here.
        2         The plan has changes (--detailed-exitcode only).
        3         Finished, but records were rejected or quarantined, or a
                  part of the source was not read.
        4         Invalid package or document; nothing was sent.
        5         Stopped by a passing fault, or a full disk; the same line
                  resumes.
        6         Differences, conflicts, or records that a rollback kept or
                  does not bring back.
        7         The destination refuses: sign-in, rights, quota.
        8         A limit given by flag was reached.
        10        Source missing, unreadable, unsupported, unsteady or empty.
        11        Locked by another run.
        12        Checkpoint, package or profile do not belong together, are
                  damaged or too new.
        64        Usage.
        130, 143  Interrupted, saved; the same line resumes.
      """,
    version: version,
    subcommands: [
      InspectCommand.self, InitCommand.self, ExportCommand.self, ImportCommand.self,
      ValidateCommand.self,
      PlanCommand.self,
      UploadCommand.self, ResumeCommand.self, VerifyCommand.self, RollbackCommand.self,
      MigrateCommand.self,
      GamesCommand.self, WriteBackCommand.self, UpgradeCommand.self, SchemaCommand.self,
      StatusCommand.self, ShowCommand.self,
      HistoryCommand.self, PruneCommand.self, CheckpointCommand.self,
      QuarantineCommand.self, PresetCommand.self, ProfileCommand.self, PreflightCommand.self,
      FleetCommand.self, ReportCommand.self, ConfigCommand.self,
    ]
  )

  private static var version: String { String(cString: ferry_build_mark()) }

  package init() {}

  /// Runs the program with the arguments of the process, and ends it with its exit status.
  package static func start() -> Never {
    StandardStream.provide()
    CoreDumps.prevent()
    OwnerRights.keep()
    guard !CommandLine.arguments.isEmpty else {
      StandardError.put(noArguments)
      leave(.failure)
    }
    // The version needs no verb, whose flags take most of the time of a start.
    if CommandLine.arguments.dropFirst().elementsEqual(["--version"]) {
      ResultOutput.put("\(version)\n")
      leave(.done)
    }
    guard OpenFiles.provide() else {
      StandardError.put(tooFewOpenFiles)
      leave(.failure)
    }
    AddressSpace.giveBackEarly()
    guard AddressSpace.provide() else {
      StandardError.put(tooLittleAddressSpace)
      leave(.failure)
    }
    // An app that embeds the library may want the count; in a program of our own, no one asks for it.
    DatabaseMemory.stopCounting()
    Task { @MainActor in await runAndLeave() }
    dispatchMain()
  }

  /// On Linux the runtime reads the arguments from a file, and has none at all where that is missing.
  private static var noArguments: String {
    """
    ferry: the system does not show this process its arguments (/proc/self/cmdline)
      cure: mount /proc: mount -t proc proc /proc
    ferry: failed (exit status 1)

    """
  }

  private static var tooFewOpenFiles: String {
    """
    ferry: the system lets this process open fewer files at once than a run needs \
    (\(OpenFiles.needed))
      cure: raise the limit: ulimit -n 1024
    ferry: failed (exit status 1)

    """
  }

  private static var tooLittleAddressSpace: String {
    """
    ferry: the system leaves this process no memory for the threads of a run \
    (\(AddressSpace.needed >> 20) MiB)
      cure: raise the limit: ulimit -v 1000000
    ferry: failed (exit status 1)

    """
  }

  private static func runAndLeave() async -> Never {
    let line = CommandLineReader.line
    do {
      var command = try parseAsRoot(line.words)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      leave(.done)
    } catch let status as CommandExit {
      leave(status.status)
    } catch {
      line.explain(error)
      guard exitCode(for: error) == .success else {
        // What was typed may be in it.
        StandardError.put("\(fullMessage(for: error).plainLines)\n")
        leave(ExitStatus(rawValue: exitCode(for: error).rawValue) ?? .failure)
      }
      // What was asked for, like the version.
      ResultOutput.put(fullMessage(for: error) + "\n")
      leave(.done)
    }
  }
}
