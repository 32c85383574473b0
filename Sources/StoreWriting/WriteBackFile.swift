import Files
package import JSONText
package import Records

/// What `ferry write-back` wrote, under `ferry.write-back.v1`.
package struct WriteBackFile: Hashable, Sendable {
  /// What the app does with one record.
  package struct Entry: Hashable, Sendable {
    package let record: RecordID
    package let status: Status
    package let attributes: JSONObject
  }

  package enum Status: String, Hashable, Sendable, CaseIterable {
    case synced, replace, restore, withdrawn, deleted, failed, conflicted, skipped

    /// Whether the attributes of the entry are set.
    var setsAttributes: Bool {
      switch self {
      case .synced, .replace, .restore, .withdrawn: true
      case .deleted, .failed, .conflicted, .skipped: false
      }
    }
  }

  /// The identity of the store that the run read.
  package let store: String
  package let entries: [Entry]
  /// The rows of the queue whose changes are at the destination.
  package let settledOperations: [Operation]

  /// A row of the app's queue whose change is at the destination.
  package struct Operation: Hashable, Sendable {
    package let row: RecordID
    /// The record that carried it.
    package let target: RecordID?
  }

  /// The largest file that is read, in bytes: it is held in memory.
  private static let largest = 1 << 30

  /// Reads a file.
  ///
  /// - Throws: ``StoreWritingError`` when it cannot be read or is no write-back of format 1.
  package init(at path: String) throws(StoreWritingError) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try InputFile.contents(of: path, limit: Self.largest)
    } catch {
      throw .file(error)
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw .unreadableFile(path: path, reason: "\(error)")
    }
    try self.init(value, path)
  }

  private init(_ value: JSONValue, _ path: String) throws(StoreWritingError) {
    guard value["format"]?.text?.hasPrefix("1.") == true, let store = value["store"]?.text,
      let records = value["records"]?.array, let operations = value["operations"]?.array
    else {
      throw .unreadableFile(path: path, reason: "it does not obey ferry.write-back.v1")
    }
    self.store = store
    var entries: [Entry] = []
    for record in records {
      guard let entry = Entry(record) else {
        throw .unreadableFile(
          path: path,
          reason: "record \(entries.count + 1) does not obey ferry.write-back.v1"
        )
      }
      entries.append(entry)
    }
    self.entries = entries
    settledOperations = operations.compactMap { operation in
      guard ["carried", "folded"].contains(operation["outcome"]?.text ?? ""),
        let entity = operation["entity"]?.text.flatMap(EntityName.init),
        let key = operation["key"]?.text
      else { return nil }
      return Operation(
        row: RecordID(entity: entity, key: key),
        target: operation["targetEntity"]?.text.flatMap(EntityName.init).flatMap { target in
          operation["targetLocalID"]?.text.map { RecordID(entity: target, key: $0) }
        }
      )
    }
  }
}

extension WriteBackFile.Entry {
  fileprivate init?(_ value: JSONValue) {
    guard let entity = value["entity"]?.text.flatMap(EntityName.init),
      let key = value["localID"]?.text,
      let status = value["status"]?.text.flatMap(WriteBackFile.Status.init),
      let attributes = value["attributes"]?.object
    else { return nil }
    self.init(
      record: RecordID(entity: entity, key: key),
      status: status,
      attributes: attributes
    )
  }
}
