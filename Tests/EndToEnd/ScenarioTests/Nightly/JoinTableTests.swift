import JSONText
import TestSupport
import Testing

/// A join table of a plain database, which is a list of references at the destination.
@Suite(.timeLimit(.minutes(3))) struct JoinTableTests {
  /// The database and the folder that it goes to.
  private struct Library {
    let folder: String
    var store: String { "\(folder)/library.sqlite" }

    init(_ folder: String) throws {
      self.folder = folder
      try """
      ferry-profile: 1
      app: library
      entities:
        tag:
          identity: { attribute: id }
        book:
          identity: { attribute: id }
          fields: { tags: { references: book_tag.tag } }
        book_tag:
          role: derived
      api:
        kind: folder
        entities:
          tag: { body: { id: id, name: name } }
          book:
            body: { id: id, title: title, tags: { reference: tags } }
            compare: { tags: set }
      """.save(to: "\(folder)/profile.yaml")
      try edit(
        "CREATE TABLE tag (id TEXT PRIMARY KEY NOT NULL, name TEXT)",
        "CREATE TABLE book (id TEXT PRIMARY KEY NOT NULL, title TEXT)",
        "CREATE TABLE book_tag (book_id TEXT REFERENCES book, tag_id TEXT REFERENCES tag, "
          + "PRIMARY KEY (book_id, tag_id))",
        "INSERT INTO tag VALUES ('t1', 'red'), ('t2', 'blue'), ('t3', 'green')",
        "INSERT INTO book VALUES ('b1', 'one'), ('b2', 'two')",
        "INSERT INTO book_tag VALUES ('b1', 't2'), ('b1', 't1')"
      )
    }

    func edit(_ statements: String...) throws {
      for statement in statements { try Python.edit(store, statement) }
    }

    func run(_ verb: [String]) async throws -> Answer {
      try await FerryProgram().answer(
        verb + ["--profile", "\(folder)/profile.yaml", "--to", "file:\(folder)/kept"],
        state: "\(folder)/state"
      )
    }

    func migrate() async throws -> Answer { try await run(["migrate", store]) }

    /// The tags of a book at the destination.
    func tags(of book: String) throws -> JSONValue? {
      let text = try String(at: "\(folder)/kept/book/\(book).json")
      return try JSONValue(parsing: text)["data"]?["tags"]
    }
  }

  @Test func `rows of a join table are created, repeated, added, removed and rolled back`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let library = try Library(folder)
      let first = try await library.migrate().exits(0)
      #expect(first.count("created") == 5)
      #expect(first.count("skipped", of: "book_tag") == 2, "\(first)")
      #expect(try library.tags(of: "b1") == ["t1", "t2"])
      #expect(try library.tags(of: "b2") == [])

      let again = try await library.migrate().exits(0)
      #expect(again.count("unchanged") == 5 && again.count("updated") == 0, "\(again)")

      try library.edit("INSERT INTO book_tag VALUES ('b2', 't3')")
      let added = try await library.migrate().exits(0)
      #expect(added.count("updated") == 1 && added.count("unchanged") == 4, "\(added)")
      #expect(try library.tags(of: "b2") == ["t3"])

      try library.edit("DELETE FROM book_tag WHERE tag_id = 't2'")
      let removed = try await library.migrate().exits(0)
      #expect(removed.count("updated") == 1, "\(removed)")
      #expect(try library.tags(of: "b1") == ["t1"])

      try await library.run(["rollback", try removed.run()]).exits(0)
      #expect(try library.tags(of: "b1") == ["t1", "t2"])
      try await library.run(["rollback", try added.run()]).exits(0)
      #expect(try library.tags(of: "b2") == [])
    }
  }

  @Test func `a row that joins a missing record is a finding of both tables`() async throws {
    try await withTemporaryFolder { folder in
      let library = try Library(folder)
      try library.edit("INSERT INTO book_tag VALUES ('b2', 'gone'), ('lost', 't1')")
      let answer = try await library.migrate()
      for member in ["book /tags", "book_tag /book", "book_tag /tag"] {
        let words = "\(member): the foreign key leads to a row that the store does not have"
        #expect(answer.standardError.contains(words), "\(answer)")
      }
      #expect(try library.tags(of: "b2") == [])
    }
  }
}
