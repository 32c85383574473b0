/// One value of a row, lent by the store that is being read.
///
/// The bytes behind `text`, `blob` and `json`, and the cells behind `list`, stay valid until the
/// cursor steps to the next row, and no longer.
package enum Cell {
  case null
  case integer(Int64)
  case real(Double)
  /// Text as the store holds it, not yet checked to be UTF-8.
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)
  /// Text or bytes that are read in pieces; see ``large`` and ``lending(_:)``.
  case large(Unmanaged<LargeValue>)
  /// A value the store decoded itself (a keyed archive), as JSON text.
  case json(UnsafeRawBufferPointer)
  /// The values of a to-many relationship.
  case list(UnsafeBufferPointer<Cell>)
  /// A binary value that lies in a file of its own, and the file is not there.
  case lostFile(UnsafeRawBufferPointer)
  /// The identity that a record would have to which a relationship leads, and the store has none.
  ///
  /// It is expected where the app shows no link either: in Core Data, and where a foreign key is 0.
  case dangling(UnsafeRawBufferPointer, isExpected: Bool)
}

/// One row of a store, its cells in the order of the request.
package struct Row {
  /// The row's place in the store's own order (`Z_PK`), by which reading can go on later.
  package let place: Int64
  package let cells: UnsafeBufferPointer<Cell>
  /// Whether one of the row's values is larger than ``largestValue``; none of them was read then, and
  /// the cells are null.
  package let isTooLarge: Bool

  /// The bytes that a value of an SQLite database may have to be read.
  package static let largestValue = 128 << 20

  package init(place: Int64, cells: UnsafeBufferPointer<Cell>, isTooLarge: Bool = false) {
    self.place = place
    self.cells = cells
    self.isTooLarge = isTooLarge
  }
}
