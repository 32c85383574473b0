// helpers: Tests/Fuzzing/FuzzFolder.swift
// seeds: realm
import Files
import RealmFiles

private let folder = FuzzFolder()

/// How many rows of a table are looked up by their keys, too.
private let lookedUpCount = 64

extension FuzzTarget {
  /// The input, as a Realm file, may be refused, and a value of it may be refused with its place; every
  /// table is counted and read to its last row, whose keys ascend, and the first rows are found by their
  /// keys with the values that they had.
  ///
  /// Encrypted files are not made up: a page without the code of its key is refused before it is read.
  static let realm = FuzzTarget("realm") { input, report in
    let path = folder.write(input, to: "default.realm")
    do throws(FileError) {
      try read(InputFile(path), &report)
    } catch {
      fatalError("the input cannot be read: \(error)")
    }
  }
}

private func read(_ input: consuming InputFile, _ report: inout FuzzReport) {
  let file: RealmFile
  do throws(RealmError) {
    file = try RealmFile(input)
  } catch {
    if error == .notRealm || error == .empty { return report.rejectAsForeign() }
    return expectReason(error, &report)
  }
  for place in file.tables.indices {
    do throws(RealmError) {
      try read(file, place, &report)
    } catch {
      expectReason(error, &report)
    }
  }
}

private func read(
  _ file: RealmFile,
  _ place: Int,
  _ report: inout FuzzReport
) throws(RealmError) {
  let properties = Array(file.tables[place].properties.indices)
  let rows = try file.rows(ofTable: place, properties: properties)
  let lookup = file.lookup(inTable: place, properties: properties)
  var count = 0
  var last = Int64.min
  while try rows.next() {
    report.expect(rows.key > last, "the key \(rows.key) is behind \(last)")
    last = rows.key
    let isFound = count < lookedUpCount ? try lookup.find(rows.key) : false
    report.expect(isFound || count >= lookedUpCount, "no row has the key \(rows.key)")
    for column in properties {
      let value = try rows.value(column)
      guard isFound else { continue }
      let again = try lookup.value(column)
      // A NaN is not equal to itself.
      report.expect(
        value == again || "\(value)" == "\(again)",
        "a value that is looked up is another one"
      )
    }
    count += 1
  }
  let counted = try file.rowCount(ofTable: place)
  report.expect(count == counted, "\(count) rows were read and \(counted) counted")
}

private func expectReason(_ error: RealmError, _ report: inout FuzzReport) {
  report.expectReason(error.description)
  report.expectReason(error.cure)
}
