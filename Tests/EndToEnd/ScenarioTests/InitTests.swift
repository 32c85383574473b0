import Foundation
import TestSupport
import Testing

/// `ferry init`, and what it drafts, all the way to a package without a fault.
@Suite(.timeLimit(.minutes(3))) struct InitTests {
  func run(_ arguments: [String], in folder: String) async throws
    -> FerryProgram.Finished
  {
    try await FerryProgram().run(arguments + ["--quiet"], state: "\(folder)/state")
  }

  @Test(arguments: ["default.store", "later.store"])
  func `a drafted profile exports records that obey the drafted schemas`(
    name: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let store = "\(Samples.infiniteStories.folder)/\(name)"
      try await run(["init", store, "-o", "\(folder)/draft"], in: folder).exits(0)
      try await run(
        [
          "export", store, "--profile", "\(folder)/draft/profile.yaml", "-o", "\(folder)/one.ferry",
        ],
        in: folder
      ).exits(0)
      let validated = try await run(["validate", "\(folder)/one.ferry"], in: folder).exits(0)
      #expect(validated.standardOutput.contains("no fault"))
    }
  }

  @Test(arguments: ["none.json", "file:none.json", "folder.yaml", "no-description.json"])
  func `a backend's description that cannot be used is refused with a cure`(name: String)
    async throws
  {
    try await withTemporaryFolder { folder in
      try makeFolder("\(folder)/folder.yaml")
      try "{}".save(to: "\(folder)/no-description.json")
      let place = name.hasPrefix("file:") ? name : "\(folder)/\(name)"
      let store = "\(Samples.infiniteStories.folder)/default.store"
      let line = ["init", store, "--to", place, "-o", "\(folder)/draft"]
      let said = try await run(line, in: folder).exits(64).standardError
      #expect(said.contains("  cure: "), "\(said)")
    }
  }
}
