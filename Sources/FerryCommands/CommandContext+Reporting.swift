import CommandOutput
import DestinationModel
import Files
import Quarantine
import Reporting
import StageSupport
import UploadPlanning

extension CommandContext {
  /// Says why a run stopped, where the destination is the reason.
  func reportStop(_ conclusion: EngineConclusion) {
    switch conclusion {
    case .done, .interrupted: break
    case .refused(let reason):
      screen.stopped(
        reason,
        cure:
          "correct what the destination names, or the sign-in, the rights or the quota of the account; "
          + "then run the same command again"
      )
    case .passingFault(let reason):
      screen.stopped(
        reason,
        cure: "check that the destination is up and answers; then run the same command again"
      )
    }
  }

  /// Says what was asked of the destination in all, and how long the command took.
  func reportTotals() {
    let requests = meter.requestCount
    let bytes = meter.readings.values.reduce(0) { $0 + $1.bytes }
    let time = Figures.expected(screen.recorder.seconds)
    screen.say("total:    \(requests.grouped) requests, \(Figures.bytes(bytes)) sent, in \(time)")
  }

  /// Keeps what was quarantined for the reports.
  func report(_ quarantine: QuarantineFolder) throws {
    guard isReported else { return }
    screen.recorder.add(try QuarantineText.stage(of: quarantine))
  }

  /// Ends the log and writes the metrics; gives what it comes to where one of them is not whole.
  func notify(_ status: ExitStatus, _ error: (any Error)?) -> ExitStatus {
    let recorder = screen.recorder
    let words = error.map { ReportWriting.outset(of: "\($0)") }
    screen.log?.ended(
      status,
      mayRetry: mayRetry(status),
      seconds: recorder.seconds,
      error: words
    )
    let logged = screen.log?.failure.map { self.status(ofLost: "log", $0) } ?? .done
    guard let metricsPath else { return logged }
    let metrics = OpenMetrics(
      command: CommandLineReader.command,
      status: Int(status.rawValue),
      seconds: recorder.seconds,
      stages: recorder.stages.compactMap { ReportStage($0) },
      timeline: recorder.timeline,
      requests: meter.readings
    )
    do throws(FileError) {
      try WholeFile.replace(metricsPath, with: Array(metrics.text.utf8))
    } catch {
      return .strongest([logged, self.status(ofLost: "metrics", error)])
    }
    return logged
  }

  /// Says that a file about the command is not whole; gives what that comes to.
  private func status(ofLost name: String, _ error: FileError) -> ExitStatus {
    screen.warn("ferry: the \(name) cannot be written: \(error)".plainForTerminal)
    return ExitStatus(error)
  }
}
