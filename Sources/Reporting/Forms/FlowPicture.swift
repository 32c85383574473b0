/// The flow of a stage's records, from entities on the left to outcomes on the right, as SVG.
///
/// The height of a band is the number of its records; one that would be too thin to see is drawn
/// as thick as the thinnest that can be seen, and every band says its number.
struct FlowPicture {
  private struct Band {
    let entity: Int
    let outcome: Int
    let count: Int
    let height: Double
  }

  private let entities: [String]
  private let outcomes: [String]
  private let bands: [Band]
  private let label: String

  private static let entityLimit = 16
  private static let width = 420.0
  private static let left = (start: 150.0, end: 160.0)
  private static let right = (start: 296.0, end: 306.0)
  private static let fullHeight = 240.0
  private static let thinnest = 1.5
  private static let rowHeight = 17.0
  private static let gap = 7.0

  /// `nil` when no record went anywhere.
  init?(_ stage: ReportStage) {
    let names = stage.outcomeNames
    let lines = stage.lines.filter { line in names.contains { line.count($0) > 0 } }
      .sorted { $0.total > $1.total }
    guard !names.isEmpty, !lines.isEmpty else { return nil }
    var entities = lines.prefix(Self.entityLimit).map(\.name)
    var counts = lines.prefix(Self.entityLimit).map { line in names.map { line.count($0) } }
    let rest = lines.dropFirst(Self.entityLimit)
    if !rest.isEmpty {
      entities.append("\(rest.count) others")
      counts.append(names.map { name in rest.reduce(0) { $0 + $1.count(name) } })
    }
    let total = counts.joined().reduce(0, +)
    let scale = Self.fullHeight / Double(max(total, 1))
    self.entities = entities
    outcomes = names
    bands = counts.enumerated().flatMap { row, counts in
      counts.enumerated().filter { $0.element > 0 }.map { column, count in
        Band(
          entity: row,
          outcome: column,
          count: count,
          height: max(Self.thinnest, Double(count) * scale)
        )
      }
    }
    label = "\(stage.kind): \(Figures.count(total, "record")) by entity and outcome"
  }

  var svg: String {
    let left = tops(entities.count) { band in band.entity }
    let right = tops(outcomes.count) { band in band.outcome }
    let height = max(left.end, right.end) + 4
    var text = "<svg class=\"flow\" viewBox=\"0 0 \(Int(Self.width)) \(Int(height.rounded(.up)))\" "
    text += "role=\"img\" aria-label=\"\(label.escapedForMarkup)\">\n"
    text += ribbons(left.tops, right.tops)
    text += nodes(entities, left.tops, left.heights, isLeft: true)
    text += nodes(outcomes, right.tops, right.heights, isLeft: false)
    return text + "</svg>\n"
  }

  /// Where the node of each number begins, and how high it is.
  private func tops(
    _ count: Int,
    of number: (Band) -> Int
  ) -> (tops: [Double], heights: [Double], end: Double) {
    var heights = [Double](repeating: 0, count: count)
    for band in bands { heights[number(band)] += band.height }
    var place = 4.0
    var tops: [Double] = []
    for height in heights {
      let target = max(height, Self.rowHeight)
      tops.append(place + (target - height) / 2)
      place += target + Self.gap
    }
    return (tops, heights, place)
  }

  private func ribbons(_ leftTops: [Double], _ rightTops: [Double]) -> String {
    var (from, to) = (leftTops, rightTops)
    var text = ""
    for band in bands {
      let (start, end) = (from[band.entity], to[band.outcome])
      from[band.entity] += band.height
      to[band.outcome] += band.height
      let (x1, x2) = (Self.left.end, Self.right.start)
      let middle = (x1 + x2) / 2
      let tone = OutcomeTone(of: outcomes[band.outcome]).rawValue
      text += "<path class=\"band \(tone)\" d=\"M\(x1) \(start.short)"
      text += "C\(middle) \(start.short) \(middle) \(end.short) \(x2) \(end.short)"
      text += "V\((end + band.height).short)"
      text += "C\(middle) \((end + band.height).short) \(middle) \((start + band.height).short) "
      text += "\(x1) \((start + band.height).short)Z\"><title>"
      text += "\(entities[band.entity]): \(band.count) \(outcomes[band.outcome])".escapedForMarkup
      text += "</title></path>\n"
    }
    return text
  }

  private func nodes(
    _ names: [String],
    _ tops: [Double],
    _ heights: [Double],
    isLeft: Bool
  ) -> String {
    let x = isLeft ? Self.left.start : Self.right.start
    var text = ""
    for (number, name) in names.enumerated() {
      let count = bands.reduce(0) { sum, band in
        sum + ((isLeft ? band.entity : band.outcome) == number ? band.count : 0)
      }
      let tone = isLeft ? "entity" : OutcomeTone(of: name).rawValue
      text += "<rect class=\"node \(tone)\" x=\"\(x)\" y=\"\(tops[number].short)\" width=\"10\" "
      text += "height=\"\(heights[number].short)\"/>"
      let y = (tops[number] + heights[number] / 2 + 4).short
      let words = "\(name.shortened(to: isLeft ? 18 : 12)) \(count)".escapedForMarkup
      text +=
        isLeft
        ? "<text x=\"\(Self.left.start - 5)\" y=\"\(y)\" text-anchor=\"end\">\(words)</text>\n"
        : "<text x=\"\(Self.right.end + 5)\" y=\"\(y)\">\(words)</text>\n"
    }
    return text
  }
}

extension Double {
  /// With one digit after the point.
  var short: String { "\((self * 10).rounded() / 10)" }
}
