import ManagedObjectModels
import Records

/// The column of every property of one inheritance tree.
///
/// All entities of a tree share a table, so names collide, and also the leaves of composites do,
/// which are named by the leaf alone. The tree's entities claim names in the order of their
/// numbers: first the attributes by name, a composite's leaves in their declared order in its
/// place, then the to-one relationships by name. The first to claim `ZNAME` gets it, the next gets
/// `ZNAME1`, and so on. Nothing inherited claims again, and to-many relationships claim nothing.
struct ColumnNames {
  private(set) var leaves: [Owner: [[String]: Claim]] = [:]
  private(set) var toOne: [Owner: [String: String]] = [:]
  private var taken: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

  /// The entity that declares a property.
  typealias Owner = String

  struct Claim {
    let column: String
    let attribute: StoreAttribute
  }

  /// Claims for these entities, which come in the order of their numbers.
  init(_ entities: [ManagedObjectModel.Entity]) {
    for entity in entities {
      for attribute in entity.attributes {
        claim(attribute, path: [attribute.name], owner: entity.name)
      }
      for relationship in entity.relationships where !relationship.isToMany {
        toOne[entity.name, default: [:]][relationship.name] = claim(relationship.name)
      }
    }
  }

  private mutating func claim(_ attribute: StoreAttribute, path: [String], owner: Owner) {
    guard !attribute.isTransient else { return }
    if case .composite(let elements, _) = attribute.kind {
      for element in elements { claim(element, path: path + [element.name], owner: owner) }
    } else {
      leaves[owner, default: [:]][path] = Claim(
        column: claim(attribute.name),
        attribute: attribute
      )
    }
  }

  private mutating func claim(_ name: String) -> String {
    let base = "Z" + name.uppercased()
    var column = base
    var digit = 0
    while !taken.insert(column).inserted {
      digit += 1
      column = base + String(digit)
    }
    return column
  }
}
