import XMLAccess

// MARK: - The metadata of an OData service

extension RemoteSchema {
  /// Reads CSDL: each entity set is a collection, and has the properties of its type.
  ///
  /// A navigation property shows which property holds the key of another entity. One that names no such
  /// property is bound by its name and `@odata.bind`, and is a field under that.
  ///
  /// - Throws: ``SchemaFault`` for XML that is not sound, or has a DOCTYPE; for another version of OData; for
  ///   types that the document does not describe, or that are their own base; and for more fields than a
  ///   service has.
  package init(csdl bytes: [UInt8]) throws(SchemaFault) {
    var metadata = ServiceMetadata()
    do throws(XMLError) {
      try metadata.read(XMLEventReader(bytes: bytes))
    } catch {
      throw SchemaFault("the XML cannot be read (line \(error.line): \(error.reason))")
    }
    self.init(collections: try metadata.collections())
  }
}

/// The parts of CSDL that records depend on,
/// <https://docs.oasis-open.org/odata/odata-csdl-xml/v4.01/odata-csdl-xml-v4.01.html>.
private struct ServiceMetadata {
  /// By their whole names, `Notes.Folder`.
  private var types: [String: EntityType] = [:]
  private var sets: [EntitySet] = []
  /// The types that names of types represent: `Edm.String` for `Notes.Title`.
  private var underlying: [String: String] = [:]
  /// The namespaces that short names represent.
  private var namespaces: [String: String] = [:]
  /// The terms of annotations that are beside what they are about, by its place: `Notes.Folder/Name`.
  private var annotations: [String: Set<String>] = [:]

  /// The most bases that a type may have.
  private static let mostBases = 16
  /// The most fields that all collections may have together.
  private static let mostFields = 100_000

  /// An element, by its way from the root.
  private enum Place: String {
    case service = "Edmx"
    case reference = "Edmx/Reference"
    case include = "Edmx/Reference/Include"
    case data = "Edmx/DataServices"
    case schema = "Edmx/DataServices/Schema"
    case definition = "Edmx/DataServices/Schema/TypeDefinition"
    case type = "Edmx/DataServices/Schema/EntityType"
    case key = "Edmx/DataServices/Schema/EntityType/Key"
    case keyPart = "Edmx/DataServices/Schema/EntityType/Key/PropertyRef"
    case property = "Edmx/DataServices/Schema/EntityType/Property"
    case propertyNote = "Edmx/DataServices/Schema/EntityType/Property/Annotation"
    case navigation = "Edmx/DataServices/Schema/EntityType/NavigationProperty"
    case constraint =
      "Edmx/DataServices/Schema/EntityType/NavigationProperty/ReferentialConstraint"
    case notes = "Edmx/DataServices/Schema/Annotations"
    case note = "Edmx/DataServices/Schema/Annotations/Annotation"
    case container = "Edmx/DataServices/Schema/EntityContainer"
    case set = "Edmx/DataServices/Schema/EntityContainer/EntitySet"
    case binding = "Edmx/DataServices/Schema/EntityContainer/EntitySet/NavigationPropertyBinding"

    /// The place of an element in another; `nil` for one that says nothing about records.
    init?(_ name: String, in outer: [Place?]) {
      // `Schema` of `edm:Schema`.
      let local = name.split(separator: ":").last.map(String.init) ?? name
      guard let last = outer.last else {
        self.init(rawValue: local)
        return
      }
      guard let last else { return nil }
      self.init(rawValue: "\(last.rawValue)/\(local)")
    }
  }
}

private struct EntityType {
  let base: String?
  let isOpen: Bool
  var keys: [String] = []
  var properties: [Property] = []
  var navigations: [Navigation] = []

  struct Property {
    let name: String
    let type: String
    let mayLack: Bool
    let longest: Int64?
    /// The terms of its annotations.
    var terms: Set<String> = []
  }

  struct Navigation {
    let name: String
    let type: String
    let mayLack: Bool
    /// The properties of this type, each with the property of the other type that it holds.
    var constraints: [(property: String, referenced: String)] = []
  }
}

private struct EntitySet {
  let name: String
  let type: String
  /// The entity sets that navigation properties lead to.
  var bindings: [String: String] = [:]
}

// MARK: Reading

