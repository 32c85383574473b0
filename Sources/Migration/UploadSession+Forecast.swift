package import Checkpoint
import DestinationModel
import Execution
package import Planning
import SyncReading

extension UploadSession {
  /// What is to be expected of carrying out what is left of a run.
  ///
  /// Where requests are limited, `rate` is the most a second; `answerSeconds` is how long the
  /// destination took to answer so far.
  package func forecast(
    of run: RunRecord,
    rate: Double?,
    answerSeconds: Double?
  ) throws -> PlanForecast {
    let layout = PhaseLayout(profile: profile, takesMedia: destination.traits.takesMedia)
    return try PlanForecast(
      of: run,
      in: checkpoint,
      package,
      to: destination.traits,
      by: runPolicy.policy(for: layout.phases),
      rate: rate,
      answerSeconds: answerSeconds
    )
  }
}
