import JSONText
import Records
package import Reporting

extension ReportForm {
  /// What a fleet came to, in this form: as JSON under `ferry.fleet.v1`, else as a report whose lines are stores.
  ///
  /// - Parameters:
  ///   - fleet: What the fleet came to.
  ///   - began: When the command began, in UTC.
  /// - Returns: The whole file.
  package func text(of fleet: FleetReport, began: String) -> String {
    switch self {
    case .json: fleet.value().prettyText.escapedForDisplay + "\n"
    case .ndjson:
      (fleet.results.map(\.value) + [fleet.value(withStores: false)])
        .map { $0.canonicalText.escapedForDisplay + "\n" }.joined()
    case .markdown, .html, .junit, .sarif: text(of: Report(fleet, began: began))
    }
  }
}

extension Report {
  /// The report of a fleet, with a line for each store and a finding for each that is not done.
  init(_ fleet: FleetReport, began: String) {
    let stage: JSONValue = [
      "type": "fleet", "stores": .array(fleet.results.map(Self.line)),
      "findings": .array(
        fleet.results.filter { $0.status != 0 }.map { Self.finding($0).published }
      ),
    ]
    self.init(
      tool: fleet.tool,
      command: "fleet",
      subject: fleet.list,
      began: began,
      seconds: fleet.seconds,
      stages: [stage].compactMap(ReportStage.init),
      timeline: [],
      end: ReportEnd(
        status: Int(fleet.status),
        name: fleet.statusName,
        mayRetry: ExitStatus(rawValue: fleet.status)?.mayRetry ?? false
      )
    )
  }

  private static func line(of result: FleetResult) -> JSONValue {
    var object: JSONObject = ["entity": .string(result.name), "read": 0]
    for (name, count) in result.records { object[name] = .whole(count) }
    object["failed"] = .whole(result.status == 0 ? 0 : 1)
    object["run"] = .text(result.run)
    return .object(object)
  }

  private static func finding(_ result: FleetResult) -> Finding {
    Finding(
      code: "fleet.store",
      severity: .error,
      file: result.store,
      cause: "\(result.name): \(result.statusName)\(result.reason.map { ": \($0)" } ?? "")",
      cure: result.cure
        ?? "run the same command again: it goes on with the stores that are not done"
    )
  }
}
