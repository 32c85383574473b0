import TextCodecs

/// Archived objects that are one value in other clothes: dates, UUIDs, URLs, decimals.
enum ArchivedScalar {
  /// The text that represents the object and the name of its kind; `nil` when it is damaged.
  static func wrapped(
    of object: PropertyList,
    _ kind: ArchivedClass,
    in archive: KeyedArchive
  ) throws(PropertyListError) -> ArchivedContent? {
    switch kind {
    case .date:
      guard case .real(let seconds)? = try archive.value("NS.time", of: object) else { return nil }
      return .date(seconds)
    case .uuid:
      return try archive.value("NS.uuidbytes", of: object)?.bytes.flatMap { UUIDText.text($0) }
        .map { .wrapped("$uuid", $0) }
    case .url:
      // A URL with a base stays an object of its two parts.
      guard case .null? = try archive.value("NS.base", of: object),
        let address = try text(archive.value("NS.relative", of: object), in: archive)
      else { return nil }
      return .wrapped("$url", address)
    case .decimal:
      return try decimalText(of: object, in: archive).map { .wrapped("$decimal", $0) }
    case .locale:
      return try text(archive.value("NS.identifier", of: object), in: archive)
        .map { .wrapped("$locale", $0) }
    case .value:
      return try geometry(of: object, in: archive)
    default:
      return nil
    }
  }

  /// `NSValue` of the four kinds that have a text or two numbers, with no key beside them.
  private static func geometry(
    of object: PropertyList,
    in archive: KeyedArchive
  ) throws(PropertyListError) -> ArchivedContent? {
    let key: String
    let name: String
    switch object["NS.special"]?.wholeNumber {
    case 1: (key, name) = ("NS.pointval", "$point")
    case 2: (key, name) = ("NS.sizeval", "$size")
    case 3: (key, name) = ("NS.rectval", "$rect")
    case 4:
      guard object.members?.count == 4,
        let location = try archive.value("NS.rangeval.location", of: object)?.wholeNumber,
        let length = try archive.value("NS.rangeval.length", of: object)?.wholeNumber
      else { return nil }
      return .ranges([(location, length)], name: "$range")
    default: return nil
    }
    guard object.members?.count == 3 else { return nil }
    return try text(archive.value(key, of: object), in: archive).map { .wrapped(name, $0) }
  }

  /// A text, whether it is in the table itself or an object of `NSMutableString`.
  static func text(
    _ value: PropertyList?,
    in archive: KeyedArchive
  ) throws(PropertyListError) -> String? {
    guard let value else { return nil }
    if let text = value.text { return text }
    return try string(of: value, in: archive)
  }

  /// The indexes of a path, or `nil` when the object does not hold them as expected.
  static func indexPath(
    of object: PropertyList,
    in archive: KeyedArchive
  ) throws(PropertyListError) -> [Int64]? {
    guard let count = object["NSIndexPathLength"]?.wholeNumber else { return nil }
    if count == 0 { return object.members?.count == 2 ? [] : nil }
    if count == 1, let index = try archive.value("NSIndexPathValue", of: object)?.wholeNumber {
      return object.members?.count == 3 ? [index] : nil
    }
    guard let bytes = try bytes("NSIndexPathData", of: object, in: archive) else { return nil }
    let numbers = variableLengthNumbers(bytes)
    return numbers.count == count ? numbers : nil
  }

  /// The ranges of an index set, or `nil` when the object does not hold them as expected.
  static func ranges(
    of object: PropertyList,
    in archive: KeyedArchive
  ) throws(PropertyListError) -> [(location: Int64, length: Int64)]? {
    guard let count = object["NSRangeCount"]?.wholeNumber else { return nil }
    if count == 0 { return [] }
    if let location = object["NSLocation"]?.wholeNumber,
      let length = object["NSLength"]?.wholeNumber
    {
      return [(location, length)]
    }
    guard let bytes = try bytes("NSRangeData", of: object, in: archive) else { return nil }
    let numbers = variableLengthNumbers(bytes)
    guard numbers.count % 2 == 0, numbers.count / 2 == count else { return nil }
    return stride(from: 0, to: numbers.count, by: 2).map { (numbers[$0], numbers[$0 + 1]) }
  }

