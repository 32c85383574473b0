/// One value of a property list.
///
/// Arrays and dictionaries that the file shares are shared here too: the value takes memory in
/// proportion to the file, however often an object is referred to.
package enum PropertyList: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  /// An integer above `Int64.max`, which binary lists write in 16 bytes.
  case unsignedInteger(UInt64)
  case real(Double)
  /// Seconds since 2001-01-01T00:00:00Z; any double is possible, also NaN.
  case date(secondsSinceReferenceDate: Double)
  case data([UInt8])
  case string(String)
  /// A text or data that is read in pieces, of a list that is read from its file.
  case long(LongLeaf)
  case array([PropertyList])
  case set([PropertyList])
  /// Members in the order of the file; a name occurs once, names being compared by their bytes.
  case dictionary([Member])
  /// A reference into the object table of a keyed archive.
  case uid(Int)

  /// One name of a dictionary with its value.
  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: PropertyList

    package init(name: String, value: PropertyList) {
      self.name = name
      self.value = value
    }
  }
}

extension PropertyList {
  /// The value of a dictionary's member, or `nil` when it is missing or this is no dictionary.
  package subscript(name: String) -> PropertyList? {
    guard case .dictionary(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The text, when this is a string that is held.
  package var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The whole number, when this is an integer or a boolean (`true` is one).
  package var wholeNumber: Int64? {
    switch self {
    case .integer(let number): number
    case .boolean(let flag): flag ? 1 : 0
    default: nil
    }
  }

  /// The elements, when this is an array or a set.
  package var elements: [PropertyList]? {
    switch self {
    case .array(let elements), .set(let elements): elements
    default: nil
    }
  }

  /// The members, when this is a dictionary.
  package var members: [Member]? {
    guard case .dictionary(let members) = self else { return nil }
    return members
  }

  /// How many bytes a text or data has; 0 for every other value.
  package var byteCount: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    case .long(let leaf): leaf.count
    default: 0
    }
  }

  /// Whether this is data, held or not.
  var isData: Bool {
    switch self {
    case .data: true
    case .long(let leaf): !leaf.isText
    default: false
    }
  }

  /// The bytes, when this is data that is held.
  package var bytes: [UInt8]? {
    guard case .data(let bytes) = self else { return nil }
    return bytes
  }
}
