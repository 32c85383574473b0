/// The differences between two versions of one entity.
struct EntityComparison {
  private(set) var differences: [ModelDifference] = []

  private let before: StoreEntity
  private let after: StoreEntity
  private let old: StoreModel
  private let names: Pairing
  /// The entity above in the second model, which tells what it passes down.
  private let above: StoreEntity?
  private let aboveBefore: StoreEntity?

  init(
    _ before: StoreEntity,
    _ after: StoreEntity,
    old: StoreModel,
    new: StoreModel,
    names: Pairing
  ) {
    self.before = before
    self.after = after
    self.old = old
    self.names = names
    above = after.superentity.flatMap { new.entity(named: $0) }
    aboveBefore = before.superentity.flatMap { old.entity(named: $0) }
    compareEntity()
    compareAttributes()
    compareRelationships()
    compareUniqueKeys()
  }

  private mutating func add(
    _ code: String,
    _ severity: ModelDifference.Severity,
    _ property: String?,
    _ cause: String,
    _ cure: String
  ) {
    differences.append(
      ModelDifference(
        code: "model." + code,
        severity: severity,
        entity: after.name,
        property: property,
        cause: cause,
        cure: cure
      )
    )
  }

  /// Whether an entity above says the same of both versions of this property.
  private func isInherited(_ oldName: String?, _ newName: String?) -> Bool {
    guard let above, let aboveBefore, names.oldName(of: above.name.text) == aboveBefore.name.text
    else { return false }
    let has = { (entity: StoreEntity, name: String) in
      entity.attributes.contains { $0.name == name }
        || entity.relationships.contains { $0.name == name }
    }
    return (oldName.map { has(aboveBefore, $0) } ?? true)
      && (newName.map { has(above, $0) } ?? true)
  }
}

// MARK: - The entity itself

extension EntityComparison {
  private mutating func compareEntity() {
    if before.name != after.name {
      add(
        "entity-renamed",
        .compatible,
        nil,
        "\(before.name) is called \(after.name) in the second model",
        "nothing is needed: the renaming identifier joins them"
      )
    }
    if !before.isAbstract, after.isAbstract {
      add(
        "entity-abstract",
        .breaking,
        nil,
        "\(after.name) became abstract, and its own rows cannot stay",
        "move its rows to a sub-entity before the migration"
      )
    }
    let (was, isNow) = (before.superentity?.text, after.superentity?.text)
    if was.flatMap({ names.newName(of: $0) }) != isNow {
      add(
        "superentity-changed",
        .breaking,
        nil,
        "it inherited from \(was ?? "nothing") and now inherits from \(isNow ?? "nothing")",
        "Core Data infers no mapping for this: write a mapping model, or keep the parent"
      )
    }
  }

  private mutating func compareUniqueKeys() {
    let renamed = Pairing(
      before.attributes.map { ($0.name, $0.renamingIdentifier) },
      after.attributes.map { ($0.name, $0.renamingIdentifier) }
    )
    let was = Set(before.uniqueKeys.map { Set($0.map { renamed.newName(of: $0) ?? $0 }) })
    let isNow = Set(after.uniqueKeys.map { Set($0) })
    let text = { (keys: Set<String>) in keys.sorted().joined(separator: ", ") }
    for keys in isNow.subtracting(was).sorted(by: { text($0) < text($1) }) {
      guard !inheritsUniqueKey(keys) else { continue }
      add(
        "unique-added",
        .lossy,
        text(keys),
        "values of \(text(keys)) have to be unique; of rows that share one, a migration keeps one",
        "find rows with equal values and merge them before the migration"
      )
    }
    for keys in was.subtracting(isNow).sorted(by: { text($0) < text($1) }) {
      add(
        "unique-removed",
        .compatible,
        text(keys),
        "values of \(text(keys)) need no longer be unique",
        "nothing is needed, unless the app finds records by them"
      )
    }
  }

  private func inheritsUniqueKey(_ keys: Set<String>) -> Bool {
    above?.uniqueKeys.contains { Set($0) == keys } ?? false
  }
}

// MARK: - Attributes

extension EntityComparison {
  private mutating func compareAttributes() {
    let pairs = Pairing(
      before.attributes.map { ($0.name, $0.renamingIdentifier) },
      after.attributes.map { ($0.name, $0.renamingIdentifier) }
    )
    for attribute in before.attributes where pairs.newName(of: attribute.name) == nil {
      guard !isInherited(attribute.name, nil) else { continue }
      removed(attribute)
    }
    for attribute in after.attributes {
      guard let oldName = pairs.oldName(of: attribute.name),
        let was = before.attributes.first(where: { $0.name == oldName })
      else {
        if !isInherited(nil, attribute.name) { added(attribute) }
        continue
      }
      guard !isInherited(oldName, attribute.name) else { continue }
      compare(was, attribute)
    }
  }

