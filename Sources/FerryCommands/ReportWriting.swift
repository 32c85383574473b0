import CommandOptions
import CommandOutput
import DestinationModel
import DocumentChecking
import Files
import Foundation
import JSONText
import LegacyFiles
import Reporting
import StageSupport

/// The reports of one command: what they are about, and how they are written at its end.
struct ReportWriting {
  let options: ReportOptions
  let command: String
  let subject: String?
  private let began = Date()

  init(_ options: ReportOptions, command: String, subject: String?) {
    self.options = options
    self.command = command
    self.subject = subject
  }

  /// Writes every report that was asked for; gives what the writing came to.
  func write(
    _ screen: Screen,
    end: (status: ExitStatus, mayRetry: Bool),
    error: (any Error)?,
    next: String?
  ) -> ExitStatus {
    guard options.isWanted else { return .done }
    let report: Report
    do {
      report = try self.report(screen.recorder, end: end, error: error, next: next)
    } catch {
      screen.warn("ferry: no report could be made: \(error)".plainForTerminal)
      return .failure
    }
    return write(report, on: screen)
  }

  /// Writes a report in every form that was asked for; gives what the writing came to.
  func write(_ report: Report, on screen: Screen) -> ExitStatus {
    if options.annotates { annotate(report, on: screen) }
    var status = ExitStatus.done
    for target in options.targets {
      let text = target.form.text(of: report)
      if target.path == "-" {
        screen.output(text)
        continue
      }
      do throws(FileError) {
        try WholeFile.replace(target.path, with: Array(text.utf8))
      } catch {
        screen.warn("ferry: the report \(target.path) was not written: \(error)".plainForTerminal)
        if let cure = error.cure { screen.warn("  cure: \(cure)".plainForTerminal) }
        status = .strongest([status, error.isDiskFull ? .passingFault : .failure])
      }
    }
    return status
  }

  private func report(
    _ recorder: ReportRecorder,
    end: (status: ExitStatus, mayRetry: Bool),
    error: (any Error)?,
    next: String?
  ) throws -> Report {
    let redaction = try options.redaction()
    let stop = recorder.stop
    let failure = error.map { Failure($0) }
    let words = (failure?.message ?? stop?.reason).map {
      mayQuote(error) ? Self.outset(of: $0) : $0
    }
    let ending = ReportEnd(
      status: Int(end.status.rawValue),
      name: end.status.name,
      mayRetry: end.mayRetry,
      reason: words.flatMap { redaction.words(error == nil ? "stopped: \($0)" : $0) },
      cure: (failure == nil ? stop?.cure : failure?.cure).flatMap { redaction.words($0) },
      next: (recorder.next ?? next).flatMap { redaction.words($0) },
      undo: recorder.undo.flatMap { redaction.words($0) }
    )
    var report = Report(
      tool: FerryVersion.text,
      command: command,
      subject: subject.map(redaction.path),
      began: began.formatted(.iso8601),
      seconds: recorder.seconds,
      stages: recorder.stages.compactMap { ReportStage(redaction.redacted($0)) },
      timeline: recorder.timeline,
      end: ending
    )
    report.comparison = try options.earlier().map { ReportComparison(report, since: $0) }
    return report
  }

  /// Whether the words of an error may quote what a destination or a document said.
  private func mayQuote(_ error: (any Error)?) -> Bool {
    guard !options.showValues else { return false }
    switch error {
    case is DestinationError, is DocumentError, is LegacyFileError, nil: return true
    case MigrationError.unsettled?, MigrationError.badImport?: return true
    default: return false
    }
  }

  /// What is said before the first colon: what happened, without the words of another process.
  static func outset(of text: String) -> String {
    text.firstRange(of: ": ").map { String(text[..<$0.lowerBound]) } ?? text
  }

  // MARK: - GitHub

  private func annotate(_ report: Report, on screen: Screen) {
    let environment = ProcessInfo.processInfo.environment
    let workspace = environment["GITHUB_WORKSPACE"] ?? ""
    let root = URL(filePath: workspace.isEmpty ? "." : workspace).resolvingSymlinksInPath().path
    let lines = Annotations.lines(of: report) { name in
      // A report has only the last name of a path outside the current folder.
      let file = name == report.subject ? subject ?? name : name
      let path = URL(filePath: file).resolvingSymlinksInPath().path
      guard InputFile.isPresent(file), path.hasPrefix(root + "/") else { return nil }
      return String(path.dropFirst(root.count + 1))
    }
    for line in lines { screen.warn(line.plainForTerminal) }
    guard let path = environment["GITHUB_STEP_SUMMARY"], !path.isEmpty else { return }
    do throws(FileError) {
      try AppendingFile.add(Array(ReportForm.markdown.text(of: report).utf8), to: path)
    } catch {
      screen.warn("ferry: the step's summary was not written: \(error)".plainForTerminal)
    }
  }
}
