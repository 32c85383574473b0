import ExportPackage
import JSONText
import LongTexts
import TextCodecs

/// The members of an entity's records whose long texts need not be held for the check against the schema.
///
/// Where a schema looks into no text, the stand-in of a long one is as valid as the text is. Where it asks for
/// base 64 alone, the text is read in pieces, and an empty one is as valid.
struct UnreadTexts: Sendable {
  /// Members whose schema looks into no text; `nil` for all.
  private let unread: Set<String>?
  /// Members whose schema asks no more of a text than base 64.
  private let encoded: Set<String>

  init(of entity: PackageManifest.Entity, in package: PackageReader) throws {
    guard let name = entity.schema else {
      (unread, encoded) = (nil, [])
      return
    }
    let bytes = try package.schema(name)
    let schema = bytes.flatMap { try? JSONValue(parsing: $0) }
    guard let object = schema?.object, Self.isBlind(object, besides: Self.headings) else {
      (unread, encoded) = ([], [])
      return
    }
    let properties = object["properties"]?.object?.members ?? []
    let unread = Set(properties.filter { Self.isBlind($0.value) }.map(\.name))
    self.unread = unread
    encoded = Set(properties.filter { Self.isEncoded($0.value) }.map(\.name)).subtracting(unread)
  }

  /// The line that is as valid as this one is with its texts; `nil` where it has to be checked with them.
  func checked(_ line: [UInt8], _ texts: LongTexts) -> [UInt8]? {
    guard let unread, var record = try? JSONValue(parsing: line).object else { return line }
    var isSame = true
    for member in record.members where !unread.contains(member.name) {
      guard LongText.mayBeIn(member.value.canonicalBytes) else { continue }
      guard encoded.contains(member.name),
        let text = member.value.text.flatMap({ LongText(standIn: $0.utf8) }),
        Self.isBase64(text, texts)
      else { return nil }
      record[member.name] = ""
      isSame = false
    }
    return isSame ? line : JSONValue.object(record).canonicalBytes + [0x0A]
  }

  private static func isBase64(_ text: LongText, _ texts: LongTexts) -> Bool {
    var check = Base64.PaddedCheck()
    do throws(LongTextFault) {
      let reader = try texts.reader(of: text)
      while let piece = try reader.next() { check.take(piece) }
      return check.isPassed
    } catch {
      // Who reads the whole line says what is wrong.
      return false
    }
  }

  /// What a schema may say at its top beside what it says of values.
  private static let headings: Set<String> = [
    "$id", "$schema", "$defs", "definitions", "properties",
  ]
  private static let remarks: Set<String> = [
    "type", "title", "description", "$comment", "default", "examples", "deprecated", "readOnly",
    "writeOnly", "required",
  ]

  /// Whether a schema says no more of a text than that it is one, in base 64.
  private static func isEncoded(_ schema: JSONValue) -> Bool {
    schema["contentEncoding"]?.text == "base64"
      && schema.object.map { isBlind($0, besides: ["contentEncoding"]) } == true
  }

  /// Whether a schema says no more of a text than that it is one.
  private static func isBlind(_ schema: JSONValue) -> Bool {
    schema.boolean != nil || schema.object.map { isBlind($0, besides: []) } == true
  }

  private static func isBlind(_ schema: JSONObject, besides headings: Set<String>) -> Bool {
    schema.members.allSatisfy { keyword in
      if headings.contains(keyword.name) || remarks.contains(keyword.name) { return true }
      switch keyword.name {
      case "properties":
        return keyword.value.object?.members.allSatisfy { isBlind($0.value) } == true
      case "items", "additionalProperties": return isBlind(keyword.value)
      case "anyOf", "oneOf", "allOf": return keyword.value.array?.allSatisfy(isBlind) == true
      default: return keyword.name.hasPrefix("x-")
      }
    }
  }
}
