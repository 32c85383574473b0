import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Keys and foreign keys of plain databases, whatever class their values have.
struct `Keys of plain databases` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private func open(_ sql: String) throws -> any Store {
    let path = folder.path + "/plain.sqlite"
    try SampleDatabase(path).run(sql)
    return try Source(path, into: folder.path + "/private").store
  }

  @Test func `a key of bytes is part of the address, and a UUID names the row it leads to`() throws
  {
    let store = try open(
      """
      CREATE TABLE band (id BLOB PRIMARY KEY, uid BLOB);
      INSERT INTO band VALUES (x'01FF', x'000102030405060708090A0B0C0D0E0F'), (x'02', x'03');
      CREATE TABLE song (id REAL PRIMARY KEY, band BLOB REFERENCES band);
      INSERT INTO song VALUES (1.5, x'01FF'), (2, x'02'), (3.25, NULL);
      """
    )
    #expect(
      try Rows.text(of: "band", [.objectURI], in: store)
        == ["sqlite:band/x%2701FF%27", "sqlite:band/x%2702%27"]
    )
    let fields: [FieldRequest] = [
      .objectURI, .reference(relationship: "band_ref", identity: .attribute("uid")),
      .reference(relationship: "band_ref", identity: .objectURI),
    ]
    #expect(
      try Rows.text(of: "song", fields, in: store) == [
        "sqlite:song/1.5, 00010203-0405-0607-0809-0A0B0C0D0E0F, sqlite:band/x%2701FF%27",
        // What is no UUID names nothing: the address is in.
        "sqlite:song/2.0, sqlite:band/x%2702%27, sqlite:band/x%2702%27",
        "sqlite:song/3.25, null, null",
      ]
    )
  }

  @Test func `a reference does not take a column's name`() throws {
    let store = try open(
      """
      CREATE TABLE band (id INTEGER PRIMARY KEY);
      CREATE TABLE song (band TEXT, band_id INTEGER REFERENCES band, owner INTEGER
        REFERENCES band(id), owner_ref TEXT);
      """
    )
    let song = try #require(store.model.entity(named: "song"))
    #expect(song.relationships.map(\.name) == ["band_id_ref", "owner_ref_"])
  }

  @Test func `keys may change if no primary key distinguishes the rows`() throws {
    let store = try open(
      """
      CREATE TABLE loose (text TEXT);
      CREATE TABLE taken (rowid TEXT, _rowid_ TEXT, oid TEXT);
      CREATE TABLE counted (id INTEGER PRIMARY KEY);
      CREATE TABLE named (name TEXT PRIMARY KEY);
      CREATE TABLE paired (a TEXT, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
      """
    )
    let loose = store.model.entities.filter(\.keysMayChange)
    #expect(loose.map { $0.name } == ["loose", "taken"])
  }
}
