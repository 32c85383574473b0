import Records
import StoreFiles
import StoreReading

/// Chooses by what the records of an inheritance tree are distinguished.
///
/// An attribute serves when no row lacks it and no two rows share its value; else the objects'
/// own addresses do. One choice holds for the whole tree, because a reference may lead to any of it.
///
/// Files declare no keys and their rows have no addresses that last. There any attribute serves, those
/// first that are called like an identity.
struct IdentityChoice {
  let store: any Store

  func attribute(of root: StoreEntity) throws(StoreError) -> String? {
    let tree = members(of: root)
    let unique = Set(root.uniqueKeys.filter { $0.count == 1 }.flatMap(\.self))
    let candidates = root.attributes.filter { attribute in
      guard !attribute.isTransient, Self.canIdentify(attribute.kind) else { return false }
      return unique.contains(attribute.name) || Self.isUsual(attribute.name, of: root)
    }
    let preferred = candidates.sorted {
      (unique.contains($0.name) ? 0 : 1, $0.name) < (unique.contains($1.name) ? 0 : 1, $1.name)
    }
    for candidate in preferred where try isKey(candidate.name, of: tree) { return candidate.name }
    guard store.identity.kind == .files else { return nil }
    let others = root.attributes.filter {
      Self.canIdentify($0.kind) && !$0.isOptional && !Self.isUsual($0.name, of: root)
    }
    for other in others where try isKey(other.name, of: tree) { return other.name }
    return nil
  }

  /// Whether an attribute is called like an identity.
  static func isUsual(_ name: String, of entity: StoreEntity) -> Bool {
    let name = name.lowercased()
    let own = entity.name.text.lowercased()
    let one = own.hasSuffix("s") ? String(own.dropLast()) : own
    return ["id", "_id", "uuid", "guid", "identifier", "$key"].contains(name)
      || [own, one].contains { name == $0 + "id" || name == $0 + "_id" }
  }

  /// The entity and all below it.
  private func members(of root: StoreEntity) -> [EntityName] {
    var names = [root.name]
    var next = 0
    while next < names.count, names.count <= store.model.entities.count {
      names += store.model.entities.filter { $0.superentity == names[next] }.map(\.name)
      next += 1
    }
    return names
  }

  private func isKey(_ attribute: String, of tree: [EntityName]) throws(StoreError) -> Bool {
    var values = ValueHashes()
    for entity in tree {
      let reader = try store.rows(
        RowRequest(entity: entity, fields: [.attribute(path: [attribute])])
      )
      while try reader.next() {
        guard let hash = unsafe reader.row.cells[0].identityHash else {
          if reader.row.isTooLarge { continue }
          return false
        }
        guard try values.add(hash) else { return false }
      }
    }
    return try values.sorted().areDistinct()
  }

  static func canIdentify(_ kind: StoreAttribute.Kind) -> Bool {
    switch kind {
    case .string, .uuid, .integer16, .integer32, .integer64: true
    default: false
    }
  }
}
