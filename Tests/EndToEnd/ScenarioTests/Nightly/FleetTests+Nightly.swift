import Foundation
import JSONText
import TestSupport
import Testing

extension FleetTests {
  @Test func `one store that fails does not stop the others, and the worst status is returned`()
    async throws
  {
    try await withHarbour(stores: 4, records: 2) { harbour in
      var lines = try String(at: harbour.list)
      lines += #"{"store": "stores/nothing.sqlite", "name": "nothing"}"# + "\n"
      lines = lines.replacing("user00002@example.com\"", with: "stranger@example.com\"")
      let list = "\(harbour.folder)/fleet/other.jsonl"
      try lines.save(to: list)
      let report = "\(harbour.folder)/fleet.json"
      let answer = try await harbour.fleet(["--report", report], list: list)
      try hold(answer)
      #expect(answer.status == 10, "\(answer)")
      let value = try JSONValue(parsing: String(at: report))
      #expect(try PublishedForm.faults(of: value, under: "ferry.fleet.v1.schema.json") == [])
      let stores = value["stores"]?.array ?? []
      let names = stores.map { $0["statusName"]?.text ?? "" }
      #expect(names == ["done", "mismatch", "done", "done", "source unusable"])
      #expect(stores[1]["reason"]?.text?.contains("stranger@example.com") == true)
      #expect(try harbour.rows().count == 6)
    }
  }

  @Test func `a dry run of a fleet sends no request and leaves no state`() async throws {
    try await withHarbour(stores: 2, records: 2) { harbour in
      try await harbour.fleet(["--", "-n"]).exits(0)
      #expect(try harbour.rows() == [:])
      #expect(!FileManager.default.fileExists(atPath: "\(harbour.folder)/state/fleet"))
      try await harbour.fleet(["--collect"]).exits(5)
    }
  }

  @Test func `the runs of a fleet's stores are listed, each with its state folder`() async throws {
    try await withHarbour(stores: 2, records: 2) { harbour in
      try await harbour.fleet([]).exits(0)
      let history = try await ferry(["history"], harbour).exits(0)
      let status = try await ferry(["status"], harbour).exits(0)
      #expect(history.values.count == 2)
      #expect(status.value("status")?["runs"]?.array?.count == 2)
      for run in history.values {
        let undo = run["undo"]?.text ?? ""
        #expect(undo.contains("\(run["run"]?.text ?? "-") --state-dir"), "\(undo)")
        #expect(undo.contains("/fleet/"), "\(undo)")
        let one = try await ferry(["history", run["run"]?.text ?? ""], harbour).exits(0)
        #expect(one.values.first?["undo"] == run["undo"])
      }
      let prune = try await ferry(["prune", "-n"], harbour).exits(0)
      #expect(prune.value("prune")?["kept"]?.array?.isEmpty == false)
    }
  }

  @Test func `a store whose run was rolled back is no longer done, and is migrated again`()
    async throws
  {
    try await withHarbour(stores: 2, records: 3) { harbour in
      try await harbour.fleet([]).exits(0)
      let history = try await ferry(["history"], harbour).exits(0)
      let run = try #require(history.values.first?["run"]?.text)
      try await ferry(["rollback", run], harbour).exits(0)
      #expect(try harbour.rows().count == 3)

      let collected = try await harbour.fleet(["--collect"])
      try hold(collected)
      #expect(collected.status == 5, "\(collected)")
      #expect(collected.value("fleet")?["byStatus"] == ["done": 1, "rolled back": 1])
      #expect(collected.value("fleet")?["records"]?["created"] == 3)
      let undone = collected.values.first { $0["statusName"] == "rolled back" }
      #expect(undone?["reason"]?.text?.contains("run \(run) was rolled back by ") == true)

      let again = try await harbour.fleet([])
      try hold(again)
      #expect(again.status == 0, "\(again)")
      #expect(again.values.count { $0["earlier"] == true } == 1)
      #expect(try harbour.rows().count == 6)
      let whole = try await harbour.fleet(["--collect"])
      #expect(whole.value("fleet")?["byStatus"] == ["done": 2])
    }
  }

  @Test func `a fleet is reported in every form, with a line for each store`() async throws {
    try await withHarbour(stores: 2, records: 2) { harbour in
      let nothing = #"{"store": "stores/nothing.sqlite", "name": "nothing"}"#
      let lines = try String(at: harbour.list) + nothing
      let list = "\(harbour.folder)/fleet/other.jsonl"
      try lines.save(to: list)
      let flags = ["ndjson", "md", "html", "xml", "sarif"].flatMap {
        ["--report", "\(harbour.folder)/all.\($0)"]
      }
      try await harbour.fleet(flags, list: list).exits(10)
      func text(_ form: String) throws -> String { try String(at: "\(harbour.folder)/all.\(form)") }
      #expect(try text("md").contains("| nothing | 0 |"))
      #expect(try text("html").contains("<code>fleet.store</code>"))
      #expect(try text("xml").contains("<testcase classname=\"ferry.fleet\" name=\"nothing\""))
      #expect(try text("sarif").contains("\"ruleId\": \"fleet.store\""))
      #expect(try text("ndjson").split(separator: "\n").count == 4)
      let history = try await ferry(["history"], harbour).exits(0)
      let runs = history.values.compactMap { $0["run"]?.text }
      #expect(runs.count == 2)
      for form in ["md", "html", "xml", "sarif"] {
        #expect(try runs.allSatisfy(text(form).contains))
      }
    }
  }

  @Test(arguments: [
    ["--shard", "9/8"], ["--", "--state-dir", "x"], ["--", "--nonsense"],
    ["--report", "fleet"], ["--report", "none/there/x.json"],
  ])
  func `an invalid fleet is refused before any store is migrated`(words: [String]) async throws {
    let list = "\(Samples.folder)/fleet/profile.yaml"
    try await FerryProgram().run(
      ["fleet", list] + words,
      state: NSTemporaryDirectory() + "ferry-\(UUID().uuidString)"
    ).exits(64)
  }
}
