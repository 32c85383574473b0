package import ArgumentParser
package import CommandOutput
package import Migration
import Planning
import Reporting
package import StageSupport
import SyncReading
import Synchronization
import UploadPlanning

/// Which records are sent, and which may be deleted.
package struct PlanningOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Send only the records of this entity. May be given several times.",
      discussion: "What is left out is counted, and a later run without the flag sends it.",
      valueName: "entity"
    )
  )
  package var only: [String] = []

  @Option(
    help: ArgumentHelp(
      "Leave out an entity, or its records with a value. May be given several times.",
      valueName: "entity[.member=value]"
    )
  )
  package var skip: [String] = []

  @Flag(
    help: ArgumentHelp(
      "Delete at the destination what earlier runs sent and the store no longer has.",
      discussion: """
        A rollback does not restore what the run deletes. What the user deleted in the app, and the \
        app still knows of, needs no flag.
        """
    )
  )
  package var delete = false

  @Option(
    help: ArgumentHelp(
      "The most records that may be deleted at the destination before nothing is sent.",
      discussion: "No limit unless given.",
      valueName: "count|percent%"
    )
  )
  package var maxDelete: String?

  @Option(
    help: ArgumentHelp(
      "The file with decisions about conflicts: read, and written where some are still open.",
      discussion: "In the state folder unless given. At a terminal Ferry asks at once.",
      valueName: "file"
    ),
    completion: .file()
  )
  package var decisions: String?

  @Flag(help: "Never ask at the terminal.")
  package var noInput = false

  @Flag(
    name: [.short, .long],
    help: ArgumentHelp(
      "Go on without a question when the plan deletes records or has conflicts.",
      discussion: "Asked at a terminal alone."
    )
  )
  package var yes = false

  package init() {}

  package func validate() throws {
    for text in skip where Selection.Skip(text) == nil {
      throw ValidationError("--skip takes ENTITY or ENTITY.member=value, not “\(text)”.")
    }
    if let maxDelete, RecordLimit(maxDelete) == nil {
      throw ValidationError("--max-delete takes a number or a percentage, not “\(maxDelete)”.")
    }
  }

  /// Adds the choices to those of a session.
  package func choose(
    in options: inout SessionOptions,
    allowsShrunkenSource: Bool,
    consent: Consent?
  ) {
    options.plan.selection = Selection(
      only: Set(only),
      skips: skip.compactMap(Selection.Skip.init)
    )
    options.plan.deletesAbsent = delete
    options.plan.maxDeletions = maxDelete.flatMap(RecordLimit.init)
    options.plan.allowsShrunkenSource = allowsShrunkenSource
    options.decisionsPath = decisions
    options.prompt = consent?.prompt
  }

  package func consent(on screen: Screen, until interruption: CancellationToken) -> Consent {
    Consent(on: screen, until: interruption, neverAsks: noInput, isGiven: yes)
  }
}
