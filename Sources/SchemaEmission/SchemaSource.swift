package import JSONText
import Profiles
package import Records

/// What a store's records hold, as its model and the drafted schemas of its records say.
///
/// The drafted schemas list the members that records have, with the types that rows were seen to hold. The
/// model adds what these leave out: the width of a number, keys that are unique, and which references are
/// required.
package struct SchemaSource: Hashable, Sendable {
  /// The entities that have records, in the order in which records are sent: referred ones first.
  package let entities: [Entity]

  /// Takes a model and the schema of each entity's records.
  ///
  /// `identities` has the attribute that an entity's records are known by. The records of an entity without one
  /// are known by their objects' addresses, which they have as `$id`. `records` has JSON Schemas as “ferry init”
  /// drafts them, in the order in which records are sent.
  package init(
    model: StoreModel,
    identities: [EntityName: String],
    records: [(entity: EntityName, schema: JSONValue)]
  ) {
    let order = records.map(\.entity)
    entities = records.enumerated().map { place, record in
      let stored = model.entity(named: record.entity)
      let reader = MemberReader(
        entity: stored,
        identity: identities[record.entity],
        later: Set(order[place...]),
        sent: Set(order)
      )
      let members = record.schema["properties"]?.object?.members ?? []
      return Entity(
        name: record.entity,
        members: members.map { reader.member($0.name, $0.value) },
        uniqueKeys: stored?.uniqueKeys ?? []
      )
    }
  }

  /// One entity, and the members of its records.
  package struct Entity: Hashable, Sendable {
    package let name: EntityName
    package let members: [Member]
    /// Each a set of attributes whose values together are unique in the store.
    package let uniqueKeys: [[String]]
  }

  /// One member of a record.
  package struct Member: Hashable, Sendable {
    package let name: String
    package let content: Content
    package let role: Role
    /// Whether each record has a value when it is created.
    package let isRequired: Bool
    /// The most records that a list of references names; zero for any number.
    package let maximumCount: Int
    /// Whether rows have whole numbers of more than 53 bits.
    package let isWide: Bool
  }

  /// What a member is to its record.
  package enum Role: Hashable, Sendable {
    /// The app's own key, an attribute.
    case identity
    /// The object's address, where that is the key.
    case address
    case value
  }

  /// What a member holds.
  package enum Content: Hashable, Sendable {
    /// A whole number of 16, 32 or 64 bits.
    case integer(bits: Int)
    case number
    /// Digits as a text.
    case decimal
    case boolean
    case text
    case uuid
    /// RFC 3339, in UTC.
    case date
    /// Base64.
    case bytes
    case object
    case list
    case texts
    /// Any JSON.
    case any
    /// The identity of a record of one of these entities, of those that are sent.
    case reference([EntityName])
    case references([EntityName])
  }
}

/// Reads the members of one entity's records.
private struct MemberReader {
  let entity: StoreEntity?
  let identity: String?
  /// The entities whose records are created no earlier than this one's, itself among them.
  let later: Set<EntityName>
  let sent: Set<EntityName>

  func member(_ name: String, _ schema: JSONValue) -> SchemaSource.Member {
    let types = types(of: schema)
    let relationship = entity?.relationships.first { $0.name == name }
    let content = content(of: name, schema, types.subtracting(["null"]))
    let role = role(of: name)
    return SchemaSource.Member(
      name: name,
      content: content,
      role: role,
      isRequired: role != .value
        || isRequired(content, relationship, allowsNull: types.isEmpty || types.contains("null")),
      maximumCount: relationship?.maximumCount ?? 0,
      isWide: isWide(schema)
    )
  }

  /// Whether the bounds of a drafted schema are beyond what a double keeps.
  private func isWide(_ schema: JSONValue) -> Bool {
    let most = Int64(1) << 53
    return (schema["minimum"]?.integer ?? 0) < -most || (schema["maximum"]?.integer ?? 0) > most
  }

  private func role(of name: String) -> SchemaSource.Role {
    if let identity { return name == identity ? .identity : .value }
    return name == EntityProfile.addressMember ? .address : .value
  }

  private func isRequired(
    _ content: SchemaSource.Content,
    _ relationship: StoreRelationship?,
    allowsNull: Bool
  ) -> Bool {
    switch content {
    case .reference(let targets):
      // A record that is created later can only be named in a second step.
      relationship?.isOptional == false && later.isDisjoint(with: targets) && !targets.isEmpty
    case .references: false
    case .integer, .number, .decimal, .boolean, .text, .uuid, .date, .bytes, .object, .list,
      .texts, .any:
      !allowsNull
    }
  }

  private func types(of schema: JSONValue) -> Set<String> {
    guard let type = schema["type"] else { return [] }
    return Set([type.text].compactMap(\.self) + (type.array ?? []).compactMap(\.text))
  }

  private func content(
    of name: String,
    _ schema: JSONValue,
    _ types: Set<String>
  ) -> SchemaSource.Content {
    if let names = schema["x-references"]?.array {
      let targets = names.compactMap { $0.text.flatMap { EntityName($0) } }.filter(sent.contains)
      return types == ["array"] ? .references(targets) : .reference(targets)
    }
    let kind = entity?.attributes.first { $0.name == name }?.kind
    return switch types {
    case ["string"]: text(schema)
    case ["integer"]: .integer(bits: bits(of: kind))
    case ["number"], ["integer", "number"]: .number
    case ["boolean"]: .boolean
    case ["object"]: .object
    case ["array"]: schema["items"]?["type"]?.text == "string" ? .texts : .list
    default: .any
    }
  }

  private func text(_ schema: JSONValue) -> SchemaSource.Content {
    // Without the format, a value was seen that is no date.
    if schema["format"]?.text == "date-time" { return .date }
    if schema["format"]?.text == "uuid" { return .uuid }
    return switch schema["x-holds"]?.text {
    case "bytes"?: .bytes
    case "decimal"?: .decimal
    case _: .text
    }
  }

  private func bits(of kind: StoreAttribute.Kind?) -> Int {
    kind == .integer16 ? 16 : kind == .integer32 ? 32 : 64
  }
}
