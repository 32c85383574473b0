import Foundation
import JSONText
import TestSupport
import Testing

/// One line of a sample in its folder, as a pipeline runs it, with what it ended with.
struct ShellLine {
  let status: Int32
  let output: String

  static var path: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin" }

  init(_ line: String, in folder: String, _ more: [String: String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", line + " 2>&1"]
    process.currentDirectoryURL = URL(filePath: folder)
    var environment = [
      "PATH": Self.path, "HOME": folder, "TMPDIR": folder, "FERRY": try FerryProgram().path,
      "STORE": "store/default.store", "SWIFT_BACKTRACE": "enable=no",
    ]
    environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
    process.environment = environment.merging(more) { _, new in new }
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    status = process.terminationStatus
    output = String(decoding: data, as: UTF8.self)
  }
}

/// What a pull request gets: the steps of the samples, run here, with a `gh` that keeps what it was given.
@Suite(.timeLimit(.minutes(3))) struct PullRequestTests {
  /// A repository that keeps a store, with the scripts where the workflow expects them.
  struct Repository {
    let folder: String

    var reports: String { "\(folder)/ferry-reports" }

    func text(_ name: String) throws -> String { try String(at: "\(reports)/\(name)") }

    /// Runs one line of a workflow.
    func run(_ line: String, _ more: [String: String] = [:]) throws -> ShellLine {
      let environment = [
        "PATH": "\(folder)/bin:\(ShellLine.path)", "GITHUB_REPOSITORY": "owner/app", "NUMBER": "7",
        "GH_TOKEN": "token", "COMMENTS": "\(folder)/comments.json",
      ]
      return try ShellLine(line, in: folder, environment.merging(more) { _, new in new })
    }

    /// The comments of the pull request, as `gh` keeps them.
    func comments() throws -> [(author: String, body: String)] {
      let list = try JSONValue(parsing: String(at: "\(folder)/comments.json")).array ?? []
      return list.map { ($0["author"]?.text ?? "", $0["body"]?.text ?? "") }
    }
  }

  /// `gh api`, as the sample calls it: lists the comments of an author with a beginning, adds one, edits one.
  static let gh = #"""
    #!/usr/bin/env python3
    import json, os, re, sys
    path, words = os.environ["COMMENTS"], sys.argv[1:]
    if os.environ.get("READ_ONLY"):
        if "--method" in words or os.environ["READ_ONLY"] == "all":
            print("gh: Resource not accessible by integration (HTTP 403)", file=sys.stderr)
            sys.exit(1)
    comments = json.load(open(path))
    if "--method" not in words:
        assert words[:3] == ["api", "--paginate", "repos/owner/app/issues/7/comments"], words
        filter = words[words.index("--jq") + 1]
        author = re.search(r'\.user\.login == "([^"]*)"', filter).group(1)
        begin = re.search(r'startswith\("([^"]*)"\)', filter).group(1)
        for number, comment in enumerate(comments):
            if comment["author"] == author and comment["body"].startswith(begin):
                print(number)
        sys.exit(0)
    body = open(words[words.index("-F") + 1].removeprefix("body=@")).read()
    if "POST" in words:
        assert words[3] == "repos/owner/app/issues/7/comments", words
        comments.append({"author": "github-actions[bot]", "body": body})
    else:
        comments[int(words[3].rsplit("/", 1)[1])]["body"] = body
    json.dump(comments, open(path, "w"))
    """#

  func withRepository(_ body: (Repository) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      try FileManager.default.copyItem(atPath: "\(Samples.folder)/ci", toPath: "\(folder)/ci")
      _ = try madeStore(in: "\(folder)/store")
      try makeFolder("\(folder)/bin")
      try Self.gh.save(to: "\(folder)/bin/gh")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755],
        ofItemAtPath: "\(folder)/bin/gh"
      )
      try #"[{"author": "ada", "body": "<!-- ferry dry run: ferry --> not mine"}]"#
        .save(to: "\(folder)/comments.json")
      try await body(Repository(folder: folder))
    }
  }

  @Test func `the comment is made once, then edited, and no other is touched`() async throws {
    try await withRepository { repository in
      _ = try repository.run("sh ci/dry-run.sh")
      #expect(try repository.run("sh ci/comment.sh").status == 0)
      let first = try repository.comments()
      #expect(first.map(\.author) == ["ada", "github-actions[bot]"])
      #expect(first[1].body.contains("### ferry report: done"))
      try Python.edit("\(repository.folder)/store/default.store", "UPDATE ZHERO SET ZNAME = ''")
      _ = try repository.run("sh ci/dry-run.sh")
      #expect(try repository.run("sh ci/comment.sh").status == 0)
      let second = try repository.comments()
      #expect(second.count == 2)
      #expect(second[0].body == first[0].body)
      #expect(second[1].body.contains("### ferry report: invalid"))
    }
  }
}
