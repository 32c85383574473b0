import Foundation
package import JSONText

/// The development backend in a process of its own, that can be killed and started again.
package actor BackendProgram {
  /// Where it answers: `http://127.0.0.1:PORT`, the same after a restart.
  package nonisolated let origin: String
  private nonisolated let connection: LocalConnection
  private let program: FerryProgram
  private let folder: String
  private nonisolated let database: String
  private var arguments: [String]
  private var process: Process?

  /// Starts a server over a database in `folder`, on a free port.
  ///
  /// `faults` are what goes wrong, in the words of `ferry-backend --fault`. With `namespace`, the file of
  /// a network namespace, it listens there.
  package init(
    in folder: String,
    faults: [String] = [],
    takesMedia: Bool = false,
    namespace: String? = nil
  ) async throws {
    var program = try FerryProgram(named: "ferry-backend")
    if let namespace { program = program.started(by: ["nsenter", "--net=\(namespace)"]) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let database = "\(folder)/backend.sqlite"
    let arguments =
      ["--quiet", "--database", database]
      + faults.flatMap { ["--fault", $0] } + (takesMedia ? ["--upload-tickets"] : [])
    let (process, port) = try await Self.start(program, arguments, port: 0, in: folder)
    self.program = program
    self.folder = folder
    self.database = database
    self.arguments = arguments
    self.process = process
    connection = LocalConnection(port: port, namespace: namespace)
    origin = "http://127.0.0.1:\(port)"
  }

  private static func start(
    _ program: FerryProgram,
    _ arguments: [String],
    port: UInt16,
    in folder: String
  ) async throws -> (Process, UInt16) {
    let portFile = "\(folder)/port"
    try? FileManager.default.removeItem(atPath: portFile)
    let process = Process()
    // It becomes the program, under the same process number.
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = program.words(
      arguments + ["--port-file", portFile, "--port", "\(port)"]
    )
    process.environment = try FerryProgram.plainEnvironment([:], state: "\(folder)/server")
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    for _ in 0..<1_200 {
      if let data = FileManager.default.contents(atPath: portFile),
        let port = UInt16(String(decoding: data, as: UTF8.self).prefix { $0.isNumber })
      {
        return (process, port)
      }
      guard process.isRunning else { break }
      try await Task.sleep(for: .milliseconds(25))
    }
    process.terminate()
    throw TestSupportError("the development backend did not start")
  }

  /// Ends the server the gentle way.
  package func stop() { end(by: SIGTERM) }

  /// Ends the server between two instructions.
  package func kill() { end(by: SIGKILL) }

  private func end(by signal: Int32) {
    guard let process else { return }
    Foundation.kill(process.processIdentifier, signal)
    process.waitUntilExit()
    self.process = nil
  }

  /// Starts the server again, with the same database, port and faults.
  package func restart() async throws {
    kill()
    process = try await Self.start(program, arguments, port: connection.port, in: folder).0
  }

  // MARK: - What it holds

  /// All rows of all accounts.
  package nonisolated func dump() throws -> JSONValue { try send("GET", "/__dev/dump") }

  /// Counts of rows, requests, writes and faults.
  package nonisolated func state() throws -> JSONValue { try send("GET", "/__dev/state") }

  /// How many requests have changed something since the server started.
  package nonisolated func writeCount() throws -> Int64 {
    guard let count = try state()["writes"]?.integer else {
      throw TestSupportError("the server does not count its writes")
    }
    return count
  }

  /// The last requests that meant to change something, oldest first: method, path, conditions, body.
  package nonisolated func changes() throws -> [JSONValue] {
    try send("GET", "/__dev/changes")["changes"]?.array ?? []
  }

  /// Takes another fault plan, counting from zero; empty text for none.
  package nonisolated func setFaults(_ text: String) throws {
    _ = try send("PUT", "/__dev/faults", Array(text.utf8))
  }

  /// Adds rows as they are: `{"account": E-MAIL, TABLE: [ROW, …]}`.
  @discardableResult
  package nonisolated func seed(_ rows: JSONValue) throws -> JSONValue {
    try send("POST", "/__dev/rows", rows.canonicalBytes)
  }

  /// Makes another account.
  @discardableResult
  package nonisolated func addAccount(email: String, password: String) throws -> JSONValue {
    let account: JSONValue = ["email": .string(email), "password": .string(password)]
    return try send("POST", "/__dev/account", account.canonicalBytes)
  }

  /// Removes every row; accounts stay.
  package nonisolated func reset() throws { _ = try send("POST", "/__dev/reset", Array("{}".utf8)) }

  /// Copies all that it holds, secrets included, into a file that is not there yet.
  package nonisolated func keep(in file: String) throws { try shell(".backup '\(file)'") }

  /// Makes it hold what it held when a file was made by ``keep(in:)``, and nothing else; what it
  /// counts goes on.
  package nonisolated func restore(_ file: String) throws { try shell(".restore '\(file)'") }

  /// Changes rows of the server's database, as no request does.
  package nonisolated func sql(_ statement: String) throws { try shell(statement) }

  /// Has SQLite's shell do something with the database that the server has open.
  /// <https://www.sqlite.org/backup.html>
  private nonisolated func shell(_ command: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-bail", database, ".timeout 5000", command]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestSupportError("sqlite3 \(database) \(command): \(process.terminationStatus)")
    }
  }

  /// Sends a request as a person who signed in, or as no one.
  package nonisolated func request(
    _ method: String,
    _ path: String,
    _ body: JSONValue?,
    token: String? = nil
  ) throws -> JSONValue {
    try send(method, path, body?.canonicalBytes ?? [], token: token)
  }

  private nonisolated func send(
    _ method: String,
    _ path: String,
    _ body: [UInt8] = [],
    token: String? = nil
  ) throws -> JSONValue {
    let answer = try connection.send(method, path, body: body, token: token)
    guard (200..<300).contains(answer.status) else {
      throw TestSupportError(
        "\(method) \(path): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
      )
    }
    return answer.body.isEmpty ? .null : try JSONValue(parsing: answer.body)
  }
}

/// Runs a server for as long as `body` needs it.
package func withBackend<Value>(
  in folder: String,
  faults: [String] = [],
  takesMedia: Bool = false,
  namespace: String? = nil,
  _ body: (BackendProgram) async throws -> Value
) async throws -> Value {
  let backend = try await BackendProgram(
    in: folder,
    faults: faults,
    takesMedia: takesMedia,
    namespace: namespace
  )
  do {
    let value = try await body(backend)
    await backend.kill()
    return value
  } catch {
    await backend.kill()
    throw error
  }
}
