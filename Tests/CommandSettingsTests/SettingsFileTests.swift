import CommandSettings
import Foundation
import JSONText
import Testing

/// What a settings file may say, and what is said about one that is wrong.
struct SettingsFileTests {
  private static let dump = """
    {"command":{"commandName":"ferry","subcommands":[
      {"commandName":"upload","arguments":[
        {"kind":"option","names":[{"kind":"long","name":"rate"}],"valueName":"rate",
         "preferredName":{"kind":"long","name":"rate"}},
        {"kind":"option","isRepeating":true,"names":[{"kind":"long","name":"report"}],
         "preferredName":{"kind":"long","name":"report"},
         "completionKind":{"file":{"extensions":[]}}},
        {"kind":"option","isRepeating":true,"names":[{"kind":"long","name":"credential"}],
         "valueName":"name=file:path|env:var|command:cmd",
         "preferredName":{"kind":"long","name":"credential"}},
        {"kind":"flag","names":[{"kind":"short","name":"q"},{"kind":"long","name":"quiet"}],
         "preferredName":{"kind":"long","name":"quiet"}}]},
      {"commandName":"checkpoint","subcommands":[
        {"commandName":"show","arguments":[
          {"kind":"flag","names":[{"kind":"short","name":"q"},{"kind":"long","name":"quiet"}],
           "preferredName":{"kind":"long","name":"quiet"}}]}]}]}}
    """

  private func file(_ text: String, at path: String = "ferry.yaml") throws -> SettingsFile {
    try SettingsFile(
      yaml: Array(text.utf8),
      path: path,
      catalogue: CommandCatalogue(dump: Self.dump)
    )
  }

  private func faults(_ text: String) throws -> [SettingsError.Fault] {
    let error = #expect(throws: SettingsError.self) { try file(text) }
    return error?.faults ?? []
  }

