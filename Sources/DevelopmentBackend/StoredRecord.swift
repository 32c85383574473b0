import GRDB
import HTTPTypes
import JSONText

/// One record of a collection as it is stored; without a body once it is deleted.
struct StoredRecord: Sendable {
  let id: String
  let version: Int64
  let updatedAt: Instant
  let data: JSONObject?

  init(_ row: Row) throws {
    id = row[0]
    version = row[1]
    updatedAt = Instant(milliseconds: row[2])
    let body: String? = row[3]
    data = try body.flatMap { try JSONValue(parsing: $0).object }
  }

  init(id: String, version: Int64, updatedAt: Instant, data: JSONObject?) {
    self.id = id
    self.version = version
    self.updatedAt = updatedAt
    self.data = data
  }

  /// `{id, version, updatedAt, data}`, or `deleted` in place of the data.
  var object: JSONObject {
    var object: JSONObject = [
      "id": .string(id), "version": .whole(version),
      "updatedAt": .string(updatedAt.text),
    ]
    if let data { object["data"] = .object(data) } else { object["deleted"] = true }
    return object
  }

  /// The version as an entity tag.
  var tag: String { "\"\(version)\"" }
}

/// What a request demands of the record before it is changed.
///
/// Only strong tags match: <https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1>.
struct RecordCondition: Sendable {
  /// The record may not exist yet.
  var mustBeNew = false
  /// The record must exist; in one of these versions, if any are named.
  var versions: [String]?

  /// Reads `If-None-Match` and `If-Match`.
  init(ifNoneMatch: String?, ifMatch: String?) throws(Refusal) {
    if let ifNoneMatch {
      guard ifNoneMatch == "*" else {
        throw .validation("If-None-Match: only * is understood")
      }
      mustBeNew = true
    }
    guard let ifMatch else { return }
    guard ifMatch != "*" else {
      versions = []
      return
    }
    var tags: [String] = []
    for part in ifMatch.split(separator: ",") {
      let tag = part.filter { $0 != " " }
      if tag.hasPrefix("W/") { continue }
      guard tag.count > 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else {
        throw .validation("If-Match: an entity tag is written in quotes")
      }
      tags.append(String(tag))
    }
    // A tag that can never match represents a list of weak tags only.
    versions = tags.isEmpty ? ["weak"] : tags
  }

  /// Refuses when the condition does not hold for the record as it is now.
  func check(_ record: StoredRecord?) throws(Refusal) {
    let existing = record.flatMap { $0.data == nil ? nil : $0 }
    var holds = true
    if mustBeNew { holds = existing == nil }
    if let versions {
      holds = holds && existing != nil
      if let existing, !versions.isEmpty { holds = holds && versions.contains(existing.tag) }
    }
    guard holds else {
      var refusal = Refusal(
        .preconditionFailed,
        "PreconditionFailed",
        existing == nil ? "The record does not exist" : "The record is in another version"
      )
      refusal.current = existing?.object
      throw refusal
    }
  }
}

extension JSONValue {
  /// The value with a JSON merge patch applied: <https://www.rfc-editor.org/rfc/rfc7396>.
  func merged(with patch: JSONValue) -> JSONValue {
    guard let changes = patch.object else { return patch }
    var object = self.object ?? [:]
    for member in changes.members {
      if member.value.isNull {
        object[member.name] = nil as JSONValue?
      } else {
        object[member.name] = (object[member.name] ?? .null).merged(with: member.value)
      }
    }
    return .object(object)
  }
}
