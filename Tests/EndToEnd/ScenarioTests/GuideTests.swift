import Foundation
import JSONText
import TestSupport
import Testing

/// Help, completions and suggestions of the program as it is.
@Suite(.timeLimit(.minutes(3))) struct GuideTests {
  private func ferry(_ words: [String]) async throws -> FerryProgram.Finished {
    try await withTemporaryFolder { folder in
      try await FerryProgram().run(words, state: "\(folder)/state")
    }
  }

  private struct Verb {
    let path: [String]
    let arguments: [JSONValue]
    let flags: Set<String>
    /// The exit statuses of its help, in their order.
    let statuses: [Int]
  }

  private func statuses(in discussion: String) -> [Int] {
    let list = discussion.split(separator: "EXIT STATUS\n").dropFirst().first ?? ""
    return list.matches(of: /(?m)^ {2}([0-9, ]+?) {2}/).flatMap { line in
      line.1.split(separator: ", ").compactMap { Int($0) }
    }
  }

  private func verbs() async throws -> [Verb] {
    let answer = try await ferry(["--experimental-dump-help"])
    let dump = try JSONValue(parsing: answer.standardOutput)
    var found: [Verb] = []
    func walk(_ value: JSONValue, _ above: [String]) {
      for verb in value["subcommands"]?.array ?? [] where verb["commandName"] != "help" {
        let path = above + [verb["commandName"]?.text ?? ""]
        let arguments = verb["arguments"]?.array ?? []
        let names = arguments.flatMap { $0["names"]?.array ?? [] }
        let flags = names.map { ($0["kind"] == "short" ? "-" : "--") + ($0["name"]?.text ?? "") }
        let statuses = self.statuses(in: verb["discussion"]?.text ?? "")
        found.append(
          Verb(path: path, arguments: arguments, flags: Set(flags), statuses: statuses)
        )
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
      let answer = try await ferry(verb.path + ["--help"]).exits(0)
      #expect(!answer.standardOutput.contains("\\\n"), "\(verb.path)")
      let lines = answer.standardOutput.split(separator: "\n", omittingEmptySubsequences: false)
      let start = try #require(lines.firstIndex(of: "EXAMPLES"), "\(verb.path)")
      let end = try #require(lines.firstIndex { $0.hasPrefix("USAGE: ") }, "\(verb.path)")
      #expect(start < end)
      let examples = lines[(start + 1)..<end].prefix { $0.hasPrefix("  ") }
      #expect(!examples.isEmpty, "\(verb.path)")
      // A line to type is broken neither here nor in a manual page, which has five columns before it.
      #expect(examples.allSatisfy { $0.count <= 73 }, "\(verb.path)")
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

  @Test func `the help of each verb that asks a destination has the statuses 5 and 7`() async throws
  {
    let verbs = try await verbs()
    let asking = verbs.filter { $0.flags.contains("--retries") }
    #expect(asking.count > 6)
    for verb in asking { #expect(Set(verb.statuses).isSuperset(of: [5, 7]), "\(verb.path)") }
    // These hold the checkpoint, and compare it with the package and the profile.
    for name in ["upload", "resume", "verify", "rollback", "migrate"] {
      let verb = try #require(verbs.first { $0.path == [name] })
      #expect(Set(verb.statuses).isSuperset(of: [11, 12]), "\(name)")
    }
    for verb in verbs { #expect(verb.statuses == verb.statuses.sorted(), "\(verb.path)") }
  }

  @Test func `help, a verb's help and help of help print the same page`() async throws {
    let page = try await ferry(["upload", "--help"]).standardOutput
    #expect(try await ferry(["help", "upload"]).standardOutput == page)
    #expect(try await ferry(["upload", "x", "-h"]).standardOutput == page)
    let root = try await ferry(["--help"]).standardOutput
    #expect(try await ferry([]).standardOutput == root)
    let wide = (page + root).split(separator: "\n").filter {
      $0.count > 80 && !$0.hasPrefix("USAGE: ")
    }
    #expect(wide.isEmpty, "\(wide)")
    #expect(page.contains("\nDESTINATION:\n") && page.contains("\nEVERY VERB:\n"))
  }

  @Test(arguments: [
    (["uplaod", "x"], "did you mean upload?"), (["checkpoint", "shwo"], "did you mean show?"),
    (["plan", "x", "--concurency", "3"], "--concurrency"),
    (["help", "uplaod"], "did you mean upload?"),
    (["--generate-completion-script", "bsh"], "bash"),
  ])
  func `a mistyped word is answered with the likely one`(words: [String], said: String)
    async throws
  {
    let answer = try await ferry(words).exits(64)
    #expect(answer.standardError.contains(said), "\(answer)")
  }

  /// A manual page has no default but what these words say, and no character beyond ASCII.
  @Test func `the source of manual pages has each default in words, in ASCII`() async throws {
    let dump = try await ferry(["--experimental-dump-help"])
    #expect(dump.standardOutput.allSatisfy { $0.isASCII })
    for verb in try await verbs() {
      for argument in verb.arguments where argument["kind"] == "option" {
        let words = argument["abstract"]?.text ?? ""
        #expect(!words.isEmpty, "\(verb.path): \(argument)")
        guard let value = argument["defaultValue"]?.text else { continue }
        #expect(words.contains("\(value) unless given"), "\(verb.path): \(words)")
      }
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `the completions of a shell name every verb`(shell: String) async throws {
    let script = try await ferry(["--generate-completion-script", shell]).exits(0)
    for verb in try await verbs() {
      #expect(script.standardOutput.contains(verb.path[0]), "\(verb.path)")
    }
    guard shell == "bash" else { return }
    try await withTemporaryFolder { folder in
      let file = "\(folder)/ferry.bash"
      try script.standardOutput.save(to: file)
      let bash = Process()
      bash.executableURL = URL(filePath: "/usr/bin/env")
      bash.arguments = ["bash", "-n", file]
      try bash.run()
      bash.waitUntilExit()
      #expect(bash.terminationStatus == 0)
    }
  }
}
