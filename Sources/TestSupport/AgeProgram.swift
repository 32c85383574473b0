import Foundation

/// The program `age` that is not ours: what Ferry encrypts is opened by it, and the other way
/// round.
package struct AgeProgram: Sendable {
  /// Says in a skipped test what is missing.
  package static let missing: String =
    "age and age-keygen are not on the PATH, and FERRY_AGE names no folder with them"

  /// The folder with `age` and `age-keygen`: the one `FERRY_AGE` names, or the first of the PATH that
  /// has both; `nil` if it does not exist.
  package static let folder: String? = {
    let environment = ProcessInfo.processInfo.environment
    let folders =
      environment["FERRY_AGE"].map { [$0] }
      ?? (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return folders.first { folder in
      ["age", "age-keygen"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
      }
    }
  }()

  /// Whether it is installed.
  package static var isHere: Bool { folder != nil }

  private let folder: String

  package init() throws {
    guard let folder = Self.folder else { throw TestSupportError(Self.missing) }
    self.folder = folder
  }

  /// Makes an identity file (0600) and gives its recipient.
  package func makeIdentity(at path: String) throws -> String {
    try run("age-keygen", ["-o", path])
    return try String(decoding: run("age-keygen", ["-y", path]), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Encrypts a file.
  package func encrypt(_ path: String, to recipients: [String], at target: String) throws {
    try run("age", recipients.flatMap { ["-r", $0] } + ["-o", target, path])
  }

  /// Opens a file, and gives what it holds.
  package func decrypt(_ path: String, identity: String) throws -> [UInt8] {
    [UInt8](try run("age", ["-d", "-i", identity, path]))
  }

  /// - Throws: ``TestSupportError`` with what the program said, where it ended with another status
  ///   than 0.
  @discardableResult
  private func run(_ name: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "\(folder)/\(name)")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestSupportError("\(name): \(String(decoding: complaint, as: UTF8.self))")
    }
    return said
  }
}
