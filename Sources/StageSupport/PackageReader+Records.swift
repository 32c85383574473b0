package import ExportPackage
package import Records
package import UploadPlanning

extension PackageReader {
  /// Lends each record of an entity, in order, with the place it can be read from again.
  package func forEachRecord(
    of entity: EntityName,
    _ body: (_ line: [UInt8], _ source: RecordSource) throws -> Void
  ) throws {
    let stream = try records(of: entity)
    while let taken = try stream.take() {
      try body(taken.line, RecordSource(taken.place))
    }
  }

  /// The line of one record.
  package func record(at source: RecordSource) throws(PackageError) -> [UInt8] {
    try line(at: RecordPlace(source))
  }
}

extension RecordPlace {
  package init(_ source: RecordSource) {
    self.init(file: source.file, offset: source.offset, length: source.length)
  }
}

extension RecordSource {
  package init(_ place: RecordPlace) {
    self.init(file: place.file, offset: place.offset, length: place.length)
  }
}

extension PackageManifest {
  /// How many records of an entity the package holds.
  package func recordCount(of entity: EntityName) -> Int {
    Int(self.entity(entity)?.records ?? 0)
  }

  /// How many records it holds altogether.
  package var recordCount: Int { entities.reduce(0) { $0 + Int($1.records) } }
}
