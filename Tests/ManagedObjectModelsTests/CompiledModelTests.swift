import ManagedObjectModels
import Records
import Testing

/// Compiled models (`.mom`): what their archives say, and what is refused of them.
struct `Compiled models` {
  /// The attribute of a model that has no other, made by `make`.
  private func attribute(
    _ make: (inout CompiledModel) -> String
  ) throws -> StoreAttribute {
    var archive = CompiledModel()
    let attribute = make(&archive)
    let song = archive.entity("Song", [("a", attribute)])
    let model = try ManagedObjectModel(compiled: archive.bytes([("Song", song)]))
    return try #require(model.entities["Song"]?.attributes.first)
  }

  /// The relationship of a model that has no other, with these members beside its name.
  private func relationship(
    _ make: (inout CompiledModel) -> [(String, String)]
  ) throws -> StoreRelationship? {
    var archive = CompiledModel()
    let members = make(&archive)
    let name = archive.text("r")
    let relationship = archive.object(
      "NSRelationshipDescription",
      [("NSPropertyName", name)] + members
    )
    let song = archive.entity("Song", [("r", relationship)])
    let model = try ManagedObjectModel(compiled: archive.bytes([("Song", song)]))
    return model.entities["Song"]?.relationships.first
  }

  @Test(
    arguments: [
      (100, .integer16), (200, .integer32), (300, .integer64), (400, .decimal), (500, .double),
      (600, .float), (700, .string), (800, .boolean), (900, .date), (1000, .binary), (1100, .uuid),
      (1200, .uri), (1800, .transformable(transformer: nil, valueClass: nil)), (2000, .objectID),
      (0, .undeclared(sqlType: "")),
    ] as [(Int, StoreAttribute.Kind)]
  )
  func `an attribute's type is known by its number`(
    number: Int,
    kind: StoreAttribute.Kind
  ) throws {
    #expect(try attribute { $0.attribute("a", type: number) }.kind == kind)
  }

  @Test(
    arguments: [
      (700, "<string>x</string>", "x"), (800, "<true/>", "true"),
      (800, "<integer>1</integer>", "true"), (800, "<integer>0</integer>", "false"),
      (300, "<integer>-7</integer>", "-7"),
      (300, "<integer>18446744073709551615</integer>", "18446744073709551615"),
      (500, "<real>2.5</real>", "2.5"), (500, "<real>3</real>", "3"),
      (900, "<real>0</real>", "2001-01-01T00:00:00Z"),
      (900, "<date>2024-03-05T10:11:12Z</date>", "2024-03-05T10:11:12Z"),
      (1000, "<data>AAEC</data>", "3 bytes"), (700, "<array/>", nil),
    ] as [(Int, String, String?)]
  )
  func `a default has the same text for every type of its value`(
    type: Int,
    value: String,
    text: String?
  ) throws {
    let attribute = try attribute { archive in
      let kept = archive.keep(value)
      return archive.attribute("a", type: type, [("NSDefaultValue", kept)])
    }
    #expect(attribute.defaultValue == text)
  }

  @Test(
    arguments: [
      ("NSURL", [("NS.relative", "<string>https://example.com</string>")], "https://example.com"),
      ("NSMutableString", [("NS.string", "<string>x</string>")], "x"),
      ("NSDate", [("NS.time", "<real>86400</real>")], "2001-01-02T00:00:00Z"),
      (
        "NSUUID", [("NS.uuidbytes", "<data>AAECAwQFBgcICQoLDA0ODw==</data>")],
        "00010203-0405-0607-0809-0A0B0C0D0E0F"
      ),
      (
        "NSDecimalNumber",
        [
          ("NS.mantissa", "<data>GQAAAAAAAAAAAAAAAAAAAA==</data>"),
          ("NS.exponent", "<integer>-1</integer>"), ("NS.negative", "<true/>"),
          ("NS.mantissa.bo", "<integer>1</integer>"),
        ], "-2.5"
      ),
      ("NSDictionary", [("NS.keys", "<array/>"), ("NS.objects", "<array/>")], nil),
      ("UIColor", [("UIRed", "<real>1</real>")], "UIColor"),
    ] as [(String, [(String, String)], String?)]
  )
  func `an object as a default is named by its value, or by its class`(
    className: String,
    members: [(String, String)],
    text: String?
  ) throws {
    let attribute = try attribute { archive in
      let value = archive.object(className, members)
      return archive.attribute("a", [("NSDefaultValue", value)])
    }
    #expect(attribute.defaultValue == text)
  }

