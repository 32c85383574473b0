import Foundation
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

    init(_ kind: LargeSource.Kind, in folder: String) throws {
      source = try LargeSource(kind, in: folder)
      server = try LargeServer(in: folder)
      profile = try source.profile()
      try export()
    }

    func export() throws {
      let export = try source.peak([
        "export", source.path, "--profile", profile, "-o", source.package,
      ])
      try #require(export.status == 0)
    }

    /// Runs a verb with its results in JSON.
    func answer(_ words: String...) async throws -> Answer {
      try await FerryProgram().answer(
        words + ["--profile", profile, "--to", server.origin],
        state: source.folder + "/state"
      )
    }

    /// Runs a verb on the package; gives its exit status and the peak of its memory in MiB.
    func peak(_ verb: String, _ more: String...) throws -> (status: Int, mebibytes: Double) {
      try source.peak(
        [verb, source.package, "--profile", profile, "--to", server.origin] + more
      )
    }
  }

  @Test(arguments: [LargeSource.Kind.blob, .text])
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
      try wire.source.change()
      try FileManager.default.removeItem(atPath: wire.source.package)
      try wire.export()
      let (status, mebibytes) = try wire.peak("plan")
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
      let upload = try await wire.answer("upload", wire.source.package).exits(0)
      #expect(upload.count("updated") == 1)
      #expect(try wire.source.held(at: wire.server) == "changed")
      #expect(try wire.peak("verify").status == 0)
      try await wire.answer("rollback", try upload.run()).exits(0)
      #expect(try wire.source.held(at: wire.server) == "made")
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
