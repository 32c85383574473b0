import Foundation
import JSONText
import TestSupport
import Testing

extension CloudAssetTests {
  @Test func `the picture of a record that another device changed is kept, and reported as kept`()
    async throws
  {
    try await withAssets { scenario in
      let first = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      // Another machine changes a record that has a picture.
      try Python.edit(
        scenario.store,
        "UPDATE ZHERO SET ZNAME = 'Elsewhere' WHERE Z_PK = "
          + "(SELECT min(Z_PK) FROM ZHERO WHERE ZAVATARIMAGEPATH IS NOT NULL)"
      )
      try await scenario.ferry(
        ["migrate", scenario.store, "--on-conflict", "local"],
        state: "elsewhere"
      ).exits(0)
      let back = try await scenario.ferry(["rollback", try first.run()]).exits(6)
      #expect(back.count("conflicted", of: "Hero", in: "rollback") == 1)
      let media = back.value("rollback")?["media"]?.array ?? []
      #expect(media.reduce(0) { $0 + ($1["conflicted"]?.integer ?? 0) } == 1)
      #expect(try scenario.names().count == 1)
    }
  }

  @Test func `a replaced picture cannot be restored, and that is reported`()
    async throws
  {
    try await withAssets { scenario in
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      try Python.edit(
        scenario.store,
        "UPDATE ZHERO SET ZAVATARIMAGEPATH = (SELECT ZAVATARIMAGEPATH FROM ZHERO WHERE Z_PK = 1)"
          + " WHERE Z_PK = 2"
      )
      let second = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(second.count("updated") == 1)
      let back = try await scenario.ferry(["rollback", try second.run()]).exits(6)
      #expect(back.count("rejected", of: "Hero", in: "rollback") == 1)
      #expect(back.standardOutput.contains("CloudKit cannot restore it"), "\(back)")
    }
  }

  @Test func `a run killed between the picture and its record uses the stored receipt`()
    async throws
  {
    try await withAssets(isPublic: true) { scenario in
      // The files arrive; the records are put off again and again, for longer than the program lives.
      try scenario.backend.setFaults("status:1:503:retry-after=1@POST \(scenario.modify)")
      let killed = try await scenario.program.run(
        ["migrate", scenario.store, "--progress", "plain", "--retries", "20"] + scenario.flags,
        state: "\(scenario.folder)/state",
        stop: .kill(after: .seconds(8), line: "upload …")
      )
      #expect(killed.wasKilled, "\(killed)")
      let sent = try scenario.uploads()
      #expect(sent > 3)
      #expect(try scenario.assets().isEmpty)

      try scenario.backend.setFaults("")
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      let wanted = try await scenario.pictures()
      #expect(try scenario.assets() == wanted)
      #expect(try scenario.uploads() == sent)
    }
  }

  @Test func `an expired upload receipt is redone from the start`() async throws {
    try await withAssets { scenario in
      try scenario.backend.setFaults("status:1:503@POST \(scenario.modify)")
      try await scenario.ferry(["migrate", scenario.store, "--retries", "3"]).exits(5)
      let sent = try scenario.uploads()
      #expect(sent > 3)
      _ = try scenario.backend.request("POST", "/__dev/cloudkit/expire-assets", [:])
      try scenario.backend.setFaults("")
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      let wanted = try await scenario.pictures()
      #expect(try scenario.assets() == wanted)
      #expect(try scenario.uploads() == sent + wanted.count)
    }
  }

  @Test func `a lost upload address or answer costs another upload and no record`()
    async throws
  {
    try await withAssets(isPublic: true) { scenario in
      try scenario.backend.setFaults("drop-after:n=2@POST /assets/; status:n=3:500@POST /assets/")
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      let wanted = try await scenario.pictures()
      #expect(try scenario.assets() == wanted)
    }
  }

  @Test func `a file that is too large for an asset is refused by name, and the rest arrives`()
    async throws
  {
    try await withAssets { scenario in
      let folder = "\(scenario.folder)/store/container/Documents/Avatars"
      try Data(count: (50 << 20) + 1).write(to: URL(filePath: "\(folder)/large.png"))
      try Python.edit(
        scenario.store,
        "UPDATE ZHERO SET ZAVATARIMAGEPATH = 'large.png' WHERE Z_PK = 1"
      )
      let answer = try await scenario.ferry(["migrate", scenario.store]).exits(3)
      #expect(answer.findings("media.too-large").count == 1)
      #expect(try scenario.names().count == scenario.recordCount)
    }
  }
}
