/// What the name of a column in an entity's table says without a model.
enum ColumnForm: Hashable {
  /// Core Data's own: the key, the entity, the counter of changes.
  case own
  case value
  /// `Z<number>_<NAME>` beside `Z<NAME>`: the entity of a to-one relationship's target.
  case targetEntity(number: Int, name: String)
  /// `Z<number><NAME>`: the key of the owner of a to-many relationship without inverse.
  ///
  /// No property begins with a digit, so nothing else is called so.
  case ownerKey(number: Int, name: String)

  private static let ownNames: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

  /// The column with the places that objects have in the relationship that the key column holds.
  static func order(of column: String) -> String { "Z_FOK_" + column.dropFirst() }

  init(_ column: String, in table: StoreSchema.Table) {
    guard column.hasPrefix("Z"), !Self.ownNames.contains(column) else {
      self = .own
      return
    }
    let rest = column.dropFirst()
    let digits = rest.utf8.prefix(while: isDigit)
    guard !digits.isEmpty, let number = Int(String(digits) ?? "") else {
      self = .value
      return
    }
    let name = String(rest.dropFirst(digits.count))
    guard name.hasPrefix("_") else {
      self = .ownerKey(number: number, name: name)
      return
    }
    let plain = String(name.dropFirst())
    self =
      table.column("Z" + plain) == nil
      ? .ownerKey(number: number, name: plain) : .targetEntity(number: number, name: plain)
  }
}

/// One column of a table of pairs: the number of the entity whose keys it holds, and the name of
/// the relationship that leads to them.
struct PairColumn: Hashable {
  let column: String
  let number: Int
  let name: String

  /// Takes `Z_<number><NAME>` apart, or gives `nil` for any other name.
  init?(_ column: String) {
    guard column.hasPrefix("Z_") else { return nil }
    let rest = column.dropFirst(2)
    let digits = rest.utf8.prefix(while: isDigit)
    guard let number = Int(String(digits) ?? ""), rest.utf8.count > digits.count else { return nil }
    self.column = column
    self.number = number
    name = String(rest.dropFirst(digits.count))
  }

  /// The same column, called as its table is, without the digit a collision gave it.
  func called(as name: String) -> PairColumn {
    guard self.name.hasPrefix(name),
      self.name.utf8.dropFirst(name.utf8.count).allSatisfy(isDigit)
    else { return self }
    return PairColumn(column: column, number: number, name: name)
  }

  private init(column: String, number: Int, name: String) {
    (self.column, self.number, self.name) = (column, number, name)
  }
}
