import Fleet
import JSONText
import Reporting
import Testing

/// What a fleet came to, in each form.
struct FleetReportTests {
  private static func store(
    _ name: String,
    status: Int32,
    records: JSONValue,
    run: String?
  ) throws -> FleetResult {
    try #require(
      FleetResult([
        "type": "fleet-store", "name": .string(name), "store": .string("/s/\(name)"),
        "status": .whole(status), "records": records,
        "statusName": .text(ExitStatus(rawValue: status)?.name),
        "run": .text(run),
      ])
    )
  }

  private static func report() throws -> FleetReport {
    FleetReport(
      tool: "0.1.0",
      list: "list.jsonl",
      shard: nil,
      results: [
        try store("a.store", status: 0, records: ["created": 3, "read": 3], run: "r-1"),
        try store("b.store", status: 5, records: [:], run: "r-2"),
        try store("c.store", status: 10, records: [:], run: nil),
      ],
      seconds: 2,
      status: 10,
      statusName: "source unusable"
    )
  }

  private static func text(_ form: ReportForm) throws -> String {
    form.text(of: try report(), began: "2026-01-31T12:00:00Z")
  }

  @Test func `Markdown and HTML name the run of each store, and no run where none began`() throws {
    let markdown = try Self.text(.markdown)
    #expect(markdown.contains("| store | records | created | failed | run |\n"), "\(markdown)")
    #expect(markdown.contains("| a.store | 3 | 3 | · | `r-1` |\n"), "\(markdown)")
    #expect(markdown.contains("| b.store | 0 | · | 1 | `r-2` |\n"))
    #expect(markdown.contains("| c.store | 0 | · | 1 | · |\n"))
    let page = try Self.text(.html)
    #expect(page.contains("<th scope=\"col\">run</th></tr>"))
    #expect(page.contains("<td><code>r-1</code></td></tr>"))
    #expect(page.contains("<td>·</td></tr>"))
  }

  @Test func `JUnit names the run of each store in the output of its case`() throws {
    let text = try Self.text(.junit)
    #expect(text.contains("<system-out>3 created, run r-1</system-out>"), "\(text)")
    #expect(text.contains("<system-out>1 failed, run r-2</system-out>"))
    #expect(text.contains("<system-out>1 failed</system-out>"))
  }

  @Test func `SARIF names the run of each store, also of those that have no finding`() throws {
    let run = try JSONValue(parsing: try Self.text(.sarif))["runs"]?[0]
    #expect(run?["properties"]?["runs"] == ["a.store": "r-1", "b.store": "r-2"])
    #expect(run?["results"]?.array?.count == 2)
  }
}
