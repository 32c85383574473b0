import Records
import StoreFiles
import StoreReading
import Testing

/// Rows with a value that is too large to be held: they are informed of, and the rows behind them read.
struct `Values that are too large` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  /// Each row's place, and whether it could not be read.
  private func rows(
    _ store: any Store,
    _ entity: EntityName,
    _ field: String,
    after: Int64? = nil
  ) throws -> [String] {
    let reader = try store.rows(
      RowRequest(entity: entity, fields: [.attribute(path: [field])], after: after)
    )
    var rows: [String] = []
    while try reader.next() {
      let row = reader.row
      rows.append("\(row.place) " + (row.isTooLarge ? "too large" : described(row.cells[0])))
    }
    return rows
  }

  private static let large = "zeroblob(\(Row.largestValue + 1))"

  private func store(_ sql: String) throws -> any Store {
    let path = folder.path + "/plain.sqlite"
    try SampleDatabase(path).run(sql)
    return try Source(path, into: folder.path + "/private").store
  }

  @Test
  func `a too large value among rows of a plain database is rejected, and all others are exported`()
    throws
  {
    let store = try store(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, body);
      INSERT INTO note VALUES (-4, \(Self.large)), (2, 'a'), (5, \(Self.large)), (9, 'b');
      """
    )
    #expect(
      try rows(store, "note", "body") == ["-4 too large", "2 a", "5 too large", "9 b"]
    )
    #expect(try rows(store, "note", "body", after: 2) == ["5 too large", "9 b"])
    #expect(try rows(store, "note", "id") == ["-4 -4", "2 2", "5 5", "9 9"])
  }

  @Test func `a too large value among rows without rowid is rejected, and all others are exported`()
    throws
  {
    let store = try store(
      """
      CREATE TABLE pair (id TEXT PRIMARY KEY, body) WITHOUT ROWID;
      INSERT INTO pair VALUES ('a', 1), ('b', \(Self.large)), ('c', 3);
      """
    )
    #expect(try rows(store, "pair", "body") == ["1 1", "2 too large", "3 3"])
    #expect(try rows(store, "pair", "body", after: 1) == ["2 too large", "3 3"])
  }

  @Test
  func `a too large value among objects of Core Data is rejected, and all others are exported`()
    throws
  {
    let path = try SampleStore.build(
      in: folder,
      also: "UPDATE ZTAG SET ZLABEL = \(Self.large) WHERE Z_PK = 2"
    )
    let store = try SampleStore.open(path, in: folder)
    let places = try rows(store, "Tag", "label")
    #expect(places.map { $0.hasSuffix("too large") } == [false, true, false])
    #expect(try rows(store, "Tag", "label", after: 2) == [places[2]])
  }
}
