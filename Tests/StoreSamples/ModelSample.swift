import CZlib
package import PropertyLists

/// A managed object model for tests, archived and deflated as Core Data does it.
package struct ModelSample: Sendable {
  package struct Entity: Sendable {
    package var name: String
    package var superName: String?
    package var isAbstract = false
    package var attributes: [Attribute] = []
    package var relationships: [Relationship] = []

    package init(
      name: String,
      superName: String? = nil,
      isAbstract: Bool = false,
      attributes: [Attribute] = [],
      relationships: [Relationship] = []
    ) {
      self.name = name
      self.superName = superName
      self.isAbstract = isAbstract
      self.attributes = attributes
      self.relationships = relationships
    }
  }

  package struct Attribute: Sendable {
    package var name: String
    package var type: Int64
    package var flags: Int64 = 0
    package var transformer: String?
    package var isTransient = false
    package var elements: [Attribute] = []

    package init(
      name: String,
      type: Int64,
      flags: Int64 = 0,
      transformer: String? = nil,
      isTransient: Bool = false,
      elements: [Attribute] = []
    ) {
      self.name = name
      self.type = type
      self.flags = flags
      self.transformer = transformer
      self.isTransient = isTransient
      self.elements = elements
    }
  }

  package struct Relationship: Sendable {
    package var name: String
    package var destination: String
    package var inverse: String?
    package var isToMany = false
    package var isOrdered = false

    package init(
      name: String,
      destination: String,
      inverse: String? = nil,
      isToMany: Bool = false,
      isOrdered: Bool = false
    ) {
      self.name = name
      self.destination = destination
      self.inverse = inverse
      self.isToMany = isToMany
      self.isOrdered = isOrdered
    }
  }

  package var entities: [Entity]
  package var configuration: String?

  package init(entities: [Entity], configuration: String? = nil) {
    self.entities = entities
    self.configuration = configuration
  }

  /// The content of `Z_MODELCACHE`.
  package func cache() -> [UInt8] { Self.deflated(PropertyListWriter.bytes(archive())) }

  package func archive() -> PropertyList {
    var builder = ModelArchiveBuilder()
    return builder.archive(self)
  }

  package static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    precondition(ferry_deflateInit2(&stream, 6, -15) == Z_OK)
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count + 1024)
    let count = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
        return output.count - Int(stream.avail_out)
      }
    }
    return Array(output[..<count])
  }
}

/// Lays a model out as the objects of a keyed archive.
private struct ModelArchiveBuilder {
  private var objects: [PropertyList] = [.string("$null")]
  private var classes: [String: Int] = [:]

  mutating func archive(_ model: ModelSample) -> PropertyList {
    let superNames = Dictionary(
      uniqueKeysWithValues: model.entities.map { ($0.name, $0.superName) }
    )
    let byName = Dictionary(uniqueKeysWithValues: model.entities.map { ($0.name, $0) })
    var pairs: [(String, PropertyList)] = []
    for entity in model.entities {
      // As in a real cache, a sub-entity repeats what it inherits.
      var whole = entity
      var above = entity.superName
      while let name = above, let superentity = byName[name] {
        whole.attributes += superentity.attributes
        whole.relationships += superentity.relationships
        above = superNames[name] ?? nil
      }
      pairs.append((entity.name, add(whole)))
    }
    var members: [(String, PropertyList)] = [("NSEntities", knownKeys(pairs))]
    if let configuration = model.configuration {
      members.append(("NSConfigurations", dictionary([(configuration, .uid(0))])))
    }
    let root = object("NSManagedObjectModel", members)
    return .dictionary([
      .init(name: "$version", value: .integer(100_000)),
      .init(name: "$archiver", value: .string("NSKeyedArchiver")),
      .init(name: "$top", value: .dictionary([.init(name: "root", value: root)])),
      .init(name: "$objects", value: .array(objects)),
    ])
  }

