import Foundation
import Testing

/// Where a wizard plays: a copy of the sample store, a profile, a server and a state folder.
struct Stage {
  let folder: URL
  let address: String

  /// Runs the wizard to its end; gives its lines.
  func wizard(_ verb: String, _ words: [String]) throws -> [String] {
    let output = Pipe()
    let process = try started(verb, words, output)
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    return text.split(separator: "\n").map(String.init)
  }

  /// Kills the wizard once the server has so many rows.
  func killedWizard(whenRows count: Int) throws {
    let process = try started("move", [], Pipe())
    while process.isRunning, try rowCount() < count { Thread.sleep(forTimeInterval: 0.02) }
    #expect(process.isRunning, "the wizard came to its end before it could be killed")
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private func started(_ verb: String, _ words: [String], _ output: Pipe) throws -> Process {
    let process = Process()
    process.executableURL = Self.built.appending(path: "Wizard")
    let sample = folder.appending(path: "infinite-stories")
    process.arguments =
      [
        verb, sample.appending(path: "default.store").path,
        folder.appending(path: "infinite-stories/quick.yaml").path,
        folder.appending(path: "state").path, address,
      ] + words
    process.standardOutput = output
    try process.run()
    return process
  }

  /// The stages that were reported, in order.
  func stages(of lines: [String]) -> [String] {
    lines.filter { $0.hasPrefix("stage ") }.map { String($0.dropFirst("stage ".count)) }
  }

  /// The name of the run, where it ended like this.
  func run(of lines: [String], ended ending: String) -> String? {
    let start = "ended \(ending) "
    return lines.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
  }

  /// How many records the server has.
  func rowCount() throws -> Int {
    let curl = Process()
    curl.executableURL = URL(filePath: "/usr/bin/env")
    curl.arguments = ["curl", "--silent", "--fail", "\(address)/__dev/dump"]
    let output = Pipe()
    curl.standardOutput = output
    try curl.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    curl.waitUntilExit()
    let dump = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    return ["heroes", "visualProfiles", "stories", "customEvents"].reduce(0) {
      $0 + ((dump[$1] as? [Any])?.count ?? 0)
    }
  }

  /// Has the first heroes name pictures of a server; `here.png` is there, and no other.
  ///
  /// `body` is given what lists the paths that the server was asked for, in the order of their names.
  func withPictures(_ names: [String], _ body: (() throws -> [String]) throws -> Void) throws {
    let pictures = folder.appending(path: "pictures")
    try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
    try Data("a picture".utf8).write(to: pictures.appending(path: "here.png"))
    let log = folder.appending(path: "asked")
    try Data().write(to: log)
    let server = Process()
    server.executableURL = URL(filePath: "/usr/bin/env")
    server.arguments = [
      "python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory",
      pictures.path,
    ]
    let output = Pipe()
    server.standardOutput = output
    server.standardError = try FileHandle(forWritingTo: log)
    try server.run()
    defer {
      kill(server.processIdentifier, SIGKILL)
      server.waitUntilExit()
    }
    // “Serving HTTP on 127.0.0.1 port 40000 (http://127.0.0.1:40000/) ...”
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let port = try #require(line.split(separator: " ").compactMap { Int($0) }.first, "\(line)")

    let editing = Process()
    editing.executableURL = URL(filePath: "/usr/bin/env")
    editing.arguments =
      ["python3", "-c", Self.naming, folder.appending(path: "infinite-stories/default.store").path]
      + names.map { "http://127.0.0.1:\(port)/\($0)" }
    try editing.run()
    editing.waitUntilExit()
    try #require(editing.terminationStatus == 0)
    try nameThisMachine()
    try body {
      try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        .filter { $0.contains("GET /") }
        .map { String($0.split(separator: "GET ")[1].prefix { $0 != " " }) }.sorted()
    }
  }

  /// Names this machine in the profile, without which no picture is asked of it.
  private func nameThisMachine() throws {
    let profile = folder.appending(path: "infinite-stories/quick.yaml")
    let text = try String(contentsOf: profile, encoding: .utf8)
    let line = "        category: avatar\n"
    try #require(text.contains(line))
    try text.replacing(line, with: line + "        hosts: [127.0.0.1]\n")
      .write(to: profile, atomically: true, encoding: .utf8)
  }

  /// No other record names media by an address then.
  private static let naming = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    for table, column in (("ZHERO", "ZAVATARIMAGEPATH"), ("ZSTORY", "ZAUDIOFILENAME"),
                          ("ZSTORYILLUSTRATION", "ZIMAGEPATH"),
                          ("ZCUSTOMSTORYEVENT", "ZPICTOGRAMPATH")):
        db.execute(f"UPDATE {table} SET {column} = NULL WHERE {column} LIKE 'http%'")
    heroes = db.execute("SELECT Z_PK FROM ZHERO ORDER BY Z_PK").fetchall()
    for (key,), address in zip(heroes, sys.argv[2:]):
        db.execute("UPDATE ZHERO SET ZAVATARIMAGEPATH = ? WHERE Z_PK = ?", (address, key))
    """

  /// Where this package was built.
  static var built: URL {
    #if canImport(Darwin)
    for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
      return bundle.bundleURL.deletingLastPathComponent()
    }
    #endif
    return Bundle.main.bundleURL
  }
}

/// Lends a stage with a server of its own, the program in `FERRY_BACKEND`.
func withStage(isSlow: Bool = false, _ body: (Stage) throws -> Void) throws {
  let backend = try #require(
    ProcessInfo.processInfo.environment["FERRY_BACKEND"],
    "FERRY_BACKEND names the development backend; .ci/embedding.sh sets it"
  )
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "ferry-embedding-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try copySample(into: folder)

  let server = Process()
  server.executableURL = URL(filePath: backend)
  let port = folder.appending(path: "port")
  server.arguments = ["--quiet", "--port-file", port.path]
  if isSlow { server.arguments? += ["--fault", "delay:1:150ms@POST /api/v1/custom-events"] }
  try server.run()
  defer {
    kill(server.processIdentifier, SIGKILL)
    server.waitUntilExit()
  }
  while !FileManager.default.fileExists(atPath: port.path) {
    try #require(server.isRunning)
    Thread.sleep(forTimeInterval: 0.05)
  }
  let number = try String(contentsOf: port, encoding: .utf8).prefix { $0.isNumber }
  try body(Stage(folder: folder, address: "http://127.0.0.1:\(number)"))
}

/// The sample as it is, with a profile in which a lost request is given up soon.
private func copySample(into folder: URL) throws {
  let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  let sample = folder.appending(path: "infinite-stories")
  try FileManager.default.copyItem(
    at: root.appending(path: "Samples/infinite-stories"),
    to: sample
  )
  let profile = try String(contentsOf: sample.appending(path: "profile.yaml"), encoding: .utf8)
  try #require(profile.contains("settle: 60s"))
  try profile.replacing("settle: 60s", with: "settle: 300ms")
    .write(to: sample.appending(path: "quick.yaml"), atomically: true, encoding: .utf8)
}
