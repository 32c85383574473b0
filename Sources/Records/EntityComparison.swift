/// The differences between two versions of one entity.
struct EntityComparison {
  private(set) var differences: [ModelDifference] = []

  let before: StoreEntity
  let after: StoreEntity
  let names: Pairing
  /// The entity above in the second model, which says what it passes down.
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
    self.names = names
    above = after.superentity.flatMap { new.entity(named: $0) }
    aboveBefore = before.superentity.flatMap { old.entity(named: $0) }
    compareEntity()
    compareAttributes()
    compareRelationships()
    compareUniqueKeys()
  }

  mutating func add(
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
  func isInherited(_ oldName: String?, _ newName: String?) -> Bool {
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
        "no action is needed: the renaming identifier joins them"
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
      // Rows that existed before have nothing in a new attribute, and nothing equals nothing.
      let isNew = !keys.contains { renamed.oldName(of: $0) != nil }
      guard !isNew else {
        add(
          "unique-added",
          .compatible,
          text(keys),
          "values of \(text(keys)), which only the second model has, have to be unique",
          "no action is needed"
        )
        continue
      }
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
        "no action is needed, unless the app finds records by them"
      )
    }
  }

  private func inheritsUniqueKey(_ keys: Set<String>) -> Bool {
    above?.uniqueKeys.contains { Set($0) == keys } ?? false
  }
}
