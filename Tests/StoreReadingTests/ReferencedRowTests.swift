import Records
import SQLiteStores
import StoreFiles
import StoreReading
import StoreSamples
import Testing

/// References are looked for one by one at first, and then among all keys of their table.
struct `Rows that references lead to` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private static let start = "x-coredata://\(SampleStore.uuid)/"

  /// Notes in folders, of which some may be boxes, and each note's labels, of which the folder is the only one.
  private func store(
    _ notes: [(key: Int, folder: String)],
    folders: [(key: Int64, entity: Int)],
    hasBoxes: Bool = true
  ) throws -> CoreDataStore {
    func rows(_ values: [String]) -> String { values.joined(separator: ", ") }
    var entities = [
      ModelSample.Entity(
        name: "Note",
        relationships: [
          .init(name: "folder", destination: "Folder", inverse: "notes"),
          .init(name: "labels", destination: "Folder", inverse: "labelled", isToMany: true),
        ]
      ),
      ModelSample.Entity(
        name: "Folder",
        relationships: [
          .init(name: "notes", destination: "Note", inverse: "folder", isToMany: true),
          .init(name: "labelled", destination: "Note", inverse: "labels", isToMany: true),
        ]
      ),
    ]
    if hasBoxes { entities.append(ModelSample.Entity(name: "Box", superName: "Folder")) }
    return try FormStore.open(
      ModelSample(entities: entities),
      """
      CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFOLDER);
      CREATE TABLE ZFOLDER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
      CREATE TABLE Z_1LABELS (Z_1LABELLED INTEGER, Z_2LABELS INTEGER);
      INSERT INTO ZNOTE VALUES \(rows(notes.map { "(\($0.key), 1, 1, \($0.folder))" }));
      INSERT INTO ZFOLDER VALUES \(rows(folders.map { "(\($0.key), \($0.entity), 1)" }));
      INSERT INTO Z_1LABELS SELECT Z_PK, ZFOLDER FROM ZNOTE;
      """,
      in: folder
    )
  }

  private func references(_ store: CoreDataStore) throws -> [String] {
    try FormStore.rows(store, "Note", .reference(relationship: "folder", identity: .objectURI))
  }

  private func labels(_ store: CoreDataStore) throws -> [String] {
    try FormStore.rows(store, "Note", .references(relationship: "labels", identity: .objectURI))
  }

  /// Keys of folders, of which every seventh is missing.
  private struct Keys: CustomTestStringConvertible {
    let first: Int64
    let step: Int64
    let hasBoxes: Bool

    var testDescription: String {
      "from \(first) by \(step) \(hasBoxes ? "with" : "without") boxes"
    }

    static let all = [(Int64(1), Int64(1)), (-90, 1), (3, 1_000_003), (Int64.min, 1 << 55)]
      .flatMap { first, step in
        [true, false].map { Keys(first: first, step: step, hasBoxes: $0) }
      }
  }

  @Test(arguments: Keys.all)
  private func `a reference leads to the row with its key, however far apart the keys lie`(
    _ form: Keys
  ) throws {
    let keys = (0..<200).map { form.first + form.step * $0 }
    let there = keys.enumerated().filter { !$0.offset.isMultiple(of: 7) }
      .map { (key: $1, entity: form.hasBoxes && $0.isMultiple(of: 5) ? 3 : 2) }
    let asked = (0..<600).map { keys[$0 * 13 % keys.count] }
    let store = try store(
      asked.enumerated().map { ($0 + 1, "\($1)") },
      folders: there,
      hasBoxes: form.hasBoxes
    )
    let expected = asked.map { key in
      guard let found = there.first(where: { $0.key == key }) else {
        return "dangling \(Self.start)Folder/p\(key)"
      }
      return "\(Self.start)\(found.entity == 3 ? "Box" : "Folder")/p\(key)"
    }
    #expect(try references(store) == expected)
    #expect(try labels(store) == expected.map { "[\($0)]" })
    // Both at once, of which each looks among the same keys.
    #expect(
      try FormStore.rows(
        store,
        "Note",
        .reference(relationship: "folder", identity: .objectURI),
        .references(relationship: "labels", identity: .objectURI)
      ) == expected.map { "\($0), [\($0)]" }
    )
  }

  @Test func `a key that is no whole number leads where SQLite says, and to nothing else`() throws {
    let values = ["2", "2.0", "'2'", "2.5", "'two'", "x'32'", "NULL", "9223372036854775807"]
    let store = try store(
      values.enumerated().map { ($0 + 1, $1) },
      folders: [(key: 2, entity: 2), (key: 3, entity: 3)]
    )
    let two = "\(Self.start)Folder/p2"
    #expect(
      try references(store) == [
        two, two, two, "dangling \(two)", "dangling \(Self.start)Folder/p0",
        "dangling \(two)", "null", "dangling \(Self.start)Folder/p9223372036854775807",
      ]
    )
  }

  @Test func `a reading that goes on behind a row finds the same rows`() throws {
    let store = try store(
      (1...40).map { ($0, "\($0 % 10)") },
      folders: (1...8).map { (key: $0, entity: 2) }
    )
    let request = RowRequest(
      entity: "Note",
      fields: [.reference(relationship: "folder", identity: .objectURI)],
      after: 37
    )
    let cursor = try store.rows(request)
    var lines: [String] = []
    while try cursor.next() { lines.append(described(cursor.row.cells[0])) }
    #expect(
      lines == [
        "\(Self.start)Folder/p8", "dangling \(Self.start)Folder/p9",
        "dangling \(Self.start)Folder/p0",
      ]
    )
  }
}
