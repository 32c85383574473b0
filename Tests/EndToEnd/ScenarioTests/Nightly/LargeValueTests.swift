import Foundation
import TestSupport
import Testing

/// Large values go through in pieces; one that is too large keeps its own record back, by name, and no other.
@Suite(.timeLimit(.minutes(5))) struct LargeValueTests {
  /// The most memory that a command may take for a value of 50 MiB, in MiB, with the program itself.
  private static let mostMemory = 96.0

  @Test(arguments: LargeSource.Kind.allCases)
  func `a draft of a source with a large value takes little memory`(
    _ kind: LargeSource.Kind
  ) async throws {
    try await withTemporaryFolder { folder in
      let source = try LargeSource(kind, in: folder)
      let (status, mebibytes) = try source.peak(["init", source.path, "-o", folder + "/draft"])
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
    }
  }

  @Test(arguments: LargeSource.Kind.allCases)
  func `an export of a large value takes little memory and keeps every byte`(
    _ kind: LargeSource.Kind
  ) async throws {
    try await withTemporaryFolder { folder in
      let source = try LargeSource(kind, in: folder)
      _ = try source.peak(["init", source.path, "-o", folder + "/draft"])
      let (status, mebibytes) = try source.peak([
        "export", source.path, "--profile", folder + "/draft/profile.yaml", "-o", source.package,
      ])
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
      #expect(try source.isWhole())
    }
  }

  @Test(arguments: [
    LargeSource.Kind.blob, .realmblob, .text, .realmnumbers, .realmblobs, .fleecenumbers,
    .jsonnumbers, .texts, .jsonltexts,
  ])
  func `a validation of a large value takes little memory`(
    _ kind: LargeSource.Kind
  ) async throws {
    try await withTemporaryFolder { folder in
      let source = try LargeSource(kind, in: folder)
      try source.export(to: source.package)
      let (status, mebibytes) = try source.peak(["validate", source.package])
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
    }
  }

  @Test func `base 64 inside of a list is checked in pieces where the schema asks for it`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let source = try LargeSource(.realmblobs, in: folder)
      try source.export(to: source.package) {
        $0.replacing("\"items\": {", with: "\"items\": { \"contentEncoding\": \"base64\",")
      }
      let (status, mebibytes) = try source.peak(["validate", source.package])
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
    }
  }

  // Of the drafts, only draft-07 lets a schema insist on it.
  @Test func `a large text that is not base 64 is invalid where its schema asks for that`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let source = try LargeSource(.text, in: folder)
      try source.export(to: source.package) { schema in
        schema.replacing("\"picture\": {", with: "\"picture\": { \"contentEncoding\": \"base64\",")
          .replacing(
            "https://json-schema.org/draft/2020-12/schema",
            with: "http://json-schema.org/draft-07/schema#"
          )
      }
      #expect(try source.peak(["validate", source.package]).status == 4)
    }
  }

  @Test func `bytes of a row become a media file with little memory`() async throws {
    try await withTemporaryFolder { folder in
      let source = try LargeSource(.blob, in: folder)
      let (status, mebibytes) = try source.peak([
        "export", source.path, "--profile", try source.profile(asMedia: true), "-o", source.package,
      ])
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
      #expect(try source.isWhole())
    }
  }

  @Test func `an upload of bytes as a media file takes little memory`() async throws {
    try await withTemporaryFolder { folder in
      let source = try LargeSource(.blob, in: folder)
      let (status, mebibytes) = try source.peak([
        "migrate", source.path, "--profile", try source.profile(asMedia: true),
        "--to", "file:\(folder)/kept",
      ])
      #expect(status == 0)
      #expect(mebibytes < Self.mostMemory)
    }
  }

  @Test
  func `a record with a too large value is rejected with the reason, and all others are exported`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.sql(
        "UPDATE ZHERO SET ZNAME = zeroblob(134217729) WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZHERO)"
      )
      let package = scenario.folder + "/large.ferry"
      try await scenario.ferry([
        "export", scenario.sample.store, "--profile", scenario.profile, "-o", package,
      ]).exits(3)
      let rejects = try lines(of: package + "/rejected")
      #expect(rejects.map { $0.contains("\"code\":\"record.too-large\"") } == [true])
      let heroes = try lines(of: package + "/data") { $0.hasPrefix("Hero-") }
      #expect(heroes.count == 5)
    }
  }

  /// The lines of all files of a folder whose names are wanted.
  private func lines(
    of folder: String,
    where isWanted: (String) -> Bool = { _ in true }
  ) throws -> [Substring] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter(isWanted).flatMap {
      try String(at: "\(folder)/\($0)").split(separator: "\n")
    }
  }
}
