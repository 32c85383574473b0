// stand-ins: Crypto
// rooms: JSONText XMLAccess PropertyLists Records Files ResultText LegacyFiles ResultImport
// embeds: ResultText/Games
// libraries: libxml-2.0
// seeds: plist nskeyed xmlstore ../share-texts ../../../Samples/streaksync
import Files
import JSONText
import LegacyFiles
import ResultImport
import ResultText

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Lies in memory where TMPDIR does.
private let folder: PrivateFolder = {
  do throws(FileError) {
    return try PrivateFolder()
  } catch {
    fatalError("there is no room for the input: \(error)")
  }
}()

/// The built-in games, read once.
private let catalogue: GameCatalogue = {
  do throws(GameDescriptionError) {
    return try BuiltInGames.catalogue()
  } catch {
    preconditionFailure(error.description)
  }
}()

/// What libFuzzer calls: the first byte chooses a form, or leaves it to be recognised; the rest, as a
/// file, may be refused, and of what is not every entry ends in one bucket.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 1 else { return -1 }
  let path = folder.path + "/legacy"
  guard let file = fopen(path, "w") else { fatalError("the input cannot be written") }
  fwrite(start + 1, 1, count - 1, file)
  fclose(file)
  let forms = LegacyForm.allCases
  let choice = Int(start[0]) % 32
  do throws(LegacyFileError) {
    let legacy = try LegacyFile(path, form: choice < forms.count ? forms[choice] : nil)
    let reader = try legacy.reader(LegacyOptions(), catalogue: catalogue)
    var ledger = ResultLedger(catalogue: catalogue, settings: ImportSettings())
    var counts = ImportCounts()
    while let item = try reader.next() {
      guard case .entry(let entry) = item else { continue }
      if case .streak = entry.kind { continue }
      counts.begin()
      let outcome = ledger.take(entry, file: "legacy", form: legacy.form)
      counts.end(outcome)
      for record in outcome.records { check(record) }
      let again = ledger.take(entry, file: "legacy", form: legacy.form)
      precondition(again.records.isEmpty, "importing the same twice adds nothing")
    }
    precondition(counts.isComplete, "every text is in one bucket")
    for streak in ledger.streaks() { check(streak) }
  } catch {
    _ = error.description
    _ = error.cure
  }
  return 0
}

/// A record is JSON and reads back as it was written.
private func check(_ record: JSONObject) {
  let value = JSONValue.object(record)
  do throws(JSONError) {
    let back = try JSONValue(parsing: value.canonicalBytes)
    precondition(back == value, "a record reads back as it was written")
  } catch {
    preconditionFailure("what is written is JSON: \(error)")
  }
}
