package import JSONText
package import Profiles

// MARK: - A list whose form the profile describes

extension SchemaListing {
  /// The collections that an answer lists; `nil` where it has another form.
  package func schema(in answer: JSONValue) -> RemoteSchema? {
    guard let rows = answer.member(at: collections)?.array else { return nil }
    let names = Dictionary(
      rows.compactMap { row in
        row.member(at: key ?? name)?.text.flatMap { key in
          row.member(at: name)?.text.map { (key, $0) }
        }
      },
      uniquingKeysWith: { first, _ in first }
    )
    let listed = rows.compactMap { row -> RemoteSchema.Collection? in
      guard let name = row.member(at: self.name)?.text,
        let found = remoteFields(of: row, among: names)
      else { return nil }
      let key = row.member(at: self.key ?? self.name)?.text
      return RemoteSchema.Collection(
        name: name,
        fields: found,
        holdsAccounts: accounts != nil && key == accounts
      )
    }
    return listed.count == rows.count ? RemoteSchema(collections: listed) : nil
  }

  /// The fields of a collection, and those that the destination fills; `nil` where it lists none.
  private func remoteFields(
    of row: JSONValue,
    among names: [String: String]
  ) -> [RemoteSchema.Field]? {
    let listed = row.member(at: fields)
    let named: [(name: String, value: JSONValue)]
    if let members = listed?.object?.members {
      named = members.map { ($0.name, $0.value) }
    } else if let elements = listed?.array {
      named = elements.compactMap { element in
        element.member(at: field)?.text.map { ($0, element) }
      }
    } else {
      return nil
    }
    let own = Set(filled)
    let unlisted = filled.filter { name in !named.contains { $0.name == name } }
    return named.map { remoteField($0.name, $0.value, names, isFilled: own.contains($0.name)) }
      + unlisted.map { RemoteSchema.Field(name: $0, kind: .value, isFilled: true) }
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
        && required.flatMap { value.member(at: $0) }?.boolean == true,
      isFilled: isFilled
    )
  }

  private func kind(of field: JSONValue, _ names: [String: String]) -> RemoteSchema.Field.Kind {
    switch field.member(at: type)?.text.flatMap({ kinds[$0] }) {
    case nil: .value
    case .boolean: .boolean
    case .number: .number
    case .moment: .moment
    case .file: .file
    case .relation:
      .relation(
        to: target.flatMap { field.member(at: $0)?.text }.map { names[$0] ?? $0 } ?? "",
        isMany: many.map { sign in
          field.member(at: sign.member)?.text.map { sign.values.contains($0) } ?? false
        } ?? false
      )
    }
  }
}

extension JSONValue {
  /// What is at a path of members; the empty path is this value itself.
  fileprivate func member(at path: MemberPath) -> JSONValue? {
    path.names.reduce(Optional(self)) { $0?[$1] }
  }
}
