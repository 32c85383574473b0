import Foundation
import JSONText
import TestSupport
import Testing

/// A value of 50 MiB that is a field of a record goes to a server in pieces, and is compared without being held.
@Suite(.timeLimit(.minutes(5))) struct LargeWireTests {
  /// The most memory that a command may take, in MiB, with the program itself.
  private static let mostMemory = 96.0

  /// A package with a large value, and a server for it.
  private struct Wire {
    let source: LargeSource
    let server: LargeServer
    let profile: String
    let place: String
    private let flags: [String]

    /// The records go to the server unless `place` is named, through an interface of REST unless another is.
    init(
      _ kind: LargeSource.Kind,
      in folder: String,
      at place: String? = nil,
      through interface: String? = nil,
      _ flags: [String] = []
    ) throws {
      let source = try LargeSource(kind, in: folder)
      self.source = source
      server = try LargeServer(in: folder)
      self.place = place ?? server.origin
      self.flags = flags
      profile = if let interface { try source.profile(interface) } else { try source.profile() }
      try export()
    }

    func export() throws {
      let export = try source.peak([
        "export", source.path, "--profile", profile, "-o", source.package,
      ])
      try #require(export.status == 0)
    }

    /// Exports the store as it is now.
    func exportAgain() throws {
      try FileManager.default.removeItem(atPath: source.package)
      try export()
    }

    /// Changes the large value by its last byte, and exports it.
    func change() throws {
      try source.change()
      try exportAgain()
    }

    /// The name of the last run.
    func lastRun() async throws -> String {
      let history = try await FerryProgram().answer(["history"], state: source.folder + "/state")
      return try #require(history.values.last?["run"]?.text)
    }

    /// Rolls a run back, the last one unless named; gives the exit status and the peak of its memory in MiB.
    func rollBack(_ run: String? = nil) async throws -> (status: Int, mebibytes: Double) {
      let run = if let run { run } else { try await lastRun() }
      return try source.peak(["rollback", run, "--profile", profile, "--to", place] + flags)
    }

    /// Runs a verb on the package; gives its exit status and the peak of its memory in MiB.
    func peak(_ verb: String, _ more: String...) throws -> (status: Int, mebibytes: Double) {
      try source.peak(
        [verb, source.package, "--profile", profile, "--to", place] + flags + more
      )
    }

    /// Runs verbs that succeed with little memory.
    func expectLittle(_ verbs: String..., at location: SourceLocation = #_sourceLocation) throws {
      for verb in verbs {
        let (status, mebibytes) = try peak(verb)
        #expect(status == 0, "\(verb)", sourceLocation: location)
        #expect(mebibytes < LargeWireTests.mostMemory, "\(verb)", sourceLocation: location)
      }
    }

    /// Uploads, and kills that after a time.
    func killUpload(after seconds: Double) async throws {
      _ = try await FerryProgram().run(
        ["upload", source.package, "--profile", profile, "--to", place] + flags,
        state: source.folder + "/state",
        stop: .kill(after: .seconds(seconds), line: "upload …")
      )
    }
  }

  // 001-63.
  @Test(arguments: [LargeSource.Kind.blob, .text, .jsonltexts])
  func `plan, upload and verification of a large field take little memory, and every byte arrives`(
    _ kind: LargeSource.Kind
  ) async throws {
    try await withTemporaryFolder { folder in
      let wire = try Wire(kind, in: folder)
      for verb in ["plan", "upload", "verify", "plan", "upload"] {
        let (status, mebibytes) = try wire.peak(verb)
        #expect(status == 0, "\(verb)")
        #expect(mebibytes < Self.mostMemory, "\(verb)")
      }
      #expect(try wire.source.held(at: wire.server) == "made")
    }
  }

  @Test func `a change of the last byte of a large text is planned, sent and rolled back`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let wire = try Wire(.text, in: folder)
      #expect(try wire.peak("upload").status == 0)
      try wire.change()
      for verb in ["plan", "upload", "verify"] {
        let (status, mebibytes) = try wire.peak(verb)
        #expect(status == 0, "\(verb)")
        #expect(mebibytes < Self.mostMemory, "\(verb)")
      }
      #expect(try wire.source.held(at: wire.server) == "changed")
      let (status, mebibytes) = try await wire.rollBack()
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
      #expect(try wire.source.held(at: wire.server) == "made")
    }
  }

  @Test func `a rollback that is killed puts a large text back when it is repeated`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let wire = try Wire(.text, in: folder)
      #expect(try wire.peak("upload").status == 0)
      try wire.change()
      #expect(try wire.peak("upload").status == 0)
      let run = try await wire.lastRun()
      for wait in [0.2, 0.5, 1] {
        _ = try await FerryProgram().run(
          ["rollback", run, "--profile", wire.profile, "--to", wire.server.origin],
          state: folder + "/state",
          stop: .kill(after: .seconds(wait), line: "rollback …")
        )
      }
      #expect(try await wire.rollBack(run).status == 0)
      #expect(try wire.source.held(at: wire.server) == "made")
    }
  }

  @Test func `a record with a large text is deleted with little memory`() async throws {
    try await withTemporaryFolder { folder in
      let wire = try Wire(.text, in: folder)
      #expect(try wire.peak("upload").status == 0)
      try wire.source.remove()
      try wire.exportAgain()
      let (status, mebibytes) = try wire.peak("upload", "--delete")
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
      #expect(!FileManager.default.fileExists(atPath: wire.server.records + "/2"))
    }
  }

  @Test func `a large text goes into a folder and back with little memory`() async throws {
    try await withTemporaryFolder { folder in
      let wire = try Wire(.text, in: folder, at: "file:\(folder)/copies")
      func send() throws {
        for verb in ["upload", "verify"] {
          let (status, mebibytes) = try wire.peak(verb)
          #expect(status == 0, "\(verb)")
          #expect(mebibytes < Self.mostMemory, "\(verb)")
        }
      }
      let copy = "\(folder)/copies/photo/2.json"
      try send()
      try wire.change()
      try send()
      #expect(try wire.source.held(in: copy) == "changed")
      let (status, mebibytes) = try await wire.rollBack()
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
      #expect(try wire.source.held(in: copy) == "made")
    }
  }

  @Test(arguments: [true, false])
  func `an export of a destination takes little memory and keeps every byte of a large text`(
    _ isFolder: Bool
  ) async throws {
    try await withTemporaryFolder { folder in
      let wire = try Wire(.text, in: folder, at: isFolder ? "file:\(folder)/copies" : nil)
      try wire.expectLittle("upload")
      let back = folder + "/back.ferry"
      let (status, mebibytes) = try wire.source.peak([
        "export", "--from", wire.place, "--profile", wire.profile, "-o", back,
      ])
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
      #expect(try wire.source.isWhole(in: back))
    }
  }

  @Test func `a large text that was changed at the destination is reported by a verification`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let wire = try Wire(.text, in: folder)
      #expect(try wire.peak("upload").status == 0)
      let path = URL(filePath: "\(wire.server.records)/2")
      var record = try Data(contentsOf: path)
      record[record.count / 2] ^= 1
      try record.write(to: path)
      let (status, mebibytes) = try wire.peak("verify")
      #expect(status == 6)
      #expect(mebibytes < Self.mostMemory)
    }
  }

  @Test func `a large text goes to a changeset backend and back with little memory`() async throws {
    try await withTemporaryFolder { folder in
      let interface = """
        kind: changeset
        account: { request: GET /me, member: id }
        sync: { pull: GET /sync, push: POST /sync, changes-cursor: server_time }
        entities:
          photo:
            rows: photos
            deleted: deleted_at
            version: version
            body: { picture: picture }
            unmapped: [id]
        """
      let wire = try Wire(.text, in: folder, through: interface)
      try wire.expectLittle("plan", "upload", "verify", "plan", "upload")
      #expect(try wire.source.held(at: wire.server) == "made")
      try wire.change()
      try wire.expectLittle("upload", "verify")
      #expect(try wire.source.held(at: wire.server) == "changed")
      let (status, mebibytes) = try await wire.rollBack()
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
      #expect(try wire.source.held(at: wire.server) == "made")
    }
  }

  /// A table for the records, and the way to it.
  private func withTable(
    _ body: (Wire, PostgreSQL) async throws -> Void
  ) async throws {
    let programs = try #require(Servers.postgres)
    try await withTemporaryFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder + "/server",
        withIntermediateDirectories: false
      )
      let database = try PostgreSQL(programs: programs, in: folder + "/server")
      try database.sql("CREATE TABLE photo (id integer PRIMARY KEY, picture text)")
      try secret("postgres", folder + "/user")
      let interface = """
        kind: postgresql
        credentials: [user]
        entities:
          photo: { table: photo, body: { picture: picture }, unmapped: [id] }
        """
      let flags = ["--credential", "user=file:\(folder)/user"]
      let wire = try Wire(.text, in: folder, at: database.place, through: interface, flags)
      try await body(wire, database)
      withExtendedLifetime(database) {}
    }
  }

  /// Which large text the table has.
  private func held(_ wire: Wire, _ database: PostgreSQL) throws -> String {
    let file = wire.source.folder + "/row.json"
    let row = "SELECT json_build_object('picture', picture) FROM photo WHERE id = 2"
    try database.sql(row).save(to: file)
    return try wire.source.held(in: file)
  }

  @Test(.enabled(if: Servers.postgres != nil, "skipped: FERRY_POSTGRES names no folder"))
  func `a large text goes into a table and back with little memory`() async throws {
    try await withTable { wire, database in
      try wire.expectLittle("plan", "upload", "verify", "plan", "upload")
      #expect(try held(wire, database) == "made")
      try wire.change()
      try wire.expectLittle("plan", "upload", "verify")
      #expect(try held(wire, database) == "changed")
      let (status, mebibytes) = try await wire.rollBack()
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
      #expect(try held(wire, database) == "made")
    }
  }

  @Test(.enabled(if: Servers.postgres != nil, "skipped: FERRY_POSTGRES names no folder"))
  func `killed uploads of a large text into a table leave each row once`() async throws {
    try await withTable { wire, database in
      for wait in [0.2, 0.4, 0.7, 1.1] { try await wire.killUpload(after: wait) }
      try wire.expectLittle("upload", "verify")
      try wire.change()
      for wait in [0.3, 0.6, 0.9] { try await wire.killUpload(after: wait) }
      try wire.expectLittle("upload", "verify")
      #expect(try held(wire, database) == "changed")
      #expect(try database.sql("SELECT count(*) FROM photo") == "3")
      #expect(try database.sql("SELECT count(*) FROM ferry_operation") == "4")
    }
  }

  @Test func `a look at a large field and a redacted export of it take little memory`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let wire = try Wire(.text, in: folder)
      let source = wire.source
      let show = try source.peak(["show", source.package, "photo/2"])
      #expect(show.status == 0)
      #expect(show.mebibytes < Self.mostMemory)
      let redaction = try source.peak([
        "export", source.path, "--profile", wire.profile, "--redact", "-o",
        folder + "/redacted.ferry",
      ])
      #expect(redaction.status == 0)
      #expect(redaction.mebibytes < Self.mostMemory)
    }
  }
}
