import ArgumentParser
import CommandOutput
import RecordDiffs
import Reporting

/// Whether a plan is shown record by record.
struct DiffOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "List what becomes of each record (+ ~ -), with its fields from old to new.",
      discussion: "What the fields hold is shown with --show-values only. As text, or ndjson."
    )
  )
  var diff = false

  /// Refuses a form that would have to hold all records in one document.
  func check(_ format: String) throws {
    guard diff, format == "json" else { return }
    throw ValidationError(
      "--diff takes --format text or ndjson; one JSON document would have to hold all."
    )
  }
}

extension CommandContext {
  /// Prints what becomes of each record, and keeps the first of them for the reports.
  func show(
    showsValues: Bool? = nil,
    _ forEachDiff: ((RecordDiff) throws -> Void) throws -> Void
  ) throws {
    let text = DiffText(showsValues: showsValues ?? quotesValues, isColoured: coloursOutput)
    var stage = DiffStage(text)
    try forEachDiff { diff in
      stage.add(diff)
      if screen.format == .text {
        screen.output(text.lines(of: diff).joined(separator: "\n"))
      } else {
        screen.passing(text.value(of: diff))
      }
    }
    screen.result([DiffText.line(of: stage.counts)])
    screen.recorder.add(stage.value)
  }
}
