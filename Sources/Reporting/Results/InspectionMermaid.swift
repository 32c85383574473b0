package import Records

/// A model as an entity relationship diagram in the language of Mermaid.
///
/// https://mermaid.js.org/syntax/entityRelationshipDiagram.html
package enum InspectionMermaid {
  package static func text(of model: StoreModel) -> String {
    lines(of: model).joined(separator: "\n")
  }

  /// The second of two models with what only the first has, each difference at its place.
  ///
  /// Remarks that are not drawn list the differences with their causes.
  package static func text(
    of comparison: ModelComparison,
    from old: StoreModel,
    to new: StoreModel
  ) -> String {
    let differences = comparison.differences
    var lines = lines(of: new, noting: differences, from: old)
    let removed = old.entities.filter { entity in
      differences.contains { $0.code == "model.entity-removed" && $0.entity == entity.name }
    }
    for entity in removed { lines += box(of: entity, noting: differences, from: nil) }
    for entity in removed { lines += links(of: entity, in: old, noting: differences) }
    // Mermaid takes braces in a remark for settings.
    let remarks = ComparisonText.lines(of: comparison).map { line in
      "  %% " + line.replacing("{", with: "(").replacing("}", with: ")")
    }
    lines.insert(contentsOf: remarks, at: 1)
    return lines.joined(separator: "\n")
  }

  private static func lines(
    of model: StoreModel,
    noting differences: [ModelDifference] = [],
    from old: StoreModel? = nil
  ) -> [String] {
    var lines = ["erDiagram"]
    for entity in model.entities {
      lines += box(of: entity, noting: differences, from: old?.entity(named: entity.name))
    }
    for entity in model.entities { lines += links(of: entity, in: model, noting: differences) }
    return lines
  }

  /// An entity with its attributes, and with the properties that only an earlier model has.
  private static func box(
    of entity: StoreEntity,
    noting differences: [ModelDifference],
    from old: StoreEntity?
  ) -> [String] {
    let own = differences.filter { $0.entity == entity.name }
    let (name, title) = (safe(entity.name.text), note(own.filter { $0.property == nil }))
    var lines = [title.isEmpty ? "  \(name) {" : "  \(name)[\"\(name), \(title)\"] {"]
    for attribute in entity.attributes {
      let key = entity.uniqueKeys.contains([attribute.name]) ? " UK" : ""
      let note = note(own.filter { $0.isAbout(attribute.name) })
      lines.append(
        "    \(safe(attribute.kind.shortWords)) \(safe(attribute.name))\(key)"
          + (note.isEmpty ? "" : " \"\(note)\"")
      )
    }
    let known = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
    let removed = Set(own.compactMap(\.propertyName)).subtracting(known)
    for name in removed.sorted() {
      let kind = old?.attributes.first { $0.name == name }?.kind.shortWords ?? "Removed"
      lines.append("    \(safe(kind)) \(safe(name)) \"\(note(own.filter { $0.isAbout(name) }))\"")
    }
    return lines + ["  }"]
  }

  /// What an entity inherits from, and its relationships.
  private static func links(
    of entity: StoreEntity,
    in model: StoreModel,
    noting differences: [ModelDifference]
  ) -> [String] {
    var lines: [String] = []
    if let parent = entity.superentity {
      lines.append("  \(safe(entity.name.text)) ||--|| \(safe(parent.text)) : \"is a\"")
    }
    for relationship in entity.relationships where isReported(relationship, of: entity, in: model) {
      let inverse = relationship.inverse ?? ""
      let note = note(
        differences.filter { difference in
          difference.entity == entity.name && difference.isAbout(relationship.name)
            || difference.entity == relationship.destination && difference.isAbout(inverse)
        }
      )
      let drawn = line(of: relationship, of: entity, in: model)
      lines.append(note.isEmpty ? drawn : "\(drawn.dropLast()), \(note)\"")
    }
    return lines
  }

  private static func note(_ differences: [ModelDifference]) -> String {
    differences.map { "\($0.severity.rawValue) \($0.code)" }.joined(separator: ", ")
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

extension ModelDifference {
  /// The property without its elements.
  fileprivate var propertyName: String? {
    property.map { String($0.prefix { $0 != "." }) }
  }

  fileprivate func isAbout(_ name: String) -> Bool { propertyName == name }
}