  private mutating func removed(_ attribute: StoreAttribute) {
    let isKept = !attribute.isTransient && !attribute.isDerived
    let becameRelationship = after.relationships.contains { $0.name == attribute.name }
    add(
      becameRelationship ? "attribute-to-relationship" : "attribute-removed",
      isKept ? .lossy : .compatible,
      attribute.name,
      becameRelationship
        ? "the attribute \(attribute.name) became a relationship; its values are dropped"
        : "the second model has no attribute \(attribute.name)",
      isKept
        ? "keep the attribute, or give its successor the renaming identifier \(attribute.name)"
        : "nothing is needed: it holds no data of its own"
    )
  }

  private mutating func added(_ attribute: StoreAttribute) {
    let isRefused =
      !attribute.isOptional && attribute.defaultValue == nil && !attribute.isTransient
      && !attribute.isDerived && !isComposite(attribute)
    add(
      "attribute-added",
      isRefused ? .breaking : .compatible,
      attribute.name,
      "only the second model has the attribute \(attribute.name)"
        + (isRefused ? ", and it is required without a default" : ""),
      isRefused ? "make it optional or give it a default" : "nothing is needed"
    )
  }

  private func isComposite(_ attribute: StoreAttribute) -> Bool {
    if case .composite = attribute.kind { return true }
    return false
  }

  private mutating func compare(_ was: StoreAttribute, _ isNow: StoreAttribute) {
    if was.name != isNow.name {
      add(
        "attribute-renamed",
        .compatible,
        isNow.name,
        "\(was.name) is called \(isNow.name) in the second model",
        "nothing is needed: the renaming identifier joins them"
      )
    }
    if was.isOptional, !isNow.isOptional, !isNow.isTransient {
      let hasDefault = isNow.defaultValue != nil
      add(
        "attribute-required",
        hasDefault ? .compatible : .breaking,
        isNow.name,
        "\(isNow.name) may no longer be empty"
          + (hasDefault ? "; rows without a value get the default" : ", and it has no default"),
        hasDefault ? "nothing is needed" : "give it a default, or fill it in before the migration"
      )
    }
    if !was.isTransient, isNow.isTransient, !was.isDerived {
      add(
        "attribute-transient",
        .lossy,
        isNow.name,
        "\(isNow.name) is no longer stored",
        "keep it stored"
      )
    }
    compareOrigin(was, isNow)
    compareKinds(was.kind, isNow.kind, path: isNow.name)
  }

  private mutating func compareOrigin(_ was: StoreAttribute, _ isNow: StoreAttribute) {
    if was.isDerived != isNow.isDerived || was.derivation != isNow.derivation {
      add(
        "attribute-derivation",
        !was.isDerived && isNow.isDerived ? .lossy : .compatible,
        isNow.name,
        "\(isNow.name) was \(Self.origin(of: was)) and now is \(Self.origin(of: isNow))",
        !was.isDerived && isNow.isDerived
          ? "keep a stored attribute beside it: its own values are computed anew"
          : "nothing is needed"
      )
    }
    if was.defaultValue != isNow.defaultValue {
      add(
        "attribute-default",
        .compatible,
        isNow.name,
        "the default of \(isNow.name) was \(was.defaultValue ?? "none") "
          + "and now is \(isNow.defaultValue ?? "none")",
        "nothing is needed: rows that exist keep their values"
      )
    }
  }

  private static func origin(of attribute: StoreAttribute) -> String {
    attribute.isDerived ? "derived (\(attribute.derivation ?? "by an expression"))" : "stored"
  }

  private mutating func compareKinds(
    _ was: StoreAttribute.Kind,
    _ isNow: StoreAttribute.Kind,
    path: String
  ) {
    if case .composite(let old, let wasEnumeration) = was,
      case .composite(let new, let isEnumeration) = isNow
    {
      compareElements(old, new, isEnumeration: wasEnumeration && isEnumeration, path: path)
      return
    }
    guard let change = KindChange(from: was, to: isNow) else { return }
    add(
      "attribute-type",
      change.severity,
      path,
      "\(path) was \(was.words) and now is \(isNow.words)"
        + (change.reason.isEmpty ? "" : ": \(change.reason)"),
      change.severity == .compatible
        ? "nothing is needed" : "keep the type, or convert the values in a migration of your own"
    )
  }

  private mutating func compareElements(
    _ old: [StoreAttribute],
    _ new: [StoreAttribute],
    isEnumeration: Bool,
    path: String
  ) {
    let pairs = Pairing(
      old.map { ($0.name, $0.renamingIdentifier) },
      new.map { ($0.name, $0.renamingIdentifier) }
    )
    for element in old {
      let place = path + "." + element.name
      guard let newName = pairs.newName(of: element.name),
        let isNow = new.first(where: { $0.name == newName })
      else {
        add(
          isEnumeration ? "case-removed" : "element-removed",
          .lossy,
          place,
          "the second model has no \(place)",
          "keep it, or move its values in a migration of your own"
        )
        continue
      }
      compareKinds(element.kind, isNow.kind, path: path + "." + newName)
    }
    for element in new where pairs.oldName(of: element.name) == nil {
      add(
        isEnumeration ? "case-added" : "element-added",
        .compatible,
        path + "." + element.name,
        "only the second model has \(path).\(element.name)",
        "nothing is needed: it begins empty"
      )
    }
  }
}

