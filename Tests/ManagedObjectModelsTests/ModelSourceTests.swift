import ManagedObjectModels
import Records
import Testing

/// The sources of models: `.xcdatamodel`, `.xcdatamodeld` and what is refused.
struct `Model sources` {
  private let folder: ModelFolder

  init() throws { folder = try ModelFolder() }

  private func model(_ inside: String) throws -> ManagedObjectModel {
    let path = try folder.write(
      "App.xcdatamodel/contents",
      "<?xml version=\"1.0\"?><model userDefinedModelVersionIdentifier=\"2\">\(inside)</model>"
    )
    return try #require(GivenModels.candidates(at: path).first).model()
  }

  @Test func `attributes are read with type, default, flags and old name`() throws {
    let model = try model(
      """
      <entity name="Song" elementID="Track" isAbstract="YES" representedClassName="Song">
        <attribute name="b" optional="YES" attributeType="Boolean" defaultValueString="NO"/>
        <attribute name="c" attributeType="Integer 16" defaultValueString="07" elementID="old"/>
        <attribute name="d" attributeType="Date" defaultDateTimeInterval="0"/>
        <attribute name="e" attributeType="Binary" allowsExternalBinaryDataStorage="YES"
          preserveAfterDeletion="YES"/>
        <attribute name="f" attributeType="Integer 64" derived="YES"
          derivationExpression="songs.@count"/>
        <attribute name="g" optional="YES" transient="YES"/>
        <attribute name="h" attributeType="Transformable" valueTransformerName="T"/>
        <fetchedProperty name="x"><fetchRequest name="r"/></fetchedProperty>
        <uniquenessConstraints><uniquenessConstraint><constraint value="b"/>
          <constraint value="c"/></uniquenessConstraint></uniquenessConstraints>
      </entity>
      <configuration name="Cloud"><memberEntity name="Song"/></configuration>
      """
    )
    let song = try #require(model.entities["Song"])
    #expect(song.isAbstract)
    #expect(song.renamingIdentifier == "Track")
    #expect(song.uniqueKeys == [["b", "c"]])
    #expect(
      song.attributes == [
        StoreAttribute(name: "b", kind: .boolean, defaultValue: "false"),
        StoreAttribute(
          name: "c",
          kind: .integer16,
          isOptional: false,
          defaultValue: "7",
          renamingIdentifier: "old"
        ),
        StoreAttribute(
          name: "d",
          kind: .date,
          isOptional: false,
          defaultValue: "2001-01-01T00:00:00Z"
        ),
        StoreAttribute(
          name: "e",
          kind: .binary,
          isOptional: false,
          allowsExternalStorage: true,
          isPreservedAfterDeletion: true
        ),
        StoreAttribute(
          name: "f",
          kind: .integer64,
          isOptional: false,
          isDerived: true,
          derivation: "songs.@count"
        ),
        StoreAttribute(name: "g", kind: .undeclared(sqlType: ""), isTransient: true),
        StoreAttribute(
          name: "h",
          kind: .transformable(transformer: "T", valueClass: nil),
          isOptional: false
        ),
      ]
    )
    #expect(model.configurationNames == ["Cloud"])
    #expect(model.versionIdentifiers == ["2"])
  }

  @Test func `relationships are read with bounds, order and delete rule`() throws {
    let model = try model(
      """
      <entity name="A">
        <relationship name="many" toMany="YES" minCount="1" maxCount="5" ordered="YES"
          deletionRule="Cascade" destinationEntity="B" inverseName="one"/>
      </entity>
      <entity name="B" parentEntity="A">
        <relationship name="one" optional="YES" maxCount="1" destinationEntity="A"/>
      </entity>
      """
    )
    #expect(
      model.entities["A"]?.relationships == [
        StoreRelationship(
          name: "many",
          destination: "B",
          inverse: "one",
          isToMany: true,
          isOrdered: true,
          isOptional: false,
          deleteRule: .cascade,
          minimumCount: 1,
          maximumCount: 5
        )
      ]
    )
    #expect(model.entities["B"]?.superName == "A")
    #expect(
      model.entities["B"]?.relationships == [
        StoreRelationship(name: "one", destination: "A", deleteRule: .noAction)
      ]
    )
  }

  @Test func `a composite may be declared behind its use`() throws {
    let model = try model(
      """
      <entity name="A"><attribute name="home" attributeType="Composite" composite="Place"/></entity>
      <compositeAttribute name="Place"><attribute name="city" attributeType="String"/>
      </compositeAttribute>
      """
    )
    let city = StoreAttribute(name: "city", kind: .string, isOptional: false)
    #expect(
      model.entities["A"]?.attributes.first?.kind == .composite([city], isEnumeration: false)
    )
  }

  @Test(
    arguments: [
      "<entity/>",
      "<entity name=\"a/b\"/>",
      "<entity name=\"A\"><attribute attributeType=\"String\"/></entity>",
      "<entity name=\"A\"><relationship name=\"x\" destinationEntity=\"a/b\"/></entity>",
      "<entity name=\"A\" parentEntity=\"B\"/>",
      "<entity name=\"A\" parentEntity=\"A\"/>",
      "<entity name=\"A\"><attribute name=\"x\" attributeType=\"Quaternion\"/></entity>",
      "<entity name=\"A\"><attribute name=\"x\" attributeType=\"Composite\"/></entity>",
      "<entity name=\"A\"><relationship name=\"x\"/></entity>",
      """
      <entity name="A"><attribute name="x" attributeType="Composite" c="C"/></entity>
      <compositeAttribute name="C"><attribute name="y" attributeType="Composite" c="C"/>
      <attribute name="z" attributeType="Composite" c="C"/></compositeAttribute>
      """,
      "<entity name=\"A\">",
    ]
  )
  func `an impossible model is refused`(inside: String) {
    #expect(throws: ModelFault.self) { try model(inside) }
  }

  @Test func `a model of too many entities is refused`() {
    let many = String(repeating: "<entity name=\"A\"/>", count: 5001)
    #expect(throws: ModelFault.self) { try model(many) }
  }

  @Test func `a bundle gives its versions and says which is current`() throws {
    try folder.write("M.xcdatamodeld/M.xcdatamodel/contents", "<model/>")
    try folder.write("M.xcdatamodeld/M 2.xcdatamodel/contents", "<model/>")
    let candidates = try GivenModels.candidates(at: folder.path + "/M.xcdatamodeld/")
    #expect(candidates.map(\.name).sorted() == ["M", "M 2"])
    #expect(candidates.allSatisfy { !$0.isCurrent })
    try folder.write(
      "M.xcdatamodeld/.xccurrentversion",
      """
      <?xml version="1.0"?><plist version="1.0"><dict><key>_XCCurrentVersionName</key>
      <string>M 2.xcdatamodel</string></dict></plist>
      """
    )
    let again = try GivenModels.candidates(at: folder.path + "/M.xcdatamodeld")
    #expect(again.filter(\.isCurrent).map(\.name) == ["M 2"])
  }

  @Test func `an optimized model is refused and its twin named`() throws {
    let path = try folder.write("M.omo", "momv2$[]0000")
    try folder.write("M.mom", "bplist00")
    let fault = #expect(throws: ModelFault.self) { try GivenModels.candidates(at: path) }
    #expect(fault?.cure.contains("M.mom") == true)
  }

  @Test func `a model source of Xcode 3 is refused by its kind`() throws {
    try folder.write("M.xcdatamodel/elements", "bplist00")
    let fault = #expect(throws: ModelFault.self) {
      try GivenModels.candidates(at: folder.path + "/M.xcdatamodel")
    }
    #expect(fault?.reason.contains("Xcode 3") == true)
  }

  @Test func `a folder without a model and a file of another kind are refused`() throws {
    let path = try folder.write("readme.txt", "hello")
    #expect(throws: ModelFault.self) { try GivenModels.candidates(at: folder.path) }
    #expect(throws: ModelFault.self) { try GivenModels.candidates(at: path) }
    #expect(throws: ModelFault.self) { try GivenModels.candidates(at: path + ".mom") }
  }
}
