/// What a migration from one model to another would lose, refuse or merely change.
///
/// Entities and properties belong together by name, else by the name for migrations (the renaming
/// identifier), as Core Data pairs them. An inherited property is reported once, at the uppermost
/// entity that has it.
package struct ModelComparison: Hashable, Sendable {
  /// The differences, by entity and property; empty when the models keep the same data.
  package let differences: [ModelDifference]

  /// Compares.
  package init(from old: StoreModel, to new: StoreModel) {
    let names = Pairing(
      old.entities.map { ($0.name.text, $0.renamingIdentifier) },
      new.entities.map { ($0.name.text, $0.renamingIdentifier) }
    )
    var differences: [ModelDifference] = []
    for entity in old.entities where names.newName(of: entity.name.text) == nil {
      differences.append(Self.removed(entity))
    }
    for entity in new.entities {
      guard let oldName = names.oldName(of: entity.name.text),
        let before = old.entities.first(where: { $0.name.text == oldName })
      else {
        differences.append(Self.added(entity))
        continue
      }
      differences += EntityComparison(before, entity, old: old, new: new, names: names).differences
    }
    self.differences = differences.sorted { left, right in
      left.entity.text == right.entity.text
        ? (left.property ?? "", left.code) < (right.property ?? "", right.code)
        : left.entity.text < right.entity.text
    }
  }

  /// Whether data would be lost or changed.
  package var isLossy: Bool { differences.contains { $0.severity == .lossy } }

  /// The worst that happens, or `nil` when nothing differs.
  package var severity: ModelDifference.Severity? { differences.map(\.severity).max() }

  private static func removed(_ entity: StoreEntity) -> ModelDifference {
    ModelDifference(
      code: "model.entity-removed",
      severity: entity.isAbstract ? .compatible : .lossy,
      entity: entity.name,
      cause: "the second model has no entity \(entity.name)",
      cure: entity.isAbstract
        ? "no action is needed: an abstract entity has no rows"
        : "keep the entity, or give its successor the renaming identifier \(entity.name)"
    )
  }

  private static func added(_ entity: StoreEntity) -> ModelDifference {
    ModelDifference(
      code: "model.entity-added",
      severity: .compatible,
      entity: entity.name,
      cause: "only the second model has the entity \(entity.name)",
      cure: "no action is needed: it begins without rows"
    )
  }
}

/// Which of two lists of names belong together.
struct Pairing {
  private var oldNames: [String: String] = [:]
  private var newNames: [String: String] = [:]

  /// Each with its name for migrations, when that is another.
  init(_ old: [(String, String?)], _ new: [(String, String?)]) {
    let names = Set(old.map(\.0))
    for (name, identifier) in new {
      // A new name with an identifier of its own is a renaming, even where the old name is reused.
      if let identifier, names.contains(identifier), newNames[identifier] == nil {
        pair(identifier, name)
      } else if let identifier,
        let same = old.first(where: { $0.1 == identifier })?.0, newNames[same] == nil
      {
        pair(same, name)
      }
    }
    for (name, _) in new where oldNames[name] == nil {
      if names.contains(name), newNames[name] == nil {
        pair(name, name)
      } else if let same = old.first(where: { $0.1 == name })?.0, newNames[same] == nil {
        pair(same, name)
      }
    }
  }

  private mutating func pair(_ old: String, _ new: String) {
    oldNames[new] = old
    newNames[old] = new
  }

  func oldName(of new: String) -> String? { oldNames[new] }
  func newName(of old: String) -> String? { newNames[old] }
}
