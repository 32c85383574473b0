// helpers: Tests/Fuzzing/FuzzFolder.swift
// seeds: plist nskeyed xmlstore ../share-texts ../../../Samples/streaksync
import JSONText
import LegacyFiles
import ResultImport
import ResultText

private let folder = FuzzFolder()

/// The built-in games, read once.
private let catalogue: GameCatalogue = {
  do throws(GameDescriptionError) {
    return try BuiltInGames.catalogue()
  } catch {
    preconditionFailure(error.description)
  }
}()

extension FuzzTarget {
  /// The first byte chooses a form, or leaves it to be recognised; the rest, as a file, may be refused, and
  /// of what is not every entry ends in one bucket.
  static let legacyFile = FuzzTarget("legacy-file") { input, report in
    guard input.count > 1 else { return report.rejectAsForeign() }
    let path = folder.write(UnsafeBufferPointer(rebasing: input.dropFirst()), to: "legacy")
    let forms = LegacyForm.allCases
    let choice = Int(input[0]) % 32
    do throws(LegacyFileError) {
      let legacy = try LegacyFile(path, form: choice < forms.count ? forms[choice] : nil)
      try read(legacy, &report)
    } catch {
      report.expectReason(error.description)
      if let cure = error.cure { report.expectReason(cure) }
    }
  }
}

private func read(_ legacy: LegacyFile, _ report: inout FuzzReport) throws(LegacyFileError) {
  let reader = try legacy.reader(LegacyOptions(), catalogue: catalogue)
  var ledger = ResultLedger(catalogue: catalogue, settings: ImportSettings())
  var counts = ImportCounts()
  while let item = try reader.next() {
    guard case .entry(let entry) = item else { continue }
    if case .streak = entry.kind { continue }
    counts.begin()
    let outcome = ledger.take(entry, file: "legacy", form: legacy.form)
    counts.end(outcome)
    for record in outcome.records { check(record, &report) }
    let again = ledger.take(entry, file: "legacy", form: legacy.form)
    report.expect(again.records.isEmpty, "importing the same twice adds something")
  }
  report.expect(counts.isComplete, "a text is in no bucket, or in two")
  for streak in ledger.streaks() { check(streak, &report) }
}

/// A record is JSON and reads back as it was written.
private func check(_ record: JSONObject, _ report: inout FuzzReport) {
  let value = JSONValue.object(record)
  do throws(JSONError) {
    let back = try JSONValue(parsing: value.canonicalBytes)
    report.expect(back == value, "a record does not read back as it was written")
  } catch {
    report.complain("what is written is not JSON: \(error)")
  }
}
