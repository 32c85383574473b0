/// What becomes of attributes.
extension EntityComparison {
  mutating func compareAttributes() {
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
        : "no action is needed: it holds no data of its own"
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
      isRefused ? "make it optional or give it a default" : "no action is needed"
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
        "no action is needed: the renaming identifier joins them"
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
        hasDefault ? "no action is needed" : "give it a default, or fill it in before the migration"
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
          ? "keep a stored attribute beside it: its own values are computed again"
          : "no action is needed"
      )
    }
    if was.defaultValue != isNow.defaultValue {
      add(
        "attribute-default",
        .compatible,
        isNow.name,
        "the default of \(isNow.name) was \(was.defaultValue ?? "none") "
          + "and now is \(isNow.defaultValue ?? "none")",
        "no action is needed: rows that exist keep their values"
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
        ? "no action is needed" : "keep the type, or convert the values in a migration of your own"
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
        "no action is needed: it begins empty"
      )
    }
  }
}
