import GRDB
import HTTPTypes
import JSONText

extension Transaction {
  /// What a request did to a record.
  struct StoringOutcome {
    let status: HTTPResponse.Status
    let record: StoredRecord
  }

  /// The record with this id, deleted ones included, or `nil`.
  func record(_ id: String, in collection: String) throws -> StoredRecord? {
    let row = try row(
      """
      SELECT id, version, updatedAt, body FROM records
      WHERE userId = ? AND collection = ? AND id = ?
      """,
      [try signedInAccount().id, collection, id]
    )
    return try row.map { try StoredRecord($0) }
  }

  /// Puts a record whole; putting what is there already changes nothing.
  func putRecord(
    _ id: String,
    in collection: String,
    _ data: JSONObject,
    if condition: RecordCondition
  ) throws -> StoringOutcome {
    let before = try record(id, in: collection)
    try condition.check(before)
    if let before, before.data == data { return StoringOutcome(status: .ok, record: before) }
    let after = try store(id, in: collection, data)
    return StoringOutcome(status: before?.data == nil ? .created : .ok, record: after)
  }

  /// Changes some members of a record.
  func patchRecord(
    _ id: String,
    in collection: String,
    _ patch: JSONObject,
    if condition: RecordCondition
  ) throws -> StoringOutcome {
    let before = try record(id, in: collection)
    try condition.check(before)
    guard let before, let data = before.data else { throw Refusal.notFound("No such record") }
    let merged = JSONValue.object(data).merged(with: .object(patch)).object ?? [:]
    guard merged != data else { return StoringOutcome(status: .ok, record: before) }
    return StoringOutcome(status: .ok, record: try store(id, in: collection, merged))
  }

  /// Deletes a record; a mark that it existed stays for those who ask what has changed.
  func deleteRecord(
    _ id: String,
    in collection: String,
    if condition: RecordCondition
  ) throws -> StoringOutcome {
    let before = try record(id, in: collection)
    try condition.check(before)
    guard before?.data != nil else { throw Refusal.notFound("No such record") }
    return StoringOutcome(status: .ok, record: try store(id, in: collection, nil))
  }

  private func store(
    _ id: String,
    in collection: String,
    _ data: JSONObject?
  ) throws -> StoredRecord {
    let account = try signedInAccount()
    let now = try tick()
    let version = try row(
      """
      INSERT INTO collections (userId, name, version) VALUES (?, ?, 1)
      ON CONFLICT (userId, name) DO UPDATE SET version = version + 1 RETURNING version
      """,
      [account.id, collection]
    )
    guard let version else { throw Refusal.internalError("the collection has no version") }
    let record = StoredRecord(id: id, version: version[0], updatedAt: now, data: data)
    try run(
      """
      INSERT INTO records (userId, collection, id, version, updatedAt, body)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (userId, collection, id) DO UPDATE
      SET version = excluded.version, updatedAt = excluded.updatedAt, body = excluded.body
      """,
      [
        account.id, collection, id, record.version, now.milliseconds,
        data.map { JSONValue.object($0).canonicalText },
      ]
    )
    return record
  }
}
