import JSONText
import RecordDiffs
import Records
import Reporting
import Testing
import UploadPlanning

struct DiffTextTests {
  private static let update = RecordDiff(
    record: RecordID(entity: "Hero", key: "h1"),
    action: .update,
    fields: [
      .init(name: "level", old: .value(2), new: .value(3)),
      .init(name: "name", old: .value("Ada"), new: .value("Grace\u{1B}[2J")),
      .init(name: "note", old: .absent, new: .value(["a", "b"])),
      .init(name: "pin", old: .unread, new: .value(true)),
    ]
  )

  @Test func `without values a field shows its kinds and lengths`() {
    #expect(
      DiffText(showsValues: false).lines(of: Self.update) == [
        "~ Hero/h1", "    level: number → number",
        "    name: text of 3 characters → text of 9 characters",
        "    note: list of 2 elements", "    pin: not read → boolean",
      ]
    )
  }

  @Test func `with values a field shows them, and no control of a terminal`() {
    let lines = DiffText(showsValues: true).lines(of: Self.update)
    #expect(lines[1] == "    level: 2 → 3")
    #expect(lines[3] == #"    note: ["a","b"]"#)
    #expect(!lines.joined().unicodeScalars.contains("\u{1B}"))
  }

  @Test(arguments: [("+", 32), ("~", 33), ("-", 31)])
  func `each sign has its colour`(sign: String, colour: Int) {
    let actions = ["+": "create", "~": "update", "-": "delete"]
    let diff = RecordDiff(
      record: RecordID(entity: "Hero", key: "h1"),
      action: actions[sign].flatMap { .init(rawValue: $0) } ?? .discard,
      fields: []
    )
    #expect(
      DiffText(showsValues: false, isColoured: true).lines(of: diff)
        == ["\u{1B}[\(colour)m\(sign) Hero/h1\u{1B}[0m"]
    )
  }

  @Test func `a refused record shows its state, and the reason only with values`() {
    let diff = RecordDiff(
      record: RecordID(entity: "Hero", key: "h1"),
      action: .create,
      state: .rejected,
      reason: "“Ada” is taken",
      fields: nil
    )
    #expect(
      DiffText(showsValues: false).lines(of: diff)
        == ["+ Hero/h1  (rejected)", "    its fields were not read"]
    )
    #expect(
      DiffText(showsValues: true).lines(of: diff).first == "+ Hero/h1  (rejected: “Ada” is taken)"
    )
  }

  @Test func `a value is in the JSON form only when values are shown`() {
    let plain = DiffText(showsValues: false).value(of: Self.update)
    #expect(plain.value(at: "/fields/1/old") == ["kind": "string", "length": 3])
    #expect(plain.value(at: "/fields/2/old")?.isNull == true)
    #expect(plain.value(at: "/fields/3/old") == ["kind": "unread"])
    let shown = DiffText(showsValues: true).value(of: Self.update)
    #expect(shown.value(at: "/fields/1/old/value") == "Ada")
  }

  // MARK: A report

  private func report(showsValues: Bool, key: String? = nil) -> Report {
    var stage = DiffStage(DiffText(showsValues: showsValues))
    stage.add(Self.update)
    return SampleReport.report(
      [SampleReport.export, stage.value],
      showsValues: showsValues,
      key: key
    )
  }

  @Test func `the page shows each record, before and after`() {
    let page = ReportForm.html.text(of: report(showsValues: true))
    #expect(page.contains("<code>h1</code>"))
    #expect(page.contains("<th scope=\"row\">level</th><td>2</td><td>3</td>"))
    let quiet = ReportForm.html.text(of: report(showsValues: false))
    #expect(!quiet.contains("Ada") && quiet.contains("text of 3 characters"))
  }

  @Test func `Markdown has the diff as a block that no value ends`() {
    let diff = RecordDiff(
      record: RecordID(entity: "Hero", key: "a```\n# b"),
      action: .create,
      fields: [.init(name: "name", old: .absent, new: .value("```\n</details>"))]
    )
    var stage = DiffStage(DiffText(showsValues: true))
    stage.add(diff)
    let text = ReportForm.markdown.text(of: SampleReport.report([stage.value], showsValues: true))
    #expect(text.ranges(of: "```").count == 2)
    #expect(!text.contains("\n# b"))
  }

  @Test func `with a key, the records of a diff have pseudonyms`() {
    let page = ReportForm.html.text(of: report(showsValues: false, key: "0123456789abcdef"))
    #expect(!page.contains("<code>h1</code>") && page.contains("<code>p-"))
  }

  @Test func `the diffs of two commands are one list with one line for each entity`() {
    func stage(_ keys: [String]) -> JSONValue {
      var stage = DiffStage(DiffText(showsValues: false))
      for key in keys {
        stage.add(
          RecordDiff(record: RecordID(entity: "Hero", key: key), action: .create, fields: [])
        )
      }
      return stage.value
    }
    let report = SampleReport.report([stage(["h1", "h2"]), stage(["h3", "h4", "h5"])])
    let page = ReportForm.html.text(of: report)
    #expect(page.contains("<p>5 new.</p>"))
    #expect(page.ranges(of: "<b>Hero</b>").count == 1)
    #expect(page.contains("<b>Hero</b>: 5 records</summary>"))
  }

  @Test func `a diff that does not count by entity counts the records that are listed`() throws {
    var object = try #require(report(showsValues: false).stages.last?.value.object)
    object["entities"] = nil
    let page = ReportForm.html.text(of: SampleReport.report([.object(object)]))
    #expect(page.contains("<p>1 changed.</p>") && page.contains("<code>h1</code>"), "\(page)")
  }

  @Test func `a diff of more than a thousand records lists the first, and counts all by entity`() {
    var stage = DiffStage(DiffText(showsValues: false))
    let actions = (0..<1_003).map { ("Hero", "\($0)", Operation.Action.create) }
    let more: [(String, String, Operation.Action)] = [
      ("Hero", "h1", .update), ("Story", "s1", .delete), ("Story", "s2", .delete),
    ]
    for (entity, key, action) in actions + more {
      guard let entity = EntityName(entity) else { continue }
      stage.add(RecordDiff(record: RecordID(entity: entity, key: key), action: action, fields: []))
    }
    #expect(stage.counts == [.added: 1_003, .changed: 1, .removed: 2])
    #expect(stage.value["records"]?.array?.count == 1_000)
    let page = ReportForm.html.text(of: SampleReport.report([stage.value]))
    #expect(page.contains("<p>1003 new, 1 changed, 2 removed.</p>"))
    #expect(page.contains("<b>Hero</b>: 1004 records (1000 listed)"))
    #expect(page.contains("<b>Story</b>: 2 records (0 listed)"))
    #expect(page.contains("… and 6 more."))
    let text = ReportForm.markdown.text(of: SampleReport.report([stage.value]))
    #expect(text.contains("<summary>1006 records: 1003 new, 1 changed, 2 removed</summary>"))
  }
}
