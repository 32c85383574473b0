package import ArgumentParser
import Files
import Foundation
import JSONText
package import Redaction
package import Reporting

/// Which reports are written beside what is printed, and what they keep to themselves.
package struct ReportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write a report as well; may be given several times.",
      discussion: """
        The name's ending sets the format: .json, .ndjson, .md, .html, .xml (JUnit), .sarif; \
        markdown=FILE names it. - is standard output.
        """,
      valueName: "file"
    ),
    completion: .file()
  )
  package var report: [String] = []

  @Option(
    help: ArgumentHelp(
      "An earlier JSON report; the new ones say what changed since.",
      valueName: "file"
    ),
    completion: .file()
  )
  package var compare: String?

  @Option(
    help: "Mark findings on GitHub and fill the step's summary: auto unless given, github or none.",
    completion: .list(["auto", "github", "none"])
  )
  package var annotations = "auto"

  @Flag(help: "Let reports, and what is printed, quote values of records.")
  package var showValues = false

  @Flag(
    help: ArgumentHelp(
      "Write what can be handed to another person: placeholders for values, pseudonyms for identities.",
      discussion: """
        Of reports, and with export and import of the package; it leaves media files out and is never \
        sent. The key is one of this run, unless --pseudonyms gives one.
        """
    )
  )
  package var redact = false

  @Option(
    help: ArgumentHelp(
      "Replace identities in reports by pseudonyms made with this key.",
      discussion: "At least 16 bytes, from a variable or a file (0600).",
      valueName: "env:var|file:path"
    )
  )
  package var pseudonyms: String?

  package init() {}

  /// Refuses names of reports that say no format, or lie in no folder.
  package static func check(_ report: [String]) throws {
    for text in report {
      guard let target = ReportTarget(parsing: text) else {
        throw ValidationError(
          "--report does not know the format of “\(text)”: end it in .json, .ndjson, .md, .html, .xml "
            + "or .sarif, or write FORM=\(text)."
        )
      }
      let folder = Folder.parentPath(of: target.path)
      guard target.path == "-" || Folder.exists(folder) else {
        throw ValidationError("--report: there is no folder \(folder).")
      }
    }
  }

  package func validate() throws {
    try Self.check(report)
    guard ["auto", "github", "none"].contains(annotations) else {
      throw ValidationError("--annotations takes auto, github or none, not “\(annotations)”.")
    }
    guard !showValues || !redact else {
      throw ValidationError("--show-values and --redact contradict each other.")
    }
    guard !showValues || pseudonyms == nil else {
      throw ValidationError("--show-values and --pseudonyms contradict each other.")
    }
    _ = try key()
    _ = try earlier()
  }

  /// Whether anything is to be written.
  package var isWanted: Bool { !report.isEmpty || annotates }

  package var targets: [ReportTarget] { report.compactMap { ReportTarget(parsing: $0) } }

  /// Whether findings are marked on GitHub.
  package var annotates: Bool {
    annotations == "github"
      || annotations == "auto"
        && ProcessInfo.processInfo.environment["GITHUB_ACTIONS"] == "true"
  }

  package func redaction() throws -> ReportRedaction {
    ReportRedaction(
      showsValues: showValues,
      key: try key() ?? (redact ? Self.keyOfThisRun : nil),
      folder: FileManager.default.currentDirectoryPath
    )
  }

  /// What a redacted package is made with.
  package func makePseudonyms() throws -> Pseudonyms {
    Pseudonyms(key: try key() ?? Self.keyOfThisRun)
  }

  /// A key that no one ever learns.
  private static let keyOfThisRun = (0..<32).map { _ in UInt8.random(in: .min ... .max) }

  /// The report to be compared with.
  package func earlier() throws -> Report? {
    guard let compare else { return nil }
    do {
      let bytes = try InputFile.contents(of: compare, limit: 256 << 20)
      if let report = Report(try JSONValue(parsing: bytes)) { return report }
    } catch {
      throw ValidationError("--compare: \(compare) cannot be read: \(error)")
    }
    throw ValidationError("--compare: \(compare) is not a JSON report of this version of ferry.")
  }

  /// The key for pseudonyms, without the line end that a file may have.
  private func key() throws -> [UInt8]? {
    guard let pseudonyms else { return nil }
    var bytes: [UInt8]
    if pseudonyms.hasPrefix("env:") {
      let name = String(pseudonyms.dropFirst("env:".count))
      bytes = Array((ProcessInfo.processInfo.environment[name] ?? "").utf8)
    } else if pseudonyms.hasPrefix("file:") {
      let path = String(pseudonyms.dropFirst("file:".count))
      bytes = try Self.secret(at: path)
    } else {
      throw ValidationError("--pseudonyms takes env:VAR or file:PATH; a key is never an argument.")
    }
    while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
      bytes.removeLast()
    }
    guard bytes.count >= ReportRedaction.shortestKey else {
      throw ValidationError(
        "--pseudonyms: the key of \(pseudonyms) has \(bytes.count) bytes; "
          + "\(ReportRedaction.shortestKey) are the fewest."
      )
    }
    return bytes
  }

  private static func secret(at path: String) throws -> [UInt8] {
    do throws(PrivateFile.Refusal) { return try PrivateFile.contents(of: path) } catch {
      throw ValidationError("--pseudonyms: \(error.reason(path)); \(error.cure(path)).")
    }
  }
}
