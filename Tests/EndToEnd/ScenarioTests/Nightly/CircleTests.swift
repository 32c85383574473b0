import Foundation
import JSONText
import TestSupport
import Testing

/// Records that name their own kind, and kinds that name each other, at a server that takes no
/// reference to what is not there and removes nothing that is named.
@Suite(.timeLimit(.minutes(5))) struct CircleTests {
  @Test(arguments: Circle.Replay.allCases)
  func `records that refer to each other are sent in two steps, not sent again, and rolled back`(
    replay: Circle.Replay
  )
    async throws
  {
    try await Circle.with(replay) { circle in
      let first = try await circle.scenario.migrate().exits(0)
      #expect(first.count("created") == 25)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try circle.server() == Circle.expected)
      let writes = try circle.writes()
      let second = try await circle.scenario.migrate()
      #expect(second.count("unchanged") == 25, "\(second)")
      #expect(try circle.writes() == writes)
      let back = try await circle.scenario.rollback(try first.run()).exits(0)
      #expect(back.count("deleted", in: "rollback") == 25)
      #expect(back.count("updated", in: "rollback") == 0)
      #expect(try circle.server().isEmpty)
    }
  }

  @Test(arguments: Circle.Replay.allCases)
  func `with kills and lost answers, each record exists once with the right references`(
    replay: Circle.Replay
  ) async throws {
    try await Circle.with(replay) { circle in
      for wait in [0.05, 0.15, 0.3] {
        try circle.lose(every: 4)
        try await circle.scenario.kill(after: wait)
      }
      try circle.lose(every: 5)
      let last = try await circle.scenario.migrate(["--retries", "20"]).exits(0)
      #expect(last.value("verification")?["clean"] == true)
      #expect(try circle.server() == Circle.expected)
      try circle.lose(every: 0)
      for back in try await circle.scenario.rollbackAll(from: last) {
        #expect(back.status == 0, "\(back)")
      }
      #expect(try circle.server().isEmpty)
    }
  }

  @Test(arguments: Circle.Replay.allCases)
  func `without a checkpoint, all existing records are found unchanged`(replay: Circle.Replay)
    async throws
  {
    try await Circle.with(replay) { circle in
      try await circle.scenario.migrate().exits(0)
      let writes = try circle.writes()
      var elsewhere = circle.scenario
      elsewhere.stateName = "another-machine"
      let found = try await elsewhere.migrate().exits(0)
      #expect(found.count("unchanged") == 25)
      #expect(try circle.writes() == writes)
      #expect(try await elsewhere.migrate().count("unchanged") == 25)
      // It made nothing, so that taking it back changes nothing.
      for back in try await elsewhere.rollbackAll(from: found) {
        #expect(back.status == 0, "\(back)")
      }
      #expect(try circle.writes() == writes)
    }
  }

  @Test(arguments: Circle.Replay.allCases)
  func `without a checkpoint, a created but incomplete record is completed`(replay: Circle.Replay)
    async throws
  {
    try await Circle.with(replay) { circle in
      try circle.lose(every: 12)
      _ = try await circle.scenario.migrate(["--retries", "0"])
      try circle.lose(every: 0)
      var elsewhere = circle.scenario
      elsewhere.stateName = "another-machine"
      try await elsewhere.migrate().exits(0)
      #expect(try circle.server() == Circle.expected)
    }
  }

  @Test(arguments: Circle.Replay.allCases)
  func `without a checkpoint, a boss that was changed in the store is sent`(
    replay: Circle.Replay
  ) async throws {
    try await Circle.with(replay) { circle in
      try await circle.scenario.migrate().exits(0)
      // The leads of the teams too: no change names one that any run knows.
      try circle.sql("UPDATE Person SET boss_id = 'pp' || ((substr(id, 3) + 2) % 20)")
      try circle.sql("UPDATE Team SET lead_id = 'pp' || (substr(id, 3) + 10)")
      var elsewhere = circle.scenario
      elsewhere.stateName = "another-machine"
      let before = try circle.server()
      let found = try await elsewhere.migrate(["--on-conflict", "local"]).exits(0)
      #expect(found.count("updated") == 25)
      let server = try circle.server()
      #expect(server.count == 25)
      for number in 0..<20 {
        #expect(server["p\(number)"]?["boss"] == .string("p\((number + 2) % 20)"))
      }
      for number in 0..<5 {
        #expect(server["team\(number)"]?["lead"] == .string("p\(number + 10)"))
      }
      #expect(try await elsewhere.migrate().count("unchanged") == 25)
      for back in try await elsewhere.rollbackAll(from: found) {
        #expect(back.status == 0, "\(back)")
      }
      #expect(try circle.server() == before)
    }
  }

  @Test func `an existing record may get a reference to a newly created one`() async throws {
    try await Circle.with(.lookUp) { circle in
      try await circle.scenario.migrate().exits(0)
      try circle.scenario.sql(
        "INSERT INTO Person VALUES ('new', 'new', NULL, 'tm1')",
        "UPDATE Person SET boss_id = 'new' WHERE id = 'pp7'",
        "UPDATE Team SET lead_id = 'new' WHERE id = 'tm2'"
      )
      let answer = try await circle.scenario.migrate().exits(0)
      #expect(answer.count("created") == 1)
      #expect(answer.count("updated") == 2)
      let server = try circle.server()
      #expect(server["p7"]?["boss"] == "new")
      #expect(server["team2"]?["lead"] == "new")
      for back in try await circle.scenario.rollbackAll(from: answer) {
        #expect(back.status == 0, "\(back)")
      }
      #expect(try circle.server().isEmpty)
    }
  }

  @Test func `a record that names a rejected one is sent without the reference, and is reported`()
    async throws
  {
    try await Circle.with(.lookUp) { circle in
      try circle.sql("UPDATE Person SET name = 'nobody' WHERE id = 'pp3'")
      let package = "\(circle.scenario.folder)/p.ferry"
      try await circle.scenario.export(to: package).exits(0)
      let line = ["upload", package] + circle.scenario.destination
      let answer = try await circle.scenario.ferry(line).exits(3)
      let named = answer.findings("request.missing-reference").compactMap { $0["record"]?.text }
      // Those whose boss or lead it is.
      #expect(named.sorted() == ["pp0", "tm1"])
      #expect(try circle.server()["p0"]?["boss"]?.isNull ?? true)
      // Every run reports it, until a person mends it.
      #expect(try await circle.scenario.ferry(line).status != 0)
    }
  }

  @Test func `a boss that another device changed stays, and both records stay`() async throws {
    try await Circle.with(.id) { circle in
      let first = try await circle.scenario.migrate()
      _ = try RealServer.get(
        "\(circle.origin)/people/pp7",
        ["-X", "PATCH", "-d", #"{"boss": "pp8"}"#]
      )
      let back = try await circle.scenario.rollback(try first.run()).exits(6)
      let left = try circle.server()
      #expect(left["p7"]?["boss"] == "p8")
      #expect(left.keys.sorted() == ["p7", "p8", "team2", "team3"])
      #expect(back.count("conflicted", in: "rollback") == 4)
    }
  }

  @Test func `a foreign key to no row is left out, and its record is sent`() async throws {
    try await Circle.with(.id) { circle in
      try circle.sql("UPDATE Person SET boss_id = 'nowhere' WHERE id = 'pp7'")
      let answer = try await circle.scenario.migrate().exits(0)
      #expect((answer.standardOutput + answer.standardError).contains("reference.row-missing"))
      #expect(try circle.writes() > 0)
    }
  }

  @Test func `a foreign key to no row is reported before anything is sent where a profile refuses`()
    async throws
  {
    try await Circle.with(.id) { circle in
      let path = circle.scenario.profile
      let profile = try String(at: path)
      try "dangling: refuse\n\(profile)".save(to: path)
      try circle.sql("UPDATE Person SET boss_id = 'nowhere' WHERE id = 'pp7'")
      let answer = try await circle.scenario.migrate().exits(4)
      #expect((answer.standardOutput + answer.standardError).contains("reference.dangling"))
      #expect(try circle.writes() == 0)
    }
  }
}

/// Five teams and twenty people: each team has a lead, each person a team and a boss, some themselves.
struct Circle {
  enum Replay: String, CaseIterable, Sendable {
    case id
    case lookUp = "look-up"
  }

  let scenario: MigrationScenario
  let origin: String

  /// What must be at the server: each record by its name, and the names of those that it names.
  static var expected: [String: JSONValue] {
    var rows: [String: JSONValue] = [:]
    for team in 0..<5 { rows["team\(team)"] = ["lead": .string("p\(team * 3)")] }
    for person in 0..<20 {
      rows["p\(person)"] = [
        "boss": .string("p\(boss(of: person))"), "team": .string("team\(person % 5)"),
      ]
    }
    return rows
  }

  private static func boss(of person: Int) -> Int {
    person % 10 == 9 ? person : (person * 7 + 3) % 20
  }

  /// What is at the server: each record by its name, with the names of those that it names.
  func server() throws -> [String: JSONValue] {
    let answer = try RealServer.get("\(origin)/rows")
    let rows = ["teams", "people"].flatMap { answer[$0]?.object?.members ?? [] }
    let names = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.value["name"] ?? .null) })
    var found: [String: JSONValue] = [:]
    for row in rows {
      var named = JSONObject()
      for member in ["boss", "lead", "team"] {
        guard let id = row.value[member]?.text else { continue }
        named[member] = names[id] ?? .string("\(id), which is not there")
      }
      let name = row.value["name"]?.text ?? row.name
      #expect(found[name] == nil, "\(name) is there twice")
      found[name] = .object(named)
    }
    return found
  }

  /// How many requests asked for a change so far.
  func writes() throws -> Int64 { try RealServer.get("\(origin)/rows")["writes"]?.integer ?? -1 }

  func lose(every number: Int) throws {
    _ = try RealServer.get("\(origin)/lose/\(number)", ["-X", "POST"])
  }

  func sql(_ statement: String) throws { try scenario.sql(statement) }

  static func with(_ replay: Replay, _ body: (Circle) async throws -> Void) async throws {
    func prepare(_ sample: Sample, _ origin: String) throws -> String {
      try Python.run(["-c", making, sample.store])
      return profile(replay, origin)
    }
    try await withServer("people", answersAt: "/rows", prepare: prepare) { scenario, origin in
      try await body(Circle(scenario: scenario, origin: origin))
    }
  }

  private static let making = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    db.executescript('''
      CREATE TABLE Team (id TEXT PRIMARY KEY, name TEXT NOT NULL, lead_id TEXT REFERENCES Person(id));
      CREATE TABLE Person (id TEXT PRIMARY KEY, name TEXT NOT NULL,
        boss_id TEXT REFERENCES Person(id), team_id TEXT REFERENCES Team(id));
    ''')
    for i in range(5):
        db.execute("INSERT INTO Team VALUES (?, ?, ?)", (f"tm{i}", f"team{i}", f"pp{i * 3}"))
    for i in range(20):
        boss = i if i % 10 == 9 else (i * 7 + 3) % 20
        db.execute("INSERT INTO Person VALUES (?, ?, ?, ?)", (f"pp{i}", f"p{i}", f"pp{boss}", f"tm{i % 5}"))
    db.commit()
    """

  private static func profile(_ replay: Replay, _ origin: String) -> String {
    func routes(_ path: String) -> String {
      let named = "{ request: \"PUT /\(path)/{id}\", if-none-match: true }"
      let numbered = "{ request: POST /\(path) }"
      return """
              replay: \(replay.rawValue)
              list: { request: GET /\(path), items: items }
              version: v
              read: { request: "GET /\(path)/{id}" }
              create: \(replay == .id ? named : numbered)
              update: { request: "PATCH /\(path)/{id}", if-match: true }
              delete: { request: "DELETE /\(path)/{id}", if-match: true }
              natural-key: [name]
              unmapped: [id]
        """
    }
    return """
      ferry-profile: 1
      app: circle
      accept-unmapped: [Team.id, Person.id]
      entities:
        Team:
          identity: { attribute: id }
          carry: listed
          fields: { id: id, name: name, lead: { reference: lead } }
        Person:
          identity: { attribute: id }
          carry: listed
          fields: { id: id, name: name, boss: { reference: boss }, team: { reference: team } }
      api:
        account: { request: GET /me, member: id }
        settle: 1s
        timeout: 3s
        retry: { limit: 3, first: 50ms, longest: 200ms }
        entities:
          Team:
      \(routes("teams"))
            body: { name: name, lead: { reference: lead, on: complete } }
          Person:
      \(routes("people"))
            body:
              name: name
              boss: { reference: boss, on: complete }
              team: { reference: team, on: once }
      """
  }
}
