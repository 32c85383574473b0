import Files
import Foundation
import ProfileDrafting
import Records
import StoreFiles
import StoreReading
import Testing

/// Drafts of files, which declare no keys.
struct FileDraftTests {
  private func draft(_ text: String) throws -> ProfileDraft {
    let folder = try PrivateFolder()
    let path = folder.path + "/notes.json"
    try Data(text.utf8).write(to: URL(filePath: path))
    let store = try Source(path, into: folder.path + "/private").store
    return try ProfileDraft(of: store, app: "notes")
  }

  @Test func `an array without an object is refused for want of rows`() throws {
    let failure = #expect(throws: ProfileDraft.Failure.self) { _ = try draft("[]") }
    guard case .store(let error)? = failure else { return }
    #expect(error.description.contains("notes has no row, so nothing shows its fields"))
    #expect(error.cure == "name a file with at least one record")
  }

  @Test func `rows of one id are a warning that names what the draft takes for it`() throws {
    let draft = try draft(#"[{"id":1,"t":"a"},{"id":1,"t":"b"}]"#)
    #expect(draft.identities == ["notes": "t"])
    let finding = try #require(draft.findings.first)
    #expect(draft.findings.count == 1)
    #expect(finding.code == "identity.by-chance" && finding.severity == .warning)
    #expect(finding.cause.hasPrefix("“id” cannot be the identity: rows lack it or have the same"))
    #expect(finding.cause.hasSuffix("the draft takes “t”, which differs in all rows of today"))
  }

  @Test func `a file that has nothing like an identity is warned of as well`() throws {
    let findings = try draft(#"[{"t":"a"},{"t":"b"}]"#).findings
    #expect(findings.map(\.code) == ["identity.by-chance"])
    #expect(findings.first?.cause.hasPrefix("no attribute is called like an identity;") == true)
  }

  @Test func `rows that each have an id of their own are no warning`() throws {
    #expect(try draft(#"[{"id":1,"t":"a"},{"id":2,"t":"a"}]"#).findings.isEmpty)
  }
}
