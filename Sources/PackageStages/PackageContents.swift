package import ExportPackage
package import JSONText
package import Records

/// The records of a package, as a person looks at them.
package struct PackageContents: Sendable {
  private let package: PackageReader

  package init(_ package: PackageReader) { self.package = package }

  /// Gives the records of an entity, in their order: all of them, or the one with a key.
  ///
  /// - Throws: An error when the package is damaged, or a line of it is not an object.
  package func forEachRecord(
    of entity: EntityName,
    key: String?,
    _ body: (RecordID, JSONObject) -> Void
  ) throws {
    guard let member = package.manifest.entity(entity)?.key else { return }
    let records = try package.records(of: entity)
    while let (record, file) = try next(in: records) {
      guard let own = record[member] else {
        throw PackageError.damaged(path: file, reason: "a record lacks its key, “\(member)”")
      }
      let text = own.text ?? own.canonicalText
      guard key == nil || key == text else { continue }
      body(RecordID(entity: entity, key: text), record)
      if key != nil { return }
    }
  }

  private func next(
    in records: RecordStream
  ) throws -> (record: JSONObject, file: String)? {
    let line = try records.take().map { (bytes: $0.line, file: $0.place.file) }
    guard let line else { return nil }
    do throws(JSONError) {
      if let record = try JSONValue(parsing: line.bytes).object { return (record, line.file) }
    } catch {
      throw PackageError.damaged(path: line.file, reason: "a line is not JSON: \(error)")
    }
    throw PackageError.damaged(path: line.file, reason: "a line is not an object")
  }
}
