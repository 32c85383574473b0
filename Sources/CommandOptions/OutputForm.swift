import ArgumentParser
import Reporting

/// What a file that a flag names is written as.
package enum OutputForm: String {
  case json = "JSON"
  case metrics = "OpenMetrics text"
  case log = "JSON Lines"

  /// Refuses the name of a file whose ending promises another form than this one.
  ///
  /// - Throws: A usage error, before anything is done.
  package func check(_ path: String?, of flag: String) throws {
    guard let path, let form = ReportForm(path: path), !fits(form) else { return }
    throw ValidationError(
      "\(flag) writes \(rawValue), and “\(path)” ends as \(form.rawValue) does: name another file."
    )
  }

  private func fits(_ form: ReportForm) -> Bool {
    switch self {
    case .json, .log: form == .json || form == .ndjson
    case .metrics: false
    }
  }
}
