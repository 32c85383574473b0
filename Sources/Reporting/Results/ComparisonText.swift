package import JSONText
package import Records

/// How two models differ, for a person and for a machine.
package enum ComparisonText {
  package static func lines(of comparison: ModelComparison) -> [String] {
    guard !comparison.differences.isEmpty else { return ["the models keep the same data"] }
    var lines: [String] = []
    for severity in [ModelDifference.Severity.lossy, .breaking, .compatible] {
      for difference in comparison.differences where difference.severity == severity {
        let place = difference.property.map { "\(difference.entity).\($0)" }
        lines.append(
          "\(severity.rawValue): \(place ?? difference.entity.text): \(difference.cause) "
            + "[\(difference.code)]"
        )
        if severity > .compatible { lines.append("    cure: \(difference.cure)") }
      }
    }
    return lines.map(\.plainForTerminal)
  }

  /// The published form, with the path of the store or model that was compared with the other.
  package static func value(of comparison: ModelComparison, from path: String) -> JSONValue {
    .object([
      "type": "comparison", "from": ["path": .string(path)],
      "lossy": .boolean(comparison.isLossy),
      "differences": .list(comparison.differences) { difference in
        [
          "code": .string(difference.code), "severity": .string(difference.severity.rawValue),
          "entity": .string(difference.entity.text), "property": .text(difference.property),
          "pointer": .string(difference.property.map { "/\($0)" } ?? ""),
          "cause": .string(difference.cause), "cure": .string(difference.cure),
        ]
      },
    ])
  }
}
