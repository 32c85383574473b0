package import JSONText
package import Profiles

// MARK: - Introspection of a GraphQL schema

extension InputTypes {
  /// The request for the input types, <https://spec.graphql.org/October2021/#sec-Introspection>.
  ///
  /// A list of texts that are never null, itself never null, has four parts. No other type is looked into.
  static let question: JSONValue = {
    let type = "type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }"
    return [
      "query": .string(
        "query { __schema { types { kind name inputFields { name defaultValue \(type) } } } }"
      )
    ]
  }()

  /// The collections that an answer shows; `nil` where it shows none.
  ///
  /// A field whose type has fields itself is no field of a record: it makes records of another collection, or
  /// names conditions. Where it leads to a collection, the field with its key is a relation to that: `folder_id`
  /// beside `folder`. GraphQL does not say which field has the key, so that the name has to.
  package func schema(in answer: JSONValue) -> RemoteSchema? {
    guard let listed = answer["data"]?["__schema"]?["types"]?.array else { return nil }
    var inputs: [String: [JSONValue]] = [:]
    var names: [String] = []
    for type in listed where type["kind"]?.text == "INPUT_OBJECT" {
      guard let name = type["name"]?.text, let fields = type["inputFields"]?.array,
        inputs.updateValue(fields, forKey: name) == nil
      else { return nil }
      names.append(name)
    }
    let around = wrappers(among: inputs)
    names.removeAll { collection(of: $0) == nil || around[$0] != nil }
    guard !names.isEmpty else { return nil }
    var owners: [String: String?] = [:]
    for (name, fields) in inputs {
      owners.updateValue(owner(of: name, fields, wrappers: around), forKey: name)
    }
    return RemoteSchema(
      collections: names.map { name in
        RemoteSchema.Collection(
          name: collection(of: name) ?? name,
          fields: fields(inputs[name] ?? [], owners)
        )
      }
    )
  }

  /// The fields of records; `owners` are the types that have fields themselves, each with the collection that it
  /// makes a record of.
  private func fields(
    _ listed: [JSONValue],
    _ owners: [String: String?]
  ) -> [RemoteSchema.Field] {
    var targets: [String: String] = [:]
    for field in listed {
      guard let name = field["name"]?.text, let type = FieldType(field["type"]), !type.isList,
        let target = owners[type.name] ?? nil
      else { continue }
      for end in ["id", "uuid", "key", "ref"] { targets[name.letters + end] = target }
    }
    return listed.compactMap { field in
      guard let name = field["name"]?.text, let type = FieldType(field["type"]),
        owners[type.name] == nil
      else { return nil }
      let target = type.isList ? nil : targets[name.letters]
      return RemoteSchema.Field(
        name: name,
        kind: target.map { .relation(to: $0, isMany: false) } ?? kind(of: type),
        isRequired: type.isRequired && field["defaultValue"]?.isNull != false,
        rule: type.isList ? nil : kinds[type.name].flatMap { FieldRule(of: $0) }
      )
    }
  }

  /// The types that are called like those of records, and are only around one: `{ data: …, on_conflict: … }`; each
  /// with the type that it is around.
  ///
  /// Each of their fields has fields itself, and one is of a record.
  private func wrappers(among inputs: [String: [JSONValue]]) -> [String: String] {
    var around: [String: String] = [:]
    for (name, fields) in inputs where collection(of: name) != nil {
      let types = fields.map { FieldType($0["type"])?.name ?? "" }
      let records = types.filter { collection(of: $0) != nil }
      guard records.count == 1, types.allSatisfy({ inputs[$0] != nil || $0 == records[0] })
      else { continue }
      around[name] = records[0]
    }
    // What is around a wrapper is a record that has only this relation.
    return around.filter { around[$0.value] == nil }
  }

  /// The collection in which a type makes one record, itself or by one of its fields; `nil` where it makes none, or
  /// several.
  private func owner(
    of type: String,
    _ fields: [JSONValue],
    wrappers: [String: String]
  ) -> String? {
    if wrappers[type] == nil, let own = collection(of: type) { return own }
    for field in fields {
      if let inner = FieldType(field["type"]), !inner.isList, wrappers[inner.name] == nil,
        let found = collection(of: inner.name)
      {
        return found
      }
    }
    return nil
  }

  private func kind(of type: FieldType) -> RemoteSchema.Field.Kind {
    guard !type.isList else { return .value }
    return switch kinds[type.name] {
    case .boolean: .boolean
    case .number: .number
    case .moment: .moment
    case .relation, .file, .uuid: .value
    case nil:
      switch type.name {
      case "Boolean": .boolean
      case "Int", "Float": .number
      default: .value
      }
    }
  }

  /// `[String!]!`, without its marks.
  private struct FieldType {
    let name: String
    let isRequired: Bool
    let isList: Bool

    init?(_ type: JSONValue?) {
      isRequired = type?["kind"]?.text == "NON_NULL"
      var type = type
      var isList = false
      while let inner = type?["ofType"], !inner.isNull {
        if type?["kind"]?.text == "LIST" { isList = true }
        type = inner
      }
      guard let name = type?["name"]?.text else { return nil }
      self.name = name
      self.isList = isList
    }
  }
}

extension String {
  /// Its letters and digits, in lower case.
  fileprivate var letters: String { lowercased().filter { $0.isLetter || $0.isNumber } }
}
