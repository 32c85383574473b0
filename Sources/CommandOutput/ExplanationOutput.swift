import CommandOutput
import Files
import Foundation
import JSONText
import LegacyFiles
import Reporting
import ResultStages
import StageSupport

/// Writes what was recognised in each text, many texts at a time.
struct ExplanationOutput {
  private let format: Screen.Format
  private var writer = JSONWriter(reservingCapacity: 1 << 17)
  private var isFirst = true

  init(_ screen: Screen) { format = screen.format }

  mutating func add(_ text: ExplainedText) {
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

  mutating func finish() {
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

/// Standard input, kept in a private file while it is read.
struct StandardInput {
  let paths: [String]
  /// The file and the folder that goes with it.
  let held: (folder: PrivateFolder, path: String)?

  /// Copies standard input where `-` is among the paths.
  static func replacing(_ paths: [String]) throws(MigrationError) -> StandardInput {
    guard paths.contains("-") else { return StandardInput(paths: paths, held: nil) }
    do throws(FileError) {
      let folder = try PrivateFolder()
      let path = "\(folder.path)/input"
      var input = try InputFile.standardInput()
      var output = try OutputFile(creating: path)
      while true {
        let bytes = try input.bytes(upTo: 1 << 20)
        if bytes.isEmpty { break }
        try output.write(bytes)
      }
      _ = try output.finishUnsynced()
      return StandardInput(
        paths: paths.map { $0 == "-" ? path : $0 },
        held: (folder, path)
      )
    } catch {
      throw .file(error)
    }
  }
}
