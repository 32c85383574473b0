/// One value of a Realm object.
package enum RealmValue: Hashable, Sendable {
  case null
  case int(Int64)
  case bool(Bool)
  case float(Float)
  case double(Double)
  case string(String)
  /// The bytes of a string that is not UTF-8.
  case malformedString([UInt8])
  case data([UInt8])
  /// The bytes of a string, not yet checked to be UTF-8, or of a binary: too many to be held.
  case large(RealmBytes, isText: Bool)
  /// Seconds since 1970-01-01T00:00:00Z, and nanoseconds of the same sign.
  case timestamp(seconds: Int64, nanoseconds: Int32)
  indirect case decimal(RealmDecimal)
  /// The 12 bytes of an ObjectId.
  case objectID([UInt8])
  /// The 16 bytes of a UUID.
  case uuid([UInt8])
  case link(RealmLink)
  case list([RealmValue])
  /// The members of a set, in the order of the file, which has no meaning.
  case set([RealmValue])
  /// The entries of a dictionary, in the order of the file; no key is there twice.
  case dictionary([RealmEntry])
  /// The rows of a sub-table (formats up to 9), their values in the order of its properties.
  case rows([[RealmValue]])
}

/// A reference to an object.
package struct RealmLink: Hashable, Sendable {
  // In this order a value, of which a list holds up to a million, has 24 bytes; in the other it has 32.
  /// The object's key, or its row's number in formats up to 9.
  package let key: Int64
  /// The place of the object's table in ``RealmFile/tables``; `nil` where the file does not say it.
  package let table: Int?

  package init(table: Int?, key: Int64) {
    self.table = table
    self.key = key
  }
}

/// One entry of a dictionary.
package struct RealmEntry: Hashable, Sendable {
  /// A string, or a malformed one; it is held, however long it is.
  package let key: RealmValue
  package let value: RealmValue

  package init(key: RealmValue, value: RealmValue) {
    self.key = key
    self.value = value
  }
}

extension RealmValue {
  /// Text from a file: a string where the bytes are UTF-8.
  init(text bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = .string(text)
    } else {
      self = .malformedString(Array(bytes))
    }
  }
}
