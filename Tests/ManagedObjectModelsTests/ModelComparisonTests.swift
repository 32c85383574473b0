import Records
import Testing

/// What a migration between two models loses, refuses or merely changes.
struct `Model comparisons` {
  private func model(
    _ attributes: [StoreAttribute] = [],
    _ relationships: [StoreRelationship] = [],
    unique: [[String]] = [],
    also entities: [StoreEntity] = []
  ) -> StoreModel {
    StoreModel(
      origin: .given,
      entities: [
        StoreEntity(
          name: "Song",
          attributes: attributes,
          relationships: relationships,
          uniqueKeys: unique
        )
      ] + entities
    )
  }

  /// The differences as `code property severity`.
  private func lines(_ old: StoreModel, _ new: StoreModel) -> [String] {
    ModelComparison(from: old, to: new).differences.map {
      "\($0.code.dropFirst("model.".count)) \($0.property ?? $0.entity.text) \($0.severity.rawValue)"
    }
  }

  private func kinds(_ old: StoreAttribute.Kind, _ new: StoreAttribute.Kind) -> [String] {
    lines(
      model([StoreAttribute(name: "a", kind: old)]),
      model([StoreAttribute(name: "a", kind: new)])
    )
  }

  @Test func `equal models do not differ`() {
    let one = model([StoreAttribute(name: "a", kind: .string)])
    let comparison = ModelComparison(from: one, to: one)
    #expect(comparison.differences.isEmpty)
    #expect(comparison.severity == nil)
  }

  @Test func `a removed entity is lost and an added one is not`() {
    let album = StoreEntity(name: "Album", attributes: [])
    #expect(lines(model(also: [album]), model()) == ["entity-removed Album lossy"])
    #expect(lines(model(), model(also: [album])) == ["entity-added Album compatible"])
  }

