import Files
package import Records
package import StoreReading

/// What a store is and holds, without any value of a record.
package struct StoreInspection: Sendable {
  package let path: String
  package let identity: StoreIdentity
  package let model: StoreModel
  /// How many rows are each entity's own.
  package let rowCounts: [EntityName: Int]
  package let files: [SourceFile]
  package let writeAheadLog: WriteAheadLog?
  package let otherTables: [String]
  package let findings: [Finding]

  /// Reads the store through a private copy, which is gone afterwards.
  package init(of path: String) throws(MigrationError) {
    let folder = try filing { () throws(FileError) in
      try PrivateFolder()
    }
    let source = try storing { () throws(StoreError) in
      try Source(path, into: folder.path + "/source")
    }
    let store = source.store
    var counts: [EntityName: Int] = [:]
    for entity in store.model.entities {
      counts[entity.name] = try storing { () throws(StoreError) in
        try store.rowCount(of: entity.name)
      }
    }
    self.path = path
    identity = store.identity
    model = store.model
    rowCounts = counts
    files = source.files
    writeAheadLog = source.writeAheadLog
    otherTables = store.otherTables
    findings = store.findings
  }
}
