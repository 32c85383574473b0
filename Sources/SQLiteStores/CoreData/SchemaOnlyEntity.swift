import Records

/// One entity as its table shows it, built up column by column.
struct SchemaOnlyEntity {
  private(set) var layout: EntityLayout
  private(set) var attributes: [StoreAttribute] = []
  private(set) var relationships: [StoreRelationship] = []
  private let names: [Int: StoreMetadata.NumberedEntity]

  init(
    _ name: EntityName,
    number: Int,
    table: StoreSchema.Table?,
    names: [Int: StoreMetadata.NumberedEntity]
  ) {
    layout = EntityLayout(name: name, number: number, table: table?.name)
    self.names = names
    guard let table else { return }
    // The entity of a target is kept in a column of its own, which makes the key beside it one.
    var targets: [String: EntityName] = [:]
    // The order of a relationship without inverse is read with it; any other is a value of its own.
    var orders: Set<String> = []
    for column in table.columns {
      switch ColumnForm(column.name, in: table) {
      case .own, .value: continue
      case .targetEntity(let number, let name): targets[name] = entity(number)
      case .ownerKey(let number, _):
        if entity(number) != nil { orders.insert(ColumnForm.order(of: column.name)) }
      }
    }
    for column in table.columns where !orders.contains(column.name) {
      switch ColumnForm(column.name, in: table) {
      case .own, .targetEntity: continue
      case .ownerKey(let number, _):
        // The owner's side has it, unless there is no such owner.
        if entity(number) == nil { add(column) }
      case .value:
        if let target = targets[String(column.name.dropFirst())] {
          add(column, leadingTo: target)
        } else {
          add(column)
        }
      }
    }
  }

  private func entity(_ number: Int) -> EntityName? {
    names[number].flatMap { EntityName($0.name) }
  }

  private mutating func add(_ column: StoreSchema.Column) {
    let kind: StoreAttribute.Kind =
      switch column.declaredType.uppercased() {
      case "VARCHAR": .string
      case "FLOAT": .double
      case "DECIMAL": .decimal
      case "TIMESTAMP": .date
      case let other: .undeclared(sqlType: other)
      }
    let attribute = StoreAttribute(name: String(column.name.dropFirst()), kind: kind)
    attributes.append(attribute)
    layout.leaves[[attribute.name]] = EntityLayout.Leaf(
      column: column.name,
      kind: kind,
      mayBeExternal: false
    )
  }

  private mutating func add(_ column: StoreSchema.Column, leadingTo destination: EntityName) {
    let name = String(column.name.dropFirst())
    relationships.append(StoreRelationship(name: name, destination: destination))
    layout.toOne[name] = EntityLayout.ToOne(column: column.name, destination: destination)
  }

  /// Adds a relationship that another table keeps.
  mutating func add(_ relationship: SchemaOnlyRelationships.ToMany) {
    guard let destination = entity(relationship.destination) else { return }
    var isOrdered = false
    switch relationship.place {
    case .key(_, _, let order), .pairs(_, _, _, let order, _): isOrdered = order != nil
    }
    // Another entity of the tree may have a column of this name.
    let isTaken =
      attributes.contains { $0.name == relationship.name }
      || relationships.contains { $0.name == relationship.name }
    let name =
      isTaken ? "\(relationship.name)_\(relationship.destination)" : relationship.name
    relationships.append(
      StoreRelationship(
        name: name,
        destination: destination,
        inverse: relationship.inverse,
        isToMany: true,
        isOrdered: isOrdered
      )
    )
    layout.toMany[name] = EntityLayout.ToMany(place: relationship.place, destination: destination)
  }
}
