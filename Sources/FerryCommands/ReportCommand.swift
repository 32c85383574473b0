import ArgumentParser
import CommandOptions
import CommandOutput
import Files
import Foundation
import JSONText
import Reporting
import StageSupport

/// `ferry report`: one report of several commands.
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Make one report of the JSON reports of several commands.",
    discussion: """
      EXAMPLES
        ferry report export.json plan.json --report all.md --report all.html

      A file that is missing or cannot be read counts as a command that failed, and the report says \
      so. Without --report the report is printed as Markdown.

      EXIT STATUS
        0  Every command was done.
        The gravest of the commands' statuses.
      """
  )

  @Argument(help: "The JSON reports, in the order of their commands.", completion: .file())
  var files: [String]

  @OptionGroup(title: "Reports") var reports: ReportOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    let earlier = try reports.earlier()
    try await context.run {
      var report = Report(
        merging: files.map { (name: Folder.lastName(of: $0), report: Self.report(at: $0)) },
        tool: FerryVersion.text,
        began: Date().formatted(.iso8601)
      )
      report.comparison = earlier.map { ReportComparison(report, since: $0) }
      context.screen.passing(report.value)
      if reports.report.isEmpty, context.screen.format == .text {
        context.screen.output(ReportForm.markdown.text(of: report))
      }
      let written = ReportWriting(reports, command: "report", subject: nil)
        .write(report, on: context.screen)
      let end = ExitStatus(rawValue: Int32(clamping: report.end.status)) ?? .failure
      return .strongest([end, written])
    }
  }

  /// The report in a file; `nil` where no report can be read.
  private static func report(at path: String) -> Report? {
    do {
      return Report(try JSONValue(parsing: InputFile.contents(of: path, limit: 256 << 20)))
    } catch {
      return nil
    }
  }
}
