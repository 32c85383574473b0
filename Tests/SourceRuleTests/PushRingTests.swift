import Foundation
import Testing

/// The list of what is tested end to end for each change is true.
struct PushRingTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A line of the list: `ScenarioTests.PlanTests/a file that is no plan is refused`.
  private struct Line {
    let module: String
    /// The innermost suite.
    let suite: String
    let test: String
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func lines() throws -> [Line] {
    try text("Tests/EndToEnd/push.txt").split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map { line in
        let parts = line.split(separator: "/")
        let names = parts[0].split(separator: ".")
        let suite = parts.count > 2 ? parts[parts.count - 2] : names[names.count - 1]
        return Line(
          module: String(names[0]),
          suite: String(suite),
          test: String(parts[parts.count - 1])
        )
      }
  }

  /// The texts of a module's files; those of `Nightly` are not compiled for a push.
  private static func texts(of module: String) throws -> [String] {
    let folder = "Tests/EndToEnd/\(module)"
    return try FileManager.default
      .subpathsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Nightly/") }
      .map { try text("\(folder)/\($0)") }
  }

  /// Whether a file has tests of a suite; that it mentions the suite is not enough.
  private static func declares(_ suite: String, in text: String) throws -> Bool {
    let name = NSRegularExpression.escapedPattern(for: suite)
    return text.contains(try Regex(#"\b(struct|extension|enum) ([\w.]+\.)?\#(name)\b"#))
  }

  @Test func `every line of the push list names an existing test in its suite`() throws {
    let lines = try Self.lines()
    #expect(lines.count > 100)
    for (module, lines) in Dictionary(grouping: lines, by: \.module) {
      let files = try Self.texts(of: module).map { text in
        // A name is between two marks.
        (text: text, names: Set(text.split(separator: "`")))
      }
      for line in lines {
        let places = files.filter { $0.names.contains(Substring(line.test)) }
        #expect(try places.contains { try Self.declares(line.suite, in: $0.text) }, "\(line)")
      }
    }
  }

  @Test func `the push list has a test of each exit status`() throws {
    let tests = Set(try Self.lines().map(\.test))
    let table = try Self.text("Sources/FerryCommands/FerryCommands.docc/ExitStatuses.md")
    let rows = table.matches(of: /\| [0-9]+ \| `[^`]+` \| ([^|]+) \|/).map { String($0.1) }
    #expect(rows.count == 15)
    for row in rows { #expect(tests.contains(row), "\(row)") }
  }
}
