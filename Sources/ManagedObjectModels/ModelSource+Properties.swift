import Records
import XMLAccess

/// Attributes and relationships in the source of a model.
extension ModelSource {
  /// The relationship, or nothing for a transient one, which no store keeps.
  func relationship(_ tag: [XMLAttribute]) throws(XMLError) -> [StoreRelationship] {
    let name = try required("name", in: tag)
    guard tag["transient"] != "YES" else { return [] }
    guard let destination = EntityName(try required("destinationEntity", in: tag)) else {
      throw reader.unexpected("relationship \(name) leads to no entity")
    }
    let greatest = tag["maxCount"].flatMap { Int32($0) }.map { Int(max(0, $0)) } ?? 0
    let least = tag["minCount"].flatMap { Int32($0) }.map { Int(max(0, $0)) } ?? 0
    let rule: StoreRelationship.DeleteRule =
      switch tag["deletionRule"] {
      case "Nullify": .nullify
      case "Cascade": .cascade
      case "Deny": .deny
      default: .noAction
      }
    let isToMany = greatest != 1
    return [
      StoreRelationship(
        name: name,
        destination: destination,
        inverse: tag["inverseName"],
        isToMany: isToMany,
        isOrdered: tag["ordered"] == "YES",
        isOptional: tag["optional"] == "YES",
        deleteRule: rule,
        minimumCount: least,
        maximumCount: greatest,
        renamingIdentifier: renaming(tag, name: name)
      )
    ]
  }

  func renaming(_ tag: [XMLAttribute], name: String) -> String? {
    tag["elementID"].flatMap { $0.isEmpty || $0 == name ? nil : $0 }
  }

  func attribute(
    _ draft: AttributeDraft,
    depth: Int,
    count: inout Int
  ) throws(XMLError) -> StoreAttribute {
    count += 1
    guard count <= Self.greatestCount else { throw tooLarge() }
    let tag = draft.tag
    guard let name = tag["name"], !name.isEmpty else {
      throw fault("an attribute has no name", draft.line)
    }
    let kind = try kind(draft, name: name, depth: depth, count: &count)
    return StoreAttribute(
      name: name,
      kind: kind,
      isOptional: tag["optional"] == "YES",
      isTransient: tag["transient"] == "YES",
      isDerived: tag["derived"] == "YES",
      allowsExternalStorage: tag["allowsExternalBinaryDataStorage"] == "YES",
      isPreservedAfterDeletion: tag["preserveAfterDeletion"] == "YES"
        || tag["preservesValueInHistoryOnDeletion"] == "YES",
      defaultValue: defaultValue(tag, kind: kind),
      derivation: tag["derivationExpression"],
      renamingIdentifier: renaming(tag, name: name)
    )
  }

  private func defaultValue(_ tag: [XMLAttribute], kind: StoreAttribute.Kind) -> String? {
    if let interval = tag["defaultDateTimeInterval"].flatMap({ Double($0) }) {
      return DefaultText.date(interval)
    }
    return tag["defaultValueString"].map { DefaultText.source($0, kind: kind) }
  }

  private func kind(
    _ draft: AttributeDraft,
    name: String,
    depth: Int,
    count: inout Int
  ) throws(XMLError) -> StoreAttribute.Kind {
    let tag = draft.tag
    switch tag["attributeType"] {
    case "Integer 16": return .integer16
    case "Integer 32": return .integer32
    case "Integer 64": return .integer64
    case "Decimal": return .decimal
    case "Double": return .double
    case "Float": return .float
    case "String": return .string
    case "Boolean": return .boolean
    case "Date": return .date
    case "Binary", "Binary Data": return .binary
    case "UUID": return .uuid
    case "URI": return .uri
    case "ObjectID", "Object ID": return .objectID
    case "Transformable":
      return .transformable(
        transformer: tag["valueTransformerName"].flatMap { $0.isEmpty ? nil : $0 },
        valueClass: tag["customClassName"]
      )
    case "Composite":
      return try composite(draft, name: name, depth: depth, count: &count)
    case let other:
      // Only what is not stored may be without a type.
      guard tag["transient"] == "YES" else {
        throw fault("attribute \(name) is of the unknown type “\(other ?? "")”", draft.line)
      }
      return .undeclared(sqlType: "")
    }
  }

  private func composite(
    _ draft: AttributeDraft,
    name: String,
    depth: Int,
    count: inout Int
  ) throws(XMLError) -> StoreAttribute.Kind {
    guard depth < Self.greatestDepth else {
      throw fault("composites lie more than \(Self.greatestDepth) deep", draft.line)
    }
    let type = draft.tag.first { $0.name != "name" && composites[$0.value] != nil }?.value
    guard let elements = type.flatMap({ composites[$0] }) else {
      throw fault("attribute \(name) names no composite of this model", draft.line)
    }
    var attributes: [StoreAttribute] = []
    for element in elements {
      attributes.append(try attribute(element, depth: depth + 1, count: &count))
    }
    return .composite(attributes, isEnumeration: false)
  }

  private func fault(_ reason: String, _ line: Int) -> XMLError {
    XMLError(.unexpected, line: line, reason: reason)
  }
}
