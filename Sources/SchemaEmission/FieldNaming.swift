import Profiles
import Records

/// One entity as a backend keeps it: a table, a collection or a record type.
struct Table: Hashable {
  let entity: EntityName
  /// The table's or the collection's name.
  let name: String
  let fields: [Field]
  /// The names of fields whose values together are unique.
  let uniqueKeys: [[String]]
  /// What of the entity has no field.
  let notes: [String]

  /// One field; the identity that Ferry gives a record is not among the fields.
  struct Field: Hashable {
    let name: String
    let member: SchemaSource.Member
    /// Whether the name is another than the conventions give the member.
    let isRenamed: Bool

    var content: SchemaSource.Content { member.content }
    var isRequired: Bool { member.isRequired }
  }
}

/// Names tables and fields as the drafted profile with the preset of the form does.
struct FieldNaming {
  /// The name of the identity that Ferry gives each record.
  static let key = "id"

  let names: NameForm
  /// The field of the app's own key; `nil` where the identity alone carries it.
  let identity: String?
  /// Behind the name of a reference.
  private let referenceEnd: String
  /// The names that no member can have, but for the identity, in lower case.
  private let taken: Set<String>
  /// Those of them that the preset reserves.
  private let reserved: Set<String>
  private let form: SchemaForm

  init(_ form: SchemaForm, _ options: SchemaOptions) {
    self.form = form
    names = options.names
    identity =
      switch form {
      case .postgresql: "local_id"
      case .cloudkit: "localId"
      case .sqlite, .pocketbase, .jsonSchema, .openapi: nil
      }
    referenceEnd = form == .sqlite ? "Id" : ""
    let owner = options.owner ?? (form == .pocketbase ? PocketBaseForm.owner : nil)
    reserved = form == .pocketbase ? PocketBaseForm.reserved : []
    taken = Set(
      ([Self.key, identity, owner].compactMap(\.self) + reserved).map { $0.lowercased() }
    )
  }

  func tables(of source: SchemaSource) -> [Table] {
    var used: Set<String> = []
    return source.entities.map { entity in
      table(of: entity, named: Self.free(place(of: entity.name), among: &used))
    }
  }

  private func place(of entity: EntityName) -> String {
    form == .cloudkit ? entity.text : entity.usualCollection
  }

  private func table(of entity: SchemaSource.Entity, named name: String) -> Table {
    var used = taken
    var fields: [Table.Field] = []
    var notes: [String] = []
    if let key = entity.members.first(where: { $0.role == .identity }) {
      if let identity = identity ?? keptName(of: key, among: &used) {
        fields.append(Table.Field(name: identity, member: key, isRenamed: false))
      } else {
        notes.append("\(entity.name).\(key.name): the id is made from it, and no field keeps it")
      }
    }
    for member in entity.members where member.role == .value {
      if let reason = form.lack(of: member.content, named: conventional(member)) {
        notes.append("\(entity.name).\(member.name): \(reason)")
        continue
      }
      let usual = conventional(member)
      let name = Self.free(ownName(usual), among: &used)
      fields.append(Table.Field(name: name, member: member, isRenamed: name != usual))
      // “ferry init” itself renames what is called just like the key or a reserved name, and PostgreSQL's
      // form gives the “body”.
      if name != usual, usual != Self.key, !reserved.contains(usual),
        form != .postgresql
      {
        notes.append(
          "\(entity.name).\(member.name): the field is called “\(name)”; name it so in “body”"
        )
      }
    }
    return Table(
      entity: entity.name,
      name: name,
      fields: fields,
      uniqueKeys: uniqueKeys(of: entity, fields),
      notes: notes
    )
  }

  /// The field of the app's own key where “ferry init” finds it by its own name, at the server.
  private func keptName(
    of key: SchemaSource.Member,
    among used: inout Set<String>
  ) -> String? {
    let name = ownName(conventional(key))
    guard form == .pocketbase, form.lack(of: key.content, named: name) == nil,
      used.insert(name.lowercased()).inserted
    else { return nil }
    return name
  }

  /// The name, or one that the backend does not give to something else.
  private func ownName(_ name: String) -> String {
    taken.contains(name.lowercased()) ? "stored_\(name)" : name
  }

  private func conventional(_ member: SchemaSource.Member) -> String {
    let name = names.applied(to: member.name)
    if case .reference = member.content { return name + referenceEnd }
    return name
  }

  /// The unique keys of which each part has a field; the identity alone is one already.
  private func uniqueKeys(
    of entity: SchemaSource.Entity,
    _ fields: [Table.Field]
  ) -> [[String]] {
    let columns = Dictionary(
      fields.map { ($0.member.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    return entity.uniqueKeys.compactMap { key in
      let parts = key.compactMap { columns[$0] }
      let isIdentity = entity.members.contains { $0.role == .identity && key == [$0.name] }
      guard parts.count == key.count, !key.isEmpty, !isIdentity else { return nil }
      return parts.map(\.name)
    }
  }

  /// The name, or one with `_` behind it where another one has it already, whatever their case.
  private static func free(_ wanted: String, among used: inout Set<String>) -> String {
    var name = wanted
    while !used.insert(name.lowercased()).inserted { name += "_" }
    return name
  }
}

extension SchemaForm {
  /// Why a form has no field for a member; `nil` where it has one.
  fileprivate func lack(of content: SchemaSource.Content, named name: String) -> String? {
    switch self {
    case .postgresql, .jsonSchema, .openapi: nil
    case .sqlite: SQLiteForm.lack(of: content)
    case .pocketbase: PocketBaseForm.lack(of: name)
    case .cloudkit: CloudKitForm.lack(of: name)
    }
  }
}

extension [Table] {
  /// The one table that a reference leads to; `nil` where records of several may be named, or of none.
  func target(of content: SchemaSource.Content) -> Table? {
    switch content {
    case .reference(let names), .references(let names):
      guard names.count == 1 else { return nil }
      return first { $0.entity == names[0] }
    case .integer, .number, .decimal, .boolean, .text, .uuid, .date, .bytes, .object, .list,
      .texts, .any:
      return nil
    }
  }

  /// What no field carries, entity by entity.
  var notes: [String] { flatMap(\.notes) }

  /// A note for each unique key, where a form has none.
  var uncheckedKeys: [String] {
    flatMap { table in
      table.uniqueKeys.map {
        "\(table.entity): nothing checks that \($0.joined(separator: ", ")) is unique"
      }
    }
  }

  /// A note for each reference that no key holds to one table.
  var openReferences: [String] {
    flatMap { table in
      table.fields.compactMap { field in
        guard field.content.isReference, target(of: field.content) == nil else { return nil }
        return "\(table.entity).\(field.member.name): it names records of several entities or of "
          + "none that is sent, so no key checks it"
      }
    }
  }
}

extension SchemaSource.Content {
  /// Whether it names one record.
  var isReference: Bool {
    if case .reference = self { true } else { false }
  }

  /// Whether it names any number of records.
  var isReferences: Bool {
    if case .references = self { true } else { false }
  }
}
