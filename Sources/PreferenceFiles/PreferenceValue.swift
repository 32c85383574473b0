import Files
package import JSONText
package import PropertyLists
package import Records
import StoreFiles

/// A value of preferences as a row lends it.
enum LentValue {
  case held(HeldValue)
  case large(LargeValue)
}

/// A value of preferences, in the form it came in.
package enum PreferenceValue {
  case list(PropertyList)
  /// A value inside JSON that the app keeps as data.
  case json(JSONValue)

  /// The kind of attribute that holds values like this one, or `nil` for null.
  var kind: StoreAttribute.Kind? {
    switch self {
    case .list(let list): Self.kind(of: list)
    case .json(let value): Self.kind(of: value)
    }
  }

  /// Any value of a property list or of JSON, lent as JSON.
  package static let anyKind = StoreAttribute.Kind.transformable(transformer: nil, valueClass: nil)

  private static func kind(of list: PropertyList) -> StoreAttribute.Kind? {
    switch list {
    case .null: nil
    case .boolean: .boolean
    case .integer: .integer64
    case .real: .double
    case .date: .date
    case .string: .string
    case .data(let bytes):
      EncodedData(bytes).transformer.map {
        .transformable(transformer: $0, valueClass: "NSData")
      } ?? .binary
    // Data that is decoded is held.
    case .long(let leaf): leaf.isText ? .string : .binary
    case .unsignedInteger, .array, .set, .dictionary, .uid: anyKind
    }
  }

  private static func kind(of value: JSONValue) -> StoreAttribute.Kind? {
    switch value {
    case .null: nil
    case .boolean: .boolean
    case .string: .string
    case .array, .object: anyKind
    case .number(let number):
      if Int64(number.literal) != nil {
        .integer64
      } else if let double = number.double, JSONNumber(double) == number {
        .double
      } else {
        anyKind
      }
    }
  }

  /// Whether the value is an integer that a double holds exactly.
  var isSmallInteger: Bool {
    guard case .json(.number(let number)) = self, let integer = Int64(number.literal) else {
      return false
    }
    return integer.magnitude <= 1 << 53
  }

  /// The value as an attribute of this kind lends it, or `nil` when it is too long.
  func lent(as kind: StoreAttribute.Kind) -> LentValue? {
    switch self {
    case .list(let list): Self.lent(list, as: kind)
    case .json(let value): Self.held(value, as: kind).map { .held($0) }
    }
  }

  private static func lent(_ list: PropertyList, as kind: StoreAttribute.Kind) -> LentValue? {
    if case .null = list { return .held(.null) }
    guard case .transformable(let transformer, _) = kind else { return plain(list) }
    if transformer != nil, case .data(let bytes) = list {
      return EncodedData(bytes).json.map { .held(.json($0)) }
    }
    return json(of: list)
  }

  private static func json(of list: PropertyList) -> LentValue? {
    guard let parts = PropertyListJSON.parts(list) else { return nil }
    guard !parts.leaves.isEmpty else { return .held(.json(parts.json)) }
    return .large(
      LargeValue(json: parts.json, texts: parts.leaves.map { (LargeValue($0.leaf), $0.place) })
    )
  }

  private static func plain(_ list: PropertyList) -> LentValue? {
    switch list {
    case .boolean(let flag): .held(.integer(flag ? 1 : 0))
    case .integer(let number): .held(.integer(number))
    case .real(let number), .date(secondsSinceReferenceDate: let number): .held(.real(number))
    case .string(let text): .held(.text(Array(text.utf8)))
    case .data(let bytes): .held(.blob(bytes))
    case .long(let leaf): .large(LargeValue(leaf))
    case .null, .unsignedInteger, .array, .set, .dictionary, .uid: json(of: list)
    }
  }

  private static func held(_ value: JSONValue, as kind: StoreAttribute.Kind) -> HeldValue? {
    switch (kind, value) {
    case (_, .null): .null
    case (.boolean, .boolean(let flag)): .integer(flag ? 1 : 0)
    case (.integer64, .number(let number)): Int64(number.literal).map { .integer($0) }
    case (.double, .number(let number)): number.double.map { .real($0) }
    case (.string, .string(let text)): .text(Array(text.utf8))
    default: .json(value.canonicalBytes)
    }
  }
}

extension LargeValue {
  fileprivate convenience init(_ leaf: LongLeaf) {
    unsafe self.init(isText: leaf.isText, count: leaf.count) { buffer, offset in
      do throws(FileError) {
        let bytes = try leaf.bytes(at: offset, count: buffer.count)
        unsafe buffer.copyBytes(from: bytes)
      } catch {
        throw StoreError.file(error)
      }
    }
  }
}
