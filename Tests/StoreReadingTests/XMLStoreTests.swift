import Files
import ManagedObjectModels
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

struct XMLStoreTests {
  private let folder: SampleFolder

  init() throws {
    folder = try SampleFolder()
  }

  /// Opens a store with these elements in its root.
  private func open(_ objects: String, head: String = XMLStoreTests.head) throws -> any Store {
    let text = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
      <database>\(head)\(objects)</database>
      """
    return try open(document: text)
  }

  private func open(document: String) throws -> any Store {
    try folder.write("Store.xml", Array(document.utf8))
    return try Source(folder.path + "/Store.xml", into: folder.path + "/private").store
  }

  private static let head = """
    <databaseInfo><version>134481920</version><UUID>STORE-1</UUID><nextObjectID>104</nextObjectID>
    <metadata><plist version="1.0"><dict>
    <key>NSPersistenceFrameworkVersion</key><integer>977</integer>
    <key>NSStoreModelVersionHashes</key><dict>
    <key>VehiclePicture</key><data>
    AAEC
    </data></dict>
    <key>NSStoreModelVersionIdentifiers</key><array><string>1.0</string></array>
    <key>token</key><string>secret</string>
    </dict></plist></metadata></databaseInfo>
    """

  private static let pictures = """
    <object type="VEHICLE" id="z102">
      <attribute name="make" type="string"> A &amp; B\n</attribute>
      <attribute name="model" type="string"></attribute>
      <relationship name="pictures" type="0/0" destination="VEHICLEPICTURE" idrefs="z104 z103"/>
    </object>
    <object type="VEHICLE" id="z101"></object>
    <object type="VEHICLEPICTURE" id="z104">
      <attribute name="title" type="string">two</attribute>
      <relationship name="vehicle" type="0/1" destination="VEHICLE" idrefs="z102"></relationship>
    </object>
    <object type="VEHICLEPICTURE" id="z103">
      <attribute name="title" type="string">one</attribute>
      <relationship name="vehicle" type="0/1" destination="VEHICLE" idrefs="z102"></relationship>
    </object>
    """

  @Test func `the metadata gives identity, versions and the entities' own letters`() throws {
    let store = try open(Self.pictures)
    #expect(store.identity.kind == .coreDataXML)
    #expect(store.identity.uuid == "STORE-1")
    #expect(store.identity.frameworkVersion == 977)
    #expect(store.identity.modelVersionIdentifiers == ["1.0"])
    #expect(store.identity.modelVersionHashes == ["VehiclePicture": [0, 1, 2]])
    #expect(store.model.entities.map(\.name.text) == ["VEHICLE", "VehiclePicture"])
    #expect(!store.findings.contains { $0.cause.contains("secret") })
  }

  @Test func `objects come in the order of their numbers with Core Data's addresses`() throws {
    let store = try open(Self.pictures)
    let fields: [FieldRequest] = [
      .objectURI, .attribute(path: ["make"]), .attribute(path: ["model"]),
      .references(relationship: "pictures", identity: .attribute("title")),
    ]
    #expect(
      try Rows.text(of: "VEHICLE", fields, in: store) == [
        "x-coredata://STORE-1/VEHICLE/p101, null, null, []",
        "x-coredata://STORE-1/VEHICLE/p102,  A & B\n, , [two, one]",
      ]
    )
    let back: [FieldRequest] = [.reference(relationship: "vehicle", identity: .objectURI)]
    #expect(
      try Rows.text(of: "VehiclePicture", back, in: store)
        == Array(repeating: "x-coredata://STORE-1/VEHICLE/p102", count: 2)
    )
    let request = RowRequest(entity: "VEHICLE", fields: fields, after: 101)
    let reader = try store.rows(request)
    #expect(try reader.next())
    #expect(reader.row.place == 102)
    #expect(described(reader.row.cells[3]) == "[two, one]")
    #expect(try !reader.next())
  }

  @Test func `values have the types the file declares`() throws {
    let store = try open(
      """
      <object type="THING" id="z1">
        <attribute name="binary" type="binary">AAEC\nAwQF
        </attribute>
        <attribute name="bool" type="bool">1</attribute>
        <attribute name="date" type="date">-63114076799.00000000000000000000</attribute>
        <attribute name="decimal" type="decimal">0.10000000000000000000001</attribute>
        <attribute name="float" type="float">0.5</attribute>
        <attribute name="int64" type="int64">9223372036854775807</attribute>
        <attribute name="other" type="whatever">x</attribute>
        <attribute name="wrong" type="int16">many</attribute>
      </object>
      """
    )
    #expect(
      try Rows.text(of: "THING", in: store) == [
        "<0 1 2 3 4 5>, 1, -63114076799.0, 0.10000000000000000000001, 0.5, 9223372036854775807, "
          + "x, many"
      ]
    )
    let kinds = store.model.entities.first?.attributes.map { "\($0.kind)" } ?? []
    #expect(
      kinds == [
        "binary", "boolean", "date", "decimal", "float", "integer64",
        #"undeclared(sqlType: "whatever")"#, "integer16",
      ]
    )
    #expect(
      store.findings.contains { $0.code == "store.value-malformed" && $0.pointer == "/wrong" }
    )
  }

  /// Opens a store with these elements in its root, and gives the app's model.
  private func open(_ objects: String, model: ModelSample) throws -> any Store {
    let text = "<database><databaseInfo><UUID>STORE-1</UUID></databaseInfo>\(objects)</database>"
    try folder.write("Store.xml", Array(text.utf8))
    try folder.write("App.mom", PropertyListWriter.bytes(model.archive()))
    let copy = try StoreCopy(of: folder.path + "/Store.xml", into: folder.path + "/private")
    return try XMLStore(copy, models: [folder.path + "/App.mom"])
  }

  private static let disagreeing = """
    <object type="A" id="z1">
      <relationship name="many" type="0/0" destination="B" idrefs="z3"></relationship>
    </object>
    <object type="A" id="z2"/>
    <object type="B" id="z3">
      <relationship name="one" type="0/1" destination="A" idrefs="z2"></relationship>
    </object>
    """

  @Test func `if two sides disagree the one that leads to one object is trusted`() throws {
    let model = ModelSample(entities: [
      .init(
        name: "A",
        relationships: [.init(name: "many", destination: "B", inverse: "one", isToMany: true)]
      ),
      .init(name: "B", relationships: [.init(name: "one", destination: "A", inverse: "many")]),
    ])
    let store = try open(Self.disagreeing, model: model)
    let fields: [FieldRequest] = [.references(relationship: "many", identity: .objectURI)]
    #expect(
      try Rows.text(of: "A", fields, in: store) == ["[]", "[x-coredata://STORE-1/B/p3]"]
    )
    let finding = try #require(store.findings.first { $0.code == "store.inverse-differs" })
    #expect(finding.cause.contains("names 1 objects"))
    #expect(finding.cause.contains("lacks 1"))
  }

  @Test func `without a model both sides of a relationship are as the file has them`() throws {
    let store = try open(Self.disagreeing)
    let many: [FieldRequest] = [.references(relationship: "many", identity: .objectURI)]
    #expect(try Rows.text(of: "A", many, in: store) == ["[x-coredata://STORE-1/B/p3]", "[]"])
    let one: [FieldRequest] = [.reference(relationship: "one", identity: .objectURI)]
    #expect(try Rows.text(of: "B", one, in: store) == ["x-coredata://STORE-1/A/p2"])
  }

  @Test func `without a model no relationship is taken for the inverse of another`() throws {
    let store = try open(Self.pictures)
    let inverses = store.model.entities.flatMap(\.relationships).compactMap(\.inverse)
    #expect(inverses == [])
  }

  @Test func `two relationships that a model does not call inverses are as the file has them`()
    throws
  {
    let model = ModelSample(entities: [
      .init(name: "A", relationships: [.init(name: "many", destination: "B", isToMany: true)]),
      .init(name: "B", relationships: [.init(name: "one", destination: "A")]),
    ])
    let store = try open(Self.disagreeing, model: model)
    let fields: [FieldRequest] = [.references(relationship: "many", identity: .objectURI)]
    #expect(try Rows.text(of: "A", fields, in: store) == ["[x-coredata://STORE-1/B/p3]", "[]"])
  }

  @Test func `relationships that a model lacks are as the file has them`() throws {
    let model = ModelSample(entities: [.init(name: "A"), .init(name: "B")])
    let store = try open(Self.disagreeing, model: model)
    let fields: [FieldRequest] = [.references(relationship: "many", identity: .objectURI)]
    #expect(try Rows.text(of: "A", fields, in: store) == ["[x-coredata://STORE-1/B/p3]", "[]"])
  }

  @Test func `objects of entities that inherit a relationship are confirmed too`() throws {
    let model = ModelSample(entities: [
      .init(
        name: "Owner",
        relationships: [
          .init(name: "animals", destination: "Animal", inverse: "owner", isToMany: true)
        ]
      ),
      .init(
        name: "Animal",
        relationships: [.init(name: "owner", destination: "Owner", inverse: "animals")]
      ),
      .init(name: "Cat", superName: "Animal"),
    ])
    let store = try open(
      """
      <object type="OWNER" id="z1">
        <relationship name="animals" type="0/0" destination="ANIMAL" idrefs="z2 z3"/>
      </object>
      <object type="ANIMAL" id="z2">
        <relationship name="owner" type="0/1" destination="OWNER" idrefs="z1"/>
      </object>
      <object type="CAT" id="z3">
        <relationship name="owner" type="0/1" destination="OWNER" idrefs="z1"/>
      </object>
      """,
      model: model
    )
    let fields: [FieldRequest] = [.references(relationship: "animals", identity: .objectURI)]
    #expect(
      try Rows.text(of: "Owner", fields, in: store)
        == ["[x-coredata://STORE-1/Animal/p2, x-coredata://STORE-1/Cat/p3]"]
    )
    #expect(!store.findings.contains { $0.code == "store.inverse-differs" })
  }

  @Test func `a given model supplies the case of names, and properties that the file lacks`() throws
  {
    let model = PropertyListWriter.bytes(
      ModelSample(entities: [
        .init(
          name: "Vehicle",
          attributes: [
            .init(name: "make", type: 700), .init(name: "modelName", type: 700),
            .init(name: "soldAt", type: 900),
          ],
          relationships: [
            .init(name: "thePictures", destination: "VehiclePicture", isToMany: true)
          ]
        ),
        .init(name: "VehiclePicture", attributes: [.init(name: "pictureTitle", type: 700)]),
        .init(name: "Depot", attributes: [.init(name: "place", type: 700)]),
      ]).archive()
    )
    let text = """
      <database><databaseInfo><UUID>U</UUID></databaseInfo>
      <object type="VEHICLE" id="z1">
        <attribute name="modelname" type="string">T</attribute>
        <attribute name="colour" type="string">black</attribute>
        <relationship name="thepictures" type="0/0" destination="VEHICLEPICTURE" idrefs="z2"/>
      </object>
      <object type="VEHICLEPICTURE" id="z2">
        <attribute name="picturetitle" type="string">one</attribute>
      </object></database>
      """
    try folder.write("Store.xml", Array(text.utf8))
    let copy = try StoreCopy(of: folder.path + "/Store.xml", into: folder.path + "/private")
    try folder.write("App.mom", model)
    let store = try XMLStore(copy, models: [folder.path + "/App.mom"])
    #expect(store.model.origin == .given)
    #expect(store.model.entities.map(\.name) == ["Depot", "Vehicle", "VehiclePicture"])
    #expect(
      store.model.entity(named: "Vehicle")?.attributes.map(\.name)
        == ["colour", "make", "modelName", "soldAt"]
    )
    #expect(try store.rowCount(of: "Depot") == 0)
    #expect(try Rows.text(of: "Depot", in: store).isEmpty)
    let fields: [FieldRequest] = [
      .objectURI, .attribute(path: ["modelName"]), .attribute(path: ["soldAt"]),
      .attribute(path: ["colour"]),
      .references(relationship: "thePictures", identity: .attribute("pictureTitle")),
    ]
    #expect(
      try Rows.text(of: "Vehicle", fields, in: store)
        == ["x-coredata://U/Vehicle/p1, T, null, black, [one]"]
    )
    let finding = try #require(store.findings.first { $0.code == "store.model-differs" })
    #expect(finding.cause.contains("colour"))
  }

  @Test func `a given model that lacks an entity of the file is refused by name`() throws {
    let model = ModelSample(entities: [.init(name: "Other", attributes: [])])
    try folder.write("App.mom", PropertyListWriter.bytes(model.archive()))
    try folder.write("Store.xml", Array("<database><object type=\"A\" id=\"z1\"/></database>".utf8))
    let copy = try StoreCopy(of: folder.path + "/Store.xml", into: folder.path + "/private")
    let error = #expect(throws: StoreError.self) {
      try XMLStore(copy, models: [folder.path + "/App.mom"])
    }
    #expect(error?.description.contains("App has no A") == true)
  }

  @Test func `a store without databaseInfo and with names for ids is read with a finding`() throws {
    let store = try open(
      """
      <object type="A" id="first">
        <relationship name="next" type="0/1" destination="A" idrefs="second"/>
      </object>
      <object type="A" id="second"/>
      <object type="A" id="z7">
        <relationship name="next" type="0/1" destination="A" idrefs="gone"/>
      </object>
      """,
      head: ""
    )
    let fields: [FieldRequest] = [
      .objectURI, .reference(relationship: "next", identity: .objectURI),
    ]
    let lines = try Rows.text(of: "A", fields, in: store)
    let start = "x-coredata://Store.xml/A/"
    #expect(
      Set(lines) == [
        "\(start)first, \(start)second", "\(start)second, null",
        "\(start)p7, dangling \(start)gone",
      ]
    )
    #expect(store.findings.map(\.code).contains("store.no-uuid"))
    #expect(store.findings.map(\.code).contains("store.reference-dangling"))
  }

  @Test(arguments: [
    (#"<object type="A" id="z1"/><object type="A" id="z1"/>"#, "a second object with the id “z1”"),
    (
      #"<object type="A" id="z1"><attribute name="a" type="string">x</attribute>"#
        + #"<attribute name="a" type="string">y</attribute></object>"#,
      "a second attribute “a” of one object"
    ),
    (#"<object id="z1"/>"#, "an object without a type or an id"),
    ("<row/>", "an element “row” where objects are expected"),
    ("loose", "text where objects are expected"),
    (#"<object type="A" id="z1"><b/></object>"#, "an element “b” in an object"),
    (
      #"<object type="A" id="z1"><relationship name="r" type="0/1" destination="A" "#
        + #"idrefs="z1 z1"/></object>"#,
      "the to-one relationship “r” with 2 objects"
    ),
  ])
  func `a line that cannot be a store is refused`(objects: String, reason: String) throws {
    let failure = #expect(throws: StoreError.self) { try open(objects) }
    let text = try #require(failure.map { "\($0)" })
    #expect(text.hasPrefix(folder.path + "/Store.xml, line "))
    #expect(text.contains(reason))
  }

  @Test(arguments: [
    #"<!DOCTYPE database [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><database>&b;</database>"#,
    #"<!DOCTYPE database [<!ENTITY x SYSTEM "file:///etc/passwd">]><database>&x;</database>"#,
    "<database>" + String(repeating: "<object>", count: 400),
    #"<!DOCTYPE database SYSTEM "file:///etc/passwd"><database>"#,
    "<database><object type=\"A\" id=\"z1\"></database>", "<plist/><database/>",
  ])
  func `hostile documents are refused with their place`(document: String) throws {
    let failure = #expect(throws: StoreError.self) { try open(document: document) }
    guard case .malformedXML? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(failure?.description.hasPrefix(folder.path + "/Store.xml") == true)
  }
}
