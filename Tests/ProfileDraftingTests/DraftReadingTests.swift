import Files
import Foundation
import ProfileDrafting
import Records
import StoreFiles
import StoreReading
import Testing

/// How often a draft reads the rows of a store.
struct DraftReadingTests {
  /// A store that counts how often its rows are asked for, and knows what was asked of them.
  private final class CountingStore: Store {
    private let store: any Store
    private(set) var readingCount = 0
    private(set) var requested: Set<[FieldRequest]> = []

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
      requested.insert(request.fields)
      return try store.rows(request)
    }
  }

  @Test func `a draft of the model alone reads no row`() throws {
    let folder = try PrivateFolder()
    let path = folder.path + "/notes.jsonl"
    try Data("{\"id\": \"9b2fb1c4-9a0e-4a55-8d6c-1f2f6c1e0b11\", \"text\": \"a\"}\n".utf8)
      .write(to: URL(filePath: path))
    let store = CountingStore(try Source(path, into: folder.path + "/private").store)
    let draft = try ProfileDraft(of: store, beside: folder.path, app: "notes", from: .model)
    #expect(draft.identities.isEmpty)
    #expect(store.readingCount == 0)
  }

  @Test func `values of a kind by which no record is known are not read`() throws {
    let folder = try PrivateFolder()
    let path = folder.path + "/notes.jsonl"
    try Data("{\"id\": 1, \"text\": \"a\", \"author\": \"b\"}\n".utf8)
      .write(to: URL(filePath: path))
    let store = CountingStore(try Source(path, into: folder.path + "/private").store)
    // Without a folder, no text is read for the files that it may name.
    let draft = try ProfileDraft(of: store, beside: nil, app: "notes")
    #expect(draft.identities == ["notes": "id"])
    #expect(!store.requested.contains([.attribute(path: ["author"]), .attribute(path: ["text"])]))
    #expect(!store.requested.contains([.attribute(path: ["text"]), .attribute(path: ["author"])]))
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
