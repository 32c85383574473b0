import Profiles
import Records
import StoreFiles
import StoreReading
import TextCodecs

/// The attributes that hold identities of other records, though no relationship of the model says so.
///
/// An attribute does that where each of its values is the identity of a record of one entity, and where it
/// is called after that entity (`author_id`) or its values are UUIDs.
struct NamedRecords {
  /// The entity whose records an attribute names, by the attribute's name.
  private(set) var targets: [EntityName: [String: EntityName]] = [:]

  private let identities: [EntityName: String]
  /// The kinds of values by which the records of entities are known.
  private let kinds: [EntityName: StoreAttribute.Kind]
  private let store: any Store
  private var known: [EntityName: SortedHashes] = [:]

  init(
    of entities: [StoreEntity],
    _ identities: [EntityName: String],
    in store: any Store
  ) throws(StoreError) {
    (self.identities, self.store) = (identities, store)
    kinds = identities.reduce(into: [:]) { kinds, identity in
      let attributes = store.model.entity(named: identity.key)?.attributes ?? []
      kinds[identity.key] = attributes.first { $0.name == identity.value }?.kind
    }
    let identifying = kinds.values.reduce(into: [StoreAttribute.Kind]()) { found, kind in
      if !found.contains(kind) { found.append(kind) }
    }
    var called: [String: [EntityName]] = [:]
    for entity in entities {
      for name in SchemaMatch.singulars(entity.name.text) {
        called[name, default: []].append(entity.name)
      }
    }
    for entity in entities {
      var likely: [String: [EntityName]] = [:]
      var asked: [StoreAttribute] = []
      // Values of a kind by which no record is known need not be read.
      for attribute in entity.attributes
      where mayName(attribute, in: entity)
        && identifying.contains(where: { Self.isSame(attribute.kind, $0) })
      {
        let targets = Self.words(of: attribute).flatMap { SchemaMatch.singulars($0).sorted() }
          .flatMap { called[$0] ?? [] }
          .filter { isSameKind(attribute, as: $0) }
        // A number says nothing of what it is a key of.
        guard !targets.isEmpty || !attribute.kind.isInteger else { continue }
        likely[attribute.name] = targets
        asked.append(attribute)
      }
      let values = try values(of: asked, in: entity) { likely[$0]?.isEmpty ?? true }
      for attribute in asked {
        guard let values = values[attribute.name] else { continue }
        let others = values.areUUIDs ? entities.map(\.name) : []
        for target in (likely[attribute.name] ?? [])
          + others.filter({ isSameKind(attribute, as: $0) })
        where try keys(of: target).contain(values.hashes) {
          targets[entity.name, default: [:]][attribute.name] = target
          break
        }
      }
    }
  }

  /// Whether an attribute could refer to a record, and no relationship says already to which.
  private func mayName(_ attribute: StoreAttribute, in entity: StoreEntity) -> Bool {
    !attribute.isTransient && IdentityChoice.canIdentify(attribute.kind)
      && attribute.name != identities[entity.name] && FieldProfile.canName(attribute.name)
      && !entity.holdsPreferences
      && !entity.relationships.contains {
        SchemaMatch.stem($0.name) == SchemaMatch.stem(attribute.name)
      }
  }

  /// Whether an attribute holds values of the kind of the identities of an entity's records.
  private func isSameKind(_ attribute: StoreAttribute, as entity: EntityName) -> Bool {
    kinds[entity].map { Self.isSame(attribute.kind, $0) } ?? false
  }

  private static func isSame(_ kind: StoreAttribute.Kind, _ other: StoreAttribute.Kind) -> Bool {
    kind == other || kind.isInteger && other.isInteger
  }

  /// What an entity may be called whose records an attribute names.
  ///
  /// “home team” and “team” for `homeTeamUUID`. A number is called after an entity only with a word for
  /// identities behind: `pages` may count.
  private static func words(of attribute: StoreAttribute) -> [String] {
    var words = NameForm.snakeCase.applied(to: attribute.name).split(separator: "_")
    let isMarked = words.last.map { ["id", "uuid", "guid", "key", "ref"].contains($0) } ?? false
    if isMarked { words.removeLast() }
    guard isMarked || !attribute.kind.isInteger else { return [] }
    return words.indices.map { words[$0...].joined() }
  }

  // MARK: - Values

  private struct Values {
    let hashes: SortedHashes
    let areUUIDs: Bool
  }

  /// The values of attributes, without one that has none, or one that is no identity, or no UUID where only
  /// these are wanted.
  private func values(
    of attributes: [StoreAttribute],
    in entity: StoreEntity,
    onlyUUIDs: (String) -> Bool
  ) throws(StoreError) -> [String: Values] {
    var areUUIDs = Set(attributes.filter { [.uuid, .string].contains($0.kind) }.map(\.name))
    var found: [String: Values] = [:]
    for group in AttributeHashes.groups(attributes.map(\.name)) {
      try AttributeHashes.read(group, of: entity.name, in: store) {
        attribute,
        cell throws(StoreError) in
        let name = attribute.name
        if case .null = cell { return true }
        guard let hash = cell.identityHash else { return false }
        if case .text(let bytes) = cell, unsafe !UUIDText.isUUID(bytes) { areUUIDs.remove(name) }
        if onlyUUIDs(name), !areUUIDs.contains(name) { return false }
        _ = try attribute.add(hash)
        return true
      }
      for attribute in group {
        guard let hashes = try attribute.sorted(), !hashes.isEmpty else { continue }
        found[attribute.name] = Values(
          hashes: hashes,
          areUUIDs: areUUIDs.contains(attribute.name)
        )
      }
    }
    return found
  }

  private mutating func keys(of entity: EntityName) throws(StoreError) -> SortedHashes {
    if let known = known[entity] { return known }
    var hashes = ValueHashes()
    for name in store.model.tree(of: entity) {
      guard let identity = identities[name] else { continue }
      let request = RowRequest(entity: name, fields: [.attribute(path: [identity])])
      let reader = try store.rows(request)
      while try reader.next() {
        if let hash = unsafe reader.row.cells[0].identityHash { _ = try hashes.add(hash) }
      }
    }
    let sorted = try hashes.sorted()
    known[entity] = sorted
    return sorted
  }
}

extension Cell {
  /// What a value that can be an identity is compared by; `nil` for any other.
  var identityHash: Int? {
    var hasher = Hasher()
    switch self {
    case .integer(let number): hasher.combine(number)
    case .text(let bytes), .blob(let bytes): hasher.combine(bytes: bytes)
    case .null, .real, .large, .json, .list, .lostFile, .dangling: return nil
    }
    return hasher.finalize()
  }
}
