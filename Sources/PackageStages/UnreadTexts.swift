import ExportPackage
import JSONText
import LongTexts

/// The members of an entity's records whose schema looks into no text: there, what stands for a long one is as
/// valid as the text is.
struct UnreadTexts: Sendable {
  /// `nil` for all members.
  private let members: Set<String>?

  init(of entity: PackageManifest.Entity, in package: PackageReader) throws {
    guard let name = entity.schema else {
      members = nil
      return
    }
    let bytes = try package.schema(name)
    let schema = bytes.flatMap { try? JSONValue(parsing: $0) }
    guard let object = schema?.object, Self.isBlind(object, besides: Self.headings) else {
      members = []
      return
    }
    let properties = object["properties"]?.object?.members ?? []
    members = Set(properties.filter { Self.isBlind($0.value) }.map(\.name))
  }

  /// Whether a line is checked with its stand-ins: all of them are in such members.
  func allow(_ line: [UInt8]) -> Bool {
    guard let members else { return true }
    guard let record = try? JSONValue(parsing: line).object else { return true }
    return record.members.allSatisfy { member in
      members.contains(member.name) || !LongText.mayBeIn(member.value.canonicalBytes)
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
