import Foundation
import JSONText
import TestSupport
import Testing

/// Help, man page, completions and suggestions of the program as it is.
@Suite(.timeLimit(.minutes(3))) struct GuideTests {
  private func ferry(_ words: [String]) async throws -> FerryProgram.Finished {
    try await withTemporaryFolder { folder in
      try await FerryProgram().run(words, state: "\(folder)/state")
    }
  }

  private struct Verb {
    let path: [String]
    let flags: Set<String>
    let isLeaf: Bool
  }

  private func verbs() async throws -> [Verb] {
    let answer = try await ferry(["--experimental-dump-help"])
    let dump = try JSONValue(parsing: answer.standardOutput)
    var found: [Verb] = []
    func walk(_ value: JSONValue, _ above: [String]) {
      for verb in value["subcommands"]?.array ?? [] where verb["commandName"] != "help" {
        let path = above + [verb["commandName"]?.text ?? ""]
        let names = (verb["arguments"]?.array ?? []).flatMap { $0["names"]?.array ?? [] }
        let flags = names.map { ($0["kind"] == "short" ? "-" : "--") + ($0["name"]?.text ?? "") }
        let isLeaf = verb["subcommands"]?.array?.isEmpty != false
        found.append(Verb(path: path, flags: Set(flags), isLeaf: isLeaf))
        walk(verb, path)
      }
    }
    walk(dump["command"] ?? .null, [])
    return found
  }

  @Test func `every help begins with examples that its verb takes`() async throws {
    let verbs = try await verbs()
    #expect(verbs.count > 25)
    for verb in verbs {
      let answer = try await ferry(verb.path + ["--help"])
      #expect(answer.status == 0)
      let lines = answer.standardOutput.split(separator: "\n", omittingEmptySubsequences: false)
      let start = try #require(lines.firstIndex(of: "EXAMPLES"), "\(verb.path)")
      let end = try #require(lines.firstIndex(of: "USAGE"), "\(verb.path)")
      #expect(start < end)
      let examples = lines[(start + 1)..<end].prefix { $0.hasPrefix("  ") }
      #expect(!examples.isEmpty, "\(verb.path)")
      for line in examples.joined(separator: " && ").split(separator: "&&") {
        let words = line.split(separator: " ").prefix { !["|", ">", "--"].contains($0) }.map(
          String.init
        )
        var called = Array(words.dropFirst().prefix { !$0.hasPrefix("-") })
        // `ferry config VERB` takes the flags of the verb that it is asked about.
        if called.count > 1, called[0] == "config" { called.removeFirst() }
        let meant = verbs.last { Array(called.prefix($0.path.count)) == $0.path }
        let flags = words.filter { $0.hasPrefix("-") && $0 != "-" }
        #expect(Set(flags).isSubset(of: meant?.flags ?? []), "\(line)")
      }
    }
  }

  @Test func `help of help, of a verb, and of nothing is the same page`() async throws {
    let page = try await ferry(["upload", "--help"]).standardOutput
    #expect(try await ferry(["help", "upload"]).standardOutput == page)
    #expect(try await ferry(["upload", "x", "-h"]).standardOutput == page)
    let root = try await ferry(["--help"]).standardOutput
    #expect(try await ferry([]).standardOutput == root)
    let wide = (page + root).split(separator: "\n").filter {
      $0.count > 80 && !$0.hasPrefix("  ferry ")
    }
    #expect(wide.isEmpty, "\(wide)")
  }

  @Test(arguments: [
    (["uplaod", "x"], "did you mean upload?"), (["checkpoint", "shwo"], "did you mean show?"),
    (["plan", "x", "--concurency", "3"], "--concurrency"),
    (["completions", "bsh"], "did you mean bash?"),
  ])
  func `a mistyped word is answered with what was meant`(words: [String], said: String)
    async throws
  {
    let answer = try await ferry(words)
    #expect(answer.status == 64)
    #expect(answer.standardError.contains(said), "\(answer.standardError)")
  }

  @Test func `the man page names every verb, flag and variable`() async throws {
    let text = try await ferry(["man"]).standardOutput.replacing("\\-", with: "-")
    #expect(text.hasPrefix(".TH FERRY 1"))
    for verb in try await verbs() where verb.isLeaf {
      #expect(text.contains(".SS ferry \(verb.path.joined(separator: " "))\n"))
      for flag in verb.flags where flag.hasPrefix("--") && flag != "--help" {
        #expect(text.contains(flag), "\(flag)")
      }
    }
    #expect(text.contains(".B FERRY_STATE_DIR\n"))
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `the completions of a shell name every verb`(shell: String) async throws {
    let script = try await ferry(["completions", shell])
    #expect(script.status == 0)
    for verb in try await verbs() {
      #expect(script.standardOutput.contains(verb.path[0]), "\(verb.path)")
    }
    guard shell == "bash" else { return }
    try await withTemporaryFolder { folder in
      let file = "\(folder)/ferry.bash"
      try script.standardOutput.write(toFile: file, atomically: true, encoding: .utf8)
      let bash = Process()
      bash.executableURL = URL(filePath: "/usr/bin/env")
      bash.arguments = ["bash", "-n", file]
      try bash.run()
      bash.waitUntilExit()
      #expect(bash.terminationStatus == 0)
    }
  }
}
