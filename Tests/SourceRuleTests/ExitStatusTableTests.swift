import Foundation
import Testing

/// The list of exit statuses with the tests that reach them is true.
struct ExitStatusTableTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private struct Row {
    let status: String
    let file: String
    let test: String
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func rows() throws -> [Row] {
    try text("Sources/FerryCommands/FerryCommands.docc/ExitStatuses.md")
      .matches(of: /\| ([0-9]+) \| `([A-Za-z\/]+\.swift)` \| ([^|]+) \|/)
      .map { Row(status: String($0.1), file: String($0.2), test: String($0.3)) }
  }

  @Test func `every exit status is in the list`() throws {
    let numbers = try Self.text("Sources/Reporting/ExitStatus.swift")
      .matches(of: /case [a-zA-Z]+ = ([0-9]+)\n/).map { String($0.1) }
    #expect(numbers.count == 15)
    #expect(try Set(Self.rows().map(\.status)) == Set(numbers))
  }

  @Test func `every test of the list is there, and expects the status`() throws {
    for row in try Self.rows() {
      let text = try Self.text("Tests/EndToEnd/\(row.file)")
      let start = try #require(text.range(of: "func `\(row.test)`"), "\(row.file): \(row.test)")
      let body = text[start.upperBound...].split(separator: "\n  @Test").first ?? ""
      let expected = try Regex("[sS]tatus == \(row.status)\\b|exits\\(\(row.status)\\)")
      #expect(body.contains(expected), "\(row.status): \(row.test)")
    }
  }
}
