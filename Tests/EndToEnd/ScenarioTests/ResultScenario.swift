import Foundation
import JSONText
import TestSupport
import Testing

/// Preferences with results, a server with a container, and what opens it.
struct ResultScenario: Sendable {
  let folder: String
  let sample: Sample
  let backend: BackendProgram
  let program: FerryProgram

  var preferences: String { "\(sample.folder)/preferences.plist" }
  var profile: String { "\(sample.folder)/cloudkit.profile.yaml" }
  let modify = "/database/1/iCloud.com.example.streaksync/development/private/records/modify"

  var flags: [String] {
    ["--profile", profile, "--to", backend.origin]
      + ["api-token", "web-token"].flatMap { ["--credential", "\($0)=file:\(folder)/\($0)"] }
  }

  func ferry(_ arguments: [String], state: String = "state") async throws -> Answer {
    try await local(arguments + flags.dropFirst(2), state: state)
  }

  /// Rolls back every run of the package, the last one first.
  func rollbackAll(from last: Answer) async throws -> [Answer] {
    var answers: [Answer] = []
    for run in try last.runs() { answers.append(try await ferry(["rollback", run])) }
    return answers
  }

  /// Runs what needs no destination.
  func local(_ arguments: [String], state: String = "state") async throws -> Answer {
    try await Answer(
      program.run(
        arguments + ["--profile", profile, "--format", "ndjson", "--progress", "none"],
        state: "\(folder)/\(state)"
      )
    )
  }

  /// A package of what preferences hold.
  func exported(_ file: String) async throws -> String {
    let package = "\(file).ferry"
    let answer = try await local(["export", file, "-o", package])
    guard answer.status == 0 else { throw TestSupportError(answer.standardError) }
    return package
  }

  /// A package of what the app, its share extension and messages hold.
  func imported() async throws -> String {
    let all = "\(folder)/all.ferry"
    let answer = try await local(
      ["import", "\(sample.folder)/group", "\(sample.folder)/sms-backup.xml"]
        + ["--time-zone", "Europe/London", "--into", try await exported(preferences), "-o", all]
    )
    guard answer.status == 3 else { throw TestSupportError(answer.standardError) }
    return all
  }

  /// Other preferences: a Python statement has changed the list `found` of their results.
  func preferences(editing statement: String) throws -> String {
    let path = "\(folder)/edited.plist"
    try Python.run([
      "-c",
      """
      import json, plistlib, sys, uuid
      kept = plistlib.load(open(sys.argv[1], 'rb'))
      found = json.loads(kept['streaksync_game_results'])
      \(statement)
      kept['streaksync_game_results'] = json.dumps(found, ensure_ascii=False).encode()
      plistlib.dump(kept, open(sys.argv[2], 'wb'), fmt=plistlib.FMT_BINARY)
      """, preferences, path,
    ])
    return path
  }

  /// Every record that is there, as the server keeps it.
  func records() throws -> [JSONValue] { try backend.dump()["cloudRecords"]?.array ?? [] }

  /// How many requests have asked for changes of records.
  func requests() throws -> Int64 {
    (try backend.state()["requests"]?.object?.members ?? [])
      .filter { $0.name.hasPrefix("POST") && $0.name.hasSuffix("records/modify") }
      .reduce(0) { $0 + ($1.value.integer ?? 0) }
  }

  /// The server has the fields of the app's own record type, and none that the package adds.
  func expectAppRecords(of package: String) throws {
    let results = try PackageLines(package).records("GameResult")
    let there = try records()
    #expect(there.count == results.count)
    for result in results {
      let record = try #require(there.first { $0["recordName"] == result["id"] })
      let fields = try #require(record["fields"]?.object)
      #expect(record["recordType"] == "GameResult")
      #expect(fields["gameID"]?["value"] == result["gameId"])
      #expect(fields["sharedText"]?["value"] == result["sharedText"])
      #expect(fields["gameType"]?["value"]?.text == result["gameName"]?.text?.lowercased())
      #expect(fields["completed"]?["value"] == (result["completed"] == true ? 1 : 0))
      #expect(fields["score"]?["value"]?.integer == result["score"]?.integer)
      #expect(fields["origin"] == nil && fields["puzzleNumber"] == nil)
    }
  }

  /// Signs in, as a person does in a browser, and keeps the tokens.
  func signIn(as email: String = DemoAccount.email) throws {
    let tokens = try backend.request("POST", "/__dev/cloudkit/token", ["account": .string(email)])
    try secret(tokens["apiToken"]?.text ?? "", "\(folder)/api-token")
    try secret(tokens["webToken"]?.text ?? "", "\(folder)/web-token")
  }
}

/// Lends the sample's files and a container of a fresh server.
func withResults(_ body: (ResultScenario) async throws -> Void) async throws {
  try await withTemporaryFolder { folder in
    let sample = Sample(folder: "\(folder)/streaksync")
    try FileManager.default.copyItem(atPath: "\(Samples.folder)/streaksync", toPath: sample.folder)
    try await withBackend(in: "\(folder)/server") { backend in
      let scenario = ResultScenario(
        folder: folder,
        sample: sample,
        backend: backend,
        program: try FerryProgram()
      )
      try scenario.signIn()
      try await body(scenario)
    }
  }
}
