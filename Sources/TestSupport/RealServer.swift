import Foundation
package import JSONText

/// A server that is not ours, started for one test or for those that share it.
package final class RealServer: Sendable {
  /// Where it answers: `http://127.0.0.1:PORT`.
  package let origin: String
  private let process: Process
  /// What the server may read from: it ends when this process does, however it ends.
  private let lifeline = Pipe()

  /// Starts `program` and waits until it answers at `path`; `{port}` in its arguments is a free one.
  package init(
    _ program: String,
    _ arguments: [String],
    in folder: String,
    answersAt path: String
  ) throws {
    let port = try Self.freePort()
    origin = "http://127.0.0.1:\(port)"
    process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments.map { $0.replacing("{port}", with: "\(port)") }
    process.currentDirectoryURL = URL(filePath: folder)
    // What a script imports is not to be compiled into the folder of the tests.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
    process.standardInput = lifeline
    let log = "\(folder)/server.log"
    try Data().write(to: URL(filePath: log))
    let output = try FileHandle(forWritingTo: URL(filePath: log))
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let end = Date(timeIntervalSinceNow: 60)
    while Date() < end, process.isRunning {
      if (try? Self.get(origin + path)) != nil { return }
      Thread.sleep(forTimeInterval: 0.1)
    }
    kill(process.processIdentifier, SIGKILL)
    throw TestSupportError(
      "\(program) did not come up: "
        + String(decoding: (try? Data(contentsOf: URL(filePath: log))) ?? Data(), as: UTF8.self)
    )
  }

  deinit {
    // One that could not be started has the number 0, which stands for all processes of the tests.
    guard process.isRunning else { return }
    // Children of a test may have the gentle signals blocked.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The answer of a request with curl, as JSON.
  package static func get(_ address: String, _ flags: [String] = []) throws -> JSONValue {
    let bytes = try bytes(at: address, flags)
    return bytes.isEmpty ? .null : try JSONValue(parsing: bytes)
  }

  /// The answer of a request with curl, which is there wherever these servers are.
  package static func bytes(at address: String, _ flags: [String] = []) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["curl", "--silent", "--fail", "--max-time", "10"] + flags + [address]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = Pipe()
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestSupportError("curl \(address) ended with \(process.terminationStatus)")
    }
    return Array(data)
  }

  /// A port that no one uses now, and that no connection is given before a server listens there:
  /// those that the system gives out begin at 32768 on Linux and at 49152 on macOS.
  package static func freePort() throws -> Int {
    for _ in 0..<100 {
      let port = Int.random(in: 15_000..<32_000)
      let binds = "import socket; socket.socket().bind(('127.0.0.1',\(port)))"
      if (try? output("/usr/bin/env", ["python3", "-c", binds])) != nil { return port }
    }
    throw TestSupportError("no free port below 32000")
  }

  /// What a program prints, without the white space around it.
  package static func output(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestSupportError("\(program) ended with \(process.terminationStatus)")
    }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
