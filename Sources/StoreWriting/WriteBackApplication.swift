import Files
package import Profiles
import RecordMapping
package import Records
import StoreFiles
package import StoreReading

/// Applies a write-back to a copy of a store, and proves it by reading the copy back.
package struct WriteBackApplication {
  private let file: WriteBackFile
  private let filePath: String
  private let profile: Profile
  private let options: Source.Options

  /// What the application came to.
  package struct Result: Hashable, Sendable {
    /// How many rows got other values.
    package var updatedCount = 0
    /// How many rows were made again.
    package var restoredCount = 0
    /// How many rows were removed, those of the queue apart.
    package var removedCount = 0
    /// How many rows of the queue were removed.
    package var settledOperationCount = 0
    /// How many records stay as they are, because the write-back says so or they have the values already.
    package var keptCount = 0
    /// What has no form in the store, by record.
    package var skipped: [Skipped] = []
    /// The entities whose rows were made or removed for the links that they hold.
    var linkEntities: Set<EntityName> = []
    /// The rows of the queue that were removed.
    var removedOperations: Set<RecordID> = []
    /// The relationships that were set, and those that lead back.
    var relinked: Set<String> = []
    /// The records whose relationships were set, and those to which they lead.
    var involved: Set<RecordID> = []
    /// How many records were read back and compared.
    package var comparedCount = 0
  }

  /// A part of the write-back that is not in the copy.
  package struct Skipped: Hashable, Sendable {
    package let record: RecordID
    package let reason: String
  }

  /// - Throws: ``StoreWritingError`` when the file cannot be read.
  package init(
    _ filePath: String,
    profile: Profile,
    options: Source.Options = Source.Options()
  ) throws(StoreWritingError) {
    self.filePath = filePath
    self.profile = profile
    self.options = options
    file = try WriteBackFile(at: filePath)
  }

  /// Copies the store at `source`, applies the write-back, and places the copy at `target`.
  ///
  /// - Throws: ``StoreWritingError``. Nothing is at `target` then that was not there before.
  package func apply(
    to source: String,
    at target: String
  ) throws(StoreWritingError) -> Result {
    let folder = try filing(PrivateFolder())
    let before = try opened(source, in: folder.path + "/before")
    try expect(before, source)
    let reading = try RecordReading(profile, before.store)
    var left: [RecordID: String] = [:]
    for number in 1... {
      let copy = try storing { () throws(StoreError) in
        try StoreCopy(of: source, into: folder.path + "/copy-\(number)")
      }
      var result = try write(to: copy.path, reading, besides: left)
      let after = try opened(copy.path, in: folder.path + "/after-\(number)")
      let comparison = RecordComparison(file, profile, before.store.model, result)
      let found = try comparison.compare(reading, RecordReading(profile, after.store))
      if found.faults.isEmpty {
        result.comparedCount = found.count
        try filing(WholeFile.copy(copy.path, to: target))
        return result
      }
      // What does not read back as it was written is left as it was, and named.
      let unwritten = found.faults.filter { $0.attribute != nil && left[$0.record] == nil }
      guard !unwritten.isEmpty else {
        throw .notAsWritten(records: found.faults.prefix(Self.namedLimit).map(\.description))
      }
      for fault in unwritten {
        left[fault.record] = "\(fault.attribute ?? "") does not read back as it was written"
      }
    }
    preconditionFailure("each round leaves a record that no round before left")
  }

  /// The most records that an error names.
  private static let namedLimit = 5

  private func opened(_ path: String, in folder: String) throws(StoreWritingError) -> Source {
    try filing(Folder.make(folder))
    return try storing { () throws(StoreError) in
      try Source(path, options: options, into: folder)
    }
  }

  private func expect(_ source: Source, _ path: String) throws(StoreWritingError) {
    guard source.store.identity.kind.tables != .unwritten else {
      throw .unsupportedStore(path: path)
    }
    guard source.store.identity.uuid == file.store else {
      throw .otherStore(
        path: filePath,
        expected: file.store,
        found: source.store.identity.uuid
      )
    }
  }

  /// Writes everything in one transaction, and moves the log into the file.
  private func write(
    to path: String,
    _ reading: RecordReading,
    besides left: [RecordID: String]
  ) throws(StoreWritingError) -> Result {
    do throws(Connection.Refusal) {
      let connection = try Connection(path: path)
      var writer = RowWriter(connection, reading)
      try connection.run("BEGIN IMMEDIATE")
      try writer.write(file, besides: left)
      try connection.run("COMMIT")
      _ = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
      return writer.result
    } catch {
      throw .refused(record: "the copy of the store", reason: error.reason)
    }
  }
}

/// Runs `body` and wraps what the system refused.
private func filing<Value>(
  _ body: @autoclosure () throws(FileError) -> Value
) throws(StoreWritingError) -> Value {
  do throws(FileError) { return try body() } catch { throw .file(error) }
}

/// Runs `body` and wraps what the store's reader refused.
private func storing<Value>(
  _ body: () throws(StoreError) -> Value
) throws(StoreWritingError) -> Value {
  do throws(StoreError) { return try body() } catch { throw .store(error) }
}