// MARK: - Relationships

extension EntityComparison {
  private mutating func compareRelationships() {
    let pairs = Pairing(
      before.relationships.map { ($0.name, $0.renamingIdentifier) },
      after.relationships.map { ($0.name, $0.renamingIdentifier) }
    )
    for relationship in before.relationships where pairs.newName(of: relationship.name) == nil {
      guard !isInherited(relationship.name, nil) else { continue }
      add(
        "relationship-removed",
        .lossy,
        relationship.name,
        "the second model has no relationship \(relationship.name)",
        "keep it, or give its successor the renaming identifier \(relationship.name)"
      )
    }
    for relationship in after.relationships {
      guard let oldName = pairs.oldName(of: relationship.name),
        let was = before.relationships.first(where: { $0.name == oldName })
      else {
        if !isInherited(nil, relationship.name) { added(relationship) }
        continue
      }
      guard !isInherited(oldName, relationship.name) else { continue }
      compare(was, relationship)
    }
  }

  private mutating func added(_ relationship: StoreRelationship) {
    add(
      "relationship-added",
      relationship.isOptional ? .compatible : .breaking,
      relationship.name,
      "only the second model has the relationship \(relationship.name)"
        + (relationship.isOptional ? "" : ", and it is required"),
      relationship.isOptional ? "nothing is needed" : "make it optional until it is filled in"
    )
  }

  private mutating func compare(_ was: StoreRelationship, _ isNow: StoreRelationship) {
    let name = isNow.name
    if was.name != name {
      add(
        "relationship-renamed",
        .compatible,
        name,
        "\(was.name) is called \(name) in the second model",
        "nothing is needed: the renaming identifier joins them"
      )
    }
    if names.newName(of: was.destination.text) != isNow.destination.text {
      add(
        "relationship-destination",
        .lossy,
        name,
        "\(name) led to \(was.destination) and now leads to \(isNow.destination)",
        "keep the destination, or move the references in a migration of your own"
      )
    }
    compareCounts(was, isNow)
    if was.isOrdered, !isNow.isOrdered, isNow.isToMany {
      add(
        "relationship-unordered",
        .lossy,
        name,
        "\(name) no longer keeps an order",
        "keep it ordered, or write the place of each object into an attribute first"
      )
    } else if !was.isOrdered, isNow.isOrdered {
      add(
        "relationship-ordered",
        .compatible,
        name,
        "\(name) now keeps an order",
        "nothing is needed"
      )
    }
    if was.isOptional, !isNow.isOptional {
      add(
        "relationship-required",
        .breaking,
        name,
        "\(name) may no longer be empty",
        "fill it in before the migration, or leave it optional"
      )
    }
    if was.deleteRule != isNow.deleteRule {
      add(
        "delete-rule",
        .compatible,
        name,
        "the delete rule of \(name) was \(was.deleteRule.rawValue) "
          + "and now is \(isNow.deleteRule.rawValue)",
        "nothing is lost now; check what the app deletes from here on"
      )
    }
    if (was.inverse == nil) != (isNow.inverse == nil) {
      add(
        "relationship-inverse",
        .compatible,
        name,
        isNow.inverse == nil ? "\(name) lost its inverse" : "\(name) got an inverse",
        "nothing is needed: the references stay"
      )
    }
  }

  private mutating func compareCounts(_ was: StoreRelationship, _ isNow: StoreRelationship) {
    let name = isNow.name
    if was.isToMany, !isNow.isToMany {
      add(
        "relationship-to-one",
        .lossy,
        name,
        "\(name) led to many objects and now leads to one",
        "keep it to-many, or choose the one to keep before the migration"
      )
      return
    }
    if !was.isToMany, isNow.isToMany {
      add(
        "relationship-to-many",
        .compatible,
        name,
        "\(name) now leads to many",
        "nothing is needed"
      )
    }
    let isTighter =
      isNow.isToMany && isNow.maximumCount > 0 && was.isToMany
      && (was.maximumCount == 0 || was.maximumCount > isNow.maximumCount)
    let needsMore = isNow.minimumCount > max(was.minimumCount, 1)
    if isTighter || needsMore {
      add(
        "relationship-count",
        .breaking,
        name,
        "\(name) led to \(Self.bounds(was)) objects and now leads to \(Self.bounds(isNow))",
        "check the counts in the store before the migration"
      )
    }
  }

  private static func bounds(_ relationship: StoreRelationship) -> String {
    let greatest = relationship.maximumCount == 0 ? "any number" : "\(relationship.maximumCount)"
    return "\(relationship.minimumCount) to \(greatest)"
  }
}