extension ServiceMetadata {
  mutating func read(_ reader: XMLEventReader) throws(XMLError) {
    var places: [Place?] = []
    var context = (namespace: "", type: "", annotated: "")
    while let event = try reader.next() {
      switch event {
      case .text: continue
      case .end: places.removeLast()
      case .start(let name, let attributes):
        let place = Place(name, in: places)
        if places.isEmpty { try Self.expectService(place, attributes, reader) }
        places.append(place)
        if let place { take(place, attributes, &context) }
      }
    }
  }

  private static func expectService(
    _ root: Place?,
    _ attributes: [XMLAttribute],
    _ reader: XMLEventReader
  ) throws(XMLError) {
    guard root == .service else { throw reader.unexpected("the root element is no Edmx") }
    guard let version = attributes["Version"], ["4.0", "4.01"].contains(version) else {
      throw reader.unexpected("it is not of OData 4.0 or 4.01")
    }
  }

  private mutating func take(
    _ place: Place,
    _ attributes: [XMLAttribute],
    _ context: inout (namespace: String, type: String, annotated: String)
  ) {
    let name = attributes["Name"] ?? ""
    let whole = "\(context.namespace).\(name)"
    switch place {
    case .service, .reference, .data, .key, .container: break
    case .include: shorten(attributes["Namespace"], attributes["Alias"])
    case .schema:
      context.namespace = attributes["Namespace"] ?? ""
      shorten(context.namespace, attributes["Alias"])
    case .definition: underlying[whole] = attributes["UnderlyingType"]
    case .type:
      context.type = whole
      types[whole] = EntityType(
        base: attributes["BaseType"],
        isOpen: attributes["OpenType"] == "true"
      )
    case .keyPart: types[context.type]?.keys.append(name)
    case .property:
      let type = attributes["Type"] ?? ""
      // Null is allowed where nothing is said.
      let mayLack =
        attributes["Nullable"] != "false" || attributes["DefaultValue"] != nil
        || type.hasPrefix("Collection(")
      types[context.type]?.properties.append(
        EntityType.Property(
          name: name,
          type: type,
          mayLack: mayLack,
          longest: attributes["MaxLength"].flatMap { Int64($0) }
        )
      )
    case .propertyNote:
      guard let term = Self.term(of: attributes) else { return }
      types[context.type]?.properties.changeLast { $0.terms.insert(term) }
    case .navigation:
      types[context.type]?.navigations.append(
        EntityType.Navigation(
          name: name,
          type: attributes["Type"] ?? "",
          mayLack: attributes["Nullable"] != "false"
        )
      )
    case .constraint:
      let constraint = (attributes["Property"] ?? "", attributes["ReferencedProperty"] ?? "")
      types[context.type]?.navigations.changeLast { $0.constraints.append(constraint) }
    case .notes: context.annotated = attributes["Target"] ?? ""
    case .note:
      guard let term = Self.term(of: attributes) else { return }
      annotations[context.annotated, default: []].insert(term)
    case .set: sets.append(EntitySet(name: name, type: attributes["EntityType"] ?? ""))
    case .binding:
      let path = Self.last(attributes["Path"] ?? "")
      let target = Self.last(attributes["Target"] ?? "")
      sets.changeLast { $0.bindings[path] = target }
    }
  }

  private mutating func shorten(_ namespace: String?, _ alias: String?) {
    if let namespace, let alias { namespaces[alias] = namespace }
  }

  /// The term of an annotation that says yes.
  private static func term(of attributes: [XMLAttribute]) -> String? {
    attributes["Bool"] == "false" ? nil : attributes["Term"]
  }

