import Records

/// What can be said of a store without its model: tables, columns, declared types.
///
/// Names are those of the columns without their first letter, in upper case; letters that were
/// small once are not guessed. Keys of relationships stay plain integers. Which sub-entity a column
/// belongs to is not known, so each entity of a tree has all columns.
struct SchemaOnlyModel {
  let model: StoreModel
  let layouts: [EntityName: EntityLayout]
  let dataTables: Set<String>
  let findings: [Finding]

  init(_ metadata: StoreMetadata, schema: StoreSchema) {
    let names = Dictionary(
      metadata.entities.map { ($0.number, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var entities: [StoreEntity] = []
    var layouts: [EntityName: EntityLayout] = [:]
    var dataTables: Set<String> = []
    var findings: [Finding] = []
    for entity in metadata.entities {
      guard let name = EntityName(entity.name) else { continue }
      let root = Self.root(of: entity, in: names)
      let tableName = "Z" + root.name.uppercased()
      let table = schema.tables[tableName]
      if table == nil, entity.number == root.number {
        findings.append(StoreLayout.missingTable(tableName, of: entity.name))
      }
      var layout = EntityLayout(name: name, number: entity.number, table: table?.name)
      var attributes: [StoreAttribute] = []
      for column in table?.columns ?? [] where Self.isValue(column.name) {
        let attribute = Self.attribute(column)
        attributes.append(attribute)
        layout.leaves[[attribute.name]] = EntityLayout.Leaf(
          column: column.name,
          kind: attribute.kind,
          mayBeExternal: false
        )
      }
      if let table { dataTables.insert(table.name) }
      layouts[name] = layout
      entities.append(
        StoreEntity(
          name: name,
          number: entity.number,
          superentity: names[entity.superNumber].flatMap { EntityName($0.name) },
          attributes: attributes
        )
      )
    }
    model = StoreModel(
      origin: .schemaOnly,
      entities: entities,
      versionIdentifiers: metadata.modelVersionIdentifiers
    )
    self.layouts = layouts
    self.dataTables = dataTables
    self.findings = findings
  }

  private static func root(
    of entity: StoreMetadata.NumberedEntity,
    in names: [Int: StoreMetadata.NumberedEntity]
  ) -> StoreMetadata.NumberedEntity {
    var root = entity
    for _ in 0..<names.count {
      guard root.superNumber != 0, let above = names[root.superNumber] else { break }
      root = above
    }
    return root
  }

  /// Leaves out Core Data's own columns: keys, orders, the entities of to-one targets.
  private static func isValue(_ column: String) -> Bool {
    guard column.hasPrefix("Z"), !column.hasPrefix("Z_") else { return false }
    let rest = column.utf8.dropFirst()
    let digits = rest.prefix(while: isDigit)
    return digits.isEmpty || rest.dropFirst(digits.count).first != UInt8(ascii: "_")
  }

  private static func attribute(_ column: StoreSchema.Column) -> StoreAttribute {
    let kind: StoreAttribute.Kind =
      switch column.declaredType.uppercased() {
      case "VARCHAR": .string
      case "FLOAT": .double
      case "DECIMAL": .decimal
      case "TIMESTAMP": .date
      case let other: .undeclared(sqlType: other)
      }
    return StoreAttribute(name: String(column.name.dropFirst()), kind: kind)
  }
}
