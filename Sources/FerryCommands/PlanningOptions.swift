import ArgumentParser
import Files
import Foundation
import Migration
import Planning
import Reporting
import StageSupport
import SyncReading
import Synchronization
import UploadPlanning

/// Which records are sent, and which may be deleted.
struct PlanningOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Send only the records of this entity. May be given several times.",
      discussion: "What is left out is counted, and a later run without the flag sends it.",
      valueName: "entity"
    )
  )
  var only: [String] = []

  @Option(
    help: ArgumentHelp(
      "Leave out an entity, or its records with a value. May be given several times.",
      valueName: "entity[.member=value]"
    )
  )
  var skip: [String] = []

  @Flag(
    help: ArgumentHelp(
      "Delete at the destination what earlier runs sent and the store no longer has.",
      discussion: """
        A rollback does not restore what the run deletes. What the user deleted in the app, and the \
        app still knows of, needs no flag.
        """
    )
  )
  var delete = false

  @Option(
    help: ArgumentHelp(
      "The most records that may be deleted at the destination before nothing is sent.",
      discussion: "No limit unless given.",
      valueName: "count|percent%"
    )
  )
  var maxDelete: String?

  @Option(
    help: ArgumentHelp(
      "The file with decisions about conflicts: read, and written where some are still open.",
      discussion: "In the state folder unless given. At a terminal Ferry asks at once.",
      valueName: "file"
    ),
    completion: .file()
  )
  var decisions: String?

  @Flag(help: "Never ask at the terminal.")
  var noInput = false

  func validate() throws {
    for text in skip where Selection.Skip(text) == nil {
      throw ValidationError("--skip takes ENTITY or ENTITY.member=value, not “\(text)”.")
    }
    if let maxDelete, RecordLimit(maxDelete) == nil {
      throw ValidationError("--max-delete takes a number or a percentage, not “\(maxDelete)”.")
    }
  }

  /// Adds the choices to those of a session.
  func choose(in options: inout SessionOptions, allowsShrunkenSource: Bool, screen: Screen) {
    options.plan.selection = Selection(
      only: Set(only),
      skips: skip.compactMap(Selection.Skip.init)
    )
    options.plan.deletesAbsent = delete
    options.plan.maxDeletions = maxDelete.flatMap(RecordLimit.init)
    options.plan.allowsShrunkenSource = allowsShrunkenSource
    options.decisionsPath = decisions
    guard !noInput, Terminal.canAsk else { return }
    let terminal = Terminal(screen, options.interruption)
    options.prompt = { terminal.reply(to: $0) }
  }
}

/// The person at the terminal.
private final class Terminal: Sendable {
  private let input = Mutex(TerminalInput())
  private let screen: Screen
  private let interruption: CancellationToken

  /// Whether a person can read a question and type an answer.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  init(_ screen: Screen, _ interruption: CancellationToken) {
    self.screen = screen
    self.interruption = interruption
  }

  /// Shows both sides of a conflict, and takes an answer.
  ///
  /// Ctrl-C ends the command at once: nothing is sent yet.
  func reply(to question: ConflictQuestion) -> ConflictQuestion.Reply {
    let lines = ConflictText.lines(of: question)
    lines.forEach(screen.warn)
    while true {
      let line = input.withLock { $0.line { interruption.isCancelled } }
      if interruption.isCancelled { return .cancel }
      guard let line else { return .leaveOpen }
      if let reply = ConflictText.reply(line, to: question) { return reply }
      lines.suffix(1).forEach(screen.warn)
    }
  }
}
