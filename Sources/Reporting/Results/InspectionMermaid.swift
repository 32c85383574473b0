package import Records

/// A model as an entity relationship diagram in the language of Mermaid.
///
/// https://mermaid.js.org/syntax/entityRelationshipDiagram.html
package enum InspectionMermaid {
  package static func text(of model: StoreModel) -> String {
    lines(of: model).joined(separator: "\n")
  }

  package static func lines(of model: StoreModel) -> [String] {
    var lines = ["erDiagram"]
    for entity in model.entities {
      lines.append("  \(safe(entity.name.text)) {")
      for attribute in entity.attributes {
        let key = entity.uniqueKeys.contains([attribute.name]) ? " UK" : ""
        lines.append("    \(safe(attribute.kind.shortWords)) \(safe(attribute.name))\(key)")
      }
      lines.append("  }")
    }
    for entity in model.entities {
      if let parent = entity.superentity {
        lines.append("  \(safe(entity.name.text)) ||--|| \(safe(parent.text)) : \"is a\"")
      }
      for relationship in entity.relationships where isReported(relationship, of: entity, in: model)
      {
        lines.append(line(of: relationship, of: entity, in: model))
      }
    }
    return lines
  }

  /// Of two inverse relationships only one is drawn, and none at an entity that inherits it.
  private static func isReported(
    _ relationship: StoreRelationship,
    of entity: StoreEntity,
    in model: StoreModel
  ) -> Bool {
    let parent = entity.superentity.flatMap { model.entity(named: $0) }
    if parent?.relationships.contains(where: { $0.name == relationship.name }) == true {
      return false
    }
    guard let inverse = relationship.inverse,
      let other = model.entity(named: relationship.destination)?
        .relationships.first(where: { $0.name == inverse })
    else { return true }
    let own = "\(entity.name.text).\(relationship.name)"
    let others = "\(relationship.destination.text).\(other.name)"
    return relationship.isToMany == other.isToMany
      ? own <= others : relationship.isToMany
  }

  private static func line(
    of relationship: StoreRelationship,
    of entity: StoreEntity,
    in model: StoreModel
  ) -> String {
    let inverse = relationship.inverse.flatMap { name in
      model.entity(named: relationship.destination)?.relationships.first { $0.name == name }
    }
    let left = inverse.map { $0.isToMany ? "}o" : $0.isOptional ? "|o" : "||" } ?? "}o"
    let right = relationship.isToMany ? "o{" : relationship.isOptional ? "o|" : "||"
    return "  \(safe(entity.name.text)) \(left)--\(right) \(safe(relationship.destination.text)) "
      + ": \"\(safe(relationship.name))\""
  }

  /// Letters, digits, hyphens and underscores, which Mermaid takes without quotes.
  private static func safe(_ name: String) -> String {
    let letters = name.unicodeScalars.map { scalar -> Character in
      let isPlain = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      return isPlain || scalar == "_" || scalar == "-" ? Character(scalar) : "_"
    }
    let text = String(letters)
    return text.isEmpty || text.first?.isNumber == true ? "_\(text)" : text
  }
}

extension StoreAttribute.Kind {
  /// The kind in one word.
  fileprivate var shortWords: String {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date,
      .binary, .uuid, .uri:
      words
    case .objectID: "ObjectID"
    case .transformable(_, let valueClass): valueClass ?? "Transformable"
    case .composite(_, let isEnumeration): isEnumeration ? "Enum" : "Struct"
    case .undeclared(let type): type.isEmpty ? "Any" : type
    }
  }
}
