import JSONText
import Records

/// A REST API for the records: for each entity the five routes that the preset `django-rest-framework`
/// speaks to, without a base path.
///
/// https://spec.openapis.org/oas/v3.1.0
struct OpenAPIForm {
  let tables: [Table]

  var emitted: EmittedSchema {
    var paths = JSONObject()
    var schemas = JSONObject()
    for table in tables {
      paths["/\(table.name)/"] = collection(table)
      paths["/\(table.name)/{id}/"] = item(table)
      schemas[table.entity.text] = .object(JSONSchemaForm.record(of: table))
      schemas["\(table.entity)Change"] = .object(
        JSONSchemaForm.record(of: table, isWhole: false)
      )
    }
    let document: JSONValue = [
      "openapi": "3.1.0",
      "info": ["title": "Records of a store", "version": "1"],
      "paths": .object(paths),
      "components": [
        "schemas": .object(schemas),
        "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
      ],
      "security": [["token": []]],
    ]
    return EmittedSchema(
      text: document.prettyText + "\n",
      notes: tables.notes + tables.uncheckedKeys + unnamed
    )
  }

  /// The entities whose names no component can have.
  ///
  /// https://spec.openapis.org/oas/v3.1.0#fixed-fields-5
  private var unnamed: [String] {
    tables.map(\.entity.text).filter { name in
      !name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }.map {
      "\($0): a component of OpenAPI cannot have that name; rename the schema and its references"
    }
  }

  // MARK: - Routes

  private func collection(_ table: Table) -> JSONValue {
    [
      "get": operation("list", table, [:], ["200": Self.answer("One page", page(of: table))]),
      "post": operation(
        "create",
        table,
        ["requestBody": body(table.entity.text)],
        [
          "201": Self.answer("The record", Self.schema(table.entity.text)),
          "400": Self.answer("The record is refused, or one with this id already exists", nil),
        ]
      ),
    ]
  }

  private func item(_ table: Table) -> JSONValue {
    let found = Self.answer("The record", Self.schema(table.entity.text))
    let missing = Self.answer("There is no record of this id", nil)
    return [
      "parameters": [
        ["name": "id", "in": "path", "required": true, "schema": ["type": "string"]]
      ],
      "get": operation("read", table, [:], ["200": found, "404": missing]),
      "patch": operation(
        "update",
        table,
        ["requestBody": body("\(table.entity)Change")],
        ["200": found, "404": missing]
      ),
      "delete": operation(
        "delete",
        table,
        [:],
        ["204": Self.answer("The record is deleted", nil), "404": missing]
      ),
    ]
  }

  private func operation(
    _ verb: String,
    _ table: Table,
    _ more: JSONObject,
    _ answers: JSONValue
  ) -> JSONValue {
    var operation = more
    operation["operationId"] = .string("\(verb)\(table.entity)")
    operation["tags"] = .array([.string(table.entity.text)])
    operation["responses"] = answers
    return .object(operation)
  }

  private func body(_ schema: String) -> JSONValue {
    ["required": true, "content": ["application/json": ["schema": Self.schema(schema)]]]
  }

  private static func answer(_ text: String, _ schema: JSONValue?) -> JSONValue {
    guard let schema else { return ["description": .string(text)] }
    return [
      "description": .string(text), "content": ["application/json": ["schema": schema]],
    ]
  }

  private static func schema(_ name: String) -> JSONValue {
    ["$ref": .string("#/components/schemas/\(name.replacing("~", with: "~0"))")]
  }

  private func page(of table: Table) -> JSONValue {
    [
      "type": "object", "required": ["results"],
      "properties": [
        "results": ["type": "array", "items": Self.schema(table.entity.text)],
        "next": ["type": ["string", "null"], "description": "The address of the next page"],
      ],
    ]
  }
}
