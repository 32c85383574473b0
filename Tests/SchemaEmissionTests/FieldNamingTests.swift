import JSONText
import Records
import SchemaEmission
import Testing

/// Names and types that a model alone does not settle.
struct FieldNamingTests {
  /// The form's text for one entity `Item` with members of these schemas.
  private func emit(
    _ properties: JSONValue,
    _ attributes: [StoreAttribute] = [],
    _ relationships: [StoreRelationship] = [],
    for form: SchemaForm
  ) -> EmittedSchema {
    let entity = StoreEntity(name: "Item", attributes: attributes, relationships: relationships)
    let source = SchemaSource(
      model: StoreModel(origin: .store, entities: [entity]),
      identities: [:],
      records: [("Item", ["properties": properties])]
    )
    return form.emit(source, SchemaOptions())
  }

  @Test func `a column with numbers and texts takes both`() {
    let text = emit(["mixed": ["type": ["integer", "string"]]], for: .postgresql).text
    #expect(text.contains("\n  \"mixed\" jsonb NOT NULL\n"))
  }

  @Test func `a column with dates and other texts is a text`() {
    let text = emit(["day": ["type": "string", "x-holds": "date"]], for: .postgresql).text
    #expect(text.contains("\n  \"day\" text NOT NULL\n"))
  }

  @Test func `a quotation mark in a name ends no name`() {
    let text = emit(["a\"b": ["type": "string"]], for: .postgresql).text
    #expect(text.contains("\n  \"a\"\"b\" text NOT NULL\n"))
  }

  @Test func `two names that differ in their case alone get different fields`() {
    let both: JSONValue = ["name": ["type": "string"], "Name": ["type": "string"]]
    let emitted = emit(both, for: .sqlite)
    #expect(emitted.text.contains("\n  \"name\" TEXT NOT NULL,\n  \"Name_\" TEXT NOT NULL\n"))
    #expect(
      emitted.notes == ["Item.Name: the field is called “Name_”; name it so in “body”"]
    )
  }

  @Test func `a member called like PocketBase's owner gets another name`() {
    let emitted = emit(["owner": ["type": "string"]], for: .pocketbase)
    #expect(emitted.text.contains("\"name\": \"stored_owner\""))
    #expect(
      emitted.notes == ["Item.owner: the field is called “stored_owner”; name it so in “body”"]
    )
  }

  @Test
  func `a member called like what PocketBase adds itself gets the name that a draft gives it`() {
    let emitted = emit(["collectionName": ["type": "string"]], for: .pocketbase)
    #expect(emitted.text.contains("\"name\": \"stored_collectionName\""))
    #expect(!emitted.notes.contains { $0.hasPrefix("Item.collectionName") })
  }

  @Test func `a member in another case than what PocketBase adds is noted, as no draft renames it`()
  {
    let emitted = emit(["collectionname": ["type": "string"]], for: .pocketbase)
    #expect(emitted.text.contains("\"name\": \"stored_collectionname\""))
    #expect(
      emitted.notes.contains(
        "Item.collectionname: the field is called “stored_collectionname”; name it so in “body”"
      )
    )
  }

  @Test func `the app's own key has a field beside the ID that is made from it`() {
    let entity = StoreEntity(
      name: "Item",
      attributes: [StoreAttribute(name: "id", kind: .string, isOptional: false)],
      relationships: []
    )
    let source = SchemaSource(
      model: StoreModel(origin: .store, entities: [entity]),
      identities: ["Item": "id"],
      records: [("Item", ["properties": ["id": ["type": "string"]]])]
    )
    let emitted = SchemaForm.pocketbase.emit(source, SchemaOptions())
    #expect(emitted.text.contains("\"name\": \"stored_id\""))
  }

  @Test(arguments: [SchemaForm.pocketbase, .cloudkit])
  func `a name that the backend does not take is left out and noted`(form: SchemaForm) {
    let emitted = emit(["a.b": ["type": "string"]], for: form)
    #expect(!emitted.text.contains("a.b"))
    #expect(emitted.notes.contains { $0.hasPrefix("Item.a.b: ") })
  }

  @Test func `a word of CloudKit's language is quoted`() {
    let text = emit(["type": ["type": "string"]], for: .cloudkit).text
    #expect(text.contains("\n        \"type\" STRING,\n"))
  }

  @Test func `a reference to an entity that is not sent has no key`() {
    let emitted = emit(
      ["other": ["type": ["null", "string"], "x-references": ["Gone"]]],
      [],
      [StoreRelationship(name: "other", destination: "Gone", isOptional: false)],
      for: .postgresql
    )
    #expect(emitted.text.contains("\n  \"other\" uuid\n"))
    #expect(emitted.notes.contains { $0.hasPrefix("Item.other: ") })
  }
}
