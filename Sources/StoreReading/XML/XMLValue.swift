import Records
import StoreFiles
import TextCodecs

/// The values of a Core Data XML store, from text to what the declared type says.
enum XMLValue {
  /// The value, or `nil` when the text is not one of the type.
  static func held(_ text: [UInt8], type: String) -> HeldValue? {
    switch type {
    case "int16", "int32", "int64":
      Int64(trimmed(text)).map { .integer($0) }
    case "bool":
      boolean(trimmed(text)).map { .integer($0 ? 1 : 0) }
    case "float", "double", "date":
      Double(trimmed(text)).map { .real($0) }
    case "binary", "transformable":
      Base64.bytes(spaced: text).map { .blob($0) }
    default:
      .text(text)
    }
  }

  /// The attribute's kind by the types its values declare.
  static func kind(of types: Set<String>) -> StoreAttribute.Kind {
    guard types.count == 1, let type = types.first else {
      return .undeclared(sqlType: types.sorted().joined(separator: " or "))
    }
    return switch type {
    case "string": .string
    case "int16": .integer16
    case "int32": .integer32
    case "int64": .integer64
    case "bool": .boolean
    case "float": .float
    case "double": .double
    case "decimal": .decimal
    case "date": .date
    case "binary": .binary
    case "uuid": .uuid
    case "uri": .uri
    case "transformable": .transformable(transformer: nil, valueClass: nil)
    default: .undeclared(sqlType: type)
    }
  }

  private static func boolean(_ text: String) -> Bool? {
    switch text {
    case "1", "true", "YES": true
    case "0", "false", "NO": false
    default: nil
    }
  }

  private static func trimmed(_ text: [UInt8]) -> String {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    let start = text.drop(while: isSpace)
    let end = start.reversed().drop(while: isSpace).reversed()
    return String(decoding: Array(end), as: UTF8.self)
  }
}
