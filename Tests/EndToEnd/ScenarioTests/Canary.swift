import Foundation
import JSONText
import TestSupport

/// Words that are nowhere else, for what no one but the owner is to read.
enum Canary {
  static let email = "canary-5e1f@example.com"
  static let password = "canary-word-77c2"
  static let token = "canary-token-90ab"
  /// What is planted in records.
  static let texts = [
    "canary-title-31d0", "canary-text-62b7", "canary-name-0c55", "canary-trait-18fe",
    "canary-event-4a9d", "canary-chat-b3e8", "canary-key-f00d",
  ]
  static let secrets = [email, password, token]
  static let all = texts + secrets

  /// Writes them into a store: two records break their schemas with one.
  static func plant(in store: String) throws {
    try Python.edit(
      store,
      "UPDATE ZSTORY SET ZTITLE = 'canary-title-31d0 ' || Z_PK",
      "UPDATE ZSTORY SET ZCONTENT = 'canary-text-62b7 ' || Z_PK",
      "UPDATE ZHERO SET ZNAME = 'canary-name-0c55 ' || Z_PK",
      "UPDATE ZCUSTOMSTORYEVENT SET ZPROMPTSEED = 'canary-event-4a9d ' || Z_PK",
      "UPDATE ZHERO SET ZPRIMARYTRAIT = 'canary-trait-18fe' WHERE Z_PK = 1",
      "UPDATE ZSTORY SET ZTITLE = 'canary-title-31d0 ' || hex(zeroblob(4000)) WHERE Z_PK = 2"
    )
  }

  /// Runs every verb, in both forms of its results; gives what was said, with the line.
  ///
  /// All that is written with `-o` and `--report` goes to `out`.
  static func goEverywhere(_ scenario: MigrationScenario) async throws -> [(String, String)] {
    let out = "\(scenario.folder)/out"
    let package = "\(out)/p.ferry"
    var outputs: [(String, String)] = []
    var reports = 0
    func run(_ line: [String], reports isReported: Bool = false) async throws -> String {
      var said = ""
      for format in ["text", "ndjson"] {
        var line = line + ["--format", format]
        if isReported {
          reports += 1
          for ending in ["json", "ndjson", "md", "html", "xml", "sarif"] {
            line += ["--report", "\(out)/report-\(reports).\(ending)"]
          }
        }
        let finished = try await scenario.run(line)
        said = finished.standardOutput
        outputs.append((line.joined(separator: " "), said + finished.standardError))
      }
      return said
    }
    let store = scenario.sample.store
    let quarantined = scenario.destination + ["--on-invalid", "quarantine"]
    _ = try await run(["inspect", store])
    _ = try await run(["inspect", store, store])
    _ = try await run(["config"])
    _ = try await run(["init", store, "-o", "\(out)/draft"])
    _ = try await run(
      ["export", store, "--profile", scenario.profile, "-o", package],
      reports: true
    )
    _ = try await run(["validate", package], reports: true)
    _ = try await run(["plan", package, "-o", "\(out)/plan"] + quarantined, reports: true)
    _ = try await run(["migrate", store] + quarantined, reports: true)
    _ = try await run(["upload", package] + quarantined, reports: true)
    _ = try await run(["verify", package] + scenario.destination, reports: true)
    _ = try await run(["preflight"] + scenario.destination)
    for line in [
      ["status"], ["history"], ["checkpoint", "show"], ["checkpoint", "check"],
      ["checkpoint", "repair"],
    ] {
      _ = try await run(line)
    }
    _ = try await run(["checkpoint", "export", "-o", "\(out)/checkpoint.jsonl"])
    let list = try await run(["quarantine", "list"])
    for name in try Self.values(in: list, "package") {
      _ = try await run(["quarantine", "show", name, "-o", "\(out)/aside-\(name)"])
      _ = try await run(
        ["quarantine", "replay", name, "--package", package, "-o", "\(out)/mended.ferry"]
      )
    }
    _ = try await run(["upgrade", package, "-o", "\(out)/newer.ferry"])
    _ = try await run(
      ["export", "--from", scenario.backend.origin, "--profile", scenario.profile]
        + ["-o", "\(out)/there.ferry"] + scenario.credentials,
      reports: true
    )
    let stores = "\(scenario.folder)/stores.txt"
    try (store + "\n").save(to: stores)
    _ = try await run(["fleet", stores, "--report", "\(out)/fleet.json"] + scenario.destination)
    let chat = "\(scenario.folder)/chat.txt"
    try "canary-chat-b3e8\nWordle canary-chat-b3e8 9/6\n\n🟩🟩\n".save(to: chat)
    _ = try await run(["import", chat, "-o", "\(out)/results.ferry"], reports: true)
    _ = try await run(["import", chat, "--explain"])
    let status = try await run(["status"])
    // The last one first: what is on it is in the way of those before.
    for name in Set(try Self.values(in: status, "run")).sorted().reversed() {
      _ = try await run(["history", name])
      _ = try await run(["write-back", name, "-o", "\(out)/\(name).json"])
      _ = try await run(["rollback", name, "-n"] + scenario.destination, reports: true)
      _ = try await run(["rollback", name] + scenario.destination, reports: true)
    }
    return outputs
  }

  /// The texts of all members of a name in lines of JSON.
  private static func values(in lines: String, _ name: String) throws -> [String] {
    func collect(_ value: JSONValue) -> [String] {
      if let list = value.array { return list.flatMap(collect) }
      return (value.object?.members ?? []).flatMap { member in
        (member.name == name ? [member.value.text].compactMap(\.self) : []) + collect(member.value)
      }
    }
    return try lines.split(separator: "\n").filter { $0.hasPrefix("{") }
      .flatMap { collect(try JSONValue(parsing: String($0))) }
  }

  /// What was found in which file that was written.
  ///
  /// A package and what is quarantined are the records themselves, and a checkpoint and a plan know
  /// records by what distinguishes them: in them only secrets are looked for. The store, the server
  /// and what the test wrote are no one's output.
  static func files(below folder: String) throws -> [(String, [String])] {
    var found: [(String, [String])] = []
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let own = ["store/", "server/", "server.", "chat.txt", "elsewhere"]
      if own.contains(where: { name.hasPrefix($0) }) { continue }
      var isFolder: ObjCBool = false
      let path = "\(folder)/\(name)"
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
        !isFolder.boolValue
      else { continue }
      let bytes = try Data(contentsOf: URL(filePath: path))
      let isRecords =
        name.contains(".ferry/") || name.contains("/quarantine/") || name.contains("/checkpoints/")
        || name.hasPrefix("out/aside-") || name == "out/plan"
      let words = isRecords ? secrets : all
      found.append((name, words.filter { bytes.firstRange(of: Data($0.utf8)) != nil }))
    }
    return found
  }
}

/// Looks at the arguments of every process of the machine while something runs.
final class ArgumentWatch: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func end() { continuation.finish() }

  /// The command lines that had a secret in them, until ``end()``; none where there is no `/proc`.
  func seen() async -> Set<String> {
    let looking = Task {
      var seen: Set<String> = []
      while !Task.isCancelled {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for name in names where name.allSatisfy(\.isNumber) {
          let bytes = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") ?? Data()
          let line = String(decoding: bytes, as: UTF8.self)
          let words = [Canary.email, Canary.password]
          if words.contains(where: { line.contains($0) }) { seen.insert(line) }
        }
        do { try await Task.sleep(for: .milliseconds(50)) } catch { break }
      }
      return seen
    }
    for await _ in stream {}
    looking.cancel()
    return await looking.value
  }
}
