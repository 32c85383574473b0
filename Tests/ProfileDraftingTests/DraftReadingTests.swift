import Files
import Foundation
import ProfileDrafting
import Records
import StoreFiles
import StoreReading
import Testing

/// How often a draft reads the rows of a store.
struct DraftReadingTests {
  /// A store that counts how often its rows are asked for.
  private final class CountingStore: Store {
    private let store: any Store
    private(set) var readingCount = 0

    init(_ store: any Store) { self.store = store }

    var identity: StoreIdentity { store.identity }
    var model: StoreModel { store.model }
    var otherTables: [String] { store.otherTables }
    var findings: [Finding] { store.findings }

    func rowCount(of entity: EntityName) throws(StoreError) -> Int {
      try store.rowCount(of: entity)
    }

    func rows(_ request: RowRequest) throws(StoreError) -> any RowReader {
      readingCount += 1
      return try store.rows(request)
    }
  }

  @Test func `rows are not read once for each of their columns`() throws {
    let folder = try PrivateFolder()
    let path = folder.path + "/notes.jsonl"
    let rows = ["a", "b"].map { last in
      "{" + (0..<40).map { "\"c\($0)\": \"\($0 == 39 ? last : "same")\"" }.joined(separator: ", ")
        + "}\n"
    }
    try Data(rows.joined().utf8).write(to: URL(filePath: path))
    let store = CountingStore(try Source(path, into: folder.path + "/private").store)
    let draft = try ProfileDraft(of: store, beside: folder.path, app: "notes")
    #expect(draft.identities == ["notes": "c39"])
    #expect(store.readingCount <= 4)
  }
}