  private mutating func add(_ entity: ModelSample.Entity) -> PropertyList {
    var properties: [(String, PropertyList)] = []
    for attribute in entity.attributes { properties.append((attribute.name, add(attribute))) }
    for relationship in entity.relationships {
      properties.append((relationship.name, add(relationship)))
    }
    var members: [(String, PropertyList)] = [
      ("NSEntityName", text(entity.name)), ("NSProperties", dictionary(properties)),
      ("NSClassNameForEntity", .uid(0)),
    ]
    if entity.isAbstract { members.append(("NSIsAbstract", .boolean(true))) }
    if let name = entity.superName {
      let above = object("NSEntityDescription", [("NSEntityName", text(name))])
      members.append(("NSSuperentity", above))
    }
    return object("NSEntityDescription", members)
  }

  private mutating func add(_ attribute: ModelSample.Attribute) -> PropertyList {
    var members: [(String, PropertyList)] = [
      ("NSPropertyName", text(attribute.name)), ("NSAttributeType", .integer(attribute.type)),
      ("NSFlagsKey", .integer(attribute.flags)), ("NSIsOptional", .boolean(true)),
      ("NSValueTransformerName", attribute.transformer.map { text($0) } ?? .uid(0)),
    ]
    if attribute.isTransient { members.append(("NSIsTransient", .boolean(true))) }
    guard !attribute.elements.isEmpty else {
      return object("NSAttributeDescription", members)
    }
    let elements = attribute.elements.map { add($0) }
    let list = object("NSMutableArray", [("NS.objects", .array(elements))], above: "NSArray")
    members.append(("NSCompositeElements", list))
    return object("NSCompositeAttributeDescription", members, above: "NSAttributeDescription")
  }

  private mutating func add(_ relationship: ModelSample.Relationship) -> PropertyList {
    var inverse = PropertyList.uid(0)
    if let name = relationship.inverse {
      inverse = object("NSRelationshipDescription", [("NSPropertyName", text(name))])
    }
    return object(
      "NSRelationshipDescription",
      [
        ("NSPropertyName", text(relationship.name)),
        ("_NSDestinationEntityName", text(relationship.destination)),
        ("NSInverseRelationship", inverse), ("NSDeleteRule", .integer(1)),
        ("NSMaxCount", .integer(relationship.isToMany ? 0 : 1)),
        ("NSIsOrdered", .boolean(relationship.isOrdered)), ("NSIsOptional", .boolean(true)),
      ]
    )
  }

  private mutating func dictionary(_ pairs: [(String, PropertyList)]) -> PropertyList {
    let keys = pairs.map { text($0.0) }
    return object(
      "NSMutableDictionary",
      [("NS.keys", .array(keys)), ("NS.objects", .array(pairs.map(\.1)))],
      above: "NSDictionary"
    )
  }

  private mutating func knownKeys(_ pairs: [(String, PropertyList)]) -> PropertyList {
    let keys = pairs.map { text($0.0) }
    let keyList = object("NSArray", [("NS.objects", .array(keys))])
    let valueList = object("NSArray", [("NS.objects", .array(pairs.map(\.1)))])
    let mapping = object("NSKnownKeysMappingStrategy1", [("keys", keyList)])
    return object(
      "NSKnownKeysDictionary1",
      [
        ("searchMapping", mapping), ("values", valueList), ("emptyToken", text("(nothing)")),
      ]
    )
  }

  private mutating func text(_ text: String) -> PropertyList {
    objects.append(.string(text))
    return .uid(objects.count - 1)
  }

  private mutating func object(
    _ className: String,
    _ members: [(String, PropertyList)],
    above: String? = nil
  ) -> PropertyList {
    let number = classNumber(className, above: above)
    objects.append(
      .dictionary(
        members.map { .init(name: $0.0, value: $0.1) }
          + [.init(name: "$class", value: .uid(number))]
      )
    )
    return .uid(objects.count - 1)
  }

  private mutating func classNumber(_ name: String, above: String?) -> Int {
    if let number = classes[name] { return number }
    let chain = ([name, above, "NSObject"].compactMap { $0 }).map { PropertyList.string($0) }
    objects.append(
      .dictionary([
        .init(name: "$classname", value: .string(name)),
        .init(name: "$classes", value: .array(chain)),
      ])
    )
    classes[name] = objects.count - 1
    return objects.count - 1
  }
}
