import JSONText
import Reporting
package import ResultStages

/// Writes what was recognised in each text, many texts at a time.
package struct ExplanationOutput {
  private let format: Screen.Format
  private var writer = JSONWriter(reservingCapacity: 1 << 12)
  /// What is still to be written.
  private var waiting: [UInt8] = []
  private var isFirst = true

  /// So many bytes are written at once.
  private static let most = 1 << 16

  package init(_ screen: Screen) { format = screen.format }

  package mutating func add(_ text: ExplainedText) {
    switch format {
    case .text, .mermaid:
      for line in ExplanationText.lines(of: text) { waiting += (line + "\n").utf8 }
    case .json: add(text, behind: isFirst ? "[" : ",\n", before: "")
    case .ndjson: add(text, behind: "", before: "\n")
    }
    isFirst = false
    if waiting.count >= Self.most { flush() }
  }

  private mutating func add(_ text: ExplainedText, behind start: String, before end: String) {
    ExplanationText.write(text, to: &writer)
    let json = String(decoding: writer.bytes, as: UTF8.self).escapedForDisplay
    waiting += (start + json + end).utf8
    writer.reset()
  }

  /// Ends the whole.
  package mutating func finish() {
    if format == .json { waiting += (isFirst ? "[]\n" : "]\n").utf8 }
    flush()
  }

  /// Writes what was added, as also before an import that stops.
  package mutating func flush() {
    guard !waiting.isEmpty else { return }
    ResultOutput.put(waiting)
    waiting.removeAll(keepingCapacity: true)
  }
}
