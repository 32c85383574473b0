import Records
import StoreFiles

/// What can be said of a store without its model: tables, columns, declared types.
///
/// Names are those of the columns without their first letter, in upper case; letters that were
/// small once are not guessed. Relationships are reported where the tables leave no doubt (tables of
/// pairs, keys of owners, targets whose entity is kept); other keys stay plain integers, and so does
/// the order beside that key: `_FOK_OWNER` beside `OWNER`. Which sub-entity a column belongs to is
/// not known, so each entity of a tree has all columns.
struct SchemaOnlyModel {
  let model: StoreModel
  private(set) var layouts: [EntityName: EntityLayout] = [:]
  private(set) var dataTables: Set<String> = []
  private(set) var findings: [Finding] = []

  init(_ metadata: StoreMetadata, schema: StoreSchema) {
    let names = Dictionary(
      metadata.entities.map { ($0.number, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var trees: [(number: Int, table: StoreSchema.Table)] = []
    for entity in metadata.entities where names[entity.superNumber] == nil {
      guard let table = schema.tables["Z" + entity.name.uppercased()] else { continue }
      trees.append((entity.number, table))
    }
    let relationships = SchemaOnlyRelationships(schema, trees: trees)
    var described: [StoreEntity] = []
    for entity in metadata.entities {
      guard let name = EntityName(entity.name) else { continue }
      let chain = Self.chain(of: entity, in: names)
      let root = chain.last ?? entity
      let tableName = "Z" + root.name.uppercased()
      let table = schema.tables[tableName]
      if table == nil, entity.number == root.number {
        findings.append(StoreLayout.missingTable(tableName, of: entity.name))
      }
      var shape = SchemaOnlyEntity(name, number: entity.number, table: table, names: names)
      for above in chain {
        for relationship in relationships.toMany[above.number] ?? [] { shape.add(relationship) }
      }
      if let table { dataTables.insert(table.name) }
      layouts[name] = shape.layout
      described.append(
        StoreEntity(
          name: name,
          number: entity.number,
          superentity: names[entity.superNumber].flatMap { EntityName($0.name) },
          attributes: shape.attributes,
          relationships: shape.relationships
        )
      )
    }
    dataTables.formUnion(relationships.pairTables)
    model = StoreModel(
      origin: .schemaOnly,
      entities: described,
      versionIdentifiers: metadata.modelVersionIdentifiers
    )
    findings.append(contentsOf: Self.unrecoverable(described, metadata))
  }

  /// The entity and all above it, the entity first.
  private static func chain(
    of entity: StoreMetadata.NumberedEntity,
    in names: [Int: StoreMetadata.NumberedEntity]
  ) -> [StoreMetadata.NumberedEntity] {
    var chain = [entity]
    while let last = chain.last, let above = names[last.superNumber], chain.count <= names.count {
      chain.append(above)
    }
    return chain
  }

  /// That integer columns may be more than one thing, where there are any.
  private static func words(ofNumbers numbers: Set<String>) -> String {
    guard !numbers.isEmpty else { return "" }
    return "; \(numbers.count) integer columns may be numbers, booleans or keys of to-one "
      + "relationships: " + numbers.sorted().prefix(20).joined(separator: ", ")
      + (numbers.count > 20 ? ", …" : "")
  }

  /// Says what no table has.
  private static func unrecoverable(
    _ entities: [StoreEntity],
    _ metadata: StoreMetadata
  ) -> [Finding] {
    // The columns of orders are named by Core Data.
    let found = entities.flatMap(\.attributes).filter { !$0.name.hasPrefix("_FOK_") }
    let attributes = Set(found.map(\.name))
    let numbers = Set(
      found.filter { $0.kind == .undeclared(sqlType: "INTEGER") }.map(\.name)
    )
    guard !attributes.isEmpty else { return [] }
    var findings = [
      Finding(
        code: "store.names-unrecoverable",
        severity: .warning,
        cause: "the spelling of \(attributes.count) property names is not in the store, only their "
          + "upper case; entity names are sound" + words(ofNumbers: numbers),
        cure: "give the app's model with --model (.momd or .xcdatamodeld)"
      )
    ]
    let listed = Set(metadata.entities.map(\.name))
    if let hashes = metadata.versionHashes, Set(hashes.keys) != listed {
      let names = Set(hashes.keys).symmetricDifference(listed).sorted()
      findings.append(
        Finding(
          code: "store.entity-names-differ",
          severity: .warning,
          cause: "Z_PRIMARYKEY and the version hashes name other entities: "
            + KeyList.text(names, shown: 10),
          cure:
            "an entity was renamed; the names of Z_PRIMARYKEY are used, which may be the old ones"
        )
      )
    }
    return findings
  }
}
