import DestinationModel
import JSONText
import LongTexts
import Profiles
import RecordMapping
import TextCodecs

/// Why a record cannot be sent to CloudKit as it is.
struct CloudFault: Error {
  let code: String
  let reason: String

  init(_ code: String, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// Whether a record may have this name: up to 255 printable ASCII characters, not beginning with
  /// an underscore, which is the service's own.
  static func isRecordName(_ name: String) -> Bool {
    (1...255).contains(name.utf8.count) && !name.hasPrefix("_")
      && name.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
  }
}

/// Turns the members of a body into typed fields, and back.
///
/// | in the profile | in the body | in CloudKit |
/// |---|---|---|
/// | `boolean` | `true` | INT64 1 |
/// | `timestamp` | `"2026-11-20T10:00:00.123456Z"` | TIMESTAMP 1795168800123 |
/// | `json` | `{"a": [1]}` | STRING `{"a":[1]}` |
/// | `asset` | what CloudKit said of the file, as text | ASSETID, with its receipt |
/// | `reference` | `"name"` | REFERENCE `{recordName, action: NONE}` |
/// | all others | the value | the value |
struct CloudFields {
  let type: CloudRecordType

  init(_ type: CloudRecordType) {
    self.type = type
  }

  func encoded(_ body: [UInt8]) throws(CloudFault) -> JSONObject {
    guard let members = JSONObject(parsing: body) else {
      throw CloudFault("body.form", "the record is not a JSON object")
    }
    var fields = JSONObject()
    for member in members.members {
      guard let kind = type.fields[member.name] else {
        throw CloudFault("cloudkit.type", "“\(member.name)” has no type in the profile")
      }
      guard let value = Self.encoded(member.value, kind) else {
        if kind == .asset, member.value.text.flatMap({ CloudAsset(text: $0) }) != nil {
          throw CloudFault(
            "cloudkit.asset",
            "the file that “\(member.name)” had before was replaced, and CloudKit cannot restore it"
          )
        }
        throw CloudFault(
          "cloudkit.type",
          "“\(member.name)” is \(member.value.kind) and cannot be \(kind.rawValue)"
        )
      }
      fields[member.name] = ["value": value, "type": .string(kind.name)]
    }
    return fields
  }

  func decoded(_ fields: JSONObject) -> JSONObject {
    var members = JSONObject()
    for field in fields.members {
      let value = field.value["value"] ?? .null
      members[field.name] = type.fields[field.name].map { Self.decoded(value, $0) } ?? value
    }
    return members
  }

  /// How many bytes a record has at least with these members, of which long texts may be stand-ins.
  ///
  /// Files do not count.
  func size(of members: JSONObject) -> Int {
    members.members.reduce(0) { size, member in
      size + (type.fields[member.name].map { Self.size(of: member.value, $0) } ?? 0)
    }
  }

  private static func size(of value: JSONValue, _ kind: CloudRecordType.Field) -> Int {
    if let element = kind.element {
      return (value.array ?? []).reduce(0) { $0 + size(of: $1, element) }
    }
    let text = value.text.map { LongText(standIn: $0.utf8)?.count ?? $0.utf8.count } ?? 0
    return switch kind {
    case .string, .reference: text
    case .bytes: text / 4 * 3
    case .json: value.isNull ? 0 : LongText.size(of: value.canonicalBytes)
    case .asset: 0
    case .int64, .double, .location, .boolean, .timestamp: value.isNull ? 0 : 8
    case .strings, .int64s, .doubles, .references: 0
    }
  }

