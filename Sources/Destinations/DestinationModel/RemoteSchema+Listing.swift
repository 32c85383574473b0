package import JSONText
package import Profiles

// MARK: - A list whose form the profile describes

extension SchemaListing {
  /// The collections that an answer lists; `nil` where it has another form, or is not whole.
  package func schema(in answer: JSONValue) -> RemoteSchema? {
    guard let rows = answer.member(at: collections)?.array,
      more.flatMap({ answer.member(at: $0) })?.isTrue != true
    else { return nil }
    let names = Dictionary(
      rows.compactMap { row in
        row.member(at: key ?? name)?.text.flatMap { key in
          row.member(at: name)?.text.map { (key, $0) }
        }
      },
      uniquingKeysWith: { first, _ in first }
    )
    guard let fields else { return schema(ofFields: rows, among: names) }
    let listed = rows.compactMap { row -> RemoteSchema.Collection? in
      guard let name = row.member(at: self.name)?.text,
        let found = Self.named(row.member(at: fields), by: field)
      else { return nil }
      let key = row.member(at: self.key ?? self.name)?.text
      return collection(
        name,
        found,
        among: names,
        holdsAccounts: accounts != nil && key == accounts
      )
    }
    return listed.count == rows.count ? RemoteSchema(collections: listed) : nil
  }

  /// The collections of an answer that lists the fields of all, in the order of their first ones.
  private func schema(
    ofFields rows: [JSONValue],
    among names: [String: String]
  ) -> RemoteSchema? {
    var order: [String] = []
    var found: [String: [(name: String, value: JSONValue)]] = [:]
    for row in rows {
      guard let owner = row.member(at: name)?.text, let own = row.member(at: field)?.text else {
        return nil
      }
      if found[owner] == nil { order.append(owner) }
      // A column of two foreign keys is in two rows.
      guard found[owner]?.contains(where: { $0.name == own }) != true else { continue }
      found[owner, default: []].append((own, row))
    }
    return RemoteSchema(
      collections: order.map { owner in
        collection(owner, found[owner] ?? [], among: names, holdsAccounts: owner == accounts)
      }
    )
  }

  private func collection(
    _ name: String,
    _ fields: [(name: String, value: JSONValue)],
    among names: [String: String],
    holdsAccounts: Bool
  ) -> RemoteSchema.Collection {
    // A number there is the place in the key: SQLite's columns may be in another order.
    let keys = fields.compactMap { field in
      identity.flatMap { field.value.member(at: $0) }.flatMap { sign in
        sign.isTrue ? (name: field.name, place: sign.integer ?? 0) : nil
      }
    }.sorted { $0.place < $1.place }.map(\.name)
    let own = Set(keys.count == 1 ? filled + keys : filled)
    let unlisted = filled.filter { name in !fields.contains { $0.name == name } }
    return RemoteSchema.Collection(
      name: name,
      fields: fields.map { remoteField($0.name, $0.value, names, isFilled: own.contains($0.name)) }
        + unlisted.map { RemoteSchema.Field(name: $0, kind: .value, isFilled: true) },
      keys: keys,
      holdsAccounts: holdsAccounts
    )
  }

  /// The fields of a list, by their names; `nil` for a value that is no list.
  private static func named(
    _ listed: JSONValue?,
    by name: MemberPath
  ) -> [(name: String, value: JSONValue)]? {
    if let members = listed?.object?.members { return members.map { ($0.name, $0.value) } }
    return listed?.array.map { elements in
      elements.compactMap { element in element.member(at: name)?.text.map { ($0, element) } }
    }
  }

  private func remoteField(
    _ name: String,
    _ value: JSONValue,
    _ names: [String: String],
    isFilled: Bool
  ) -> RemoteSchema.Field {
    let hasPreset = preset.flatMap { value.member(at: $0) }.map { !$0.isNull } ?? false
    return RemoteSchema.Field(
      name: name,
      kind: kind(of: value, names),
      isRequired: !hasPreset
        && required.flatMap { value.member(at: $0) }?.isTrue == true,
      isFilled: isFilled,
      rule: value.member(at: type)?.text.flatMap { kinds[$0] }.flatMap { FieldRule(of: $0) }
    )
  }

  private func kind(of field: JSONValue, _ names: [String: String]) -> RemoteSchema.Field.Kind {
    let to = target.flatMap { field.member(at: $0)?.text }
    let kind = field.member(at: type)?.text.flatMap { kinds[$0] }
    guard to == nil, kind != .relation else {
      let isMany = many.map { sign in
        field.member(at: sign.member)?.text.map { sign.values.contains($0) } ?? false
      }
      return .relation(to: to.map { names[$0] ?? $0 } ?? "", isMany: isMany ?? false)
    }
    return switch kind {
    case .boolean: .boolean
    case .number: .number
    case .moment: .moment
    case .file: .file
    case .relation, .uuid, nil: .value
    }
  }
}

extension JSONValue {
  /// What is at a path of members; the empty path is this value itself.
  fileprivate func member(at path: MemberPath) -> JSONValue? {
    path.names.reduce(Optional(self)) { $0?[$1] }
  }

  /// Whether it says yes: as true, or as a number above zero, as SQLite does.
  fileprivate var isTrue: Bool { boolean ?? integer.map { $0 > 0 } ?? false }
}
