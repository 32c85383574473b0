import Foundation
import JSONText
import TestSupport
import Testing

extension PullRequestTests {
  @Test func `one report holds the model's change, the validation and the plan`() async throws {
    try await withRepository { repository in
      try FileManager.default.copyItem(
        atPath: "\(repository.folder)/store",
        toPath: "\(repository.folder)/base"
      )
      let ended = try repository.run(
        "sh ci/dry-run.sh",
        ["BASE_STORE": "base/default.store"]
      )
      #expect(ended.status == 0, "\(ended.output)")
      let report = try JSONValue(parsing: repository.text("ferry.json"))
      #expect(try PublishedForm.faults(of: report, under: "ferry.report.v1.schema.json") == [])
      let commands = report["parts"]?.array?.map { $0["command"]?.text }
      #expect(commands == ["inspect", "export", "validate", "plan"])
      let stages = (report["stages"]?.array ?? []).compactMap { $0["type"]?.text }
      #expect(stages == ["comparison", "export", "validation", "plan", "diff"])
      let text = try repository.text("ferry.md")
      #expect(text.contains("| plan | 0 | done |"))
      #expect(text.contains("\n+ Hero/"))
    }
  }

  @Test func `a broken profile leaves the report, with its reason`() async throws {
    try await withRepository { repository in
      try "ferry-profile: 1\napp: [\n".save(to: "\(repository.folder)/store/profile.yaml")
      let ended = try repository.run("sh ci/dry-run.sh")
      #expect(ended.status != 0)
      let report = try JSONValue(parsing: repository.text("ferry.json"))
      #expect(report["parts"]?.array?.map { $0["command"]?.text } == ["export"])
      #expect(report.value(at: "/end/status")?.integer == Int64(ended.status))
      #expect(try repository.text("ferry.md").contains("\n> "))
      #expect(try repository.run("sh ci/comment.sh").status == 0)
      #expect(try repository.comments().count == 2)
    }
  }

  @Test(arguments: ["all", "writes"])
  func `a token of a fork that may not write is no failure`(rights: String) async throws {
    try await withRepository { repository in
      _ = try repository.run("sh ci/dry-run.sh")
      let ended = try repository.run("sh ci/comment.sh", ["READ_ONLY": rights])
      #expect(ended.status == 0)
      #expect(ended.output.contains("::notice::"))
      #expect(try repository.comments().count == 1)
    }
  }

  @Test func `every line that the workflow and the action run is a script of the sample`() throws {
    let folder = "\(Samples.folder)/ci"
    let script = /run: sh "?(?:\$GITHUB_ACTION_PATH|ci)\/([a-z.\/-]+\.sh)"?$/
    for (file, base) in [("github-actions.yml", folder), ("action/action.yml", "\(folder)/action")]
    {
      let lines = try String(at: "\(folder)/\(file)").split(separator: "\n")
        .filter { $0.contains("run: ") }
      #expect(!lines.isEmpty)
      for line in lines {
        let name = try #require(line.firstMatch(of: script)).1
        #expect(FileManager.default.fileExists(atPath: "\(base)/\(name)"), "\(line)")
      }
    }
  }

  @Test func `the action installs an archive of the right sum, and says why it refuses another`()
    async throws
  {
    try await withRepository { repository in
      let made = """
        mkdir -p made/ferry-1-linux/bin && printf '#!/bin/sh\\necho installed\\n' >made/ferry-1-linux/bin/ferry \
        && chmod 755 made/ferry-1-linux/bin/ferry && tar -C made -czf made/ferry.tar.gz ferry-1-linux \
        && sha256sum made/ferry.tar.gz >made/ferry.tar.gz.sha256
        """
      #expect(try repository.run(made).status == 0)
      let archive = "file://\(repository.folder)/made/ferry.tar.gz"
      let environment = [
        "ARCHIVE": archive,
        "RUNNER_TEMP": "\(repository.folder)/temp", "GITHUB_PATH": "\(repository.folder)/path",
      ]
      let ended = try repository.run("sh ci/action/install.sh", environment)
      #expect(ended.status == 0, "\(ended.output)")
      let folder = try String(at: "\(repository.folder)/path").split(separator: "\n")
      #expect(try repository.run("\(folder[0])/ferry").output == "installed\n")
      let sum = String(repeating: "0", count: 64)
      for (wrong, reason) in [
        (["SHA256": sum], "\(archive) has the SHA-256 sum "),
        (["ARCHIVE": "\(archive).none"], "Cannot download \(archive).none "),
      ] {
        let refused = try repository.run(
          "sh ci/action/install.sh",
          environment.merging(wrong) { $1 }
        )
        #expect(refused.status == 1)
        #expect(refused.output.contains("::error title=Install Ferry::\(reason)"))
      }
    }
  }

  /// As after a failed installation: the comment of an earlier push would go on saying that all is well.
  @Test func `a dry run that never began edits the comment, and is not said to be in the summary`()
    async throws
  {
    try await withRepository { repository in
      _ = try repository.run("sh ci/dry-run.sh")
      _ = try repository.run("sh ci/comment.sh")
      try FileManager.default.removeItem(atPath: repository.reports)
      #expect(try repository.run("sh ci/comment.sh").status == 0)
      let comments = try repository.comments()
      #expect(comments.count == 2)
      #expect(comments[1].body.contains("the dry run left no report"))
      try FileManager.default.removeItem(atPath: repository.reports)
      let ended = try repository.run("sh ci/comment.sh", ["READ_ONLY": "all"])
      #expect(ended.output.contains("::notice::"))
      #expect(!ended.output.contains("summary"))
    }
  }
}
