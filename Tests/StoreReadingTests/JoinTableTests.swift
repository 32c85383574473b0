import Files
import Records
import StoreFiles
import StoreReading
import StoreSamples
import Testing

/// Tables of a plain database whose rows join two records, read as lists of references.
struct `Join tables` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private func open(_ sql: String) throws -> any Store {
    let path = folder.path + "/plain.sqlite"
    try SampleDatabase(path).run(sql)
    return try Source(path, into: folder.path + "/private").store
  }

  private func rows(
    of entity: EntityName,
    _ join: RowJoin,
    _ identity: IdentityRule,
    after: Int64? = nil,
    in store: any Store
  ) throws -> [String] {
    let fields: [FieldRequest] = [.objectURI, .joined(join, identity: identity)]
    let reader = try store.rows(RowRequest(entity: entity, fields: fields, after: after))
    var rows: [String] = []
    while try reader.next() {
      rows.append(reader.row.cells.map { described($0) }.joined(separator: " "))
    }
    return rows
  }

  private static let books = """
    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE tag (id INTEGER PRIMARY KEY, uid TEXT);
    INSERT INTO book VALUES (-1, 'a'), (2, 'b'), (3, 'c'), (9, 'd');
    INSERT INTO tag VALUES (1, 'one'), (2, 'two'), (3, 'three');
    """

  private static let byKeys = RowJoin(
    entity: "book_tag",
    own: .relationship("book"),
    other: .relationship("tag")
  )

  private static let keyed = """
    CREATE TABLE book_tag (tag_id INTEGER REFERENCES tag, book_id INTEGER REFERENCES book,
      PRIMARY KEY (book_id, tag_id));
    INSERT INTO book_tag VALUES (3, -1), (1, -1), (2, 9), (1, 9), (1, 7), (5, 2), (NULL, 3);
    """

  @Test func `each row lists what the rows between join it to, in the order of keys`() throws {
    let store = try open(Self.books + Self.keyed)
    #expect(
      try rows(of: "book", Self.byKeys, .attribute("uid"), in: store) == [
        "sqlite:book/-1 [one, three]",
        // The store has no such tag, and one row leads to none.
        "sqlite:book/2 [dangling sqlite:tag/5]", "sqlite:book/3 []", "sqlite:book/9 [one, two]",
      ]
    )
    let back = RowJoin(entity: "book_tag", own: Self.byKeys.other, other: Self.byKeys.own)
    #expect(
      try rows(of: "tag", back, .objectURI, in: store) == [
        "sqlite:tag/1 [sqlite:book/-1, dangling sqlite:book/7, sqlite:book/9]",
        "sqlite:tag/2 [sqlite:book/9]", "sqlite:tag/3 [sqlite:book/-1]",
      ]
    )
  }

  @Test func `reading goes on behind a row`() throws {
    let store = try open(Self.books + Self.keyed)
    #expect(
      try rows(of: "book", Self.byKeys, .attribute("uid"), after: 3, in: store)
        == ["sqlite:book/9 [one, two]"]
    )
  }

  @Test func `a pair counts once, however many rows have it`() throws {
    let store = try open(
      Self.books + """
        CREATE TABLE book_tag (book_id INTEGER REFERENCES book, tag_id INTEGER REFERENCES tag);
        INSERT INTO book_tag VALUES (2, 3), (2, 1), (2, 3);
        """
    )
    #expect(
      try rows(of: "book", Self.byKeys, .attribute("uid"), in: store)[1]
        == "sqlite:book/2 [one, three]"
    )
  }

  @Test func `columns without a foreign key join by the values of keys`() throws {
    let store = try open(
      """
      CREATE TABLE song (songId TEXT PRIMARY KEY);
      CREATE TABLE list (listId TEXT PRIMARY KEY);
      CREATE TABLE entry (listId TEXT, songId TEXT, PRIMARY KEY (listId, songId)) WITHOUT ROWID;
      INSERT INTO song VALUES ('s1'), ('s2'); INSERT INTO list VALUES ('z'), ('a');
      INSERT INTO entry VALUES ('z', 's2'), ('z', 's1'), ('a', 's1'), ('gone', 's1'), ('a', 'lost');
      """
    )
    let join = RowJoin(
      entity: "entry",
      own: .attribute("listId", of: "list", key: "listId"),
      other: .attribute("songId", of: "song", key: "songId")
    )
    #expect(
      try rows(of: "list", join, .attribute("songId"), in: store)
        == ["sqlite:list/z [s1, s2]", "sqlite:list/a [dangling sqlite:song/lost, s1]"]
    )
  }

  @Test func `rows without rowids are joined by their place in the order of their keys`() throws {
    let store = try open(
      """
      CREATE TABLE person (place TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE friend (person TEXT REFERENCES person, other TEXT REFERENCES person,
        UNIQUE (person, other));
      INSERT INTO person VALUES ('c'), ('a'), ('b');
      INSERT INTO friend VALUES ('c', 'a'), ('a', 'b'), ('a', 'c');
      """
    )
    let join = RowJoin(
      entity: "friend",
      own: .relationship("person_ref"),
      other: .relationship("other_ref")
    )
    let all = ["sqlite:person/a [b, c]", "sqlite:person/b []", "sqlite:person/c [a]"]
    #expect(try rows(of: "person", join, .attribute("place"), in: store) == all)
    #expect(
      try rows(of: "person", join, .attribute("place"), after: 1, in: store)
        == Array(all.dropFirst())
    )
  }

  @Test func `a text that a list holds is whole, however many rows are read on`() throws {
    let count = 2_000
    let store = try open(
      """
      CREATE TABLE book (id INTEGER PRIMARY KEY);
      CREATE TABLE tag (id INTEGER PRIMARY KEY, uid TEXT);
      CREATE TABLE book_tag (book_id REFERENCES book, tag_id REFERENCES tag);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO tag SELECT i, printf('%050d', i) FROM n;
      INSERT INTO book VALUES (1);
      INSERT INTO book_tag SELECT 1, id FROM tag;
      """
    )
    let row = try rows(of: "book", Self.byKeys, .attribute("uid"), in: store)[0]
    let expected = (1...count).map { number in
      String(repeating: "0", count: 50 - String(number).count) + String(number)
    }
    #expect(row == "sqlite:book/1 [\(expected.joined(separator: ", "))]")
  }

  @Test func `a table that does not lead to the rows is refused`() throws {
    let store = try open(Self.books + Self.keyed)
    let join = RowJoin(
      entity: "book_tag",
      own: .relationship("none"),
      other: .relationship("tag")
    )
    let error = #expect(throws: StoreError.self) {
      try rows(of: "book", join, .objectURI, in: store)
    }
    #expect(error?.description.contains("book_tag has no column for none") == true)
  }

  @Test func `a database of a container joins its own tables`() throws {
    try Folder.make(folder.path + "/app")
    for name in ["one", "two"] {
      let values = name == "one" ? "(2, 3)" : "(2, 1), (3, 2)"
      try SampleDatabase(folder.path + "/app/\(name).sqlite").run(
        Self.books + """
          CREATE TABLE book_tag (book_id INTEGER, tag_id INTEGER, PRIMARY KEY (book_id, tag_id));
          INSERT INTO book_tag VALUES \(values);
          """
      )
    }
    let store = try Source(folder.path + "/app", into: folder.path + "/private").store
    func join(_ target: EntityName) -> RowJoin {
      RowJoin(
        entity: "two.book_tag",
        own: .attribute("book_id", of: "two.book", key: "id"),
        other: .attribute("tag_id", of: target, key: "id")
      )
    }
    #expect(
      try rows(of: "two.book", join("two.tag"), .attribute("uid"), in: store) == [
        "sqlite:book/-1 []", "sqlite:book/2 [one]", "sqlite:book/3 [two]", "sqlite:book/9 []",
      ]
    )
    #expect(throws: StoreError.self) {
      try rows(of: "two.book", join("one.tag"), .attribute("uid"), in: store)
    }
  }
}
