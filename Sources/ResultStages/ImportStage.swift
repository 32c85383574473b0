package import ExportPackage
import Files
package import LegacyFiles
package import Profiles
package import Records
package import ResultGrammar
package import ResultImport
package import ResultText
package import StageSupport

/// What an import came to.
package struct ImportResult: Sendable {
  package var package: PackageReader?
  package var counts = ImportCounts()
  /// The first findings of each kind, and what the files held beside results.
  package var findings: [Finding] = []
  package var notes: [Note] = []
  package var files: [File] = []
  /// How many results a package held already that the import was added to.
  package var heldCount = 0
  package var streakCount = 0
  /// The day streaks were asked for.
  package var streakDay: CalendarDay?
  /// Whether the same package existed already.
  package var alreadyExisted = false

  /// One file and how many of its entries came.
  package struct File: Hashable, Sendable {
    package let name: String
    package let form: LegacyForm
    package let texts: Int
  }

  /// What a file held that became no entry.
  package struct Note: Hashable, Sendable {
    package let file: String
    package let note: LegacyNote
  }
}

/// Brings the results of legacy files into a package, alone or beside what a package holds.
///
/// The files are only read. A package is published once every file came to a sound end.
package struct ImportStage: Sendable {
  let files: [LegacyFile]
  let options: LegacyOptions
  let settings: ImportSettings
  let catalogue: GameCatalogue
  let profile: Profile?
  /// Whom the package is encrypted to, and what opens it again.
  let keys: PackageKeys
  let progress: ProgressReporter

  /// How many findings of one kind are kept.
  static let keptFindings = 100
  static let reportInterval = 10_000

  package init(
    files: [LegacyFile],
    options: LegacyOptions,
    settings: ImportSettings,
    catalogue: GameCatalogue,
    profile: Profile?,
    keys: PackageKeys = .none,
    progress: ProgressReporter
  ) {
    self.files = files
    self.options = options
    self.settings = settings
    self.catalogue = catalogue
    self.profile = profile
    self.keys = keys
    self.progress = progress
  }

  /// Files below the paths: of a folder every file in it, in the order of their names.
  package static func files(
    at paths: [String],
    form: LegacyForm?
  ) throws -> (files: [LegacyFile], notes: [ImportResult.Note]) {
    var files: [LegacyFile] = []
    var notes: [ImportResult.Note] = []
    for path in paths {
      guard Folder.exists(path) else {
        files.append(
          try LegacyFile(path, form: form)
        )
        continue
      }
      let folder = try LegacyFolder(path)
      notes += folder.notes
      for (inside, name) in folder.files {
        do throws(LegacyFileError) {
          files.append(try LegacyFile(inside, name: name, form: form))
        } catch {
          guard case .unknownForm(_, let reason, _) = error else { throw error }
          let note = LegacyNote(code: "left-out", place: "", cause: reason)
          notes.append(ImportResult.Note(file: name, note: note))
        }
      }
    }
    return (files, notes)
  }
}

/// A text and what was recognised in it.
package struct ExplainedText: Sendable {
  package let entry: LegacyEntry
  package let file: LegacyFile
  package let outcome: ImportOutcome
}

extension ImportStage {
  /// Says of each text what was recognised, in the order read, and keeps nothing.
  package func explain(
    interruption: CancellationToken,
    _ body: (ExplainedText) throws -> Void
  ) throws -> ImportResult {
    var result = ImportResult()
    let kept = KeptReadings(mayWrite: !keys.encrypts)
    let settings = try settingsForSenders(interruption, kept, asks: false)
    var ledger = ResultLedger(catalogue: catalogue, settings: settings)
    for (number, file) in files.enumerated() {
      let before = result.counts.texts
      try read(file, number, kept, into: &result, interruption) { entry, result in
        let outcome = ledger.take(
          entry,
          file: file.name,
          form: file.form,
          makesRecords: false
        )
        guard entry.kind != .candidate || outcome.bucket != .none else { return false }
        result.counts.begin()
        result.counts.end(outcome)
        try body(ExplainedText(entry: entry, file: file, outcome: outcome))
        return true
      }
      result.add(file, since: before)
    }
    return result
  }

  /// The next item; of a file among others that turns out to hold no texts, a note that says so.
  func next(of reader: any LegacyReader) throws -> LegacyItem? {
    do throws(LegacyFileError) {
      return try reader.next()
    } catch {
      guard files.count > 1, case .unknownForm(_, let reason, _) = error else {
        throw error
      }
      return .note(LegacyNote(code: "left-out", place: "", cause: reason))
    }
  }

  /// Reads a file to its end; `take` says whether an entry is counted.
  func read(
    _ file: LegacyFile,
    _ number: Int,
    _ kept: KeptReadings,
    into result: inout ImportResult,
    _ interruption: CancellationToken,
    _ take: (LegacyEntry, inout ImportResult) throws -> Bool
  ) throws {
    let reader = try file.reader(options, catalogue: catalogue)
    var count = 0
    while let item = try next(of: reader) {
      count += 1
      switch item {
      case .note(let note):
        guard result.notes.count < Self.keptFindings else { continue }
        result.notes.append(ImportResult.Note(file: file.name, note: note))
      case .entry(var entry):
        if let reading = kept.reading(of: entry, number, count) { entry.reading = reading }
        if case .streak = entry.kind {
          result.counts.storedStreaks += 1
          _ = try take(entry, &result)
        } else if try !take(entry, &result) {
          result.counts.otherValues += 1
        }
      }
      guard count.isMultiple(of: 1_000) else { continue }
      if interruption.isCancelled { throw MigrationError.interrupted }
      progress.report(.advanced(.import, done: count, total: nil))
    }
  }
}

extension ImportResult {
  mutating func add(_ file: LegacyFile, since before: Int) {
    files.append(File(name: file.name, form: file.form, texts: counts.texts - before))
  }

  /// Keeps the first findings of each kind; all are counted.
  mutating func keep(_ more: [Finding]) {
    for finding in more {
      let count = findings.count { $0.code == finding.code }
      if count < ImportStage.keptFindings { findings.append(finding) }
    }
  }
}
