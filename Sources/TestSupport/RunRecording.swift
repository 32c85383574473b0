import Foundation
import JSONText
import Synchronization

#if canImport(Testing)
import Testing
#endif

/// Writes each run of the program into the file that `FERRY_ORACLE` names, one JSON value a line.
///
/// A line has the test, the verb, the exit status, the results that the program printed as JSON, and the
/// rows that the test's development backends hold after the run. `Tests/Oracle/oracle.py` reads that file.
enum RunRecording {
  private static let path = ProcessInfo.processInfo.environment["FERRY_ORACLE"]
  /// The development backends that answer now, by their folders.
  private static let servers = Mutex<[String: LocalConnection]>([:])

  /// Notes that a development backend answers.
  static func opened(_ server: LocalConnection, in folder: String) {
    servers.withLock { $0[folder] = server }
  }

  /// Notes that a development backend answers no more.
  static func closed(in folder: String) {
    servers.withLock { $0[folder] = nil }
  }

  /// Adds a run, where runs are to be written down.
  ///
  /// - Throws: ``TestSupportError`` where the file cannot be written.
  static func add(
    _ arguments: [String],
    _ finished: FerryProgram.Finished,
    state: String
  ) throws {
    guard let path else { return }
    var held = JSONObject()
    if let root = testFolder(of: state) {
      let answering = servers.withLock { $0 }
      for (folder, server) in answering where testFolder(of: folder) == root {
        // A test may have ended it, or has something go wrong with it.
        guard let answer = try? server.send("GET", "/__dev/dump"), answer.status == 200 else {
          continue
        }
        let rows = try? JSONValue(parsing: answer.body)
        held[String(folder.dropFirst(root.count))] = rows ?? .string("too much to read")
      }
    }
    let results = finished.standardOutput.split(separator: "\n").filter { $0.hasPrefix("{") }
      .compactMap { try? JSONValue(parsing: String($0)) }
    let run: JSONObject = [
      "test": .string(testName), "verb": .string(arguments.first ?? ""),
      "status": .string("\(finished.status)"), "results": .array(results), "held": .object(held),
    ]
    try append(JSONValue.object(run).canonicalBytes + [UInt8(ascii: "\n")], to: path)
  }

  /// The file of the test that runs, and the test's name.
  private static var testName: String {
    #if canImport(Testing)
    if let test = Test.current {
      return "\(test.sourceLocation.fileName) \(test.displayName ?? test.name)"
    }
    #endif
    return "no test"
  }

  /// The temporary folder of a test, which a path lies in.
  private static func testFolder(of path: String) -> String? {
    guard let mark = path.range(of: "/ferry-tests-") else { return nil }
    let end = path[mark.upperBound...].firstIndex(of: "/") ?? path.endIndex
    return String(path[..<end])
  }

  /// Adds a line in one write, so that test processes may share the file.
  private static func append(_ bytes: [UInt8], to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    guard descriptor >= 0 else { throw TestSupportError("\(path): \(errno)") }
    defer { close(descriptor) }
    let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw TestSupportError("\(path): \(errno)") }
  }
}
