import Files
import Foundation
import StoreFiles
import StoreReading
import TestSupport
import Testing
import StoreSamples

/// The list of kinds that Ferry recognises, and the page that is made of it.
struct SourceKindTests {
  private static let kinds = SourceKind.all

  private static let page =
    Samples.folder + "/../Sources/FerryCommands/FerryCommands.docc/how-to/stores.md"

  @Test func `each format that is read has its row on the page`() throws {
    let page = try String(contentsOfFile: Self.page, encoding: .utf8)
    for format in Self.kinds.filter(\.isRead) {
      #expect(page.contains("\n| \(format.title) | \(format.recognition) |\n"), "\(format.title)")
    }
  }

  @Test func `each database that is not read has its row with the cure on the page`() throws {
    let page = try String(contentsOfFile: Self.page, encoding: .utf8)
    for format in Self.kinds where format.use == .unread {
      let row = "\n| \(format.title) | \(format.recognition) | \(format.cure) |\n"
      #expect(page.contains(row), "\(row)")
    }
  }

  @Test func `the page has no row of a format that the list lacks`() throws {
    let page = try String(contentsOfFile: Self.page, encoding: .utf8)
    let formats = try #require(page.range(of: "\n## Leave out"))
    let titles = page[..<formats.lowerBound].split(separator: "\n").filter { $0.hasPrefix("| ") }
      .compactMap { $0.split(separator: "|").first?.trimmingCharacters(in: .whitespaces) }
    let known = Set(Self.kinds.map(\.title)).union(["Store", "Database"])
    #expect(Set(titles).subtracting(known).isEmpty, "\(titles)")
  }

  @Test(arguments: kinds.filter { !$0.marks.isEmpty })
  func `a file with a format's mark is of that format`(kind: SourceKind) {
    for mark in kind.marks {
      let start = Array(repeating: UInt8(0), count: mark.place) + mark.bytes
      #expect(SourceKind(start: start, size: Int64(start.count)) == kind)
    }
  }

  @Test func `no two formats share a mark, a title or words`() {
    let formats = Self.kinds
    #expect(Set(formats.flatMap(\.marks)).count == formats.flatMap(\.marks).count)
    #expect(Set(formats.map(\.title)).count == formats.count)
    #expect(Set(formats.map(\.words)).count == formats.count)
  }

  /// Bytes that are spread as ciphertext is, the same each time.
  private static let noise: [UInt8] = {
    var state: UInt64 = 88_172_645_463_325_252
    return (0..<4096).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 32)
    }
  }()

  @Test func `a database of which SQLCipher leaves the header plain is encrypted`() {
    // The first 32 bytes of an SQLite database with pages of 4,096 bytes.
    let header: [UInt8] =
      Array("SQLite format 3".utf8) + [0, 0x10, 0, 2, 2, 80, 64, 32, 32, 0, 0, 0, 1, 0, 0, 0, 9]
    let start = header + Self.noise.dropFirst(header.count)
    #expect(SourceKind(start: start, size: 40_960) == .encrypted)
  }

  @Test func `a real SQLite database is not encrypted`() throws {
    let folder = try SampleFolder()
    let path = folder.path + "/a.sqlite"
    let noise = Self.noise
    try SampleDatabase(path).run("PRAGMA page_size = 512; CREATE TABLE t (b BLOB)")
    try SampleDatabase(path).run("INSERT INTO t VALUES (?)", blob: noise + noise)
    #expect(try SourceKind(of: path) == .sqlite)
  }

  @Test(arguments: [
    ("<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n</map>", true),
    ("<map />", true), ("<map>", true), ("<map version=\"1.0\">", false), ("<maps>", false),
    ("<?xml version=\"1.0\"?><plist><dict/></plist>", false),
  ])
  func `preferences of Android are recognised by their root`(text: String, isMap: Bool) {
    let kind = SourceKind(start: Array(text.utf8), size: Int64(text.utf8.count))
    #expect((kind == .androidPreferences) == isMap)
  }

  @Test func `a file in which another kind lies is of the outer kind`() {
    let list = "<plist version=\"1.0\"><dict/></plist>"
    let database = "<database><databaseInfo><metadata>\(list)</metadata></databaseInfo></database>"
    let beginnings = [
      (database, [SourceKind.coreDataXML, .xmlPropertyList]),
      (
        "<map><string name=\"a\"><![CDATA[\(database)]]></string></map>",
        [.androidPreferences, .coreDataXML, .xmlPropertyList]
      ),
    ]
    for (text, kinds) in beginnings {
      let start = Array(text.utf8)
      // All fit, and the first counts.
      #expect(SourceKind.all.filter { $0.looks(start, Int64(start.count)) } == kinds)
      #expect(SourceKind(start: start, size: Int64(start.count)) == kinds[0])
    }
  }

  @Test func `the cure of an encrypted database names sqlcipher`() {
    #expect(SourceKind.encrypted.words.contains("may be an encrypted SQLite database"))
    #expect(SourceKind.encrypted.cure.hasPrefix("decrypt a copy with sqlcipher"))
  }
}
