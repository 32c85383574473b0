import Records

/// The private copy of a store, opened, checked for damage, and rescued where that is asked for.
///
/// A damaged store is refused, and the refusal names the tables that can still be read in full.
/// With ``Source/Options/readsDamaged`` what can be read is copied into a new, whole database beside
/// the copy, and that is read; what is missing there is an error among the findings.
struct DatabaseOpening {
  let copy: StoreCopy
  let options: Source.Options
  let database: Database
  let findings: [Finding]

  init(_ copy: StoreCopy, options: Source.Options) throws(StoreError) {
    try Self.refuseForeignLog(copy)
    try RollbackJournal.refuseCompany(of: copy)
    self.copy = copy
    self.options = options
    var findings = Self.logFindings(copy.writeAheadLog)
    let (database, faults, unchecked) = try Self.open(copy, options)
    findings += unchecked
    guard !faults.isEmpty else {
      self.database = database
      self.findings = findings
      return
    }
    guard options.readsDamaged else {
      throw .damaged(
        path: copy.sourcePath,
        place: "integrity check",
        details: faults.joined(separator: "; ") + "; " + DamageSurvey(database).words
      )
    }
    let rescue = try Rescue(database, faults: faults, into: copy.path + ".rescued")
    self.database = try Database(path: rescue.path, name: copy.sourcePath)
    self.findings = findings + rescue.findings
  }

  /// Opens the store as what it is.
  func store() throws(StoreError) -> any Store {
    let schema = try StoreSchema(database)
    let isCoreData = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains { name in
      schema.tables[name] != nil || schema.otherNames.contains(name)
    }
    return isCoreData ? try CoreDataStore(self) : try SQLiteStore(self)
  }

  private static func open(
    _ copy: StoreCopy,
    _ options: Source.Options
  ) throws(StoreError) -> (Database, faults: [String], unchecked: [Finding]) {
    do throws(StoreError) {
      var check: IntegrityCheck?
      if options.checksIntegrity { check = try Self.checked(copy) }
      let database = try Database(path: copy.path, name: copy.sourcePath)
      return (database, check?.faults ?? [], check?.findings ?? [])
    } catch {
      guard case .damaged(_, _, let details) = error,
        try CutFile.mend(copy.path, log: copy.writeAheadLog)
      else { throw error }
      let database = try Database(path: copy.path, name: copy.sourcePath)
      return (database, ["the file is cut off: \(details)"], [])
    }
  }

  /// Checks the file over a connection of its own, which is closed behind it.
  ///
  /// A connection reads nothing more of a table whose order the check did not know.
  private static func checked(_ copy: StoreCopy) throws(StoreError) -> IntegrityCheck {
    let database = try Database(path: copy.path, name: copy.sourcePath)
    return try IntegrityCheck(database, byteCount: copy.byteCount)
  }

  /// SQLite would put the pages of another database's log into this one.
  private static func refuseForeignLog(_ copy: StoreCopy) throws(StoreError) {
    guard let log = copy.writeAheadLog, log.committedFrameCount > 0,
      let pageSize = try CutFile.header(of: copy.path)?.pageSize, pageSize != log.pageSize
    else { return }
    throw .damaged(
      path: copy.sourcePath,
      place: "write-ahead log",
      details: "its pages have \(log.pageSize) bytes and those of the database \(pageSize), "
        + "so it belongs to another database"
    )
  }

  private static func logFindings(_ log: WriteAheadLog?) -> [Finding] {
    guard let log, log.committedFrameCount < max(log.frameCount, 1) else { return [] }
    guard log.committedFrameCount > 0 else {
      return [
        Finding(
          code: "store.log-unused",
          severity: .warning,
          cause: log.pageSize == 0
            ? "the write-ahead log has no sound header, so nothing in it counts"
            : "none of the \(log.frameCount) frames of the write-ahead log counts: their salts or "
              + "checksums are not those of its header, or no transaction was finished",
          cure: "check that the file ending in -wal is that of this store and was copied whole"
        )
      ]
    }
    return [
      Finding(
        code: "store.log-tail",
        severity: .note,
        cause: "the write-ahead log has \(log.frameCount) frames, "
          + "of which the first \(log.committedFrameCount) count",
        cure: "nothing is needed: the rest was never committed, or is left from before"
      )
    ]
  }
}
