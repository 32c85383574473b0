import GRDB
import JSONText

/// One record of a CloudKit database; without fields once it is deleted.
struct CloudRecord: Sendable {
  let name: String
  let type: String
  let sequence: Int64
  let createdAt: Int64
  let modifiedAt: Int64
  let fields: JSONObject?

  static let selection = "name, type, sequence, createdAt, modifiedAt, fields"

  /// The change tag: another one with every change.
  var tag: String { String(sequence + 46_656, radix: 36) }

  /// The record as an answer has it.
  func shown(in zone: String, _ place: CloudPlace, numbersAsStrings: Bool) throws -> JSONValue {
    var object: JSONObject = [
      "recordName": .string(name), "recordType": .string(type), "zoneID": place.zoneID(zone),
      "recordChangeTag": .string(tag), "deleted": .boolean(fields == nil),
    ]
    guard let fields else {
      // No one is informed what it was.
      object["recordType"] = .null
      return .object(object)
    }
    var shown = JSONObject()
    for member in fields.members {
      let field = try CloudField(member.value, named: member.name)
      shown[member.name] = field.shown(numbersAsStrings: numbersAsStrings)
    }
    object["fields"] = .object(shown)
    object["pluginFields"] = [:]
    object["created"] = moment(createdAt, place)
    object["modified"] = moment(modifiedAt, place)
    return .object(object)
  }

  private func moment(_ milliseconds: Int64, _ place: CloudPlace) -> JSONValue {
    [
      "timestamp": .whole(milliseconds), "userRecordName": .string(place.userRecordName),
      "deviceID": "2",
    ]
  }
}

extension CloudRecord {
  init(_ row: Row) throws {
    let text: String? = row[5]
    self.init(
      name: row[0],
      type: row[1],
      sequence: row[2],
      createdAt: row[3],
      modifiedAt: row[4],
      fields: try text.flatMap { try JSONValue(parsing: $0).object }
    )
  }
}
