import DestinationModel
import JSONText
import PostgreSQL
import Profiles
import Records
import Testing
import UploadPlanning

extension RealDatabaseTests {
  /// A table whose rows two columns identify, as those of a join table.
  struct SeveralColumnsTests {
    private static func with(
      columns: String = "folder bigint, tag text, place integer, PRIMARY KEY (folder, tag)",
      _ work: (PostgreSQLDestination, _ schema: String) async throws -> Void
    ) async throws {
      try await Database.with(
        columns: columns,
        body: "{ folder: folder, tag: tag, place: place }",
        entity: ", id: [folder, tag]",
        work
      )
    }

    private static func row(_ folder: JSONValue, _ tag: String, _ place: JSONValue) -> JSONValue {
      ["folder": folder, "tag": .string(tag), "place": place]
    }

    /// The first rows go by `COPY`, all others by `INSERT`.
    @Test(arguments: [true, false])
    func `a row is made, read, changed and removed by all of its columns`(
      isFirst: Bool
    ) async throws {
      try await Self.with { destination, schema in
        if isFirst { _ = try await destination.page(of: "Note", after: nil, since: nil) }
        let create = Database.batch(
          .create,
          (1, "r1", Self.row(7, "a,b", 1), nil, "n1"),
          (2, "r2", Self.row(7, "c", .null), nil, "n2"),
          (3, "r3", Self.row(8, "c", 3), nil, "n3")
        )
        let made = await destination.send(create)
        guard case .stored("7,a%2Cb", let version)? = made.outcomes[1] else {
          Issue.record("\(made)")
          return
        }
        #expect(await destination.send(create).outcomes == made.outcomes)
        let found = try #require(try await destination.record(of: "Note", serverID: "7,a%2Cb"))
        #expect(try JSONValue(parsing: found.body) == Self.row(7, "a,b", 1))
        #expect(found.version == version)
        let page = try await destination.page(of: "Note", after: "7,a%2Cb", since: nil)
        #expect(page.records.map(\.serverID) == ["7,c", "8,c"])

        let changed = await destination.send(
          Database.batch(
            .update,
            (4, "7,a%2Cb", ["place": 9], version, "n4"),
            (5, "8,c", ["place": 9], "1", "n5"),
            (6, "9,c", ["place": 9], "1", "n6")
          )
        )
        guard case .stored("7,a%2Cb", _?)? = changed.outcomes[4],
          case .conflicted? = changed.outcomes[5]
        else {
          Issue.record("\(changed)")
          return
        }
        #expect(changed.outcomes[6] == .missing)
        let gone = await destination.send(
          Database.batch(.delete, (7, "7,c", [:], nil, "n7"), (8, "8,c", [:], nil, "n8"))
        )
        #expect(gone.outcomes == [7: .removed, 8: .removed])
        let left = try Database.sql("SELECT folder, tag, place FROM \(schema).notes")
        #expect(left == "7|a,b|9")
      }
    }

    @Test func `a row that is there with the same columns stays as it is`() async throws {
      try await Self.with { destination, schema in
        _ = try Database.sql("INSERT INTO \(schema).notes VALUES (7, 'a', 1)")
        let made = await destination.send(
          Database.batch(
            .create,
            (1, "r1", Self.row(7, "a", 2), nil, "n1"),
            (2, "r2", Self.row(7, "b", 2), nil, "n2")
          )
        )
        #expect(made.outcomes[1] == .exists)
        guard case .stored("7,b", _)? = made.outcomes[2] else {
          Issue.record("\(made)")
          return
        }
        #expect(try Database.sql("SELECT place FROM \(schema).notes WHERE tag = 'a'") == "1")
      }
    }

    @Test func `a record that lacks one of the columns, or has another kind there, is refused`()
      async throws
    {
      try await Self.with { destination, _ in
        let made = await destination.send(
          Database.batch(
            .create,
            (1, "r1", ["folder": 7, "place": 2], nil, "n1"),
            (2, "r2", ["folder": 7, "tag": .null, "place": 2], nil, "n2"),
            (3, "r3", Self.row("seven", "b", 2), nil, "n3"),
            (4, "r4", Self.row(7.5, "b", 2), nil, "n4"),
            (5, "r5", ["folder": 7, "tag": 1, "place": 2], nil, "n5")
          )
        )
        var codes: [Int64: String] = [:]
        for (number, outcome) in made.outcomes {
          guard case .rejected(let code, let reason) = outcome else { continue }
          codes[number] = code
          let column = [3, 4].contains(number) ? "the column folder " : "the column tag "
          #expect(reason.hasPrefix(column), "\(reason)")
        }
        #expect(
          codes == [
            1: "identity.unknown", 2: "identity.unknown", 3: "column.type", 4: "column.type",
            5: "column.type",
          ]
        )
      }
    }

    @Test func `a composed and a decomposed letter are two rows`() async throws {
      try await Self.with { destination, _ in
        let tags = ["\u{E9}", "e\u{301}"]
        let made = await destination.send(
          Database.batch(
            .create,
            (1, "r1", Self.row(7, tags[0], 1), nil, "n1"),
            (2, "r2", Self.row(7, tags[1], 2), nil, "n2")
          )
        )
        guard case .stored(let first, _)? = made.outcomes[1],
          case .stored(let second, _)? = made.outcomes[2]
        else {
          Issue.record("\(made)")
          return
        }
        let found = try await destination.records(of: "Note", serverIDs: [first, second])
        let places = try [first, second].map {
          try JSONValue(parsing: try #require(found[$0]).body)["place"]
        }
        #expect(places == [1, 2])
      }
    }

    @Test func `the smallest whole number identifies a row, and a page begins behind it`()
      async throws
    {
      try await Self.with { destination, _ in
        let least = JSONValue.number(JSONNumber(Int64.min))
        _ = await destination.send(
          Database.batch(
            .create,
            (1, "r1", Self.row(least, "a", 1), nil, "n1"),
            (2, "r2", Self.row(7, "a", 2), nil, "n2")
          )
        )
        let id = "\(Int64.min),a"
        #expect(try await destination.record(of: "Note", serverID: id)?.serverID == id)
        let page = try await destination.page(of: "Note", after: id, since: nil)
        #expect(page.records.map(\.serverID) == ["7,a"])
      }
    }

    @Test func `a page behind what is no identity of the table is refused in words`() async throws {
      try await Self.with { destination, _ in
        let error = try await #require(throws: DestinationError.self) {
          try await destination.page(of: "Note", after: "seven", since: nil)
        }
        #expect(error.reason.contains("identity “seven”"), "\(error)")
      }
    }

    @Test(
      arguments: [
        ("folder bigint PRIMARY KEY, tag text NOT NULL, place integer", ""),
        (
          "folder bigint NOT NULL, tag text, place integer, UNIQUE (folder, tag)",
          "; NOT NULL is missing for tag"
        ),
      ]
    )
    func `columns that do not identify a row together are named before anything is sent`(
      columns: String,
      missing: String
    ) async throws {
      try await Self.with(columns: columns) { destination, _ in
        let error = try await #require(throws: DestinationError.self) {
          try await destination.page(of: "Note", after: nil, since: nil)
        }
        let cause =
          "notes: folder and tag are together neither a primary key nor unique and NOT NULL"
        #expect(error.reason.contains(cause + missing), "\(error)")
        #expect(error.reason.contains("NOT NULL is missing") == !missing.isEmpty)
      }
    }
  }
}
