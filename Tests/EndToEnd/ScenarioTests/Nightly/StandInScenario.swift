import Foundation
import JSONText
import TestSupport
import Testing

/// A store of ten folders and of notes, the profile that `ferry init` drafts for a preset, and the stand-in for the
/// preset's backend, maybe behind a proxy that loses answers.
struct StandInScenario {
  let folder: String
  let store: String
  let profile: String
  let origin: String
  let server: RealServer
  let backend: Backend
  var flags: [String]

  /// What a stand-in for a backend is called, and what a person has to know of it.
  struct Backend {
    let preset: String
    let script: String
    /// The credentials, by their names.
    let credentials: [String: String]
    /// What `ferry init` is given beside the preset.
    var initial: [String] = []
    /// The program that runs the script, and has what the script needs.
    var interpreter = "python3"
    /// What the script is given beside its folder and port.
    var arguments: [String] = []
    /// What comes behind the stand-in's address.
    var path = ""
    /// Makes the collections at the stand-in.
    var prepare: (RealServer) throws -> Void = { _ in }
    /// Makes of the draft what is sent; `{server}` in it is the stand-in's address.
    var filled: (String) -> String = { $0 }
    /// How many records the stand-in has.
    var counted: (StandInScenario) throws -> Int = { try $0.number("SELECT count(*) FROM item") }
  }

  func ferry(_ arguments: [String]) async throws -> Answer {
    try await FerryProgram().answer(arguments + flags, state: "\(folder)/state")
  }

  func migrate(_ more: [String] = []) async throws -> Answer {
    try await ferry(["migrate", store] + more)
  }

  func edit(_ statements: String...) throws { try Python.edit(store, statements) }

  /// Changes the profile.
  func rewrite(_ change: (String) -> String) throws {
    try change(String(at: profile)).save(to: profile)
  }

  /// What the stand-in's own database answers, a row a line.
  func rows(_ query: String) throws -> [String] {
    let script =
      "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(row[0])"
    return try Python.run(["-c", script, "\(folder)/\(backend.preset).sqlite", query])
      .split(separator: "\n").map(String.init)
  }

  func number(_ query: String) throws -> Int { Int(try rows(query).first ?? "") ?? -1 }

  func count() throws -> Int { try backend.counted(self) }

  /// How many requests of a kind came since this was asked last with `reset`.
  func seen(_ kind: String) throws -> Int64 { try seen()[kind]?.integer ?? 0 }

  @discardableResult
  func seen(reset: Bool = false) throws -> JSONValue {
    try RealServer.get("\(server.origin)/__seen\(reset ? "?reset" : "")")
  }

  /// Asks the stand-in as another program does.
  @discardableResult
  func ask(_ method: String, _ path: String, _ body: JSONValue? = nil, _ headers: [String] = [])
    throws -> JSONValue
  {
    try server.ask(method, path, body, headers)
  }
}

extension RealServer {
  /// Sends a request with JSON, and reads the answer, whatever its status.
  @discardableResult
  func ask(_ method: String, _ path: String, _ body: JSONValue? = nil, _ headers: [String] = [])
    throws -> JSONValue
  {
    var flags = ["--request", method, "--header", "Content-Type: application/json"]
    for header in headers { flags += ["--header", header] }
    if let body { flags += ["--data", body.canonicalText] }
    return try Self.get(origin + path, flags)
  }
}

/// Lends the stand-in for a backend with ten folders and so many notes, and the drafted profile.
func withStandIn(
  _ backend: StandInScenario.Backend,
  notes: Int = 240,
  losing number: Int? = nil,
  _ body: (StandInScenario) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let store = "\(folder)/notes.sqlite"
    try Python.run(["-c", makingNotes, store, "\(notes)"])
    let server = try RealServer.standIn(
      backend.script,
      in: folder,
      interpreter: backend.interpreter,
      arguments: backend.arguments
    )
    try backend.prepare(server)
    let proxy = try number.map { try RealServer.losing($0, before: server.origin, in: folder) }
    let drafted = try await FerryProgram().run(
      ["init", store, "--preset", backend.preset, "-o", "\(folder)/draft"]
        + backend.initial.map { $0.replacing("{server}", with: server.origin) },
      state: "\(folder)/state"
    )
    #expect(drafted.status == 0, "\(drafted.standardError)")
    let profile = "\(folder)/draft/profile.yaml"
    try backend.filled(String(at: profile)).replacing("{server}", with: server.origin)
      .save(to: profile)
    let origin = (proxy?.origin ?? server.origin) + backend.path
    var flags = ["--profile", profile, "--to", origin]
    for (name, value) in backend.credentials.sorted(by: { $0.key < $1.key }) {
      try secret(value, "\(folder)/secret-\(name)")
      flags += ["--credential", "\(name)=file:\(folder)/secret-\(name)"]
    }
    let scenario = StandInScenario(
      folder: folder,
      store: store,
      profile: profile,
      origin: origin,
      server: server,
      backend: backend,
      flags: flags
    )
    try await body(scenario)
    withExtendedLifetime(proxy) {}
  }
}

/// The notes have every kind of value: text, a whole number, a number, a date, true and false, bytes, a reference.
private let makingNotes = """
  import sqlite3, sys
  db = sqlite3.connect(sys.argv[1])
  db.executescript('''
    CREATE TABLE Folder(id TEXT PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE Note(id TEXT PRIMARY KEY, title TEXT NOT NULL, stars INTEGER, score REAL, made TIMESTAMP,
      done BOOLEAN, picture BLOB, folder TEXT REFERENCES Folder(id));
  ''')
  db.executemany("INSERT INTO Folder VALUES(?, ?)", [(f"f{n:02}", f"folder {n}") for n in range(1, 11)])
  rows = [
      (f"n{n:03}", f"note {n}", n, n / 2, f"2026-11-{n % 28 + 1:02}T08:30:00Z", n % 2, bytes([0, 1, 2]),
       f"f{n % 10 + 1:02}")
      for n in range(1, int(sys.argv[2]) + 1)
  ]
  db.executemany("INSERT INTO Note VALUES(?, ?, ?, ?, ?, ?, ?, ?)", rows)
  db.commit()
  """
