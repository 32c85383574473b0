/// When each stage ran, how fast, and where it had to wait, as SVG.
struct TimelinePicture {
  private let stages: [TimelineStage]
  private let seconds: Double

  private static let width = 420.0
  private static let start = 70.0
  private static let rowHeight = 38.0

  /// `nil` when no stage began.
  init?(_ report: Report) {
    guard !report.timeline.isEmpty else { return nil }
    stages = report.timeline
    let last = report.timeline.map { $0.ended ?? $0.began }.max() ?? 0
    seconds = max(report.seconds, last, 0.001)
  }

  var svg: String {
    let height = Int(Double(stages.count) * Self.rowHeight) + 4
    var text = "<svg class=\"timeline\" viewBox=\"0 0 \(Int(Self.width)) \(height)\" role=\"img\" "
    text += "aria-label=\"when each stage ran\">\n"
    for (number, stage) in stages.enumerated() {
      text += row(stage, top: Double(number) * Self.rowHeight + 4)
    }
    return text + "</svg>\n"
  }

  /// What the lines in it mean; `nil` where it has none.
  var legend: String? {
    let hasSpeed = stages.contains { !curve($0, top: 0).isEmpty }
    let hasPause = stages.contains { !$0.pauses.isEmpty }
    let sentences = [
      hasSpeed ? "A line in a bar is its speed, the fastest at the top." : nil,
      hasPause ? "An upright line is a pause: a wait or a retry." : nil,
    ].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  private func x(_ time: Double) -> Double {
    Self.start + min(max(time / seconds, 0), 1) * (Self.width - Self.start - 6)
  }

  private func row(_ stage: TimelineStage, top: Double) -> String {
    let end = stage.ended ?? seconds
    let (from, to) = (x(stage.began), x(end))
    let tone = stage.ended == nil ? "open" : "quiet"
    var text = "<text x=\"0\" y=\"\((top + 15).short)\">\(stage.stage.escapedForMarkup)</text>\n"
    text += "<rect class=\"bar \(tone)\" x=\"\(from.short)\" y=\"\(top.short)\" "
    text += "width=\"\(max(to - from, 2).short)\" height=\"20\"/>\n"
    text += curve(stage, top: top)
    for pause in stage.pauses {
      text += "<line class=\"pause\" x1=\"\(x(pause).short)\" x2=\"\(x(pause).short)\" "
      text += "y1=\"\(top.short)\" y2=\"\((top + 20).short)\"/>"
    }
    let isLate = from > Self.width * 0.6
    let anchor = isLate ? " text-anchor=\"end\"" : ""
    text += "<text class=\"small\" x=\"\((isLate ? to : from).short)\" "
    text += "y=\"\((top + 31).short)\"\(anchor)>\(words(stage, end: end).escapedForMarkup)</text>\n"
    return text
  }

  private func words(_ stage: TimelineStage, end: Double) -> String {
    var words = [Figures.seconds(max(0, end - stage.began))]
    if let last = stage.samples.last, last.done > 0 {
      words.append(Figures.count(last.done, "step"))
      let time = end - stage.began
      if time > 0.05 { words.append("\(Int(Double(last.done) / time)) a second") }
    }
    if !stage.pauses.isEmpty { words.append(Figures.count(stage.pauses.count, "pause")) }
    if stage.ended == nil { words.append("not finished") }
    return words.joined(separator: ", ")
  }

  /// The speed between samples, the fastest as high as the bar.
  private func curve(_ stage: TimelineStage, top: Double) -> String {
    var speeds: [(time: Double, speed: Double)] = []
    for (before, now) in zip(stage.samples, stage.samples.dropFirst()) {
      let time = now.seconds - before.seconds
      guard time > 0 else { continue }
      speeds.append((now.seconds, Double(max(0, now.done - before.done)) / time))
    }
    guard speeds.count > 1, let fastest = speeds.map(\.speed).max(), fastest > 0 else { return "" }
    let points = speeds.map { point in
      "\(x(point.time).short),\((top + 19 - point.speed / fastest * 18).short)"
    }
    return "<polyline class=\"speed\" points=\"\(points.joined(separator: " "))\"/>\n"
  }
}
