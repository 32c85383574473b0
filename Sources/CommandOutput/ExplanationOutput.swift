import JSONText
import Reporting
package import ResultStages

/// Writes what was recognised in each text, many texts at a time.
package struct ExplanationOutput {
  private let format: Screen.Format
  private var writer = JSONWriter(reservingCapacity: 1 << 17)
  private var isFirst = true

  package init(_ screen: Screen) { format = screen.format }

  package mutating func add(_ text: ExplainedText) {
    switch format {
    case .text, .mermaid:
      Self.put(Array((ExplanationText.lines(of: text).joined(separator: "\n") + "\n").utf8))
    case .json:
      Self.put(Array((isFirst ? "[" : ",\n").utf8))
      ExplanationText.write(text, to: &writer)
      flush()
    case .ndjson:
      ExplanationText.write(text, to: &writer)
      writer.endLine()
      if writer.count > 1 << 16 { flush() }
    }
    isFirst = false
  }

  package mutating func finish() {
    flush()
    if format == .json { Self.put(Array((isFirst ? "[]\n" : "]\n").utf8)) }
  }

  private mutating func flush() {
    let text = String(decoding: writer.bytes, as: UTF8.self)
    Self.put(Array(text.escapedForDisplay.utf8))
    writer.reset()
  }

  private static func put(_ bytes: [UInt8]) {
    ResultOutput.put(bytes)
  }
}
