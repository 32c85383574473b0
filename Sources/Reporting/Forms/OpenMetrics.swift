package import DestinationModel
import JSONText
import Records

/// The figures of a command as OpenMetrics text.
package struct OpenMetrics: Sendable {
  private let command: String
  private let status: Int
  private let seconds: Double
  private let stages: [ReportStage]
  private let timeline: [TimelineStage]
  /// What was asked of the destination.
  private let requests: [(kind: String, reading: RequestMeter.Reading)]

  package init(
    command: String,
    status: Int,
    seconds: Double,
    stages: [ReportStage],
    timeline: [TimelineStage],
    requests: [RequestMeter.Kind: RequestMeter.Reading]
  ) {
    self.command = command
    self.status = status
    self.seconds = seconds
    // A stage that came twice is reported as it ended: a label may appear only once.
    var seen: Set<String> = []
    self.stages = stages.reversed().filter { seen.insert($0.kind).inserted }.reversed()
    self.timeline = timeline
    self.requests = requests.map { (kind: $0.key.rawValue, reading: $0.value) }
      .sorted { $0.kind < $1.kind }
  }

  package var text: String {
    var text = MetricText()
    text.family("ferry_run_seconds", "gauge", unit: "seconds", "How long the command took.")
    text.sample("ferry_run_seconds", [("command", command)], Self.number(seconds))
    text.family("ferry_exit_status", "gauge", "The exit status of the command.")
    text.sample("ferry_exit_status", [("command", command)], "\(status)")
    addStages(to: &text)
    addRequests(to: &text)
    return text.text + "# EOF\n"
  }

  private func addStages(to text: inout MetricText) {
    text.family(
      "ferry_stage_seconds",
      "gauge",
      unit: "seconds",
      "How long each stage took."
    )
    var lengths: [String: Double] = [:]
    for stage in timeline {
      if let ended = stage.ended { lengths[stage.stage, default: 0] += ended - stage.began }
    }
    for (stage, length) in lengths.sorted(by: { $0.key < $1.key }) {
      text.sample("ferry_stage_seconds", [("stage", stage)], Self.number(length))
    }
    text.family(
      "ferry_checkpoint_wait_seconds",
      "gauge",
      unit: "seconds",
      "How long no request was in flight because the checkpoint was read or written."
    )
    var waits: [String: Double] = [:]
    for stage in timeline {
      if let heldUp = stage.heldUp { waits[stage.stage, default: 0] += heldUp }
    }
    for (stage, wait) in waits.sorted(by: { $0.key < $1.key }) {
      text.sample("ferry_checkpoint_wait_seconds", [("stage", stage)], Self.number(wait))
    }
    text.family("ferry_records", "gauge", "How many records of an entity ended in which way.")
    for stage in stages {
      for line in stage.lines {
        for outcome in line.outcomes {
          let labels = [("stage", stage.kind), ("entity", line.name), ("outcome", outcome.name)]
          text.sample("ferry_records", labels, "\(outcome.count)")
        }
      }
    }
    text.family("ferry_findings", "gauge", "How many findings a stage has, by rule.")
    for stage in stages {
      var counts: [[String]: Int] = [:]
      for finding in stage.findings {
        counts[[finding.severity.rawValue, finding.code], default: 0] += 1
      }
      for (names, count) in counts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        let labels = [("stage", stage.kind), ("severity", names[0]), ("rule", names[1])]
        text.sample("ferry_findings", labels, "\(count)")
      }
    }
  }

  private func addRequests(to text: inout MetricText) {
    text.family("ferry_requests", "counter", "How often a destination was asked.")
    for (kind, reading) in requests {
      text.sample("ferry_requests_total", [("kind", kind)], "\(reading.requestCount)")
    }
    text.family("ferry_request_failures", "counter", "How often no usable answer came.")
    for (kind, reading) in requests {
      text.sample("ferry_request_failures_total", [("kind", kind)], "\(reading.failures)")
    }
    text.family("ferry_sent_bytes", "counter", unit: "bytes", "Fields and files that were sent.")
    for (kind, reading) in requests {
      text.sample("ferry_sent_bytes_total", [("kind", kind)], "\(reading.bytes)")
    }
    text.family(
      "ferry_request_seconds",
      "histogram",
      unit: "seconds",
      "How long the answers took."
    )
    for (kind, reading) in requests {
      let kind = ("kind", kind)
      for (bound, count) in zip(RequestMeter.bounds, reading.within) {
        let labels = [kind, ("le", Self.number(bound))]
        text.sample("ferry_request_seconds_bucket", labels, "\(count)")
      }
      text.sample("ferry_request_seconds_bucket", [kind, ("le", "+Inf")], "\(reading.calls)")
      text.sample("ferry_request_seconds_count", [kind], "\(reading.calls)")
      text.sample("ferry_request_seconds_sum", [kind], Self.number(reading.seconds))
    }
  }

  /// A number as OpenMetrics has it, with a point.
  private static func number(_ value: Double) -> String {
    "\((value * 1_000_000).rounded() / 1_000_000)"
  }
}

/// Lines of OpenMetrics while they are written.
private struct MetricText {
  private(set) var text = ""

  mutating func family(_ name: String, _ type: String, unit: String? = nil, _ help: String) {
    text += "# TYPE \(name) \(type)\n"
    if let unit { text += "# UNIT \(name) \(unit)\n" }
    text += "# HELP \(name) \(help)\n"
  }

  mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
    let pairs = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
    text += "\(name){\(pairs)} \(value)\n"
  }

  private static func escaped(_ label: String) -> String {
    label.replacing(scalar: "\\", with: "\\\\").replacing(scalar: "\"", with: "\\\"")
      .replacing(scalar: "\n", with: "\\n")
  }
}
