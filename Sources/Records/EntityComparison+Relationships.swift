/// What becomes of relationships.
extension EntityComparison {
  mutating func compareRelationships() {
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
      relationship.isOptional ? "no action is needed" : "make it optional until it is filled in"
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
        "no action is needed: the renaming identifier joins them"
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
        "no action is needed"
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
        "no action is needed: the references stay"
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
        "no action is needed"
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
