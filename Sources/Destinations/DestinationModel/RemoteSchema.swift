package import JSONText
package import Profiles

/// What a destination says of its own collections: which fields the records of each have.
package struct RemoteSchema: Hashable, Sendable {
  package let collections: [Collection]
  /// The paths at which records are made below another record, which are no collections.
  package let nestedPaths: [String]

  package init(collections: [Collection], nestedPaths: [String] = []) {
    self.collections = collections
    self.nestedPaths = nestedPaths
  }

  /// Whether a text of this format is a date with a time: JSON Schema's name, or PostgreSQL's.
  static func isMoment(format: String?) -> Bool {
    ["date-time", "timestamp with time zone", "timestamp without time zone"].contains(format)
  }

  /// One collection, table or schema of records.
  package struct Collection: Hashable, Sendable {
    package let name: String
    package let fields: [Field]
    /// The fields that together identify a record; none where the destination does not say.
    package let keys: [String]
    /// Whether accounts sign in with it.
    package let holdsAccounts: Bool
    /// Whether its records may have fields that it does not name.
    package let isOpen: Bool
    /// Where its records are made, below the destination's address; `nil` where the destination does not say.
    package let path: String?
    /// How its records are listed; `nil` where the destination does not say that they are.
    package let list: ListShape?

    package init(
      name: String,
      fields: [Field],
      keys: [String] = [],
      holdsAccounts: Bool = false,
      isOpen: Bool = false,
      path: String? = nil,
      list: ListShape? = nil
    ) {
      self.name = name
      self.fields = fields
      self.keys = keys
      self.holdsAccounts = holdsAccounts
      self.isOpen = isOpen
      self.path = path
      self.list = list
    }

    package func field(named name: String) -> Field? { fields.first { $0.name == name } }
  }

  /// How records are listed.
  package struct ListShape: Hashable, Sendable {
    /// The member of the answer that has the rows.
    package var rows: String?
    /// The parameter for the size of a page, and the largest or usual size.
    package var limit: String?
    package var most: Int64?
    /// The parameter for how many rows to pass over.
    package var offset: String?
    /// The parameter for the number of a page.
    package var page: String?
    /// The number of the first page, 0 or 1; `nil` where the destination does not say.
    package var first: Int64?

    package init() {}
  }

  /// One field of the records of a collection.
  package struct Field: Hashable, Sendable {
    package let name: String
    package let kind: Kind
    /// Whether a record is refused without it.
    package let isRequired: Bool
    /// Whether the destination fills it itself: its own identity, and when a record was made or changed.
    package let isFilled: Bool
    /// Which texts it takes.
    package let rule: FieldRule

    package init(
      name: String,
      kind: Kind,
      isRequired: Bool = false,
      isFilled: Bool = false,
      rule: FieldRule? = nil
    ) {
      self.name = name
      self.kind = kind
      self.isRequired = isRequired
      self.isFilled = isFilled
      self.rule = rule ?? FieldRule(kind == .number ? .number : .text)
    }

    /// What a field holds.
    package enum Kind: Hashable, Sendable {
      case value
      /// Any JSON, as it was sent.
      case json
      /// True or false, and nothing that means it, such as 1.
      case boolean
      /// Numbers, and no text of digits.
      case number
      /// A date with a time, which the destination gives back in a spelling of its own.
      case moment
      /// Members of its own, which no identity of another record fills.
      case object
      /// The identity of a record of another collection, or several of them.
      case relation(to: String, isMany: Bool)
      case file
    }
  }

  /// The collection of a name.
  package func collection(named name: String) -> Collection? {
    collections.first { $0.name == name }
  }
}

/// Why nothing can be learnt of what a destination says of its collections.
package struct SchemaFault: Error, Hashable, Sendable {
  /// A clause in lower case without a full stop.
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}

extension SchemaRoute.AnswerForm {
  /// The largest answer that is read, in bytes.
  package static let largestAnswer = 8 << 20

  /// The media type that the answer is asked for in.
  package var mediaType: String {
    self == .named(.csdl) ? "application/xml" : "application/json"
  }

  /// The body that the request has, as JSON; `nil` for none.
  package var question: JSONValue? {
    if case .inputs = self { InputTypes.question } else { nil }
  }

  /// Refuses an answer that is too large, before any of it is parsed.
  package static func expectReadable(_ answer: [UInt8]) throws(SchemaFault) {
    guard answer.count <= largestAnswer else {
      throw SchemaFault(
        "the answer has more than the \(largestAnswer >> 20) MiB that are read of a schema"
      )
    }
  }