  @Test func `a derived attribute says its expression as Xcode writes it`() throws {
    let attribute = try attribute { archive in
      let path = archive.object(
        "NSKeyPathExpression",
        [("NSKeyPath", archive.text("songs"))]
      )
      let key = archive.object(
        "NSConstantValueExpression",
        [("NSConstantValue", archive.text("length"))]
      )
      let number = archive.object(
        "NSConstantValueExpression",
        [("NSConstantValue", archive.keep("<integer>2</integer>"))]
      )
      let inner = archive.object(
        "NSFunctionExpression",
        [
          ("NSSelectorName", archive.text("valueForKeyPath:")),
          ("NSArguments", archive.list([path, key])),
        ]
      )
      let sum = archive.object(
        "NSFunctionExpression",
        [
          ("NSSelectorName", archive.text("add:to:")),
          ("NSArguments", archive.list([inner, number])),
        ]
      )
      return archive.attribute(
        "a",
        type: 300,
        [("NSDerivationExpression", sum)],
        className: "NSDerivedAttributeDescription"
      )
    }
    #expect(attribute.isDerived)
    #expect(attribute.derivation == "add:to:(songs.length, 2)")
  }

  @Test func `the unknown part of an expression is shown as left out`() throws {
    let attribute = try attribute { archive in
      let other = archive.object("NSTernaryExpression", [("NSPredicate", archive.text("p"))])
      let function = archive.object(
        "NSFunctionExpression",
        [("NSSelectorName", archive.text("now")), ("NSArguments", archive.list([other]))]
      )
      return archive.attribute("a", [("NSDerivationExpression", function)])
    }
    #expect(attribute.derivation == "now(…)")
  }

  @Test func `a self-containing expression is read to an end`() throws {
    var archive = CompiledModel()
    let itself = "<dict><key>CF$UID</key><integer>6</integer></dict>"
    let selector = archive.text("f")
    let list = archive.list([itself])
    let name = archive.text("a")
    let kind = archive.keep(
      "<dict><key>$classname</key><string>NSAttributeDescription</string></dict>"
    )
    let function = archive.keep(
      CompiledModel.dictionary([("NSSelectorName", selector), ("NSArguments", list)])
    )
    #expect(function == itself)
    let attribute = archive.keep(
      CompiledModel.dictionary(
        [("NSPropertyName", name), ("NSDerivationExpression", function), ("$class", kind)]
      )
    )
    let song = archive.entity("Song", [("a", attribute)])
    let model = try ManagedObjectModel(compiled: archive.bytes([("Song", song)]))
    let derivation = model.entities["Song"]?.attributes.first?.derivation
    #expect(derivation?.hasPrefix("f(f(") == true && derivation?.contains("…") == true)
  }

  @Test(
    arguments: [(0, .noAction), (1, .nullify), (2, .cascade), (3, .deny)]
      as [(Int, StoreRelationship.DeleteRule)]
  )
  func `a relationship's delete rule is known by its number`(
    number: Int,
    rule: StoreRelationship.DeleteRule
  ) throws {
    let relationship = try relationship { archive in
      [
        ("_NSDestinationEntityName", archive.text("Song")),
        ("NSDeleteRule", "<integer>\(number)</integer>"),
      ]
    }
    #expect(relationship?.deleteRule == rule)
  }

  @Test func `a relationship that only holds its entity leads there`() throws {
    let relationship = try relationship { archive in
      let song = archive.object(
        "NSEntityDescription",
        [("NSEntityName", archive.object("NSString", [("NS.string", "<string>Song</string>")]))]
      )
      return [("NSDestinationEntity", song), ("NSMinCount", "<integer>-1</integer>")]
    }
    #expect(relationship?.destination == "Song")
    #expect(relationship?.minimumCount == 0)
  }

  @Test func `a relationship that is not stored is not in the model`() throws {
    let relationship = try relationship { archive in
      [("_NSDestinationEntityName", archive.text("Song")), ("NSIsTransient", "<true/>")]
    }
    #expect(relationship == nil)
  }

  @Test func `a relationship that leads nowhere is refused by name`() {
    let fault = #expect(throws: ModelFault.self) { try relationship { _ in [] } }
    #expect(fault?.reason.contains("relationship r leads to no entity") == true)
  }

