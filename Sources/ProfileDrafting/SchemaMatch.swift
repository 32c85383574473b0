import DestinationModel
import Profiles
import Records

/// Matches the records of an entity with a collection of the destination, by their names.
///
/// Names are the same that differ in capitals, in what is between their words, and in the plural of a
/// collection: `createdAt` and `created_at`, `StoryEvent` and `story_events`.
struct SchemaMatch {
  /// One field of a request, as the profile would send it by convention.
  struct Member: Hashable {
    /// The member of the record.
    let name: String
    /// The name by the preset's conventions.
    let field: String
    /// The entity whose record it names, where it is a reference.
    let target: EntityName?
    /// Whether it can only be sent once all records are there.
    let isDeferred: Bool
    /// Whether it is the record's identity at the destination.
    let isIdentity: Bool
    let isFile: Bool
    /// Whether it names a record that is not sent, so that the key of the store is.
    let sendsKey: Bool
    /// What the store holds in it; `nil` for what is no attribute of the entity.
    let stored: StoreAttribute.Kind?

    /// The key of the record as a field beside its identity.
    var kept: Member {
      Member(
        name: name,
        field: name,
        target: nil,
        isDeferred: false,
        isIdentity: false,
        isFile: false,
        sendsKey: false,
        stored: stored
      )
    }
  }

  let collection: RemoteSchema.Collection
  /// Each field that the destination has, and the member that fills it.
  private(set) var matched: [(field: RemoteSchema.Field, member: Member)] = []
  /// The members that the destination has no field for.
  private(set) var unplaced: [Member] = []
  /// The fields of the destination that nothing fills.
  private(set) var unfilled: [RemoteSchema.Field] = []
  /// The relation to the collection that one signs in with.
  private(set) var owner: String?

  /// Usual names of a relation to the account.
  private static let ownerNames = ["owner", "user", "account", "author", "createdby"]

  /// - Parameters:
  ///   - collection: The collection of the entity's records.
  ///   - members: What the profile would send.
  ///   - collections: The collections of all entities that are sent.
  ///   - accounts: The collection that one signs in with; `nil` where none is known.
  init(
    _ collection: RemoteSchema.Collection,
    _ members: [Member],
    _ collections: [EntityName: RemoteSchema.Collection],
    accounts: String?
  ) {
    self.collection = collection
    owner = Self.owner(of: collection, accounts)
    var open = collection.fields.filter { $0.name != owner }
    func take(_ field: RemoteSchema.Field, for member: Member) {
      matched.append((field, member))
      open.removeAll { $0.name == field.name }
    }
    // References come first: an attribute beside one may have the name of its relation.
    let ordered = members.filter { $0.target != nil } + members.filter { $0.target == nil }
    for member in ordered {
      let target = member.target.flatMap { collections[$0]?.name }
      if member.target != nil, target == nil {
        unplaced.append(member)
      } else if let field = Self.field(for: member, target, among: open) {
        take(field, for: member)
      } else {
        unplaced.append(member)
      }
    }
    // An ID that is made of the key does not hold it: a field that is called like the key gets it too.
    if let identity = matched.first(where: { $0.member.isIdentity })?.member {
      let key = identity.kept
      if let field = Self.field(for: key, nil, among: open) { take(field, for: key) }
    }
    unfilled = open.filter { !$0.isFilled }
  }

  private static func owner(
    of collection: RemoteSchema.Collection,
    _ accounts: String?
  ) -> String? {
    guard let accounts else { return nil }
    // What the destination fills itself with the account needs no one to send it.
    let relations = collection.fields.filter {
      !$0.isFilled && $0.kind == .relation(to: accounts, isMany: false)
    }
    let usual = relations.first { ownerNames.contains(key($0.name)) }
    return (usual ?? relations.first { $0.isRequired } ?? relations.first)?.name
  }

  private static func field(
    for member: Member,
    _ target: String?,
    among fields: [RemoteSchema.Field]
  ) -> RemoteSchema.Field? {
    let names = [member.field, member.name]
    if member.isIdentity { return fields.first { $0.name == member.field } }
    guard let target else {
      let plain = fields.filter { field in
        switch field.kind {
        case .value, .json, .boolean, .number, .moment, .object: !member.isFile && !field.isFilled
        case .file: member.isFile
        case .relation: false
        }
      }
      return plain.first { $0.name == member.field }
        ?? plain.first { field in names.contains { key($0) == key(field.name) } }
        // Where the destination has the name for something of its own: what “ferry schema emit” calls it.
        ?? plain.first { $0.name == "stored_\(member.field)" }
    }
    let relations = fields.filter { field in
      if case .relation(let to, _) = field.kind { to == target } else { false }
    }
    let stems = Set(names.map { stem($0) })
    // A schema without relations keeps references in fields like any other.
    let others = fields.filter { [.value, .json, .number].contains($0.kind) && !$0.isFilled }
    return relations.first { stems.contains(stem($0.name)) }
      ?? others.first { $0.name == member.field }
      ?? others.first { stems.contains(stem($0.name)) && key($0.name) != stem($0.name) }
      ?? (relations.count == 1 ? relations[0] : nil)
      // The column of a foreign key may have the name of the field. It holds the store's key, and no identity at the server.
      ?? others.first { stems.contains(key($0.name)) }
  }

  // MARK: - Names

  /// The letters and digits of a name, in lower case.
  static func key(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// The name of a reference without what says that it is one: `folder` of `folder_id` and `folderRef`.
  static func stem(_ name: String) -> String {
    let whole = key(name)
    for end in ["uuid", "ref", "key", "id"] where whole.hasSuffix(end) && whole.count > end.count {
      return String(whole.dropLast(end.count))
    }
    return whole
  }

  /// What a name can be the singular or the plural of.
  ///
  /// Two names that differ in that alone have one in common.
  static func singulars(_ name: String) -> Set<String> {
    let whole = key(name)
    var found: Set = [whole]
    if whole.hasSuffix("s") { found.insert(String(whole.dropLast())) }
    if whole.hasSuffix("ies") { found.insert(whole.dropLast(3) + "y") }
    for end in ["s", "x", "z", "ch", "sh", "o"] where whole.hasSuffix(end + "es") {
      found.insert(String(whole.dropLast(2)))
    }
    return found
  }

  /// The collection of each entity.
  ///
  /// It has the usual name, or else one that differs from the entity's name in the plural alone. Accounts are
  /// no one's records.
  static func collections(
    of entities: [EntityName],
    in schema: RemoteSchema,
    accounts: String?
  ) -> [EntityName: RemoteSchema.Collection] {
    var found: [EntityName: RemoteSchema.Collection] = [:]
    var open = schema.collections.filter { $0.name != accounts }
    let rules: [(EntityName, String) -> Bool] = [
      { $1 == $0.usualCollection }, { $1 == $0.text },
      { !singulars($1).isDisjoint(with: singulars($0.text)) },
    ]
    for rule in rules {
      for entity in entities where found[entity] == nil {
        guard let place = open.firstIndex(where: { rule(entity, $0.name) }) else { continue }
        found[entity] = open.remove(at: place)
      }
    }
    return found
  }
}