  /// `Folders` of `Notes.Container/Folders`.
  private static func last(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// A name with its whole namespace in the place of a short one.
  private func named(_ name: String) -> String {
    guard let point = name.lastIndex(of: "."),
      let namespace = namespaces[String(name[..<point])]
    else { return name }
    return namespace + name[point...]
  }
}

extension Array {
  fileprivate mutating func changeLast(_ change: (inout Element) -> Void) {
    if !isEmpty { change(&self[count - 1]) }
  }
}

// MARK: What it comes to

extension ServiceMetadata {
  func collections() throws(SchemaFault) -> [RemoteSchema.Collection] {
    guard !sets.isEmpty else { throw SchemaFault("the service names no entity set") }
    let setsOfType = Dictionary(grouping: sets) { named($0.type) }
    let notes = Dictionary(annotations.map { (wholePlace($0), $1) }) { $0.union($1) }
    var soleKeys: [String: String?] = [:]
    var count = 0
    var collections: [RemoteSchema.Collection] = []
    for set in sets {
      let line = try line(of: set.type)
      count += line.reduce(0) { $0 + $1.type.properties.count + $1.type.navigations.count }
      guard count <= Self.mostFields else {
        throw SchemaFault("the entity sets have more than \(Self.mostFields) fields")
      }
      var targets: [String: String] = [:]
      var bound: [RemoteSchema.Field] = []
      for navigation in line.flatMap(\.type.navigations)
      where !navigation.type.hasPrefix("Collection(") {
        guard let constraint = navigation.constraints.first else {
          let name = "\(navigation.name)@odata.bind"
          bound.append(
            RemoteSchema.Field(name: name, kind: .value, isRequired: !navigation.mayLack)
          )
          continue
        }
        let type = named(navigation.type)
        if soleKeys[type] == nil { soleKeys[type] = .some(try soleKey(of: type)) }
        guard navigation.constraints.count == 1, soleKeys[type] == constraint.referenced else {
          continue
        }
        let others = setsOfType[type] ?? []
        targets[constraint.property] =
          set.bindings[navigation.name] ?? (others.count == 1 ? others[0].name : nil)
      }
      let keys = line.flatMap(\.type.keys)
      let fields = line.flatMap { name, type in
        type.properties.compactMap { property in
          field(
            property,
            Set(property.terms.map(named)).union(
              (notes["\(name)/\(property.name)"] ?? []).map(named)
            ),
            isKey: keys == [property.name],
            target: targets[property.name]
          )
        }
      }
      collections.append(
        RemoteSchema.Collection(
          name: set.name,
          fields: fields + bound,
          keys: keys,
          isOpen: line.contains(where: \.type.isOpen)
        )
      )
    }
    return collections
  }

  /// `nil` for a stream, which has an address of its own and is in no record.
  private func field(
    _ property: EntityType.Property,
    _ terms: Set<String>,
    isKey: Bool,
    target: String?
  ) -> RemoteSchema.Field? {
    guard property.type != "Edm.Stream" else { return nil }
    let isFilled = isKey || terms.contains("Org.OData.Core.V1.Computed")
    let isPreset = terms.contains("Org.OData.Core.V1.ComputedDefaultValue")
    return RemoteSchema.Field(
      name: property.name,
      kind: target.map { .relation(to: $0, isMany: false) } ?? kind(of: property.type),
      isRequired: !property.mayLack && !isFilled && !isPreset,
      isFilled: isFilled,
      rule: rule(of: property)
    )
  }

  private func rule(of property: EntityType.Property) -> FieldRule {
    let type = underlying[named(property.type)] ?? property.type
    if type == "Edm.Guid" { return FieldRule(.uuid) }
    if kind(of: type) == .number { return FieldRule(.number) }
    return FieldRule(lengths: FieldRule.lengths(from: nil, to: property.longest))
  }

  private func kind(of type: String) -> RemoteSchema.Field.Kind {
    switch underlying[named(type)] ?? type {
    case "Edm.Boolean": .boolean
    case "Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64", "Edm.Decimal",
      "Edm.Double", "Edm.Single":
      .number
    case "Edm.DateTimeOffset": .moment
    case "Edm.Untyped": .json
    default: .value
    }
  }

  /// The types that a type is made from, and itself, which comes last.
  private func line(
    of type: String
  ) throws(SchemaFault) -> [(name: String, type: EntityType)] {
    var line: [(name: String, type: EntityType)] = []
    var next: String? = named(type)
    while let name = next {
      guard let found = types[name] else {
        throw SchemaFault("the document does not describe the type “\(name.prefix(80))”")
      }
      guard line.count <= Self.mostBases else {
        throw SchemaFault(
          "the type “\(type.prefix(80))” is its own base, or has more than \(Self.mostBases)"
        )
      }
      line.append((name, found))
      next = found.base.map(named)
    }
    return line.reversed()
  }

  /// The one property that is the key of a type; `nil` where several are.
  private func soleKey(of type: String) throws(SchemaFault) -> String? {
    let keys = try line(of: type).flatMap(\.type.keys)
    return keys.count == 1 ? keys[0] : nil
  }

  /// `Notes.Folder/Name`, also where a short name is used.
  private func wholePlace(_ place: String) -> String {
    guard let slash = place.firstIndex(of: "/") else { return named(place) }
    return named(String(place[..<slash])) + place[slash...]
  }
}