  @Test func `a composite keeps its elements, and says when it represents an enum`() throws {
    let attribute = try attribute { archive in
      let first = archive.attribute("city")
      let second = archive.attribute("zip", type: 200)
      let proxy = archive.object("NSProxy", [("NSUnderlyingProperty", second)])
      let elements = archive.list([first, proxy])
      let other = archive.keep("<integer>0</integer>")
      let flag = archive.keep("<integer>1</integer>")
      let info = archive.pairs([("Other", other), ("EnumType", flag)])
      return archive.attribute(
        "a",
        type: 2100,
        [("NSCompositeElements", elements), ("NSUserInfo", info)]
      )
    }
    #expect(
      attribute.kind
        == .composite(
          [
            StoreAttribute(name: "city", kind: .string, isOptional: false),
            StoreAttribute(name: "zip", kind: .integer32, isOptional: false),
          ],
          isEnumeration: true
        )
    )
  }

  @Test func `composites that lie too deep are refused`() {
    let fault = #expect(throws: ModelFault.self) {
      try attribute { archive in
        var attribute = archive.attribute("a")
        for _ in 0..<20 {
          let elements = archive.list([attribute])
          attribute = archive.attribute("a", type: 2100, [("NSCompositeElements", elements)])
        }
        return attribute
      }
    }
    #expect(fault?.reason.contains("more than 16 deep") == true)
  }

  @Test func `a property without a column is not read as an attribute`() throws {
    var archive = CompiledModel()
    let fetched = archive.object(
      "NSFetchedPropertyDescription",
      [("NSPropertyName", archive.text("f"))]
    )
    let kept = archive.attribute("a")
    let song = archive.entity("Song", [("f", fetched), ("a", kept)])
    let model = try ManagedObjectModel(compiled: archive.bytes([("Song", song)]))
    #expect(model.entities["Song"]?.attributes.map(\.name) == ["a"])
  }

  @Test func `unique keys are named by text or by property`() throws {
    var archive = CompiledModel()
    let attribute = archive.attribute("a")
    let byText = archive.list([archive.text("a")])
    let byProperty = archive.list([attribute])
    let tuples = archive.list([byText, byProperty, archive.list([])])
    let song = archive.entity("Song", [("a", attribute)], [("NSUniqueTuples", tuples)])
    let model = try ManagedObjectModel(compiled: archive.bytes([("Song", song)]))
    #expect(model.entities["Song"]?.uniqueKeys == [["a"], ["a"]])
  }

  @Test func `a sub-entity does not repeat its inherited properties`() throws {
    var archive = CompiledModel()
    let title = archive.attribute("title")
    let length = archive.attribute("length", type: 500)
    let renamed = ("NSRenamingIdentifier", archive.text("Track"))
    let song = archive.entity("Song", [("title", title)], [renamed])
    let live = archive.entity(
      "Live",
      [("title", title), ("length", length)],
      [("NSSuperentity", song), ("NSIsAbstract", "<true/>")]
    )
    let members = [
      ("NSVersionIdentifiers", archive.list([archive.text("2.0")])),
      ("NSConfigurations", archive.pairs([("Cloud", archive.list([song]))])),
    ]
    let bytes = archive.bytes([("Song", song), ("Live", live)], members)
    let model = try ManagedObjectModel(compiled: bytes)
    #expect(model.entities["Live"]?.attributes.map(\.name) == ["length"])
    #expect(model.entities["Live"]?.isAbstract == true)
    #expect(model.entities["Song"]?.renamingIdentifier == "Track")
    #expect(model.versionIdentifiers == ["2.0"])
    #expect(model.configurationNames == ["Cloud"])
    let store = model.storeModel
    #expect(store.entities.map(\.name.text) == ["Live", "Song"])
    #expect(store.entities.first?.attributes.map(\.name) == ["length", "title"])
  }

  @Test func `entities that inherit from each other are refused by name`() {
    var archive = CompiledModel()
    let above = archive.object("NSEntityDescription", [("NSEntityName", archive.text("Song"))])
    let song = archive.entity("Song", [], [("NSSuperentity", above)])
    let bytes = archive.bytes([("Song", song)])
    let fault = #expect(throws: ModelFault.self) { try ManagedObjectModel(compiled: bytes) }
    #expect(fault?.reason.contains("entity Song inherits from itself") == true)
  }

  @Test func `an entity whose name no store can have is refused`() {
    for name in ["", "a/b"] {
      var archive = CompiledModel()
      let entity = archive.entity(name, [])
      let bytes = archive.bytes([("x", entity)])
      let fault = #expect(throws: ModelFault.self, "\(name)") {
        try ManagedObjectModel(compiled: bytes)
      }
      #expect(fault?.reason.contains("entity") == true)
    }
  }

  @Test func `an archive of other objects is refused as a model`() {
    var archive = CompiledModel()
    let bare = archive.bytes(root: nil)
    let other = archive.object("NSArray", [("NS.objects", "<array/>")])
    let text = archive.bytes(root: other)
    for (bytes, reason) in [(bare, "no root"), (text, "not a managed object model")] {
      let fault = #expect(throws: ModelFault.self) { try ManagedObjectModel(compiled: bytes) }
      #expect(fault?.reason.contains(reason) == true)
    }
  }

  @Test func `a model of too many entities is refused`() {
    var archive = CompiledModel()
    let song = archive.entity("Song", [])
    let bytes = archive.bytes((0...5000).map { ("E\($0)", song) })
    let fault = #expect(throws: ModelFault.self) { try ManagedObjectModel(compiled: bytes) }
    #expect(fault?.reason.contains("more than 5000 entities") == true)
  }
}