  /// The collections that an answer has.
  ///
  /// - Throws: ``SchemaFault`` for an answer that is too large, of another form, or not whole.
  package func schema(of answer: [UInt8]) throws(SchemaFault) -> RemoteSchema {
    guard !answer.isEmpty else { throw SchemaFault("the answer is empty") }
    try Self.expectReadable(answer)
    if self == .named(.csdl) { return try RemoteSchema(csdl: answer) }
    let value: JSONValue
    // A byte order mark is no part of the JSON behind it.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = answer.starts(with: mark) ? Array(answer.dropFirst(mark.count)) : answer
    do throws(JSONError) { value = try JSONView(parsing: text).value } catch {
      if text.first(where: { !" \n\r\t".utf8.contains($0) }) == UInt8(ascii: "<") {
        throw SchemaFault("the answer is a page of HTML or XML; check the address of the server")
      }
      throw SchemaFault("the answer is not whole JSON: \(error)")
    }
    guard let schema = try schema(in: value) else {
      throw SchemaFault("the answer is not of the form \(self)")
    }
    return schema
  }

  /// The collections that an answer in JSON has; `nil` where it has another form.
  ///
  /// - Throws: ``SchemaFault`` where it has too much.
  package func schema(in answer: JSONValue) throws(SchemaFault) -> RemoteSchema? {
    switch self {
    case .named(let form): try form.schema(in: answer)
    case .listing(let listing): listing.schema(in: answer)
    case .inputs(let types): types.schema(in: answer)
    }
  }
}

extension SchemaRoute.Form {
  /// The collections that an answer in JSON has; `nil` where it has another form.
  ///
  /// - Throws: ``SchemaFault`` where it has too much.
  package func schema(in answer: JSONValue) throws(SchemaFault) -> RemoteSchema? {
    var nestedPaths: [String] = []
    let collections: [RemoteSchema.Collection]?
    switch self {
    case .pocketbaseCollections: collections = pocketBaseCollections(answer)
    case .openAPI:
      let description = OpenAPIDescription(root: answer)
      collections = try description.collections()
      nestedPaths = description.nestedPaths
    case .postgREST: collections = objects(answer["definitions"])
    case .directusFields: collections = directusCollections(answer)
    case .parseSchemas: collections = parseClasses(answer)
    case .csdl: collections = nil
    }
    return collections.map { RemoteSchema(collections: $0, nestedPaths: nestedPaths) }
  }

  // MARK: - PocketBase

  private func pocketBaseCollections(_ answer: JSONValue) -> [RemoteSchema.Collection]? {
    guard let items = answer["items"]?.array else { return nil }
    let names = Dictionary(
      items.compactMap { item in
        item["id"]?.text.flatMap { id in item["name"]?.text.map { (id, $0) } }
      },
      uniquingKeysWith: { first, _ in first }
    )
    return items.compactMap { item in
      guard let name = item["name"]?.text, item["system"]?.boolean != true else { return nil }
      let fields = (item["fields"]?.array ?? []).compactMap { field($0, among: names) }
      return RemoteSchema.Collection(
        name: name,
        fields: fields,
        holdsAccounts: item["type"]?.text == "auth"
      )
    }
  }

  private func field(_ field: JSONValue, among names: [String: String]) -> RemoteSchema.Field? {
    guard let name = field["name"]?.text, let type = field["type"]?.text else { return nil }
    let kind: RemoteSchema.Field.Kind =
      switch type {
      case "relation":
        .relation(
          to: field["collectionId"]?.text.map { names[$0] ?? $0 } ?? "",
          isMany: field["maxSelect"]?.integer.map { $0 > 1 } ?? false
        )
      case "file": .file
      case "bool": .boolean
      case "number": .number
      case "json": .json
      default: .value
      }
    return RemoteSchema.Field(
      name: name,
      kind: kind,
      isRequired: field["required"]?.boolean == true,
      isFilled: type == "autodate" || field["primaryKey"]?.boolean == true,
      rule: type != "text"
        ? nil
        : FieldRule(
          pattern: field["pattern"]?.text,
          lengths: FieldRule.lengths(from: field["min"]?.integer, to: field["max"]?.integer)
        )
    )
  }

  // MARK: - Directus

  /// System collections begin with `directus_`; of those, only the users' is one that records refer to.
  private func directusCollections(_ answer: JSONValue) -> [RemoteSchema.Collection]? {
    guard let rows = answer["data"]?.array else { return nil }
    var fields: [String: [RemoteSchema.Field]] = [:]
    var names: [String] = []
    for row in rows {
      guard let name = row["collection"]?.text else { return nil }
      guard !name.hasPrefix("directus_") || name == "directus_users",
        let field = directusField(row)
      else { continue }
      if fields[name] == nil { names.append(name) }
      fields[name, default: []].append(field)
    }
    return names.map { name in
      RemoteSchema.Collection(
        name: name,
        fields: fields[name] ?? [],
        holdsAccounts: name == "directus_users"
      )
    }
  }