  private func settings(
    _ line: [String],
    _ environment: [String: String] = [:],
    _ text: String = "",
    run: RunSettings? = nil
  ) throws -> [String: Setting] {
    let catalogue = try CommandCatalogue(dump: Self.dump)
    let sources = SettingSources(
      CommandLineWords(line, in: catalogue),
      environment: environment,
      file: try file(text),
      run: run
    )
    return Dictionary(
      try sources.settings().map { ($0.flag.key, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  private static let run = RunSettings(
    "2735d6-1",
    [("rate", "7"), ("credential", "email=env:EMAIL"), ("credential", "password=env:PASSWORD")]
  )

  @Test func `what a run remembers wins over a variable and the file`() throws {
    let found = try settings(["upload"], ["FERRY_RATE": "3"], "rate: 4\n", run: Self.run)
    #expect(found["rate"]?.values == ["7"])
    #expect(found["rate"]?.origin == .run("2735d6-1"))
  }

  @Test func `a flag wins over what a run remembers`() throws {
    let found = try settings(["upload", "--rate", "9"], run: Self.run)
    #expect(found["rate"]?.values == ["9"])
    #expect(found["rate"]?.origin == .line)
  }

  private func credentials(
    beside environment: [String: String],
    run: RunSettings?
  ) throws -> [String] {
    let catalogue = try CommandCatalogue(dump: Self.dump)
    let line = ["upload", "--credential", "password=file:p"]
    let words = CommandLineWords(line, in: catalogue)
    let sources = SettingSources(words, environment: environment, file: nil, run: run)
    return try sources.additions().filter { $0.flag.key == "credential" }.flatMap(\.words)
  }

  @Test func `a credential that is typed keeps the others that a run remembers`() throws {
    let added = try credentials(beside: [:], run: Self.run)
    #expect(added == ["--credential=email=env:EMAIL", "--credential=password=env:PASSWORD"])
  }

  @Test func `a credential that is typed keeps the others of the variable`() throws {
    let added = try credentials(beside: ["FERRY_CREDENTIAL": "email=env:E"], run: nil)
    #expect(added == ["--credential=email=env:E"])
  }

  @Test func `where a run has no value for a flag, the file says nothing of it`() throws {
    let run = RunSettings("2735d6-1", [("to", "production")])
    let found = try settings(["upload"], ["FERRY_RATE": "3"], "rate: 4\nquiet: true\n", run: run)
    #expect(found["rate"]?.values == [])
    #expect(found["quiet"]?.values == ["true"])
  }

  @Test func `of a run that remembers nothing, the variable and the file are read`() throws {
    let found = try settings(["upload"], ["FERRY_RATE": "3"], run: RunSettings("2735d6-1", []))
    #expect(found["rate"]?.values == ["3"])
  }

  @Test func `a run is to remember credentials by whole paths, and no other file`() throws {
    let catalogue = try CommandCatalogue(dump: Self.dump)
    let words = CommandLineWords(
      ["upload", "--credential", "p=file:k/p", "--report", "r.html", "--rate=2", "--rate=5"],
      in: catalogue
    )
    let flags = RunSettings.flags(of: words, in: "/home/ada")
    #expect(flags.map(\.name) == ["rate", "credential"])
    #expect(flags.map(\.value) == ["5", "p=file:/home/ada/k/p"])
  }

  @Test func `every unknown key is reported with its line and the key that was meant`() throws {
    let found = try faults("rat: 5\nquiet: true\nuplod:\n  rate: 3\n")
    #expect(found.map(\.place) == ["ferry.yaml:1", "ferry.yaml:3"])
    #expect(found[0].reason.contains("did you mean rate?"))
    #expect(found[1].reason.contains("did you mean upload?"))
  }

  @Test func `the first hundred of very many unknown keys are reported`() throws {
    let text = (0..<5_000).map { "unknown-\($0): 1\n" }.joined()
    let found = try faults(text)
    #expect(found.count == 100)
    #expect(found.last?.place == "ferry.yaml:100")
  }

  @Test func `a file of more than 256 KiB is refused as a settings file`() throws {
    let path = NSTemporaryDirectory() + "ferry-\(UUID().uuidString).yaml"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(repeating: UInt8(ascii: "#"), count: 257 << 10).write(to: URL(filePath: path))
    let error = #expect(throws: SettingsError.self) {
      try SettingsFile(path, catalogue: CommandCatalogue(dump: Self.dump))
    }
    #expect(error?.faults.first?.place == path)
  }

  @Test func `an alias is refused at its line, and is not expanded`() throws {
    let found = try faults("upload: &a\n  rate: &b 3\n  quiet: *b\n")
    #expect(found.map(\.place) == ["ferry.yaml:3"])
    #expect(found.first?.reason.contains("a YAML alias") == true)
  }

  @Test func `a byte order mark before a file is ignored`() throws {
    let read = try file("\u{FEFF}rate: 5\nquiet: true\n")
    #expect(read.entry("rate", of: nil)?.line == 1)
    #expect(read.entry("quiet", of: nil)?.values == ["true"])
  }

  @Test func `a star in a text is not read as an alias`() throws {
    let read = try file("upload:\n  report: '*.json'\n")
    #expect(read.entry("report", of: "upload")?.values.first?.hasSuffix("*.json") == true)
  }

  @Test func `a flag of another verb is refused as a key of a section`() throws {
    let found = try faults("checkpoint:\n  show:\n    rate: 5\n")
    #expect(found.count == 1 && found[0].place == "ferry.yaml:3")
    #expect(found[0].cure.contains("outside the section"))
  }

  @Test func `a credential that is not a reference is refused and not printed`() throws {
    let found = try faults("credential: token=hunter2\n")
    #expect(found.count == 1)
    #expect(!"\(found)".contains("hunter2"))
  }

  @Test(arguments: [
    "quiet: maybe", "rate: [1, 2]", "rate:", "rate: {a: 1}", "- rate", "[", "a: *b",
    "rate: ~", "rate: null", "rate: !env RATE", "report: [!env REPORT]",
    "!!int rate: 5\nrate: 6", "!!set {}", "upload: !env {rate: 5}",
    "quiet: true # one\u{2028}# two",
  ])
  func `an impossible value is refused`(text: String) throws {
    #expect(try !faults(text).isEmpty)
  }

  @Test func `the command line takes precedence over the environment, and that over the file`()
    throws
  {
    let text = "rate: 1\nupload:\n  rate: 2\n"
    let environment = ["FERRY_RATE": "3"]
    #expect(try settings(["upload", "--rate", "4"], environment, text)["rate"]?.values == ["4"])
    #expect(try settings(["upload"], environment, text)["rate"]?.values == ["3"])
    #expect(try settings(["upload"], ["FERRY_RATE": ""], text)["rate"]?.values == ["2"])
    #expect(try settings(["upload"], [:], "rate: 1")["rate"]?.values == ["1"])
  }

  @Test func `the origin of a setting is the variable or the line of the file`() throws {
    let found = try settings(["upload"], ["FERRY_RATE": "3"], "\nquiet: on\n")
    #expect(found["rate"]?.origin == .variable("FERRY_RATE"))
    #expect(found["quiet"]?.origin == .file(path: "ferry.yaml", line: 2))
    #expect(found["report"]?.origin == Setting.Origin.none)
  }

  @Test func `a switch on the command line overrides the one in the file`() throws {
    let catalogue = try CommandCatalogue(dump: Self.dump)
    let words = CommandLineWords(["upload", "--quiet=false", "x"], in: catalogue)
    let sources = SettingSources(words, environment: [:], file: try file("quiet: true"))
    #expect(words.adding(try sources.additions().flatMap(\.words)) == ["upload", "x"])
  }

  @Test func `a word of the command line is a flag, its value, or an operand`() throws {
    let catalogue = try CommandCatalogue(dump: Self.dump)
    let line = [
      "upload", "a", "--rate", "5", "--quiet", "b", "--report=r.json", "-", "--", "--rate",
    ]
    #expect(CommandLineWords(line, in: catalogue).operands == ["a", "b", "-", "--rate"])
  }

  @Test func `several values come from a list, or from a variable with commas`() throws {
    let found = try settings(["upload"], [:], "report: [a.json, b.md]")
    #expect(found["report"]?.words == ["--report=a.json", "--report=b.md"])
    let more = try settings(["upload"], ["FERRY_REPORT": "a.json,b.md"])
    #expect(more["report"]?.values == ["a.json", "b.md"])
  }

  @Test func `a path in a settings file is relative to the file`() throws {
    let text = "report: [a.json, markdown=b.md, /c.html]\ncredential: token=file:secret\n"
    let found = try file(text, at: "/etc/team/ferry.yaml")
    #expect(
      found.entry("report", of: nil)?.values
        == ["/etc/team/a.json", "markdown=/etc/team/b.md", "/c.html"]
    )
    #expect(found.entry("credential", of: nil)?.values == ["token=file:/etc/team/secret"])
  }

  @Test func `a variable that a switch cannot take is refused by name`() throws {
    let error = #expect(throws: SettingsError.self) {
      try settings(["upload"], ["FERRY_QUIET": "perhaps"])
    }
    #expect(error?.faults.first?.place == "FERRY_QUIET")
  }

  @Test(arguments: [
    ("token=command:print hunter2", "token=command:…"), ("hunter2", "(not shown)"),
    ("token=env:TOKEN", "token=env:TOKEN"), ("env:KEY", "env:KEY"),
    ("token=hunter2", "(not shown)"),
  ])
  func `only the place of a secret is shown`(value: String, shown: String) {
    #expect(SecretReference.shown(value) == shown)
  }
}