  @Test func `a renaming identifier joins entities and properties`() {
    let old = StoreEntity(
      name: "Track",
      attributes: [StoreAttribute(name: "titel", kind: .string)],
      relationships: [StoreRelationship(name: "disc", destination: "Track")]
    )
    let new = StoreEntity(
      name: "Cut",
      attributes: [StoreAttribute(name: "title", kind: .string, renamingIdentifier: "titel")],
      relationships: [
        StoreRelationship(name: "side", destination: "Cut", renamingIdentifier: "disc")
      ],
      renamingIdentifier: "Track"
    )
    #expect(
      lines(model(also: [old]), model(also: [new])) == [
        "entity-renamed Cut compatible", "relationship-renamed side compatible",
        "attribute-renamed title compatible",
      ]
    )
  }

  @Test func `a name that is used again for another property loses the old one`() {
    let old = model([
      StoreAttribute(name: "a", kind: .string), StoreAttribute(name: "b", kind: .string),
    ])
    let new = model([
      StoreAttribute(name: "b", kind: .string, renamingIdentifier: "a")
    ])
    #expect(lines(old, new) == ["attribute-removed b lossy", "attribute-renamed b compatible"])
  }

  @Test
  func `a removed attribute is lossy, a required one breaking, and an optional one compatible`() {
    let none = model()
    let required = model([StoreAttribute(name: "a", kind: .string, isOptional: false)])
    let defaulted = model([
      StoreAttribute(name: "a", kind: .string, isOptional: false, defaultValue: "x")
    ])
    let optional = model([StoreAttribute(name: "a", kind: .string)])
    #expect(lines(optional, none) == ["attribute-removed a lossy"])
    #expect(lines(none, optional) == ["attribute-added a compatible"])
    #expect(lines(none, required) == ["attribute-added a breaking"])
    #expect(lines(none, defaulted) == ["attribute-added a compatible"])
    #expect(lines(optional, required) == ["attribute-required a breaking"])
    #expect(
      lines(optional, defaulted) == [
        "attribute-default a compatible", "attribute-required a compatible",
      ]
    )
    #expect(lines(required, optional).isEmpty)
  }

  @Test func `removing an entity without its own data loses no data`() {
    let derived = model([
      StoreAttribute(name: "a", kind: .integer64, isDerived: true, derivation: "b.@count")
    ])
    #expect(lines(derived, model()) == ["attribute-removed a compatible"])
    let stored = model([StoreAttribute(name: "a", kind: .integer64)])
    #expect(lines(stored, derived) == ["attribute-derivation a lossy"])
    #expect(lines(derived, stored) == ["attribute-derivation a compatible"])
    let transient = model([StoreAttribute(name: "a", kind: .integer64, isTransient: true)])
    #expect(lines(stored, transient) == ["attribute-transient a lossy"])
  }

  @Test func `a wider number is compatible and everything else is lossy`() {
    #expect(kinds(.integer16, .integer64) == ["attribute-type a compatible"])
    #expect(kinds(.integer64, .integer16) == ["attribute-type a lossy"])
    #expect(kinds(.integer32, .double) == ["attribute-type a compatible"])
    #expect(kinds(.integer64, .double) == ["attribute-type a lossy"])
    #expect(kinds(.integer32, .float) == ["attribute-type a lossy"])
    #expect(kinds(.boolean, .integer16) == ["attribute-type a compatible"])
    #expect(kinds(.double, .float) == ["attribute-type a lossy"])
    #expect(kinds(.string, .integer64) == ["attribute-type a lossy"])
    #expect(kinds(.integer64, .string) == ["attribute-type a lossy"])
    #expect(kinds(.date, .string) == ["attribute-type a lossy"])
    #expect(kinds(.string, .uuid) == ["attribute-type a lossy"])
    #expect(kinds(.binary, .binary).isEmpty)
  }

  @Test func `another transformer is breaking and another class is not`() {
    #expect(
      kinds(
        .transformable(transformer: "A", valueClass: nil),
        .transformable(transformer: "B", valueClass: nil)
      ) == ["attribute-type a breaking"]
    )
    #expect(
      kinds(
        .transformable(transformer: nil, valueClass: "X"),
        .transformable(transformer: nil, valueClass: "Y")
      ) == ["attribute-type a compatible"]
    )
  }

  @Test func `removed elements of composites and enums are lost`() {
    let (x, y) = (
      StoreAttribute(name: "x", kind: .integer64), StoreAttribute(name: "y", kind: .string)
    )
    #expect(
      kinds(.composite([x, y], isEnumeration: false), .composite([x], isEnumeration: false))
        == ["element-removed a.y lossy"]
    )
    #expect(
      kinds(.composite([x], isEnumeration: true), .composite([y], isEnumeration: true))
        == ["case-removed a.x lossy", "case-added a.y compatible"]
    )
    let narrow = StoreAttribute(name: "x", kind: .integer16)
    #expect(
      kinds(.composite([x], isEnumeration: false), .composite([narrow], isEnumeration: false))
        == ["attribute-type a.x lossy"]
    )
  }

  @Test func `a relationship that holds fewer objects is a lossy change`() {
    let many = StoreRelationship(name: "r", destination: "Song", isToMany: true, isOrdered: true)
    let one = StoreRelationship(name: "r", destination: "Song")
    let loose = StoreRelationship(name: "r", destination: "Song", isToMany: true)
    let few = StoreRelationship(
      name: "r",
      destination: "Song",
      isToMany: true,
      isOrdered: true,
      maximumCount: 3
    )
    let lines = { (old: StoreRelationship, new: StoreRelationship) in
      self.lines(model([], [old]), model([], [new]))
    }
    #expect(lines(many, one) == ["relationship-to-one r lossy"])
    #expect(lines(one, loose) == ["relationship-to-many r compatible"])
    #expect(lines(many, loose) == ["relationship-unordered r lossy"])
    #expect(lines(loose, many) == ["relationship-ordered r compatible"])
    #expect(lines(many, few) == ["relationship-count r breaking"])
    let required = StoreRelationship(name: "r", destination: "Song", isOptional: false)
    #expect(lines(one, required) == ["relationship-required r breaking"])
    let cascade = StoreRelationship(name: "r", destination: "Song", deleteRule: .cascade)
    #expect(lines(one, cascade) == ["delete-rule r compatible"])
    #expect(self.lines(model([], [one]), model()) == ["relationship-removed r lossy"])
    #expect(self.lines(model(), model([], [required])) == ["relationship-added r breaking"])
    let elsewhere = StoreRelationship(name: "r", destination: "Album")
    let album = StoreEntity(name: "Album", attributes: [])
    #expect(
      self.lines(model([], [one], also: [album]), model([], [elsewhere], also: [album]))
        == ["relationship-destination r lossy"]
    )
  }

  @Test func `an attribute that became a relationship is lost`() {
    #expect(
      lines(
        model([StoreAttribute(name: "a", kind: .string)]),
        model([], [StoreRelationship(name: "a", destination: "Song")])
      ) == ["attribute-to-relationship a lossy", "relationship-added a compatible"]
    )
  }

  @Test func `a new unique constraint can cost rows`() {
    let attribute = StoreAttribute(name: "a", kind: .string)
    let (plain, unique) = (model([attribute]), model([attribute], unique: [["a"]]))
    #expect(lines(plain, unique) == ["unique-added a lossy"])
    #expect(lines(unique, plain) == ["unique-removed a compatible"])
  }

  @Test func `a unique constraint on a new attribute costs nothing`() {
    let attribute = StoreAttribute(name: "a", kind: .string)
    let added = StoreAttribute(name: "b", kind: .string)
    let found = lines(model([attribute]), model([attribute, added], unique: [["b"]]))
    #expect(found.contains("unique-added b compatible"))
  }

  @Test func `an inherited property is listed once`() {
    let attribute = StoreAttribute(name: "a", kind: .string)
    let child = { (attributes: [StoreAttribute]) in
      StoreEntity(name: "Hit", superentity: "Song", attributes: attributes)
    }
    #expect(
      lines(model([attribute], also: [child([attribute])]), model(also: [child([])]))
        == ["attribute-removed a lossy"]
    )
  }

  @Test func `every difference has a cause and a cure`() {
    let old = model([StoreAttribute(name: "a", kind: .string)])
    let comparison = ModelComparison(from: old, to: model())
    #expect(comparison.isLossy)
    #expect(comparison.severity == .lossy)
    #expect(comparison.differences.allSatisfy { !$0.cause.isEmpty && !$0.cure.isEmpty })
  }
}
