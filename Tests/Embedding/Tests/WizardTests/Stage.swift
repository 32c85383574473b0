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

  /// The stages that were told, in order.
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
    return ["heroes", "stories", "customEvents"].reduce(0) {
      $0 + ((dump[$1] as? [Any])?.count ?? 0)
    }
  }

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

/// Lends a stage with a server of its own, the program in `FERRY`.
func withStage(isSlow: Bool = false, _ body: (Stage) throws -> Void) throws {
  let ferry = try #require(
    ProcessInfo.processInfo.environment["FERRY"],
    "FERRY names the program; .ci/embedding.sh sets it"
  )
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "ferry-embedding-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try copySample(into: folder)

  let server = Process()
  server.executableURL = URL(filePath: ferry)
  let port = folder.appending(path: "port")
  server.arguments = ["backend", "--quiet", "--port-file", port.path]
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
