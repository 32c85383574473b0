package import Execution
package import JSONText
package import Planning
import Records
import UploadPlanning

/// What a plan says beside its table: what updates change, and what carrying it out takes.
package enum ForecastText {
  package static func lines(of summary: RunSummary, _ forecast: PlanForecast) -> [String] {
    guard summary.hasAny(.remaining) else { return [] }
    return summary.changes.flatMap { lines(of: $0, in: summary) } + [expectation(forecast)]
  }

  private static func lines(of changes: EntityChanges, in summary: RunSummary) -> [String] {
    let fields = changes.fields.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { $0.value == changes.reported ? $0.key : "\($0.key) (\($0.value))" }
    let count = summary.actions[changes.entity]?[.update] ?? changes.reported
    let words = fields.isEmpty ? "nothing that is still different" : fields.joined(separator: ", ")
    let unreported = count - changes.reported
    let rest = unreported > 0 ? "; of \(unreported) more only the upload finds out" : ""
    let updates = changes.reported == 1 ? "1 update changes" : "\(changes.reported) updates change"
    return ["  \(changes.entity): \(updates) \(words)\(rest)".plainForTerminal]
  }

  private static func expectation(_ forecast: PlanForecast) -> String {
    var words = "about \(forecast.requests) \(forecast.requests == 1 ? "request" : "requests")"
    if forecast.mayGoAlone {
      words += ", or \(forecast.requestsAlone) where the server refuses batches"
    }
    if forecast.reads > 0 { words += ", \(forecast.reads) of them to read alone" }
    words += ", \(Figures.bytes(forecast.bytes)) of records"
    if forecast.files > 0 {
      words += ", \(forecast.files) files of \(Figures.bytes(forecast.fileBytes))"
    }
    if let seconds = forecast.seconds {
      let expected = Figures.expected(seconds)
      words += "; about \(expected)"
      if let alone = forecast.secondsAlone.map({ Figures.expected($0) }), forecast.mayGoAlone,
        alone != expected
      {
        words += ", or \(alone)"
      }
      if let rate = forecast.rate { words += " at \(Figures.short(rate)) requests a second" }
    } else {
      words += "; how long it takes, only the destination knows"
    }
    return "  to expect: \(words)"
  }

  /// The plan as JSON, with what is to be expected.
  package static func value(
    of summary: RunSummary,
    _ forecast: PlanForecast,
    isOffline: Bool
  ) -> JSONValue {
    guard var object = SummaryJSON.value(of: summary, kind: "plan").object else { return .null }
    object["changes"] = .list(summary.changes) { changes in
      [
        "entity": .string(changes.entity.text), "reported": .whole(changes.reported),
        "fields": .counts(changes.fields),
      ]
    }
    var expects: JSONObject = [
      "sends": .whole(forecast.sends), "sendsAlone": .whole(forecast.sendsAlone),
      "reads": .whole(forecast.reads),
      "bytes": .whole(forecast.bytes), "files": .whole(forecast.files),
      "fileBytes": .whole(forecast.fileBytes),
    ]
    if let rate = forecast.rate { expects["rate"] = decimal(rate) }
    if let seconds = forecast.seconds { expects["seconds"] = decimal(seconds) }
    object["expects"] = .object(expects)
    if isOffline { object["offline"] = true }
    return .object(object)
  }

  /// A number with three digits behind the point at most.
  private static func decimal(_ value: Double) -> JSONValue {
    JSONValue(floatLiteral: (value * 1_000).rounded() / 1_000)
  }
}
