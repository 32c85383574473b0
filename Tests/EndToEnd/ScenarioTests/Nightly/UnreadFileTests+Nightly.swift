import Foundation
import JSONText
import TestSupport
import Testing

extension UnreadFileTests {
  @Test func `files that a person knows are left out, and the status is 0`() async throws {
    try await withApp { app in
      try app.write("secret.db", Self.noise)
      try app.write("old/next.realm", Self.realm25)
      let known = ["--ignore", "secret.*", "--ignore", "old/"]
      let inspected = try await app.run(["inspect", app.path] + known)
      #expect(inspected.status == 0, "\(inspected.standardOutput)\(inspected.standardError)")
      let package = "\(app.folder)/one.ferry"
      let exported = try await app.run(["export", app.path, "-o", package] + known)
      #expect(exported.status == 0, "\(exported.standardOutput)\(exported.standardError)")
      let skipped = exported.findings("container.skipped").compactMap { $0["file"]?.text }
      #expect(skipped.sorted() == ["old/", "secret.*"])
      #expect(try await app.run(["validate", package]).status == 0)
    }
  }

  @Test
  func
    `a folder whose only store cannot be read ends inspect with 3, and export with 10 and the cure`()
    async throws
  {
    try await withApp { app in
      try FileManager.default.removeItem(atPath: "\(app.path)/main.sqlite")
      try app.write("next.realm", Self.realm25)
      let inspected = try await app.run(["inspect", app.path])
      #expect(inspected.status == 3, "\(inspected.standardOutput)\(inspected.standardError)")
      let unread = inspected.findings("container.store-unread")
      #expect(unread.compactMap { $0["file"]?.text } == ["next.realm"])
      let exported = try await app.run(["export", app.path, "-o", "\(app.folder)/one.ferry"])
      #expect(exported.status == 10, "\(exported.standardOutput)\(exported.standardError)")
      #expect(exported.standardError.contains("Realm's file format 25 is not read"))
      #expect(exported.standardError.contains("formats 2 to 11"))
    }
  }

  @Test(arguments: [
    ("secret.db", noise, "sqlcipher"), ("next.realm", realm25, "formats 2 to 11"),
    ("backup.ab", Array("ANDROID BACKUP\n5\n".utf8), "abe unpack"),
    ("flags.preferences_pb", [0x0A, 1, 2] as [UInt8], "SharedPreferences"),
  ])
  func `a file that is not read is refused by itself with status 10 and the cure`(
    name: String,
    bytes: [UInt8],
    cure: String
  ) async throws {
    try await withApp { app in
      try app.write(name, bytes)
      let answer = try await app.run(["inspect", "\(app.path)/\(name)"])
      #expect(answer.status == 10, "\(answer.standardError)")
      #expect(answer.standardError.contains(cure), "\(answer.standardError)")
    }
  }
}
