import Foundation
import JSONText
import TestSupport
import Testing

/// The sample store to CloudKit Web Services, as the development backend has them.
@Suite(.timeLimit(.minutes(5))) struct CloudKitTests {
  @Test func `a store is migrated into the private database, repeated, changed, and rolled back`()
    async throws
  {
    try await withCloudKitScenario { scenario in
      let first = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      let count = first.count("created")
      #expect(count == scenario.recordCount)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try scenario.names().count == Int(count))
      let writes = try scenario.backend.writeCount()
      let second = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(second.count("unchanged") == count)
      #expect(try scenario.backend.writeCount() == writes)
      let elsewhere = try await scenario.ferry(["migrate", scenario.store], state: "elsewhere")
      #expect(elsewhere.count("unchanged") == count, "\(elsewhere)")
      try Python.edit(
        scenario.store,
        "UPDATE ZSTORY SET ZTITLE = 'Ein neuer Titel – 新' WHERE Z_PK = 1"
      )
      let third = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(third.count("updated") == 1)
      #expect(try scenario.backend.writeCount() == writes + 1)
      for run in [try third.run(), try first.run()] {
        try await scenario.ferry(["rollback", run]).exits(0)
      }
      #expect(try scenario.names().isEmpty)
    }
  }

  @Test func `with kills, every record is in the public database exactly once`() async throws {
    try await withCloudKitScenario(isPublic: true) { scenario in
      try scenario.backend.setFaults("delay:1:150ms@POST \(scenario.modify)")
      let kills = try await scenario.program.kill(
        ["migrate", scenario.store, "--batch-size", "3"] + scenario.flags,
        state: "\(scenario.folder)/state",
        after: [0.1, 0.25, 0.4]
      )
      // Its requests alone take longer than it is given.
      #expect(kills > 0)
      try scenario.backend.setFaults("")
      let last = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(last.value("verification")?["clean"] == true)
      #expect(try scenario.names().count == scenario.recordCount)
      let run = try await scenario.ferry(["rollback", try last.run()])
      #expect(run.status == 0 || run.status == 6, "\(run)")
    }
  }

  @Test func `a run that is asked to wait a day saves its state, and says when to resume`()
    async throws
  {
    try await withCloudKitScenario { scenario in
      try scenario.backend.setFaults("status:n=3:429:retry-after=86400@POST \(scenario.modify)")
      let stopped = try await scenario.ferry(["migrate", scenario.store, "--batch-size", "5"])
      #expect(stopped.status == 5, "\(stopped)")
      #expect(stopped.standardError.contains("asks to wait 86400 seconds: resume after that"))
      let there = try scenario.names().count
      #expect(there > 0 && there < scenario.recordCount)
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(try scenario.names().count == scenario.recordCount)
    }
  }

  @Test func `verify finds records that the server confirmed and did not store`() async throws {
    try await withCloudKitScenario(isPublic: true) { scenario in
      try scenario.backend.setFaults("pretend:n=4@POST \(scenario.modify)")
      let first = try await scenario.ferry(["migrate", scenario.store, "--batch-size", "8"])
      #expect(first.status == 6, "\(first)")
      #expect(
        first.findings("verify.missing").count == scenario.recordCount
          - (try scenario.names().count)
      )
      try await scenario.ferry([
        "migrate", scenario.store, "--on-conflict", "local", "--full",
      ]).exits(0)
      #expect(try scenario.names().count == scenario.recordCount)
    }
  }
}

/// A small store, a server with a container, and what opens it.
struct CloudKitScenario: Sendable {
  let folder: String
  let store: String
  let backend: BackendProgram
  let program: FerryProgram
  let profile: String
  let isPublic: Bool
  /// The heroes, stories and events of the store.
  let recordCount = 50

  /// The route that changes records.
  var modify: String {
    "/database/1/iCloud.com.example.infinite-stories/development/"
      + (isPublic ? "public" : "private") + "/records/modify"
  }

  var flags: [String] {
    let names = isPublic ? ["key-id", "private-key"] : ["api-token", "web-token"]
    return ["--profile", profile, "--to", backend.origin]
      + names.flatMap { ["--credential", "\($0)=file:\(folder)/\($0)"] }
  }

  func ferry(_ arguments: [String], state: String = "state") async throws -> Answer {
    try await program.answer(arguments + flags, state: "\(folder)/\(state)")
  }

  /// The names of all records that are there.
  func names() throws -> [String] {
    (try backend.dump()["cloudRecords"]?.array ?? []).compactMap { $0["recordName"]?.text }
  }

  /// Signs in, as a person does in a browser, and keeps the tokens.
  func signIn() throws {
    let tokens = try backend.request("POST", "/__dev/cloudkit/token", [:])
    try secret(tokens["apiToken"]?.text ?? "", "\(folder)/api-token")
    try secret(tokens["webToken"]?.text ?? "", "\(folder)/web-token")
  }

  func editProfile(_ old: String, _ new: String) throws {
    let text = try String(at: profile)
    guard text.contains(old) else { throw TestSupportError("the profile has no “\(old)”") }
    try text.replacing(old, with: new).save(to: profile)
  }

  /// Makes a key, gives its public half to the server, and keeps the private one.
  func makeKey() throws {
    try Python.run([
      "-c",
      "import subprocess,sys; p=sys.argv[1]; "
        + "subprocess.run(['openssl','ecparam','-name','prime256v1','-genkey','-noout','-out',"
        + "p+'/made.pem'],check=True); "
        + "subprocess.run(['openssl','ec','-in',p+'/made.pem','-pubout','-out',p+'/public.pem'],"
        + "check=True,stderr=subprocess.DEVNULL)",
      folder,
    ])
    let publicKey = try String(at: "\(folder)/public.pem")
    _ = try backend.request(
      "POST",
      "/__dev/cloudkit/key",
      ["keyID": "the-key", "publicKey": .string(publicKey)]
    )
    try secret("the-key", "\(folder)/key-id")
    try secret(
      try String(at: "\(folder)/made.pem"),
      "\(folder)/private-key"
    )
  }
}

/// Lends a store and a container of a fresh server.
func withCloudKitScenario(
  isPublic: Bool = false,
  _ body: (CloudKitScenario) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    try await withBackend(in: "\(folder)/server") { backend in
      let sample = try madeStore(in: "\(folder)/store")
      let profile = "\(sample.folder)/cloudkit.yaml"
      var text = try String(at: "\(Samples.folder)/cloudkit/profile.yaml")
      if isPublic {
        text = text.replacing("database: private ", with: "database: public ")
          .replacing("  zone: UserDataZone\n  create-zone: true\n", with: "")
      }
      try text.save(to: profile)
      let scenario = CloudKitScenario(
        folder: folder,
        store: sample.store,
        backend: backend,
        program: try FerryProgram(),
        profile: profile,
        isPublic: isPublic
      )
      if isPublic { try scenario.makeKey() } else { try scenario.signIn() }
      try await body(scenario)
    }
  }
}