  /// `nil` for a field without a column of its own, such as the other side of a relation.
  private func directusField(_ row: JSONValue) -> RemoteSchema.Field? {
    guard let name = row["field"]?.text, let type = row["type"]?.text, type != "alias" else {
      return nil
    }
    let column = row["schema"]
    let special = Set((row["meta"]?["special"]?.array ?? []).compactMap(\.text))
    let target = column?["foreign_key_table"]?.text
    let kind: RemoteSchema.Field.Kind =
      switch type {
      case _ where target == "directus_files": .file
      case _ where target != nil: .relation(to: target ?? "", isMany: false)
      case "boolean": .boolean
      case "integer", "float": .number
      case "dateTime", "timestamp": .moment
      default: .value
      }
    let isKey = column?["is_primary_key"]?.boolean == true
    let made: Set = ["date-created", "date-updated", "user-created", "user-updated"]
    let mayLack =
      column?["is_nullable"]?.boolean != false || column?["default_value"]?.isNull == false
    return RemoteSchema.Field(
      name: name,
      kind: kind,
      isRequired: row["meta"]?["required"]?.boolean == true || !mayLack && !isKey,
      isFilled: isKey || !special.isDisjoint(with: made),
      rule: directusRule(type, column)
    )
  }

  private func directusRule(_ type: String, _ column: JSONValue?) -> FieldRule {
    switch type {
    case "uuid": FieldRule(.uuid)
    case "integer", "bigInteger", "float", "decimal": FieldRule(.number)
    default: FieldRule(lengths: FieldRule.lengths(from: nil, to: column?["max_length"]?.integer))
    }
  }

  // MARK: - Parse

  /// Classes of Parse's own begin with `_`; of those, only the users' is one that records refer to.
  private func parseClasses(_ answer: JSONValue) -> [RemoteSchema.Collection]? {
    guard let classes = answer["results"]?.array else { return nil }
    let own: Set = ["objectId", "createdAt", "updatedAt", "ACL"]
    return classes.compactMap { item in
      guard let name = item["className"]?.text, !name.hasPrefix("_") || name == "_User" else {
        return nil
      }
      let fields = (item["fields"]?.object?.members ?? []).map { member in
        let isOwn = own.contains(member.name)
        return RemoteSchema.Field(
          name: member.name,
          kind: parseKind(member.value),
          isRequired: !isOwn && member.value["required"]?.boolean == true
            && member.value["defaultValue"] == nil,
          isFilled: isOwn
        )
      }
      return RemoteSchema.Collection(name: name, fields: fields, holdsAccounts: name == "_User")
    }
  }

  private func parseKind(_ field: JSONValue) -> RemoteSchema.Field.Kind {
    switch field["type"]?.text {
    case "Pointer": .relation(to: field["targetClass"]?.text ?? "", isMany: false)
    case "File": .file
    case "Boolean": .boolean
    case "Number": .number
    case "Date": .moment
    default: .value
    }
  }

  // MARK: - PostgREST

  private func objects(_ schemas: JSONValue?) -> [RemoteSchema.Collection]? {
    guard let members = schemas?.object?.members else { return nil }
    return members.compactMap { member in
      guard let properties = member.value["properties"]?.object else { return nil }
      let required = Set((member.value["required"]?.array ?? []).compactMap(\.text))
      let keys = properties.members.filter { isKey($0.value) }.map(\.name)
      let fields = properties.members.map { property in
        RemoteSchema.Field(
          name: property.name,
          kind: kind(of: property.value),
          isRequired: required.contains(property.name) && property.value["default"] == nil,
          isFilled: keys == [property.name],
          rule: FieldRule(ofSchema: property.value)
        )
      }
      return RemoteSchema.Collection(name: member.name, fields: fields, keys: keys)
    }
  }

  /// PostgREST writes keys into descriptions: `<pk/>`, `<fk table='folders' column='id'/>`.
  private func isKey(_ property: JSONValue) -> Bool {
    property["description"]?.text?.contains("<pk/>") == true
  }

  private func kind(of property: JSONValue) -> RemoteSchema.Field.Kind {
    guard let text = property["description"]?.text,
      let start = text.firstRange(of: "<fk table='")?.upperBound,
      let end = text[start...].firstIndex(of: "'")
    else {
      return switch property["type"]?.text {
      case "boolean": .boolean
      case "integer", "number": .number
      default: RemoteSchema.isMoment(format: property["format"]?.text) ? .moment : .value
      }
    }
    return .relation(to: String(text[start..<end]), isMany: false)
  }
}
