import ManagedObjectModels
import Records

/// Where everything of a model lies in the tables of a store, and what does not fit.
struct StoreLayout {
  var entities: [EntityName: EntityLayout] = [:]
  var findings: [Finding] = []
  /// The tables that hold the model's data.
  var dataTables: Set<String> = []

  let model: ManagedObjectModel
  let numbers: [String: Int]
  private let oldNames: [String: String]
  let schema: StoreSchema
  /// The entities that lie in another store, because this one holds some configurations only.
  private let absentNames: Set<String>
  /// The columns that the model explains, by table.
  var usedColumns: [String: Set<String>] = [:]

  init(
    _ model: ManagedObjectModel,
    numbers: EntityNumbers,
    schema: StoreSchema,
    absentNames: Set<String> = []
  ) {
    self.model = model
    self.absentNames = absentNames
    self.numbers = numbers.byName
    oldNames = numbers.oldNames
    self.schema = schema
    let roots = model.entities.values.filter { superentity(of: $0) == nil }
    for root in roots.sorted(by: { precedes($0.name, $1.name) }) { place(treeOf: root) }
    for entity in model.entities.values.sorted(by: { precedes($0.name, $1.name) }) {
      placeToMany(of: entity)
    }
    reportUnusedColumns()
  }

  /// The entity and all above it, the entity first.
  func chain(of entity: ManagedObjectModel.Entity) -> [ManagedObjectModel.Entity] {
    var chain = [entity]
    while let last = chain.last, let above = superentity(of: last) { chain.append(above) }
    return chain
  }

  private func superentity(of entity: ManagedObjectModel.Entity) -> ManagedObjectModel.Entity? {
    entity.superName.flatMap { model.entities[$0] }
  }
}

// MARK: - Attributes and to-one relationships

extension StoreLayout {
  private mutating func place(treeOf root: ManagedObjectModel.Entity) {
    let tree = model.entities.values
      .filter { chain(of: $0).last?.name == root.name }
      .sorted { (numbers[$0.name] ?? .max, $0.name) < (numbers[$1.name] ?? .max, $1.name) }
    let tableName = "Z" + root.name.uppercased()
    let oldName = oldNames[root.name].map { "Z" + $0.uppercased() }
    let table = schema.tables[tableName] ?? oldName.flatMap { schema.tables[$0] }
    if let table {
      dataTables.insert(table.name)
    } else if tree.allSatisfy({ absentNames.contains($0.name) }) {
      findings.append(Self.elsewhere(root.name))
    } else {
      findings.append(Self.missingTable(tableName, of: root.name))
    }
    let columns = ColumnNames(tree)
    for entity in tree { place(entity, columns: columns, table: table) }
  }

  private mutating func place(
    _ entity: ManagedObjectModel.Entity,
    columns: ColumnNames,
    table: StoreSchema.Table?
  ) {
    guard let name = EntityName(entity.name), let number = numbers[entity.name] else { return }
    var layout = EntityLayout(name: name, number: number, table: table?.name)
    for declarer in chain(of: entity) {
      for (path, claim) in columns.leaves[declarer.name] ?? [:] {
        let column = use(claim.column, in: table, for: name, path: path, declarer: declarer)
        layout.leaves[path] = EntityLayout.Leaf(
          column: column,
          kind: claim.attribute.kind,
          mayBeExternal: claim.attribute.allowsExternalStorage
        )
      }
      for relationship in declarer.relationships where !relationship.isToMany {
        guard let claimed = columns.toOne[declarer.name]?[relationship.name] else { continue }
        let column = use(
          claimed,
          in: table,
          for: name,
          path: [relationship.name],
          declarer: declarer
        )
        layout.toOne[relationship.name] = EntityLayout.ToOne(
          column: column,
          destination: relationship.destination
        )
      }
    }
    entities[name] = layout
  }

  /// The column when the table has it; a finding, once, when it does not.
  private mutating func use(
    _ column: String,
    in table: StoreSchema.Table?,
    for entity: EntityName,
    path: [String],
    declarer: ManagedObjectModel.Entity
  ) -> String? {
    guard let table else { return nil }
    if let found = table.column(column) {
      usedColumns[table.name, default: []].insert(found)
      return found
    }
    if declarer.name == entity.text {
      findings.append(
        Finding(
          code: "store.column-missing",
          severity: .error,
          entity: entity,
          pointer: "/" + path.joined(separator: "/"),
          cause: "the table \(table.name) has no column \(column)",
          cure: "give another copy of the store, such as one from a backup"
        )
      )
    }
    return nil
  }

  /// The finding for an entity whose table the store does not have.
  static func missingTable(_ table: String, of entity: String) -> Finding {
    Finding(
      code: "store.table-missing",
      severity: .warning,
      entity: EntityName(entity),
      cause: "the store has no table \(table); no rows of the entity are read",
      cure: "give another copy of the store if the entity should have rows"
    )
  }

  private static func elsewhere(_ entity: String) -> Finding {
    Finding(
      code: "store.entity-elsewhere",
      severity: .note,
      entity: EntityName(entity),
      cause: "the model has the entity, and this store holds another configuration of the model",
      cure: "give the app's other store too, if the entity is wanted"
    )
  }

  private mutating func reportUnusedColumns() {
    for tableName in dataTables.sorted() {
      guard let table = schema.tables[tableName], tableName != "Z_PRIMARYKEY" else { continue }
      let used = usedColumns[tableName] ?? []
      let extra = table.columns.map(\.name).filter { !used.contains($0) && !isOwnColumn($0) }
      guard !extra.isEmpty, !isPairTable(tableName) else { continue }
      findings.append(
        Finding(
          code: "store.column-unknown",
          severity: .warning,
          cause: "the model does not explain these columns of \(tableName): "
            + extra.joined(separator: ", "),
          cure: "their values are not read; check whether the app's newest version knows them"
        )
      )
    }
  }

  private func isPairTable(_ name: String) -> Bool {
    name.hasPrefix("Z_") && name.utf8.dropFirst(2).first.map(isDigit) == true
  }

  /// Whether Core Data itself keeps this column: keys, orders, the entities of to-one targets.
  private func isOwnColumn(_ column: String) -> Bool {
    if ["Z_PK", "Z_ENT", "Z_OPT"].contains(column) || column.hasPrefix("Z_FOK_") { return true }
    let rest = column.utf8.dropFirst()
    let digits = rest.prefix(while: isDigit)
    return !digits.isEmpty && rest.dropFirst(digits.count).first == UInt8(ascii: "_")
  }
}
