import Foundation
import JSONText
import TestSupport
import Testing

/// Stores that have no identity of their own, several of one shape beside each other.
@Suite(.timeLimit(.minutes(3))) struct NamelessStoreTests {
  @Test func `no record of one database is deleted because another database of its shape lacks it`()
    async throws
  {
    try await withNoteFiles { notes in
      let first = try notes.database("first", "('a', 'one'), ('b', 'two'), ('c', 'three')")
      let other = try notes.database("other", "('x', 'one'), ('y', 'two'), ('z', 'three')")
      try await notes.migrate(first).exits(0)
      let before = try notes.kept()
      for more in [["--delete", "-n"], ["--delete"], []] {
        let refused = try await notes.migrate(other, more).exits(12)
        for words in [first, other, "--state-dir", "--accept-change store"] {
          #expect(refused.standardError.contains(words), "\(refused)")
        }
        #expect(try notes.kept() == before)
      }
      try await notes.migrate(first, ["--delete"]).exits(0)
      #expect(try notes.kept() == before)
    }
  }
}

/// Notes in stores of one shape, a folder that they go to, and what moves them there.
struct NoteFiles {
  let folder: String

  /// Makes a database in a folder of its own; with `count`, of so many further rows.
  func database(
    _ name: String,
    _ rows: String,
    count: Int = 0,
    title: String = ""
  ) throws -> String {
    let path = try place(name) + "/notes.sqlite"
    try Python.edit(
      path,
      "CREATE TABLE Note (id TEXT PRIMARY KEY NOT NULL, title TEXT)",
      "INSERT INTO Note VALUES \(rows)",
      """
      WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < \(100 + count))
      INSERT INTO Note SELECT i, '\(title) ' || i FROM n WHERE i > 100
      """
    )
    return path
  }

  /// Makes preferences, all of one name, in a folder of their own.
  func preferences(_ name: String, _ rows: [(id: String, title: String)]) throws -> String {
    let path = try place(name) + "/com.example.notes.plist"
    let list = rows.map { #"{"id": "\#($0.id)", "title": "\#($0.title)"}"# }
    try Python.run([
      "-c",
      """
      import plistlib, sys
      plistlib.dump({'notes': sys.argv[2].encode()}, open(sys.argv[1], 'wb'))
      """, path, "[\(list.joined(separator: ", "))]",
    ])
    return path
  }

  /// Copies a database, with its log, to another folder.
  func copy(_ database: String, into name: String) throws -> String {
    let path = try place(name) + "/notes.sqlite"
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: database + ending, toPath: path + ending)
    }
    return path
  }

  private func place(_ name: String) throws -> String {
    let path = "\(folder)/\(name)"
    try makeFolder(path)
    return path
  }

  func migrate(
    _ store: String,
    _ more: [String] = [],
    profile: String = NoteFiles.profile,
    state: String = "state"
  ) async throws -> Answer {
    try await ferry(["migrate", store] + destination + more, profile, state: state)
  }

  func upload(_ package: String, _ more: [String]) async throws -> Answer {
    try await ferry(["upload", package] + destination + more, Self.profile)
  }

  func exported(_ store: String, as name: String = "notes") async throws -> String {
    let package = "\(store).\(name).ferry"
    let answer = try await ferry(["export", store, "-o", package], Self.profile)
    guard answer.status == 0 else { throw TestSupportError(answer.standardError) }
    return package
  }

  /// What lies in the folder, by the names of the files.
  func kept() throws -> [String: Data] {
    var kept: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/kept/Note") {
      kept[name] = try Data(contentsOf: URL(filePath: "\(folder)/kept/Note/\(name)"))
    }
    return kept
  }

  private var destination: [String] { ["--to", "file:\(folder)/kept"] }

  private func ferry(
    _ arguments: [String],
    _ profile: String,
    state: String = "state"
  ) async throws -> Answer {
    let path = "\(folder)/profile.yaml"
    try profile.save(to: path)
    return try await Answer(
      FerryProgram().run(
        arguments + ["--profile", path, "--format", "ndjson", "--progress", "none"],
        state: "\(folder)/\(state)"
      )
    )
  }

  static let profile = NoteFolder.profile

  /// The same, with one member more in each record.
  static let withMore =
    profile
    .replacing("fields: { id: id,", with: "fields: { id: id, also: title,")
    .replacing("body: { id: id,", with: "body: { id: id, also: also,")

  /// The same, with a column in each record that is not sent.
  static let withState =
    profile
    .replacing("app: notes", with: "app: notes\naccept-unmapped: [Note.state]")
    .replacing("title: title }\n", with: "title: title, state: state }\n")
    .replacing("title: title } }", with: "title: title }, unmapped: [state] }")

  static let ofPreferences = profile.replacing(
    "entities:\n  Note:\n    identity",
    with: "omit-entities: [Preferences]\nentities:\n  Note:\n    from: notes\n    identity"
  )
}

func withNoteFiles(_ body: (NoteFiles) async throws -> Void) async throws {
  try await withTemporaryFolder { folder in try await body(NoteFiles(folder: folder)) }
}
