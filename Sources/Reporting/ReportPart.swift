import JSONText

/// One of the commands that a report is made of.
package struct ReportPart: Hashable, Sendable {
  package let command: String
  package let subject: String?
  package let status: Int
  package let name: String
  package let reason: String?
  package let cure: String?

  package init(
    command: String,
    subject: String?,
    status: Int,
    name: String,
    reason: String? = nil,
    cure: String? = nil
  ) {
    self.command = command
    self.subject = subject
    self.status = status
    self.name = name
    self.reason = reason
    self.cure = cure
  }

  init(_ report: Report) {
    self.init(
      command: report.command,
      subject: report.subject,
      status: report.end.status,
      name: report.end.name,
      reason: report.end.reason,
      cure: report.end.cure
    )
  }

  init?(_ value: JSONValue) {
    guard let command = value["command"]?.text,
      let status = value["status"]?.integer.flatMap({ Int(exactly: $0) })
    else { return nil }
    self.init(
      command: command,
      subject: value["subject"]?.text,
      status: status,
      name: value["name"]?.text ?? "",
      reason: value["reason"]?.text,
      cure: value["cure"]?.text
    )
  }

  var value: JSONValue {
    .object([
      "command": .string(command), "subject": .text(subject), "status": .whole(status),
      "name": .string(name), "reason": .text(reason), "cure": .text(cure),
    ])
  }
}

extension Report {
  /// One report made of those of several commands, in their order: all stages, and the gravest end.
  ///
  /// - Parameters:
  ///   - reports: The name of each report, and the report where it could be read.
  ///   - tool: The version of the program that merges.
  ///   - began: When that was, in UTC.
  package init(
    merging reports: [(name: String, report: Report?)],
    tool: String,
    began: String
  ) {
    let parts = reports.map { name, report in
      report.map(ReportPart.init)
        ?? ReportPart(
          command: name,
          subject: nil,
          status: Int(ExitStatus.failure.rawValue),
          name: ExitStatus.failure.name,
          reason: "it left no report that can be read",
          cure: "see what the command printed"
        )
    }
    let whole = ExitStatus.strongest(
      parts.map { ExitStatus(rawValue: Int32(clamping: $0.status)) ?? .failure }
    )
    let gravest = parts.first { $0.status == Int(whole.rawValue) }
    let present = reports.compactMap(\.report)
    self.init(
      tool: tool,
      command: "report",
      subject: present.lazy.compactMap(\.subject).first,
      began: began,
      seconds: present.reduce(0) { $0 + $1.seconds },
      // A plan holds the package against its schemas once more.
      stages: present.flatMap(\.stages).grouped(by: \.value).compactMap(\.members.first),
      timeline: present.flatMap(\.timeline),
      end: ReportEnd(
        status: Int(whole.rawValue),
        name: whole.name,
        mayRetry: false,
        reason: gravest?.reason,
        cure: gravest?.cure,
        next: present.last { $0.end.status == Int(whole.rawValue) }?.end.next,
        undo: present.last { $0.end.undo != nil }?.end.undo
      )
    )
    self.parts = parts
  }
}