  /// The value as CloudKit has it, or `nil` when it cannot be of this kind.
  private static func encoded(_ value: JSONValue, _ kind: CloudRecordType.Field) -> JSONValue? {
    if value.isNull { return .null }
    if let element = kind.element {
      guard let values = value.array else { return nil }
      let encoded = values.compactMap { Self.encoded($0, element) }
      return encoded.count == values.count ? .array(encoded) : nil
    }
    switch kind {
    case .string, .bytes: return value.text == nil ? nil : value
    case .int64: return value.integer == nil ? nil : value
    case .double: return value.double == nil ? nil : value
    case .location: return value.object == nil ? nil : value
    case .boolean: return value.boolean.map { .number($0 ? 1 : 0) }
    case .json: return .string(value.canonicalText)
    case .asset:
      // An asset that was in a record before has no receipt, and no one can put it there again.
      guard let asset = value.text.flatMap({ CloudAsset(text: $0) }), asset.receipt != nil else {
        return nil
      }
      return .object(asset.dictionary)
    case .reference: return value.text.map { ["recordName": .string($0), "action": "NONE"] }
    case .timestamp:
      return value.text.flatMap { Timestamp.microseconds($0) }.map { micros in
        let milliseconds = (micros - (micros < 0 ? 999 : 0)) / 1_000
        return .number(JSONNumber(milliseconds + millisecondsTo2001))
      }
    case .strings, .int64s, .doubles, .references: return nil
    }
  }

  /// The value as the body has it; one that is not of the kind stays as it is.
  private static func decoded(_ value: JSONValue, _ kind: CloudRecordType.Field) -> JSONValue {
    if value.isNull { return .null }
    if let element = kind.element {
      return value.array.map { .array($0.map { Self.decoded($0, element) }) } ?? value
    }
    switch kind {
    case .int64, .double: return number(value) ?? value
    case .boolean: return number(value)?.integer.map { .boolean($0 != 0) } ?? value
    case .reference: return value["recordName"] ?? value
    case .json: return value.text.flatMap { parsed($0) } ?? value
    case .asset: return CloudAsset(value)?.mention.map { .string($0.text) } ?? value
    case .timestamp: return number(value)?.integer.flatMap { instant($0) } ?? value
    case .string, .bytes, .location, .strings, .int64s, .doubles, .references: return value
    }
  }

  /// A number, also one that came as text.
  private static func number(_ value: JSONValue) -> JSONValue? {
    if case .number = value { return value }
    return value.text.flatMap { JSONNumber(literal: $0) }.map { .number($0) }
  }

  private static func parsed(_ text: String) -> JSONValue? {
    do throws(JSONError) {
      return try JSONValue(parsing: text)
    } catch {
      return nil
    }
  }

  private static func instant(_ milliseconds: Int64) -> JSONValue? {
    let (rest, overflows) = milliseconds.subtractingReportingOverflow(millisecondsTo2001)
    guard !overflows else { return nil }
    var bytes: [UInt8] = []
    guard DateText.append(Double(rest) / 1_000, to: &bytes) else { return nil }
    return .string(String(decoding: bytes, as: UTF8.self))
  }

  /// From 1970 to 2001, both UTC.
  private static let millisecondsTo2001: Int64 = 978_307_200_000
}

extension CloudRecordType.Field {
  /// What the field is called in requests.
  fileprivate var name: String {
    switch self {
    case .string, .json: "STRING"
    case .int64, .boolean: "INT64"
    case .double: "DOUBLE"
    case .bytes: "BYTES"
    case .timestamp: "TIMESTAMP"
    case .location: "LOCATION"
    case .asset: "ASSETID"
    case .reference: "REFERENCE"
    case .strings: "STRING_LIST"
    case .int64s: "INT64_LIST"
    case .doubles: "DOUBLE_LIST"
    case .references: "REFERENCE_LIST"
    }
  }

  /// What a list is made of; `nil` for what is no list.
  fileprivate var element: CloudRecordType.Field? {
    switch self {
    case .strings: .string
    case .int64s: .int64
    case .doubles: .double
    case .references: .reference
    case .string, .int64, .double, .bytes, .location, .reference, .asset, .boolean, .timestamp,
      .json:
      nil
    }
  }
}
