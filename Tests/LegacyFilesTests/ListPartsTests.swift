import Foundation
import JSONText
import LegacyFiles
import Testing

/// XML lists, which are read part by part, beside the same lists in a form that is held whole.
struct ListPartsTests {
  private static let inside = """
    <key>games</key><array>
    <dict><key>gameName</key><string>wordle</string><key>score</key><integer>3</integer>
    <key>completed</key><true/><key>id</key><string>A</string></dict>
    <array><string>Wordle 990 3/6</string><string>nothing much</string></array>
    <data>W3siZ2FtZU5hbWUiOiJuZXJkbGUiLCJzY29yZSI6MiwiaWQiOiJCIn0sIldvcmRsZSA5OTEgNC82Il0=</data>
    </array>
    <key>list</key><dict><key>inner</key><array><string>Wordle 992 5/6</string></array></dict>
    <key>numbers</key><array><integer>1</integer><integer>2</integer></array>
    <key>recordKeys</key><array><string>record_1</string><string>record_3</string></array>
    <key>record_1</key><data>V29yZGxlIDk5MyAyLzY=</data>
    <key>record_2</key><data>V29yZGxlIDk5NCAyLzY=</data>
    <key>text</key><string>Wordle 995 6/6</string>
    """

  private func xml(_ text: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(text)</plist>\n"
  }

  /// What is found, each in words, in an order that does not depend on that of the members.
  private func found(_ bytes: [UInt8]) async throws -> [String] {
    try await LegacySample.items(bytes, as: .plist).items.map { item in
      switch item {
      case .entry(let entry):
        if case .result(let object) = entry.kind {
          "\(entry.place): \(JSONValue.object(object).canonicalText)"
        } else {
          "\(entry.place): \(entry.kind) \(entry.string)"
        }
      case .note(let note): "\(note.place): \(note.code) \(note.cause)"
      }
    }.sorted()
  }

  private func binary(_ text: String) throws -> [UInt8] {
    let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
    return [UInt8](
      try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    )
  }

  @Test(arguments: ["<dict>\(inside)</dict>", "<array><dict>\(inside)</dict></array>"])
  func `a list yields the same, read in parts or as a whole`(text: String) async throws {
    let parts = try await found(Array(xml(text).utf8))
    let whole = try await found(binary(xml(text)))
    #expect(parts == whole)
    #expect(parts.count > 10)
  }

  @Test func `a queue names a field that follows it, and an unnamed one is reported`()
    async throws
  {
    let notes = try await LegacySample.items(xml("<dict>\(Self.inside)</dict>"), as: .plist).items
      .notes.filter { $0.code == "queue" }
    #expect(notes.map(\.place) == ["recordKeys", "record_2"])
    #expect(notes.first?.cause.contains("“record_3”") == true)
  }

  /// The places of what is noted of two lists of names, each of which names one of these members.
  private func queueNotes(of members: [String]) async throws -> [String] {
    let lists = ["firstKeys": "record_1", "secondKeys": "record_2"].map {
      "<key>\($0.key)</key><array><string>\($0.value)</string></array>"
    }
    let data = members.map { "<key>\($0)</key><data>V29yZGxlIDk5MyAyLzY=</data>" }
    return try await LegacySample.items(xml("<dict>\((lists + data).joined())</dict>"), as: .plist)
      .items.notes.filter { $0.code == "queue" }.map(\.place)
  }

  @Test func `each of two lists of names may name a part of the fields`() async throws {
    #expect(try await queueNotes(of: ["record_1", "record_2"]) == [])
  }

  @Test func `an unlisted field is reported once, however many lists there are`()
    async throws
  {
    #expect(try await queueNotes(of: ["record_1", "record_2", "record_3"]) == ["record_3"])
  }

  @Test func `the later value of a duplicate name counts, and is reported`() async throws {
    let text = xml(
      "<dict><key>a</key><string>Wordle 990 3/6</string><key>a</key><string>Wordle 991 4/6</string></dict>"
    )
    let items = try await LegacySample.items(text, as: .plist).items
    #expect(items.entries.map(\.string) == ["Wordle 991 4/6"])
    #expect(items.notes.first?.cause.contains("comes twice") == true)
  }

  @Test func `members whose names are one text in different bytes are both read`() async throws {
    let text = xml(
      "<dict><key>\u{E9}</key><string>Wordle 990 3/6</string>"
        + "<key>e\u{301}</key><string>Wordle 991 4/6</string></dict>"
    )
    let items = try await LegacySample.items(text, as: .plist).items
    let texts = items.entries.map { $0.string }
    #expect(texts == ["Wordle 990 3/6", "Wordle 991 4/6"])
    #expect(!items.notes.contains { $0.cause.contains("comes twice") })
  }

  @Test func `a list that is damaged at its end yields nothing`() async throws {
    let text =
      "<plist version=\"1.0\"><array><string>Wordle 990 3/6</string><string>x</array></plist>"
    await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items(text, as: .plist)
    }
  }

  @Test func `a list larger than the memory limit is read`() async throws {
    let element = "<string>Wordle 990 3/6 \(String(repeating: "x", count: 1 << 20))</string>"
    let text = xml("<array>\(String(repeating: element, count: 65))</array>")
    #expect(try await LegacySample.items(text, as: .plist).items.count == 65)
  }
}
