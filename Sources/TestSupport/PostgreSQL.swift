import Foundation

/// A PostgreSQL server of a test's own, with one empty database, stopped with the value.
package final class PostgreSQL: Sendable {
  /// The database: `postgresql://postgres@127.0.0.1:PORT/test`.
  package let address: String
  /// The same without the user.
  package let place: String
  private let port: Int
  private let programs: String
  private let data: String
  private let prefix: [String]
  private let server = Process()

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - programs: The folder of `initdb` and `pg_ctl`. They refuse to run as root; then the system's
  ///     user `postgres` runs them.
  ///   - folder: An empty folder, into which `pg` is made.
  /// - Throws: What kept it from starting.
  package init(programs: String, in folder: String) throws {
    self.programs = programs
    data = "\(folder)/pg"
    prefix = getuid() == 0 ? ["runuser", "-u", "postgres", "--"] : []
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    if getuid() == 0 {
      _ = try RealServer.output("/usr/bin/env", ["chown", "postgres", data])
      // The user has to reach it.
      _ = try RealServer.output("/usr/bin/env", ["chmod", "711", folder])
    }
    port = try RealServer.freePort()
    address = "postgresql://postgres@127.0.0.1:\(port)/test"
    place = "postgresql://127.0.0.1:\(port)/test"
    try run(
      "initdb",
      "-D",
      data,
      "-A",
      "trust",
      "-U",
      "postgres",
      "-E",
      "UTF8",
      "--locale=C.UTF-8",
      "--no-sync"
    )
    try start(port: port, log: "\(folder)/pg.log")
    try run("createdb", "-h", "127.0.0.1", "-p", "\(port)", "-U", "postgres", "test")
  }

  /// The server is a child of its own: one that puts itself into the background would hold up
  /// anyone who waits for its parent.
  private func start(port: Int, log: String) throws {
    try Data().write(to: URL(filePath: log))
    let output = try FileHandle(forWritingTo: URL(filePath: log))
    server.executableURL = URL(filePath: "/usr/bin/env")
    server.arguments =
      prefix + [
        "\(programs)/postgres", "-D", data, "-p", "\(port)", "-c", "listen_addresses=127.0.0.1",
        "-k", data, "-c", "fsync=off",
      ]
    server.standardInput = FileHandle.nullDevice
    server.standardOutput = output
    server.standardError = output
    try server.run()
    for _ in 0..<600 where server.isRunning {
      // Until it is up, asking fails.
      if (try? run("pg_isready", "-h", "127.0.0.1", "-p", "\(port)")) != nil { return }
      Thread.sleep(forTimeInterval: 0.1)
    }
    let said = (try? Data(contentsOf: URL(filePath: log))) ?? Data()
    throw TestSupportError("PostgreSQL did not start: \(String(decoding: said, as: UTF8.self))")
  }

  /// Carries out statements as the server's owner; gives what they answer, a line a row.
  @discardableResult
  package func sql(_ statements: String) throws -> String {
    try RealServer.output(
      "/usr/bin/env",
      ["\(programs)/psql", "-qAt", "-v", "ON_ERROR_STOP=1", "-d", address, "-c", statements]
    )
    .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Carries out a script as the server's owner.
  package func run(script path: String) throws {
    _ = try RealServer.output(
      "/usr/bin/env",
      ["\(programs)/psql", "-qAt", "-v", "ON_ERROR_STOP=1", "-d", address, "-f", path]
    )
  }

  /// Ends every connection of Ferry's, as a server that is shut down does.
  package func endConnections() throws {
    try sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ferry'"
    )
  }

  /// Sits in front of the server, and keeps back every answer of that number to a commit that may change
  /// something; ``RealServer/lostCount()`` says how many it was.
  ///
  /// - Returns: The proxy, and the database's address behind it, without a user.
  package func losing(
    _ number: Int,
    in folder: String
  ) throws -> (proxy: RealServer, place: String) {
    let proxy = try RealServer(
      "/usr/bin/env",
      ["python3", ServerScript.path("commit_proxy.py"), "{port}", "\(port)", "\(number)"],
      in: folder,
      answersAt: "/__lost"
    )
    return (proxy, "\(proxy.origin.replacing("http:", with: "postgresql:"))/test")
  }

  // A server that has ended already needs no stopping.
  deinit { _ = try? run("pg_ctl", "-D", data, "-m", "immediate", "stop") }

  @discardableResult
  private func run(_ name: String, _ arguments: String...) throws -> String {
    try RealServer.output("/usr/bin/env", prefix + ["\(programs)/\(name)"] + arguments)
  }
}
