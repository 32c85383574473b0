/// The run of a command, which the checkpoint notes as reported once every report of the command is written.
///
/// Where the command is killed before that, the same line goes on with the run and reports it.
package final class ReportedRun {
  private var pending: (session: UploadSession, result: RunResult)?

  package init() {}

  /// Takes a run that has come to its end.
  package func take(_ result: RunResult, in session: UploadSession) {
    pending = (session: session, result: result)
  }

  /// Notes the run, and lets its session go.
  package func note() throws {
    guard let ended = pending else { return }
    pending = nil
    try ended.session.setReported(ended.result)
  }
}
