import ArgumentParser
import Foundation
import JSONText
import Migration
import Planning
import Reporting
import StageSupport
import SyncReading
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
    options.prompt = { conflict in Terminal.answer(to: conflict, on: screen) }
  }
}

/// The person at the terminal.
private enum Terminal {
  /// Whether a person can read a question and type an answer.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Shows both sides of a conflict, and takes an answer; `nil` to leave it open.
  static func answer(
    to conflict: AskedConflict,
    on screen: Screen
  ) -> AskedConflict.Answer? {
    screen.warn("\(conflict.record): \(conflict.reason)".plainForTerminal)
    if conflict.isDeletedHere { screen.warn("  the store deleted it") }
    for member in conflict.there.members {
      let here = conflict.here[member.name]?.canonicalText ?? "nothing"
      screen.warn("  \(member.name) in the store:       \(here)".plainForTerminal)
      screen.warn(
        "  \(member.name) at the destination: \(member.value.canonicalText)".plainForTerminal
      )
    }
    let canMerge = conflict.answers.contains(.merge)
    let merge = canMerge ? ", (m)erge" : ""
    while true {
      screen.warn("  keep (l)ocal, keep (r)emote\(merge), or leave it open (return)?")
      switch readLine(strippingNewline: true) {
      case "l", "local": return .local
      case "r", "remote": return .remote
      case "m" where canMerge, "merge" where canMerge: return .merge
      case nil, "": return nil
      default: continue
      }
    }
  }
}
