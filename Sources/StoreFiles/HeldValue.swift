/// A value of a row that is held until it is lent.
package enum HeldValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])
  /// One JSON value.
  case json([UInt8])
}
