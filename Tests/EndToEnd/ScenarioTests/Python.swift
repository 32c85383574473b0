import Foundation
import TestSupport

/// Scripts that play the app's part, or read a store in another way than the program does.
enum Python {
  /// Runs a script; gives what it printed.
  @discardableResult
  static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestSupportError("python3 ended with \(process.terminationStatus): \(text)")
    }
    return text
  }

  /// Changes a store as an app does while it runs: what is new lies in the write-ahead log only.
  static func edit(_ store: String, _ statements: String...) throws {
    try edit(store, statements)
  }

  static func edit(_ store: String, _ statements: [String]) throws {
    try run(["-c", editing, store] + statements)
  }

  private static let editing = """
    import os, sqlite3, sys
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA wal_autocheckpoint = 0")
    for statement in sys.argv[2:]:
        db.execute(statement)
    # An app that is killed closes nothing; closing would empty the log into the main file.
    os._exit(0)
    """
}
