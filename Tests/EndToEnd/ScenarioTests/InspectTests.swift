import Foundation
import JSONText
import TestSupport
import Testing

/// `ferry inspect`, as a person meets it.
@Suite(.timeLimit(.minutes(2))) struct InspectTests {
  func inspect(_ arguments: [String]) async throws -> FerryProgram.Finished {
    var finished: FerryProgram.Finished?
    try await withTemporaryFolder { folder in
      finished = try await FerryProgram().run(["inspect"] + arguments, state: folder)
    }
    return try #require(finished)
  }

  func values(_ finished: FerryProgram.Finished) throws -> [JSONValue] {
    try finished.standardOutput.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }

  let store = Samples.infiniteStories.store
  let later = "\(Samples.infiniteStories.folder)/later.store"

  @Test func `a folder is searched, and its stores and files are reported`() async throws {
    let finished = try await inspect([Samples.infiniteStories.folder, "--format", "ndjson"])
    #expect(finished.status == 0)
    let container = try #require(try values(finished).first { $0["type"] == "container" })
    let paths = container["stores"]?.array?.compactMap { $0["path"]?.text }
    #expect(paths == ["default.store", "later.store"])
    #expect(container["media"]?.array?.isEmpty == false)
  }
}
