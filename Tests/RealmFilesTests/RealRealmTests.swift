import Files
import Foundation
import JSONText
import RealmFiles
import Testing

/// Real Realm files, compared cell by cell with what Realm's own library reads.
///
/// `FERRY_STORES` names a folder with a folder `realm` in it: `index.jsonl` with a line a file, and
/// `expected` with a JSON document a file.
@Suite(
  .enabled(
    if: RealRealms.folder != nil,
    "skipped: FERRY_STORES does not name a folder with real Realm files"
  )
)
struct `The folder of real Realm files` {
  @Test(arguments: RealRealms.names)
  func `a real Realm file is read cell by cell, or refused`(name: String) throws {
    let folder = try #require(RealRealms.folder)
    let expected = try RealRealms.json(folder + "/expected/\(name.dropLast(6)).json")
    let key = try RealRealms.key(of: name)
    let file: RealmFile
    do throws(RealmError) {
      let input = try RealRealms.input(folder + "/" + name)
      file = try RealmFile(input, key: key)
      guard expected["refuse"] == nil else {
        for place in file.tables.indices { _ = try file.values(ofTable: place) }
        Issue.record("it is read, and should be refused: \(String(describing: expected["refuse"]))")
        return
      }
    } catch {
      #expect(expected["refuse"]?.text == RealRealms.word(for: error), "\(error)")
      return
    }
    let tables = try #require(expected["tables"]?.array)
    #expect(file.tables.map(\.name) == tables.map { $0["name"]?.text })
    for (place, table) in tables.enumerated() {
      try RealmComparison(file: file, place: place, expected: table).check()
    }
  }
}

/// Where the real files are, and what is said of them.
enum RealRealms {
  static let folder: String? = ProcessInfo.processInfo.environment["FERRY_STORES"]
    .map { $0 + "/realm" }.flatMap { Folder.exists($0) ? $0 : nil }

  static var names: [String] {
    ((try? folder.map { try Folder.names(in: $0) }) ?? [])
      .filter { $0.hasSuffix(".realm") }.sorted()
  }

  static func json(_ path: String) throws -> JSONValue {
    try JSONValue(parsing: InputFile.contents(of: path))
  }

  static func input(_ path: String) throws(RealmError) -> InputFile {
    do throws(FileError) { return try InputFile(path) } catch { throw .file(error) }
  }

  /// The key of an encrypted file, from the index.
  static func key(of name: String) throws -> [UInt8]? {
    let index = try InputFile.contents(of: (folder ?? "") + "/index.jsonl")
    for line in index.split(separator: UInt8(ascii: "\n")) {
      let entry = try JSONValue(parsing: Array(line))
      guard entry["file"]?.text == name, let text = entry["key"]?.text else { continue }
      let digits = Array(text.utf8)
      return stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
      }
    }
    return nil
  }

  /// How the expectations call a refusal.
  static func word(for error: RealmError) -> String {
    switch error {
    case .empty: "empty"
    case .notRealm: "not-realm"
    case .encrypted, .wrongKey: "encrypted"
    case .keyLength: "key"
    case .truncated: "truncated"
    case .unsupportedFormat: "unsupported-format"
    case .interruptedUpgrade: "interrupted-upgrade"
    case .damaged: "damaged"
    case .unsupported: "unsupported"
    case .tooLarge: "too-large"
    case .file: "file"
    }
  }
}
