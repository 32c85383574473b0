import JSONText
import Records
import SchemaEmission

/// A store of notes: a key that is a UUID, addresses, a reference that each note has, one to a note that is made
/// later, a list of references, and a member of each content.
enum Notes {
  static let source = SchemaSource(
    model: model,
    identities: ["Note": "key"],
    records: [("Folder", folder), ("Tag", tag), ("Note", note)]
  )

  private static let model = StoreModel(
    origin: .store,
    entities: [
      StoreEntity(name: "Folder", attributes: [StoreAttribute(name: "id", kind: .integer32)]),
      StoreEntity(name: "Tag", attributes: [StoreAttribute(name: "name", kind: .string)]),
      StoreEntity(
        name: "Note",
        attributes: [
          StoreAttribute(name: "key", kind: .uuid, isOptional: false),
          StoreAttribute(name: "title", kind: .string, isOptional: false),
          StoreAttribute(name: "rank", kind: .integer16, isOptional: false),
          StoreAttribute(name: "price", kind: .decimal),
          StoreAttribute(name: "twinID", kind: .uuid),
        ],
        relationships: [
          StoreRelationship(name: "folder", destination: "Folder", isOptional: false),
          StoreRelationship(name: "parent", destination: "Note", isOptional: false),
          StoreRelationship(name: "tags", destination: "Tag", isToMany: true),
        ],
        uniqueKeys: [["key"], ["title"]]
      ),
    ]
  )

  private static let folder: JSONValue = [
    "properties": ["$id": ["type": "string"], "id": ["type": ["integer", "null"]]]
  ]

  private static let tag: JSONValue = [
    "properties": ["$id": ["type": "string"], "name": ["type": ["null", "string"]]]
  ]

  private static let note: JSONValue = [
    "properties": [
      "body": ["type": ["null", "string"], "x-holds": "bytes"],
      "createdAt": ["type": "string", "x-holds": "date", "format": "date-time"],
      "done": ["type": "boolean"],
      "folder": ["type": ["null", "string"], "x-references": ["Folder"]],
      "key": ["type": "string", "format": "uuid"],
      "parent": ["type": ["null", "string"], "x-references": ["Note"]],
      "place": ["type": ["null", "object"]],
      "price": ["type": ["null", "string"], "x-holds": "decimal"],
      "rank": ["type": "integer"],
      "score": ["type": ["null", "number"]],
      "tags": ["type": "array", "items": ["type": "string"], "x-references": ["Tag"]],
      "title": ["type": "string"],
      "twinID": ["type": ["null", "string"], "format": "uuid"],
      "words": ["type": ["array", "null"], "items": ["type": "string"]],
    ]
  ]
}