  /// The text of an archived string object.
  static func string(
    of object: PropertyList,
    in archive: KeyedArchive
  ) throws(PropertyListError) -> String? {
    if let text = try archive.value("NS.string", of: object)?.text { return text }
    guard let bytes = try archive.value("NS.bytes", of: object)?.bytes else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The bytes under a key, which may be data itself or an object that holds it.
  static func bytes(
    _ key: String,
    of object: PropertyList,
    in archive: KeyedArchive
  ) throws(PropertyListError) -> [UInt8]? {
    guard let value = try archive.value(key, of: object) else { return nil }
    if let bytes = value.bytes { return bytes }
    return try archive.value("NS.data", of: value)?.bytes
  }

  /// The numbers of LEB128 text, seven bits a byte, the lowest first; none when it is damaged.
  static func variableLengthNumbers(_ bytes: [UInt8]) -> [Int64] {
    var numbers: [Int64] = []
    var number: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes {
      guard shift < 63 else { return [] }
      number |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 {
        numbers.append(Int64(truncatingIfNeeded: number))
        (number, shift) = (0, 0)
      }
    }
    return shift == 0 ? numbers : []
  }

  /// `±mantissa × 10^exponent`, the mantissa being up to eight 16-bit words, the lowest first.
  private static func decimalText(
    of object: PropertyList,
    in archive: KeyedArchive
  ) throws(PropertyListError) -> String? {
    guard let bytes = try archive.value("NS.mantissa", of: object)?.bytes,
      let exponent = object["NS.exponent"]?.wholeNumber,
      let length = object["NS.length"]?.wholeNumber,
      bytes.count == 16, (0...8).contains(length), (-128...127).contains(exponent)
    else { return nil }
    let isNegative = object["NS.negative"]?.wholeNumber == 1
    if length == 0 { return isNegative ? "NaN" : "0" }
    // `NS.mantissa.bo` is the archiver's byte order: 1 little-endian, 2 big-endian.
    let isBigEndian = object["NS.mantissa.bo"]?.wholeNumber == 2
    var digits: [UInt8] = [0]
    for word in (0..<Int(length)).reversed() {
      let first = UInt16(bytes[word * 2])
      let second = UInt16(bytes[word * 2 + 1])
      append(isBigEndian ? first << 8 | second : second << 8 | first, to: &digits)
    }
    return decimalText(digits: digits, exponent: Int(exponent), isNegative: isNegative)
  }

  /// Multiplies the decimal number (lowest digit first) by 65,536 and adds `word`.
  private static func append(_ word: UInt16, to digits: inout [UInt8]) {
    var carry = UInt32(word)
    for place in digits.indices {
      let sum = UInt32(digits[place]) * 65_536 + carry
      digits[place] = UInt8(sum % 10)
      carry = sum / 10
    }
    while carry > 0 {
      digits.append(UInt8(carry % 10))
      carry /= 10
    }
  }

  private static func decimalText(digits: [UInt8], exponent: Int, isNegative: Bool) -> String {
    var text = digits.reversed().drop { $0 == 0 }.map { $0 + UInt8(ascii: "0") }
    if text.isEmpty { return "0" }
    if exponent >= 0 {
      text += Array(repeating: UInt8(ascii: "0"), count: exponent)
    } else {
      let missing = -exponent + 1 - text.count
      if missing > 0 { text = Array(repeating: UInt8(ascii: "0"), count: missing) + text }
      text.insert(UInt8(ascii: "."), at: text.count + exponent)
      while text.last == UInt8(ascii: "0") { text.removeLast() }
      if text.last == UInt8(ascii: ".") { text.removeLast() }
    }
    return (isNegative ? "-" : "") + String(decoding: text, as: UTF8.self)
  }
}
