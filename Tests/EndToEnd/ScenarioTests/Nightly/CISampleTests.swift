import Foundation
import TestSupport
import Testing

/// The samples of `Samples/ci`, run as a pipeline runs them.
@Suite(.timeLimit(.minutes(3))) struct CISampleTests {
  private static let folder = "\(Samples.folder)/ci"

  /// Runs one command line of a sample in `folder`, where `ci` and `store` are.
  private func run(
    _ line: String,
    in folder: String,
    _ more: [String: String] = [:]
  ) throws -> ShellLine {
    let backend = ["BACKEND": try FerryProgram(named: "ferry-backend").path]
    return try ShellLine(line, in: folder, backend.merging(more) { _, new in new })
  }

  /// A repository that keeps a store, with the scripts where the samples expect them.
  private func withRepository(_ body: (String) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      try FileManager.default.copyItem(atPath: Self.folder, toPath: "\(folder)/ci")
      _ = try madeStore(in: "\(folder)/store")
      try await body(folder)
    }
  }

  /// The lines by which a sample calls the scripts.
  private func calls(_ sample: String) throws -> [String] {
    try String(at: "\(Self.folder)/\(sample)")
      .split(separator: "\n").compactMap { line in
        line.firstMatch(of: /sh ci\/[a-z-]+\.sh$/).map { String($0.output) }
      }
  }

  @Test(arguments: ["github-actions.yml", "gitlab-ci.yml"])
  func `every script of a CI sample runs and succeeds`(sample: String) async throws {
    let calls = Set(try calls(sample)).subtracting(["sh ci/comment.sh"])
    #expect(calls == ["sh ci/dry-run.sh", "sh ci/rehearse.sh"])
    for call in calls {
      try await withRepository { folder in
        let ended = try run(call, in: folder)
        #expect(ended.status == 0, "\(call): \(ended.output)")
      }
    }
  }

  @Test func `the files that the CI samples pass on are written by their scripts`() async throws {
    try await withRepository { folder in
      _ = try run("sh ci/dry-run.sh", in: folder)
      for sample in ["github-actions.yml", "gitlab-ci.yml"] {
        let text = try String(at: "\(Self.folder)/\(sample)")
        for match in text.matches(of: /ferry-reports\/[a-z]+\.[a-z]+/) {
          let file = "\(folder)/\(match.output)"
          #expect(FileManager.default.fileExists(atPath: file), "\(sample): \(match.output)")
        }
      }
    }
  }

  @Test func `a record that breaks its schema fails the dry run, and the reports say why`()
    async throws
  {
    try await withRepository { folder in
      try Python.edit("\(folder)/store/default.store", "UPDATE ZHERO SET ZNAME = ''")
      let ended = try run("sh ci/dry-run.sh", in: folder)
      #expect(ended.status == 4, "\(ended.output)")
      let text = try String(at: "\(folder)/ferry-reports/ferry.md")
      #expect(text.contains("<code>schema."))
    }
  }

  @Test func `a change of the model that loses data fails the dry run`() async throws {
    try await withRepository { folder in
      // The later model against the older one: what it added would be lost.
      let base = "\(Samples.folder)/infinite-stories/later.store"
      let ended = try run("sh ci/dry-run.sh", in: folder, ["BASE_STORE": base])
      #expect(ended.status == 6, "\(ended.output)")
    }
  }

  @Test func `the report is compared with that of the base branch`() async throws {
    try await withRepository { folder in
      _ = try run("sh ci/dry-run.sh", in: folder, ["REPORTS": "base-reports"])
      try Python.edit("\(folder)/store/default.store", "UPDATE ZHERO SET ZNAME = ''")
      _ = try run(
        "sh ci/dry-run.sh",
        in: folder,
        ["BASE_REPORT": "base-reports/ferry.json"]
      )
      let text = try String(at: "\(folder)/ferry-reports/ferry.md")
      #expect(text.contains("Exit status: 0 → **4**"))
    }
  }

  @Test func `the rehearsal fails if records are left at the backend`() async throws {
    try await withRepository { folder in
      let script = "\(folder)/ci/rehearse.sh"
      try String(at: script).replacing("\"$FERRY\" rollback", with: ": rollback").save(to: script)
      let ended = try run("sh ci/rehearse.sh", in: folder)
      #expect(ended.status == 6, "\(ended.output)")
    }
  }
}
