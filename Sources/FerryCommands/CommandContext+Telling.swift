import Backends
import Files
import Migration
import ReportFormats
import Reports
import UploadPlanning

extension CommandContext {
  /// Says why a run stopped, where the destination is the reason.
  func tellStop(_ conclusion: EngineConclusion) {
    switch conclusion {
    case .done, .interrupted: break
    case .refused(let reason):
      screen.stopped(
        reason,
        cure:
          "mend what the destination names, or the sign-in, the rights or the quota of the account; "
          + "the same line again then goes on"
      )
    case .passingFault(let reason):
      screen.stopped(
        reason,
        cure: "see that the destination is up and answers; the same line again then goes on"
      )
    }
  }

  /// Ends the log and writes the metrics; gives whether all that was wanted is there.
  func tell(_ status: ExitStatus, _ error: MigrationError?) -> Bool {
    let recorder = screen.recorder
    let words = error.map { ReportWriting.outset(of: $0.description) }
    screen.log?.ended(
      status,
      mayRetry: mayRetry(status),
      seconds: recorder.seconds,
      error: words
    )
    let isLogged = tellOfLog()
    guard let metricsPath else { return isLogged }
    let metrics = OpenMetrics(
      command: CommandLineReader.command,
      status: Int(status.rawValue),
      seconds: recorder.seconds,
      stages: recorder.stages.compactMap { ReportStage($0) },
      timeline: recorder.timeline,
      requests: meter.readings.sorted { $0.key.rawValue < $1.key.rawValue }.map { kind, reading in
        RequestFigures(
          kind: kind.rawValue,
          calls: reading.calls,
          failures: reading.failures,
          bytes: reading.bytes,
          seconds: reading.seconds,
          bounds: RequestMeter.bounds,
          within: reading.within
        )
      }
    )
    do throws(FileError) {
      try WholeFile.replace(metricsPath, with: Array(metrics.text.utf8))
    } catch {
      screen.warn("ferry: the metrics were not written: \(error)".plainForTerminal)
      return false
    }
    return isLogged
  }

  /// Says so when the log is not whole.
  private func tellOfLog() -> Bool {
    guard let logPath else { return true }
    if screen.log?.isWhole == true { return true }
    screen.warn("ferry: the log \(logPath) cannot be written".plainForTerminal)
    return false
  }
}
