import JSONText
import ProfileSettings
import Profiles
import RecordMapping
import Records
import Testing

/// An attribute that holds the identity of another record, where the app keeps no relationship.
struct NamedRecordTests {
  private static func export(
    _ field: String = "{ attribute: bookId, names: Book }",
    bookIdentity: String = "{ attribute: id }",
    kind: StoreAttribute.Kind = .uuid,
    bookKind: StoreAttribute.Kind = .uuid
  ) throws -> CompiledExport {
    let yaml = """
      ferry-profile: 1
      app: books
      entities:
        Book:
          identity: \(bookIdentity)
          fields: { id: id }
        Note:
          identity: { attribute: id }
          fields:
            id: id
            bookId: \(field)
      api:
        entities:
          Book:
            replay: id
            create: { request: "PUT /books/{id}", if-none-match: true }
            body: { name: id }
          Note:
            replay: id
            create: { request: "PUT /notes/{id}", if-none-match: true }
            body: { book_id: { reference: bookId } }
            unmapped: [id, book]
      """
    return try CompiledExport(
      profile: Profile(yaml: yaml, path: "books.yaml"),
      model: StoreModel(
        origin: .store,
        entities: [
          StoreEntity(name: "Book", attributes: [StoreAttribute(name: "id", kind: bookKind)]),
          StoreEntity(
            name: "Note",
            attributes: [
              StoreAttribute(name: "id", kind: .uuid),
              StoreAttribute(name: "bookId", kind: kind),
            ],
            relationships: [StoreRelationship(name: "book", destination: "Book")]
          ),
        ]
      )
    )
  }

  @Test func `an attribute that names records refers to them as a relationship does`() throws {
    let note = try #require(try Self.export().program(for: "Note"))
    #expect(
      note.references == [
        RecordReference(member: "book", targets: ["Book"], isToMany: false),
        RecordReference(member: "bookId", targets: ["Book"], isToMany: false),
      ]
    )
  }

  @Test func `an attribute that names no entity of the profile is refused`() {
    #expect(throws: ProfileError.self) { try Self.export("{ attribute: bookId, names: Shelf }") }
  }

  @Test func `an attribute that names records, and is JSON, is refused`() {
    #expect(throws: ProfileError.self) {
      try Self.export("{ attribute: bookId, as: json, names: Book }")
    }
  }

  @Test func `a number names a record by the text of its key, whatever its size in the model`()
    throws
  {
    let export = try Self.export(kind: .integer32, bookKind: .integer64)
    let note = try #require(export.program(for: "Note"))
    #expect(note.references.contains { $0.member == "bookId" && $0.targets == ["Book"] })
    let writer = RecordWriter(note) { rule, _ throws(RecordFault) in
      throw RecordFault(code: "media.unexpected", member: rule.member, cause: "none", cure: "none")
    }
    var line = JSONWriter()
    let cells = note.request.fields.map { field -> Cell in
      field == .attribute(path: ["bookId"]) ? .integer(7) : .null
    }
    try cells.withUnsafeBufferPointer { cells throws(RecordFault) in
      try unsafe writer.write(Row(place: 1, cells: cells), into: &line)
    }
    #expect(String(decoding: line.bytes, as: UTF8.self).contains(#""bookId":"7""#))
  }

  @Test(arguments: [StoreAttribute.Kind.string, .integer64])
  func `an attribute of another kind than the identity that it names is refused`(
    kind: StoreAttribute.Kind
  ) {
    #expect(throws: ProfileError.self) { try Self.export(kind: kind) }
  }

  @Test func `records without a unique attribute are named by no attribute`() {
    #expect(throws: ProfileError.self) { try Self.export(bookIdentity: "object-uri") }
  }
}
