import ManagedObjectModels
import Records

/// Which number (`Z_ENT`) each entity of a model has in a store.
///
/// Core Data numbers the entities from one on, depth first: roots by name, each followed by its
/// sub-entities, names compared without regard to case. `Z_PRIMARYKEY` has the numbers too, but
/// may still carry the old name of an entity that was renamed; so numbers go before names.
struct EntityNumbers {
  let byName: [String: Int]
  /// The names that renamed entities still have in `Z_PRIMARYKEY`, by their new ones.
  let oldNames: [String: String]
  let findings: [Finding]

  init(_ model: ManagedObjectModel, listed: [StoreMetadata.NumberedEntity]) {
    let computed = Self.computed(model)
    var namesByNumber: [Int: String] = [:]
    for (name, number) in computed { namesByNumber[number] = name }
    let contradicts = listed.contains { entity in
      computed[entity.name].map { $0 != entity.number } ?? false
    }
    var findings: [Finding] = []
    var byName = contradicts ? [:] : computed
    var oldNames: [String: String] = [:]
    for entity in listed {
      if model.entities[entity.name] != nil {
        byName[entity.name] = entity.number
      } else if let name = namesByNumber[entity.number], byName[name] == entity.number {
        oldNames[name] = entity.name
        findings.append(Self.renaming(of: entity.name, to: name, number: entity.number))
      } else {
        findings.append(Self.unknown(entity))
      }
    }
    self.byName = byName
    self.oldNames = oldNames
    self.findings = findings
  }

  private static func computed(_ model: ManagedObjectModel) -> [String: Int] {
    var children: [String: [String]] = [:]
    for entity in model.entities.values {
      children[entity.superName ?? "", default: []].append(entity.name)
    }
    for (name, list) in children { children[name] = list.sorted(by: precedesIgnoringCase) }
    var numbers: [String: Int] = [:]
    var waiting = Array((children[""] ?? []).reversed())
    while let name = waiting.popLast() {
      guard numbers[name] == nil else { continue }
      numbers[name] = numbers.count + 1
      waiting += (children[name] ?? []).reversed()
    }
    return numbers
  }

  private static func precedesIgnoringCase(_ left: String, _ right: String) -> Bool {
    let (small, other) = (left.lowercased(), right.lowercased())
    return small == other ? precedes(left, right) : precedes(small, other)
  }

  private static func renaming(of old: String, to new: String, number: Int) -> Finding {
    Finding(
      code: "store.entity-renamed",
      severity: .note,
      entity: EntityName(new),
      cause: "Z_PRIMARYKEY calls entity \(number) \(old), the model calls it \(new)",
      cure: "no action is needed: the entity was renamed in a migration, and the model is right"
    )
  }

  private static func unknown(_ entity: StoreMetadata.NumberedEntity) -> Finding {
    Finding(
      code: "store.entity-unknown",
      severity: .warning,
      entity: EntityName(entity.name),
      cause: "Z_PRIMARYKEY lists entity \(entity.number) \(entity.name), which no model has",
      cure: "rows of it are not read; compare the counts with the app's"
    )
  }
}
