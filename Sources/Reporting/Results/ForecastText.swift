package import JSONText
package import Migration
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
      .map { $0.value == changes.told ? $0.key : "\($0.key) (\($0.value))" }
    let count = summary.actions[changes.entity]?[.update] ?? changes.told
    let words = fields.isEmpty ? "nothing that is still different" : fields.joined(separator: ", ")
    let untold = count - changes.told
    let rest = untold > 0 ? "; of \(untold) more only the upload finds out" : ""
    let updates = changes.told == 1 ? "1 update changes" : "\(changes.told) updates change"
    return ["  \(changes.entity): \(updates) \(words)\(rest)".plainForTerminal]
  }

  private static func expectation(_ forecast: PlanForecast) -> String {
    var words = "about \(forecast.requests) \(forecast.requests == 1 ? "request" : "requests")"
    if forecast.reads > 0 { words += " (\(forecast.reads) of them only look)" }
    words += ", \(ByteText.words(forecast.bytes)) of records"
    if forecast.files > 0 {
      words += ", \(forecast.files) files of \(ByteText.words(forecast.fileBytes))"
    }
    if let seconds = forecast.seconds {
      words += "; about \(TimeText.words(seconds))"
      if let rate = forecast.rate { words += " at \(rate.brief) requests a second" }
    } else {
      words += "; how long it takes, only the destination tells"
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
    object["changes"] = .array(
      summary.changes.map { changes in
        var fields = JSONObject()
        for (name, count) in changes.fields.sorted(by: { $0.key < $1.key }) {
          fields[name] = number(count)
        }
        return .object([
          "entity": .string(changes.entity.text), "told": number(changes.told),
          "fields": .object(fields),
        ])
      }
    )
    var expects: JSONObject = [
      "sends": number(forecast.sends), "reads": number(forecast.reads),
      "bytes": .number(JSONNumber(forecast.bytes)), "files": number(forecast.files),
      "fileBytes": .number(JSONNumber(forecast.fileBytes)),
    ]
    if let rate = forecast.rate { expects["rate"] = decimal(rate) }
    if let seconds = forecast.seconds { expects["seconds"] = decimal(seconds) }
    object["expects"] = .object(expects)
    if isOffline { object["offline"] = true }
    return .object(object)
  }

  // MARK: - Every operation

  package static func line(of operation: PlannedOperation) -> String {
    let fields = operation.fields.map { ": \($0.joined(separator: ", "))" } ?? ""
    return "  \(operation.action) \(operation.record)\(fields)"
  }

  package static func value(of operation: PlannedOperation) -> JSONValue {
    var object: JSONObject = [
      "type": "operation", "action": .string(operation.action),
      "entity": .string(operation.record.entity.text), "record": .string(operation.record.key),
    ]
    if let fields = operation.fields { object["fields"] = .array(fields.map(JSONValue.string)) }
    return .object(object)
  }

  private static func number(_ count: Int) -> JSONValue { .number(JSONNumber(Int64(count))) }

  /// A number with three digits behind the point at most.
  private static func decimal(_ value: Double) -> JSONValue {
    JSONValue(floatLiteral: (value * 1_000).rounded() / 1_000)
  }
}

/// Numbers of bytes for a person.
package enum ByteText {
  package static func words(_ bytes: Int64) -> String {
    var value = Double(bytes)
    for unit in ["bytes", "kB", "MB", "GB"] {
      if value < 1_000 || unit == "GB" {
        return unit == "bytes" ? "\(bytes) bytes" : "\(value.brief) \(unit)"
      }
      value /= 1_000
    }
    return "\(bytes) bytes"
  }
}

/// Lengths of time for a person.
package enum TimeText {
  package static func words(_ seconds: Double) -> String {
    if seconds < 1 { return "1 s" }
    if seconds < 100 { return "\(Int(seconds.rounded(.up))) s" }
    let minutes = Int((seconds / 60).rounded(.up))
    return minutes < 100 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }
}

extension Double {
  /// The number with one digit behind the point where it is small.
  fileprivate var brief: String {
    if self >= 10 || self == rounded() { return String(Int(rounded())) }
    return "\((self * 10).rounded() / 10)"
  }
}
