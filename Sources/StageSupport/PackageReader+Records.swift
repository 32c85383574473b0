package import ExportPackage
package import Records
package import UploadPlanning

extension PackageReader {
  /// Lends each record of an entity, in order, with the place it can be read from again.
  package func forEachRecord(
    of entity: EntityName,
    _ body: (_ line: [UInt8], _ source: RecordSource) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    let stream = try packaging(records(of: entity))
    while let (line, source) = try packaging(
      stream.take().map { ($0.line, RecordSource($0.place)) }
    ) {
      try body(line, source)
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

/// Runs `body` and wraps what the package throws.
package func packaging<Value>(
  _ body: () throws(PackageError) -> Value
) throws(MigrationError) -> Value {
  do throws(PackageError) {
    return try body()
  } catch {
    if case .busy(let path, let holder) = error { throw .busy(path: path, holder: holder) }
    throw .package(error)
  }
}

/// The same for one expression.
package func packaging<Value>(
  _ value: @autoclosure () throws(PackageError) -> Value
) throws(MigrationError) -> Value {
  do throws(PackageError) {
    return try value()
  } catch {
    if case .busy(let path, let holder) = error { throw .busy(path: path, holder: holder) }
    throw .package(error)
  }
}
