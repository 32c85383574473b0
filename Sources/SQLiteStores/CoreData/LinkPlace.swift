/// Where a Core Data store keeps a to-many relationship.
package enum LinkPlace: Hashable, Sendable {
  /// The other side's table holds this side's key.
  case key(table: String, column: String, order: String?)
  /// A table of pairs; `isSymmetric` when a pair counts in both directions.
  case pairs(table: String, own: String, other: String, order: String?, isSymmetric: Bool)
}
