import ArgumentParser
import CommandOutput
import Reporting
import Retrying
import RunHistory

/// `ferry prune`: removes what no run needs any more.
struct PruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove packages and checkpoints of the state folder that no run needs any more.",
    discussion: """
      EXAMPLES
        ferry prune -n
        ferry prune --older-than 30d --keep-last 3
        ferry prune --force 2735d6-1

      All that a resume, a rollback or a merge base needs stays, and is listed with the reason. With \
      --force the package of a run, or a package or checkpoint by the name of its file, goes all the \
      same, and Ferry lists what is lost with it. Add -n to see that before. Nothing that a process \
      is at work on is removed, and nothing outside the state folder.

      EXIT STATUS
        0   Removed, or nothing was to be removed.
        11  A process is at work on what --force names.
        64  The state folder has nothing of the name that --force gives.
      """
  )

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Show what would go and what would be lost; remove nothing."
  )
  var isDryRun = false

  @Option(help: "How many of the newest packages, and of the newest checkpoints, stay in any case.")
  var keepLast: Int?

  @Option(
    help: ArgumentHelp(
      "Remove only what was last used longer ago: 30d, 2w or 12h.",
      valueName: "age"
    )
  )
  var olderThan: String?

  @Option(
    help: ArgumentHelp(
      "Remove this although it is needed. May be given several times.",
      discussion: "Alone, nothing else is removed.",
      valueName: "run|package|checkpoint"
    )
  )
  var force: [String] = []

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func validate() throws {
    if let keepLast, !(0...1_000_000).contains(keepLast) {
      throw ValidationError("--keep-last takes a number from 0 to 1000000.")
    }
    if let olderThan, PruneRule.seconds(olderThan) == nil {
      throw ValidationError("--older-than takes an age like 30d, 2w or 12h, not “\(olderThan)”.")
    }
  }

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let rule = PruneRule(
        keepLast: keepLast,
        olderThan: olderThan.flatMap(PruneRule.seconds),
        forced: force
      )
      let now = RunClock.system.wallSeconds()
      let plan = try PrunePlan(of: context.state, rule: rule, now: now)
      let left = isDryRun ? [] : try plan.carryOut()
      let text = PruneText(plan, isDryRun: isDryRun, left: left)
      context.screen.result(text.lines)
      context.screen.result(text.value)
      return .done
    }
  }
}
