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
    if let key = try firstKey(of: tree, among: preferred.map(\.name)) { return key }
    guard store.identity.kind == .files else { return nil }
    let others = root.attributes.filter {
      Self.canIdentify($0.kind) && !$0.isOptional && !Self.isUsual($0.name, of: root)
    }
    return try firstKey(of: tree, among: others.map(\.name))
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

  /// The first of the attributes that distinguishes the rows of all the entities.
  private func firstKey(
    of tree: [EntityName],
    among names: [String]
  ) throws(StoreError) -> String? {
    for attributes in AttributeHashes.groups(names) {
      for entity in tree {
        try AttributeHashes.read(attributes, of: entity, in: store) {
          attribute,
          cell throws(StoreError) in
          guard let hash = cell.identityHash else { return false }
          return try attribute.add(hash)
        }
      }
      for attribute in attributes {
        if let values = try attribute.sorted(), try values.areDistinct() { return attribute.name }
      }
    }
    return nil
  }

  static func canIdentify(_ kind: StoreAttribute.Kind) -> Bool {
    switch kind {
    case .string, .uuid, .integer16, .integer32, .integer64: true
    default: false
    }
  }
}
