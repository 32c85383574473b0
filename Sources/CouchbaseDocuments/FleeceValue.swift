/// A value of Fleece, the binary form in which Couchbase Lite keeps documents.
///
/// https://github.com/couchbase/fleece/blob/master/Fleece.md
package enum FleeceValue: Hashable, Sendable {
  case null
  /// No value: in a dictionary, the mark of a member that is deleted.
  case undefined
  case boolean(Bool)
  /// A whole number of up to 64 bits with a sign.
  case integer(Int64)
  /// A whole number of up to 64 bits without a sign.
  case unsigned(UInt64)
  /// A number of 32 bits.
  case float(Float)
  /// A number of 64 bits.
  case double(Double)
  case text(String)
  /// The bytes of a text that are not UTF-8.
  case malformedText([UInt8])
  case data([UInt8])
  /// A text, not yet checked to be UTF-8, or data: too many bytes to be held, and where they lie.
  case long(Range<Int>, isText: Bool)
  case array([FleeceValue])
  /// An array of too many items to be held, and where they lie; see ``FleeceReader/items(of:in:)``.
  indirect case longArray(FleeceItems)
  /// Members in the order of the file, with names that differ.
  case dictionary([FleeceMember])
}

/// A member of a dictionary.
package struct FleeceMember: Hashable, Sendable {
  package let name: String
  package let value: FleeceValue

  package init(_ name: String, _ value: FleeceValue) {
    self.name = name
    self.value = value
  }
}
