import Foundation
import JSONText
import TestSupport
import Testing

/// The sample store to CloudKit Web Services, as the development backend has them.
@Suite(.timeLimit(.minutes(5))) struct CloudKitTests {
  @Test func `a store goes into the private database, again, changed, and back`() async throws {
    try await withCloudVoyage { voyage in
      let first = try await voyage.ferry(["migrate", voyage.store])
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      let count = first.count("created")
      #expect(count == voyage.recordCount)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try voyage.names().count == Int(count))
      let writes = try voyage.backend.writeCount()
      let second = try await voyage.ferry(["migrate", voyage.store])
      #expect(second.status == 0, "\(second.standardError)")
      #expect(second.count("unchanged") == count)
      #expect(try voyage.backend.writeCount() == writes)
      let elsewhere = try await voyage.ferry(["migrate", voyage.store], state: "elsewhere")
      #expect(elsewhere.count("unchanged") == count, "\(elsewhere.standardError)")
      try Python.edit(
        voyage.store,
        "UPDATE ZSTORY SET ZTITLE = 'Ein neuer Titel – 新' WHERE Z_PK = 1"
      )
      let third = try await voyage.ferry(["migrate", voyage.store])
      #expect(third.status == 0, "\(third.standardOutput)\(third.standardError)")
      #expect(third.count("updated") == 1)
      #expect(try voyage.backend.writeCount() == writes + 1)
      for run in [try third.run(), try first.run()] {
        let back = try await voyage.ferry(["rollback", run])
        #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      }
      #expect(try voyage.names().isEmpty)
    }
  }

  // 002-65.
  @Test(arguments: [false, true])
  func `all that a zone, or the public database, holds is read into a package`(
    isPublic: Bool
  ) async throws {
    try await withCloudVoyage(isPublic: isPublic) { voyage in
      #expect(try await voyage.ferry(["migrate", voyage.store]).status == 0)
      let package = "\(voyage.folder)/back.ferry"
      let flags = voyage.flags.map { $0 == "--to" ? "--from" : $0 }
      let answer = try await Answer(
        voyage.program.run(
          ["export", "-o", package, "--format", "ndjson", "--progress", "none"] + flags,
          state: "\(voyage.folder)/state"
        )
      )
      #expect(answer.status == 0, "\(answer.standardError)")
      let entities = (answer.value("export")?["entities"]?.array ?? [])
        .compactMap { $0["entity"]?.text }
      let read = try entities.flatMap { try PackageLines(package).records($0) }
      #expect(try read.compactMap { $0["$id"]?.text }.sorted() == voyage.names().sorted())
    }
  }

  @Test func `the web token is a new one after each run, and readable by nobody else`() async throws
  {
    try await withCloudVoyage { voyage in
      let path = "\(voyage.folder)/web-token"
      let before = try String(contentsOfFile: path, encoding: .utf8)
      let first = try await voyage.ferry(["migrate", voyage.store])
      #expect(first.status == 0, "\(first.standardError)")
      #expect(try String(contentsOfFile: path, encoding: .utf8) != before)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func `a lost answer ends the session, and with a new token the same line goes on`()
    async throws
  {
    try await withCloudVoyage { voyage in
      try voyage.backend.setFaults("drop-after:n=3@POST \(voyage.modify)")
      let stopped = try await voyage.ferry(["migrate", voyage.store, "--batch-size", "5"])
      #expect(stopped.status == 7, "\(stopped.standardError)")
      #expect(stopped.standardError.contains("web-token"))
      try voyage.backend.setFaults("")
      try voyage.signIn()
      let rest = try await voyage.ferry(["migrate", voyage.store])
      #expect(rest.status == 0, "\(rest.standardError)")
      #expect(try voyage.names().count == voyage.recordCount)
      #expect(Set(try voyage.names()).count == voyage.recordCount)
    }
  }

  // 002-10.
  @Test func `another environment is refused for a store that went to one`() async throws {
    try await withCloudVoyage { voyage in
      _ = try await voyage.ferry(["migrate", voyage.store])
      try voyage.editProfile("environment: development", "environment: production")
      let other = try await voyage.ferry(["migrate", voyage.store, "--accept-change", "profile"])
      #expect(other.status == 12, "\(other.standardError)")
      #expect(other.standardError.contains("production"))
    }
  }

  @Test func `a run is rolled back in its own zone, although the profile names another`()
    async throws
  {
    try await withCloudVoyage { voyage in
      let run = try await voyage.ferry(["migrate", voyage.store]).run()
      try voyage.editProfile("zone: UserDataZone", "zone: OtherZone")
      let back = try await voyage.ferry(["rollback", run])
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try voyage.names().isEmpty)
    }
  }

  @Test func `killed on the way, every record is in the public database exactly once`() async throws
  {
    try await withCloudVoyage(isPublic: true) { voyage in
      try voyage.backend.setFaults("delay:1:150ms@POST \(voyage.modify)")
      var kills = 0
      for wait in [0.1, 0.25, 0.4] {
        let killed = try await voyage.program.run(
          ["migrate", voyage.store, "--batch-size", "3"] + voyage.flags,
          state: "\(voyage.folder)/state",
          stop: .kill(after: .seconds(wait), line: "upload …")
        )
        if killed.wasKilled { kills += 1 }
      }
      // Its requests alone take longer than it is given.
      #expect(kills > 0)
      try voyage.backend.setFaults("")
      let last = try await voyage.ferry(["migrate", voyage.store])
      #expect(last.status == 0, "\(last.standardError)")
      #expect(last.value("verification")?["clean"] == true)
      #expect(try voyage.names().count == voyage.recordCount)
      let run = try await voyage.ferry(["rollback", try last.run()])
      #expect(run.status == 0 || run.status == 6, "\(run.standardError)")
    }
  }

  @Test func `lost answers, throttling and truncation leave every record once`() async throws {
    try await withCloudVoyage(isPublic: true) { voyage in
      try voyage.backend.setFaults(
        "drop-after:3@POST \(voyage.modify);"
          + "status:4:429:retry-after=1@POST \(voyage.modify);"
          + "truncate:5@POST \(voyage.modify)"
      )
      let first = try await voyage.ferry([
        "migrate", voyage.store, "--batch-size", "8", "--retries", "20",
      ])
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(try voyage.names().count == voyage.recordCount)
      #expect(first.value("verification")?["clean"] == true)
    }
  }

  @Test func `told to come back in a day, a run saves what it did, and says when to resume`()
    async throws
  {
    try await withCloudVoyage { voyage in
      try voyage.backend.setFaults("status:n=3:429:retry-after=86400@POST \(voyage.modify)")
      let stopped = try await voyage.ferry(["migrate", voyage.store, "--batch-size", "5"])
      #expect(stopped.status == 5, "\(stopped.standardOutput)\(stopped.standardError)")
      #expect(stopped.standardError.contains("asks to wait 86400 seconds: resume after that"))
      let there = try voyage.names().count
      #expect(there > 0 && there < voyage.recordCount)
      let rest = try await voyage.ferry(["migrate", voyage.store])
      #expect(rest.status == 0, "\(rest.standardOutput)\(rest.standardError)")
      #expect(try voyage.names().count == voyage.recordCount)
    }
  }

  @Test func `refused without a time to ask again, a run asks no more, and the same line resumes`()
    async throws
  {
    try await withCloudVoyage { voyage in
      // The second request would be taken, were there one.
      try voyage.backend.setFaults("status:n=3:503@POST \(voyage.modify)")
      let stopped = try await voyage.ferry(["migrate", voyage.store, "--batch-size", "5"])
      #expect(stopped.status == 5, "\(stopped.standardOutput)\(stopped.standardError)")
      #expect(stopped.standardError.contains("names no time"))
      #expect(try voyage.names().count < voyage.recordCount)
      let rest = try await voyage.ferry(["migrate", voyage.store])
      #expect(rest.status == 0, "\(rest.standardOutput)\(rest.standardError)")
      #expect(try voyage.names().count == voyage.recordCount)
    }
  }

  @Test func `records that were said to be stored and are not are found by verify`() async throws {
    try await withCloudVoyage(isPublic: true) { voyage in
      try voyage.backend.setFaults("pretend:n=4@POST \(voyage.modify)")
      let first = try await voyage.ferry(["migrate", voyage.store, "--batch-size", "8"])
      #expect(first.status == 6, "\(first.standardOutput)\(first.standardError)")
      #expect(
        first.findings("verify.missing").count == voyage.recordCount - (try voyage.names().count)
      )
      let again = try await voyage.ferry([
        "migrate", voyage.store, "--on-conflict", "local", "--full",
      ])
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(try voyage.names().count == voyage.recordCount)
    }
  }
}

/// A small store, a server with a container, and what opens it.
struct CloudVoyage: Sendable {
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
    try await Answer(
      program.run(
        arguments + flags + ["--format", "ndjson", "--progress", "none"],
        state: "\(folder)/\(state)"
      )
    )
  }

  /// The names of all records that are there.
  func names() throws -> [String] {
    (try backend.dump()["cloudRecords"]?.array ?? []).compactMap { $0["recordName"]?.text }
  }

  /// Signs in, as somebody does in a browser, and keeps the tokens.
  func signIn() throws {
    let tokens = try backend.request("POST", "/__dev/cloudkit/token", [:])
    try secret(tokens["apiToken"]?.text ?? "", "\(folder)/api-token")
    try secret(tokens["webToken"]?.text ?? "", "\(folder)/web-token")
  }

  func editProfile(_ old: String, _ new: String) throws {
    let text = try String(contentsOfFile: profile, encoding: .utf8)
    guard text.contains(old) else { throw TestSupportError("the profile has no “\(old)”") }
    try text.replacing(old, with: new).write(toFile: profile, atomically: true, encoding: .utf8)
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
    let publicKey = try String(contentsOfFile: "\(folder)/public.pem", encoding: .utf8)
    _ = try backend.request(
      "POST",
      "/__dev/cloudkit/key",
      ["keyID": "the-key", "publicKey": .string(publicKey)]
    )
    try secret("the-key", "\(folder)/key-id")
    try secret(
      try String(contentsOfFile: "\(folder)/made.pem", encoding: .utf8),
      "\(folder)/private-key"
    )
  }
}

/// Lends a store and a container of a fresh server.
func withCloudVoyage(
  isPublic: Bool = false,
  _ body: (CloudVoyage) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    try await withBackend(in: "\(folder)/server") { backend in
      let sample = try madeStore(in: "\(folder)/store")
      let profile = "\(sample.folder)/cloudkit.yaml"
      var text = try String(
        contentsOfFile: "\(Samples.folder)/cloudkit/profile.yaml",
        encoding: .utf8
      )
      if isPublic {
        text = text.replacing("database: private ", with: "database: public ")
          .replacing("  zone: UserDataZone\n  create-zone: true\n", with: "")
      }
      try text.write(toFile: profile, atomically: true, encoding: .utf8)
      let voyage = CloudVoyage(
        folder: folder,
        store: sample.store,
        backend: backend,
        program: try FerryProgram(),
        profile: profile,
        isPublic: isPublic
      )
      if isPublic { try voyage.makeKey() } else { try voyage.signIn() }
      try await body(voyage)
    }
  }
}
