import JSONText

/// What `PUT /api/collections/import` of PocketBase takes, for the preset `pocketbase`.
///
/// Each collection has an owner, and its rules show a user the user's own records alone.
/// https://pocketbase.io/docs/api-collections/#import-collections
struct PocketBaseForm {
  let tables: [Table]

  /// The relation to the account that a record belongs to.
  static let owner = "owner"
  /// The ID that PocketBase gives its collection `users`.
  private static let users: JSONValue = "_pb_users_auth_"
  /// The most bytes of a text or of JSON; PocketBase's own limit is 5,000 characters of text.
  private static let size: JSONValue = 5_000_000
  /// What PocketBase itself adds to each record.
  static let reserved: Set = ["collectionId", "collectionName", "expand"]

  var emitted: EmittedSchema {
    let document: JSONValue = [
      "collections": .array(tables.map { .object(collection($0)) }), "deleteMissing": false,
    ]
    return EmittedSchema(
      text: document.prettyText + "\n",
      notes: tables.notes + tables.openReferences + wide + stamps
    )
  }

  /// Why a field cannot have a name.
  static func lack(of name: String) -> String? {
    isWord(name)
      ? nil : "PocketBase has no field of the name “\(name)”; name another one in “body”"
  }

  private static func isWord(_ name: String) -> Bool {
    name.utf8.count <= 255
      && name.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte)
      }
  }

  // MARK: - Collections

  private func collection(_ table: Table) -> JSONObject {
    let own: JSONValue = .string("\(Self.owner) = @request.auth.id")
    var fields = [Self.key, ownerField] + table.fields.map { .object(field($0)) }
    if !hasStamp(table) { fields.append(Self.stamp) }
    return [
      "id": .string(Self.id(of: table)), "name": .string(table.name), "type": "base",
      "fields": .array(fields), "indexes": .array(indexes(of: table).map { .string($0) }),
      "listRule": own, "viewRule": own, "createRule": own, "updateRule": own, "deleteRule": own,
    ]
  }

  private static func id(of table: Table) -> String { "pbc_\(table.name)" }

  /// The form of the identities that the preset makes, which is PocketBase's own.
  private static let key: JSONValue = [
    "name": "id", "type": "text", "primaryKey": true, "required": true, "system": true,
    "min": 15, "max": 15, "pattern": "^[a-z0-9]+$", "autogeneratePattern": "[a-z0-9]{15}",
  ]

  /// By it a change of another device is seen.
  private static let stamp: JSONValue = [
    "name": "updated", "type": "autodate", "onCreate": true, "onUpdate": true,
  ]

  private var ownerField: JSONValue {
    [
      "name": .string(Self.owner), "type": "relation", "collectionId": Self.users,
      "maxSelect": 1, "required": true, "cascadeDelete": true,
    ]
  }

  private func hasStamp(_ table: Table) -> Bool {
    table.fields.contains { $0.name.lowercased() == "updated" }
  }

  private func field(_ field: Table.Field) -> JSONObject {
    var object: JSONObject = ["name": .string(field.name)]
    switch field.content {
    case .text, .uuid, .decimal, .bytes:
      object["type"] = "text"
      object["max"] = Self.size
    case .date:
      object["type"] = "date"
      object["required"] = .boolean(field.isRequired)
    case .boolean: object["type"] = "bool"
    case .integer, .number:
      // PocketBase makes 0 of no number, and keeps numbers as doubles.
      object["type"] = field.isRequired && !field.member.isWide ? "number" : "json"
    case .object, .list, .texts, .any:
      object["type"] = "json"
      object["maxSize"] = Self.size
    case .reference, .references: describe(field, in: &object)
    }
    return object
  }

  private func describe(_ field: Table.Field, in object: inout JSONObject) {
    guard let target = tables.target(of: field.content) else {
      object["type"] = field.content.isReference ? "text" : "json"
      return
    }
    let most = field.member.maximumCount
    object["type"] = "relation"
    object["collectionId"] = .string(Self.id(of: target))
    object["maxSelect"] =
      field.content.isReference ? 1 : .number(JSONNumber(Int64(most > 1 ? most : 1_000_000)))
    object["required"] = .boolean(field.isRequired)
    object["cascadeDelete"] = false
  }

  private func indexes(of table: Table) -> [String] {
    let references = table.fields.filter(\.content.isReference).map(\.name)
    return ([Self.owner] + references).map { index("", [$0], of: table) }
      + uniqueKeys(of: table).map { index("UNIQUE ", [Self.owner] + $0, of: table) }
  }

  /// The unique keys of which no part may be absent: to PocketBase two absent texts are the same.
  private func uniqueKeys(of table: Table) -> [[String]] {
    let required = Set(table.fields.filter(\.isRequired).map(\.name))
    return table.uniqueKeys.filter { $0.allSatisfy(required.contains) }
  }

  private func index(_ word: String, _ columns: [String], of table: Table) -> String {
    let name = "idx_\(table.name)_\(columns.joined(separator: "_"))"
    let list = columns.map { "`\($0)`" }.joined(separator: ", ")
    return "CREATE \(word)INDEX `\(name)` ON `\(table.name)` (\(list))"
  }

  // MARK: - What is not carried

  private var wide: [String] {
    fields { $0.content == .integer(bits: 64) && $0.isRequired && !$0.member.isWide }.map {
      "\($0): PocketBase keeps whole numbers of up to 53 bits exactly"
    }
  }

  private var stamps: [String] {
    tables.filter(hasStamp).map {
      "\($0.entity): its own field “updated” takes the place of PocketBase's, by which a change of "
        + "another device is seen"
    }
  }

  private func fields(_ isMeant: (Table.Field) -> Bool) -> [String] {
    tables.flatMap { table in
      table.fields.filter(isMeant).map { "\(table.entity).\($0.member.name)" }
    }
  }
}
