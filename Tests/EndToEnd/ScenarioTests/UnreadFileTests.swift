import Foundation
import JSONText
import TestSupport
import Testing

/// Folders with files that Ferry does not read, as a person meets them.
@Suite(.timeLimit(.minutes(3))) struct UnreadFileTests {
  /// A folder with a database of one row, beside which a test puts other files.
  struct App {
    let folder: String
    var path: String { "\(folder)/app" }

    func run(_ arguments: [String]) async throws -> Answer {
      try await Answer(
        FerryProgram().run(
          arguments + ["--format", "ndjson", "--progress", "none"],
          state: "\(folder)/state"
        )
      )
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
      let place = URL(filePath: "\(path)/\(name)")
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(bytes).write(to: place)
    }
  }

  func withApp(_ body: (App) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let app = App(folder: folder)
      try FileManager.default.createDirectory(
        atPath: app.path,
        withIntermediateDirectories: true
      )
      try Python.run([
        "-c",
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); "
          + "c.execute('CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT)'); "
          + "c.execute(\"INSERT INTO note VALUES(1,'one')\"); c.commit()",
        "\(app.path)/main.sqlite",
      ])
      try await body(app)
    }
  }

  /// A header of Realm that says the file format is 25.
  static let realm25 =
    [UInt8](repeating: 0, count: 16) + Array("T-DB".utf8) + [25, 25, 0, 0]
  /// Two pages of bytes that are spread as ciphertext is.
  static let noise = (0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }

  @Test func `databases that are not read are named, and end inspect and export with status 3`()
    async throws
  {
    try await withApp { app in
      try app.write("secret.db", Self.noise)
      try app.write(
        "objectbox/data.mdb",
        [UInt8](repeating: 0, count: 16) + [0xDE, 0xC0, 0xEF, 0xBE]
      )
      try app.write("backup.ab", Array("ANDROID BACKUP\n5\n".utf8))
      try app.write("next.realm", Self.realm25)
      let names = ["backup.ab", "objectbox/data.mdb", "secret.db"]
      for arguments in [
        ["inspect", app.path], ["export", app.path, "-o", "\(app.folder)/one.ferry"],
      ] {
        let answer = try await app.run(arguments)
        #expect(answer.status == 3, "\(answer.standardOutput)\(answer.standardError)")
        let databases = answer.findings("container.database-unread")
        #expect(databases.compactMap { $0["file"]?.text }.sorted() == names)
        let stores = answer.findings("container.store-unread")
        #expect(stores.compactMap { $0["file"]?.text } == ["next.realm"])
      }
      #expect(try PackageLines("\(app.folder)/one.ferry").records("note").count == 1)
    }
  }
}
