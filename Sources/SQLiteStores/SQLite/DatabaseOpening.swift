package import Records
package import StoreFiles

/// The private copy of a store, opened, checked for damage, and rescued where that is asked for.
///
/// A damaged store is refused, and the refusal names the tables that can still be read in full.
/// Where ``readsDamaged`` is asked for, what can be read is copied into a new, whole database beside
/// the copy, and that is read; what is missing there is an error among the findings.
package struct DatabaseOpening {
  package let copy: StoreCopy
  /// Whether what can still be read of a damaged store is read, and what cannot is a finding.
  package let readsDamaged: Bool
  package let database: Database
  package let findings: [Finding]

  /// Opens the copy; with `checksIntegrity`, SQLite reads the whole file for damage first.
  package init(
    _ copy: StoreCopy,
    checksIntegrity: Bool,
    readsDamaged: Bool
  ) throws(StoreError) {
    try RollbackJournal.refuseCompany(of: copy)
    let fit = try LogFit(copy)
    if !readsDamaged { try fit.expectLog() }
    self.copy = copy
    self.readsDamaged = readsDamaged
    let opened = try Self.open(copy, checksIntegrity: checksIntegrity, fit)
    let (database, faults) = (opened.database, opened.faults)
    let findings =
      Self.logFindings(copy.writeAheadLog) + opened.unchecked
      + (try Self.unparsedFindings(database, readsDamaged: readsDamaged))
    guard !faults.isEmpty else {
      try fit.expectSameDatabase(database)
      self.database = database
      self.findings = findings
      return
    }
    guard readsDamaged else {
      let survey = DamageSurvey(database)
      throw .damaged(
        path: copy.sourcePath,
        place: "integrity check",
        details: faults.joined(separator: "; ") + "; " + survey.words
      )
    }
    try fit.expectSameDatabase(database)
    let rescue = try Rescue(database, faults: faults, into: copy.path + ".rescued")
    self.database = try Database(path: rescue.path, name: copy.sourcePath)
    self.findings = findings + rescue.findings
  }

  private struct Opened {
    let database: Database
    var faults: [String] = []
    var unchecked: [Finding] = []
  }

  /// Opens and checks the copy; a log that does the damage is refused.
  private static func open(
    _ copy: StoreCopy,
    checksIntegrity: Bool,
    _ fit: LogFit
  ) throws(StoreError) -> Opened {
    do throws(StoreError) {
      var check: IntegrityCheck?
      if checksIntegrity { check = try Self.checked(copy) }
      let faults = check?.faults ?? []
      if !faults.isEmpty { try fit.blameLog() }
      let database = try Database(path: copy.path, name: copy.sourcePath)
      return Opened(database: database, faults: faults, unchecked: check?.findings ?? [])
    } catch {
      guard case .damaged(_, _, let details) = error else { throw error }
      try fit.blameLog()
      guard try CutFile.mend(copy.path, log: copy.writeAheadLog) else { throw error }
      let database = try Database(path: copy.path, name: copy.sourcePath)
      return Opened(database: database, faults: ["the file is cut off: \(details)"])
    }
  }

  /// Checks the file over a connection of its own, which is closed behind it.
  ///
  /// A connection reads nothing more of a table whose order the check did not know.
  private static func checked(_ copy: StoreCopy) throws(StoreError) -> IntegrityCheck {
    let database = try Database(path: copy.path, name: copy.sourcePath)
    return try IntegrityCheck(database, byteCount: copy.byteCount)
  }

  /// Says what of the schema was passed over; tables that were are refused, unless a user asks for what
  /// can be read.
  private static func unparsedFindings(
    _ database: Database,
    readsDamaged: Bool
  ) throws(StoreError) -> [Finding] {
    let tables = database.unparsed.filter { $0.type == "table" }
    let others = database.unparsed.filter { $0.type != "table" }
    guard tables.isEmpty || readsDamaged else {
      throw .unparsedTables(
        path: database.name,
        tables: tables.map { "\($0.name.prefix(200)): \($0.reason)" },
        version: UnparsedDeclaration.sqliteVersion
      )
    }
    var findings = tables.map { table in
      Finding(
        code: "store.table-unparsed",
        severity: .error,
        cause: "the table \(table.name.prefix(200)) is not read: SQLite "
          + "\(UnparsedDeclaration.sqliteVersion), which reads here, cannot parse its declaration "
          + "(\(table.reason))",
        cure: "read the store on a machine with the SQLite that made it"
      )
    }
    if !others.isEmpty {
      let names = others.prefix(20).map { $0.description }.joined(separator: ", ")
      findings.append(
        Finding(
          code: "store.schema-unparsed",
          severity: .note,
          cause:
            "\(others.count) \(others.count == 1 ? "part" : "parts") of the schema, which SQLite "
            + "\(UnparsedDeclaration.sqliteVersion) here cannot parse, were passed over: \(names)",
          cure: "no action is needed: triggers, views and indexes hold no rows of their own"
        )
      )
    }
    return findings
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
        cure: "no action is needed: the rest was never committed, or is left from before"
      )
    ]
  }
}
