import Files
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// What a profile may ask of a store and the store cannot answer: refused by name, with a cure.
struct `Requests that no store can answer` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private func refusal(
    _ store: any Store,
    _ entity: EntityName,
    _ fields: [FieldRequest]
  ) -> StoreError? {
    #expect(throws: StoreError.self) {
      let reader = try store.rows(RowRequest(entity: entity, fields: fields))
      while try reader.next() {}
    }
  }

  private func source(_ name: String) throws -> any Store {
    try Source(folder.path + "/" + name, into: folder.path + "/private").store
  }

  // MARK: - Core Data

  @Test func `a Core Data store reports the kind of an attribute that cannot name an object`()
    throws
  {
    let store = try SampleStore.open(SampleStore.build(in: folder), in: folder)
    let field = FieldRequest.reference(relationship: "tags", identity: .objectURI)
    #expect(refusal(store, "Person", [field])?.description.contains("Person.tags") == true)
    let photo = FieldRequest.references(relationship: "people", identity: .attribute("photo"))
    let error = refusal(store, "Tag", [photo])
    #expect(
      error?.description.contains("Person.photo is neither a string nor a UUID nor an integer")
        == true
    )
    #expect(error?.cure.contains("ferry inspect") == true)
  }

  @Test func `a missing column is reported, also if it names an object`() throws {
    let path = try SampleStore.build(in: folder, also: "ALTER TABLE ZTAG DROP COLUMN ZLABEL")
    let store = try SampleStore.open(path, in: folder)
    let own = refusal(store, "Tag", [.attribute(path: ["label"])])
    #expect(own?.description.contains("the column of Tag.label is missing (table ZTAG)") == true)
    #expect(own?.cure.contains("changed outside the app") == true)
    let field = FieldRequest.references(relationship: "tags", identity: .attribute("label"))
    #expect(
      refusal(store, "Person", [field])?.description.contains("Tag.label is missing") == true
    )
  }

  @Test func `more references than SQLite joins are refused, not read halfway`() throws {
    let store = try SampleStore.open(SampleStore.build(in: folder), in: folder)
    let field = FieldRequest.reference(relationship: "favorite", identity: .attribute("id"))
    let error = refusal(store, "Person", Array(repeating: field, count: 61))
    #expect(error?.description.contains("at most 60 references in one request") == true)
    #expect(error?.cure == "ask for fewer relationships at once")
  }

  @Test func `more columns than SQLite gives are refused, not read halfway`() throws {
    let store = try SampleStore.open(SampleStore.build(in: folder), in: folder)
    let field = FieldRequest.attribute(path: ["title"])
    let error = refusal(store, "Person", Array(repeating: field, count: 1901))
    #expect(error?.description.contains("at most 1900 columns in one request") == true)
    try SampleDatabase(folder.path + "/plain.sqlite").run("CREATE TABLE song (title TEXT)")
    let plain = try source("plain.sqlite")
    let other = refusal(plain, "song", Array(repeating: field, count: 2001))
    #expect(other?.description.contains("columns at most") == true)
  }

  // MARK: - Plain databases

  @Test func `a plain database says why a column or reference cannot be asked for`() throws {
    try SampleDatabase(folder.path + "/plain.sqlite").run(
      """
      CREATE TABLE band (id INTEGER PRIMARY KEY, name TEXT, short AS (substr(name, 1, 3)));
      CREATE TABLE song (id INTEGER PRIMARY KEY, band_id INTEGER REFERENCES band(id));
      """
    )
    let store = try source("plain.sqlite")
    for (entity, field, reason) in [
      ("band", .attribute(path: ["short"]), "it is computed at each reading"),
      ("band", .attribute(path: ["none"]), "the table has no such column"),
      ("song", .references(relationship: "band", identity: .objectURI), "no to-many"),
      ("song", .reference(relationship: "none", identity: .objectURI), "no such foreign key"),
      (
        "song", .reference(relationship: "band", identity: .attribute("short")),
        "band.short cannot be read: the table has no such column"
      ),
    ] as [(EntityName, FieldRequest, String)] {
      let error = refusal(store, entity, [field])
      #expect(error?.description.contains(reason) == true, "\(error?.description ?? "none")")
    }
    let error = refusal(store, "none", [])
    #expect(error?.description.contains("the store's model has no entity none") == true)
    #expect(error?.cure.contains("letters of either case count") == true)
  }

  // MARK: - Preferences and XML

  @Test func `preferences have no relationships and no other keys`() throws {
    try folder.write(
      "app.plist",
      Array("<plist><dict><key>a</key><true/></dict></plist>".utf8)
    )
    let store = try source("app.plist")
    let missing = refusal(store, "Preferences", [.attribute(path: ["b"])])
    #expect(missing?.description.contains("Preferences.b cannot be read: no row has it") == true)
    let relationship = FieldRequest.reference(relationship: "b", identity: .objectURI)
    let error = refusal(store, "Preferences", [relationship])
    #expect(error?.description.contains("preferences have no relationships") == true)
    #expect(refusal(store, "none", []) != nil)
  }

  @Test func `an XML store names the object without the value or relationship`() throws {
    let text = """
      <?xml version="1.0"?><!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd"><database>
      <databaseInfo><version>1</version><UUID>U</UUID><nextObjectID>3</nextObjectID>
      <metadata><plist version="1.0"><dict/></plist></metadata></databaseInfo>
      <object type="SONG" id="z1"><attribute name="title" type="string">x</attribute>
      <relationship name="band" type="1/1" destination="BAND" idrefs="z2"/></object>
      <object type="BAND" id="z2"><relationship name="songs" type="0/0" destination="SONG"
      idrefs="z1"/></object></database>
      """
    try folder.write("Store.xml", Array(text.utf8))
    let store = try source("Store.xml")
    for (entity, field, reason) in [
      ("SONG", .attribute(path: ["none"]), "no object has it"),
      ("SONG", .reference(relationship: "none", identity: .objectURI), "no object has it"),
      ("SONG", .references(relationship: "band", identity: .objectURI), "leads to one object"),
      ("BAND", .reference(relationship: "songs", identity: .objectURI), "leads to many objects"),
    ] as [(EntityName, FieldRequest, String)] {
      let error = refusal(store, entity, [field])
      #expect(error?.description.contains(reason) == true, "\(error?.description ?? "none")")
    }
    #expect(refusal(store, "none", [])?.description.contains("no entity none") == true)
    let field = FieldRequest.attribute(path: ["title"])
    let error = refusal(store, "SONG", Array(repeating: field, count: 1901))
    #expect(error?.description.contains("1,900 columns") == true)
  }

  @Test(arguments: [
    ("<object type=\"A\" id=\"z1\"><attribute name=\"x\">1</attribute></object>", "an attribute"),
    ("<object type=\"A\" id=\"z1\"><relationship name=\"x\"/></object>", "a relationship without"),
    (
      "<object type=\"A\" id=\"z1\"><relationship name=\"x\" type=\"many\" destination=\"A\"/>"
        + "</object>", "not two numbers"
    ),
    ("<object id=\"z1\"/>", "an object without a type"),
  ])
  func `an incomplete XML store is refused with the missing part`(
    objects: String,
    reason: String
  ) throws {
    let text =
      "<?xml version=\"1.0\"?><!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">"
      + "<database>\n\(objects)</database>"
    try folder.write("Store.xml", Array(text.utf8))
    let error = #expect(throws: StoreError.self) { try source("Store.xml") }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    #expect(error?.cure.contains("correct the named place") == true)
  }
}
