import Records

/// Where the properties of one entity lie in the tables.
struct EntityLayout {
  /// One column of an attribute.
  struct Leaf {
    /// `nil` when the model has the attribute and the table lacks the column.
    let column: String?
    let kind: StoreAttribute.Kind
    let mayBeExternal: Bool
  }

  struct ToOne {
    let column: String?
    let destination: EntityName
  }

  struct ToMany {
    let place: LinkPlace?
    let destination: EntityName
  }

  let name: EntityName
  let number: Int
  /// The table of the entity's root, or `nil` when the store has none.
  let table: String?
  /// The attributes' columns by path: `["author", "person"]`.
  var leaves: [[String]: Leaf] = [:]
  var toOne: [String: ToOne] = [:]
  var toMany: [String: ToMany] = [:]
}
