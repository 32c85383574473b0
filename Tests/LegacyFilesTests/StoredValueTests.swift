import Foundation
import JSONText
import LegacyFiles
import ResultGrammar
import ResultText
import Testing

/// Results, streaks and texts among the other values of lists, JSON and XML.
struct StoredValueTests {
  private func list(_ inside: String) async throws -> [LegacyItem] {
    let text = "<?xml version=\"1.0\"?><plist version=\"1.0\">\(inside)</plist>"
    return try await LegacySample.items(text, as: .plist).items
  }

  @Test func `a result that is listed as itself is read, whatever its values are`()
    async throws
  {
    let items = try await list(
      """
      <dict><key>last</key><dict>
      <key>id</key><string>A</string><key>sharedText</key><string>Wordle 990 3/6</string>
      <key>date</key><date>2024-03-05T10:11:12Z</date><key>score</key><integer>3</integer>
      <key>big</key><integer>18446744073709551615</integer><key>time</key><real>2.5</real>
      <key>nothing</key><real>nan</real><key>completed</key><true/><key>icon</key><data>AAE=</data>
      <key>tags</key><array><string>x</string></array>
      <key>more</key><dict><key>a</key><integer>1</integer></dict>
      </dict></dict>
      """
    )
    let entry = try #require(items.entries.first)
    #expect(entry.date == .instant(1_709_633_472, fraction: ""))
    guard case .result(let object) = entry.kind else {
      Issue.record("\(entry.kind) is not a result")
      return
    }
    #expect(object["score"]?.integer == 3)
    #expect(object["big"]?.text == "18446744073709551615")
    #expect(object["time"]?.double == 2.5)
    #expect(object["nothing"]?.text == "nan")
    #expect(object["icon"]?["$base64"]?.text == "AAE=")
    #expect(object["tags"]?[0]?.text == "x")
    #expect(object["more"]?["a"]?.integer == 1)
  }

  @Test func `a text that is JSON is looked through, and any other is a candidate`() async throws {
    let items = try await list(
      """
      <dict><key>a</key><string>[{"gameName":"wordle","score":3,"id":"B"}]</string>
      <key>b</key><string>{not JSON</string><key>c</key><data>V29yZGxlIDk5MCAzLzY=</data></dict>
      """
    )
    #expect(items.entries.map(\.place.description) == ["a, element 1", "b", "c"])
    #expect(items.entries.map(\.stored) == ["B", nil, nil])
    #expect(items.entries.map(\.kind).suffix(2) == [.candidate, .candidate])
    #expect(items.entries.last?.string == "Wordle 990 3/6")
  }

  @Test(arguments: ["string", "data", "json"])
  func `a text longer than any result is left out, and reported`(
    kind: String
  ) async throws {
    let text = String(repeating: "x", count: 4 << 20 + 1)
    let items: [LegacyItem]
    switch kind {
    case "json": items = try await LegacySample.items("{\"a\":\"\(text)\"}", as: .json).items
    case "data":
      let data = Data(text.utf8).base64EncodedString()
      items = try await list("<dict><key>a</key><data>\(data)</data></dict>")
    default: items = try await list("<dict><key>a</key><string>\(text)</string></dict>")
    }
    #expect(items.entries.isEmpty)
    #expect(items.notes.map(\.place) == ["a"])
    #expect(items.notes.first?.cause.contains("more than 4 MiB") == true)
  }

  @Test func `a long text of a message inside of another object is whole`() async throws {
    let text = String(repeating: "x", count: 2 << 20)
    let message =
      "<dict><key>text</key><string>\(text)</string><key>date</key><real>1709633472</real></dict>"
    let items = try await list("<dict><key>a</key><dict><key>b</key>\(message)</dict></dict>")
    #expect(items.entries.map(\.kind) == [.text])
    #expect(items.entries.first?.string == text)
  }

  @Test func `an empty file has no format, unless an option names one`() async throws {
    let error = await #expect(throws: LegacyFileError.self) { _ = try await LegacySample.items("") }
    #expect(error?.description.contains("empty") == true)
    #expect(try await LegacySample.items("", as: .text).items.isEmpty)
  }

  @Test func `lists inside of data do not unfold beyond all bounds together`() async throws {
    // A list of thirty times the same text of 20,000 bytes, and twenty times that list.
    let text = String(repeating: "x", count: 20_000)
    let inner = "<array>\(String(repeating: "<string>\(text)</string>", count: 30))</array>"
    let data = Data("<plist>\(inner)</plist>".utf8).base64EncodedString()
    _ = try await list("<array><data>\(data)</data></array>")
    let outer = BinaryList.sharing(Array("<?xml version=\"1.0\"?><plist>\(inner)</plist>".utf8), 20)
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items(outer, as: .plist)
    }
    #expect(error?.description.contains("unfolds") == true)
  }

  @Test func `a damaged list inside data is left out, and reported`() async throws {
    let broken = Data("bplist00 and no more".utf8).base64EncodedString()
    let items = try await list("<dict><key>kept</key><data>\(broken)</data></dict>")
    #expect(items.entries.isEmpty)
    #expect(items.notes.contains { $0.place == "kept" && $0.cause.contains("cannot be read") })
  }

  @Test func `a damaged keyed archive is left out, and reported`() async throws {
    let items = try await list(
      """
      <dict><key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$version</key><integer>1</integer></dict>
      """
    )
    #expect(items.entries.isEmpty)
    #expect(items.notes.map(\.cause).allSatisfy { $0.contains("the keyed archive cannot be read") })
    #expect(items.notes.count == 1)
  }

  @Test func `values that are nested too deep are noted, and others are read`() async throws {
    let deep = String(repeating: "<array>", count: 40) + String(repeating: "</array>", count: 40)
    let items = try await list("<array>\(deep)<string>Wordle 990 3/6</string></array>")
    #expect(items.notes.map(\.code) == ["depth"])
    #expect(items.entries.map(\.string) == ["Wordle 990 3/6"])
    let arrays = String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
    let (_, json) = try await LegacySample.items("[\(arrays),\"Wordle 990 3/6\"]", as: .json)
    #expect(json.notes.map(\.code) == ["depth"])
    #expect(json.entries.map(\.string) == ["Wordle 990 3/6"])
  }

  @Test(
    arguments: [
      ("731326272", 1_709_633_472), ("{\"$date\":\"2024-03-05T10:11:12Z\"}", 1_709_633_472),
      ("{\"$date\":731326272}", 1_709_633_472),
    ] as [(String, Int64)]
  )
  func `a stored result's date is read as JSON encoders write it`(
    date: String,
    seconds: Int64
  ) async throws {
    let text = "[{\"gameName\":\"wordle\",\"completed\":true,\"date\":\(date)}]"
    let (_, items) = try await LegacySample.items(text, as: .json)
    #expect(items.entries.first?.date == .instant(seconds, fraction: ""))
  }

  @Test func `a line of JSON may be a stored result, a bare text or neither`() async throws {
    let lines = """
      {"sharedText":"Wordle 990 3/6","id":"A","gameName":"wordle"}
      "Wordle 991 3/6"
      [1]
      {"body":"Wordle 992 3/6","from":"Ada","game":"wordle","time":731326272}
      {"body":"Wordle 993 3/6","from":7}
      """
    let (_, items) = try await LegacySample.items(lines, as: .jsonl)
    let entries = items.entries
    #expect(entries.map(\.stored) == ["A", nil, nil, nil, nil])
    #expect(entries[1].string == "Wordle 991 3/6")
    #expect(
      entries[2].kind
        == .damaged(cause: "the line is not an object", cure: "write one JSON object a line")
    )
    #expect(entries[3].sender == "Ada" && entries[3].game == "wordle")
    #expect(entries[3].date == .instant(1_709_633_472, fraction: ""))
    #expect(entries[4].sender == "7" && entries[4].string == "Wordle 993 3/6")
  }

  @Test func `an XML text may be an attribute, or the outermost element`() async throws {
    let log = "<log><m text=\"one\" from=\"Ada\" game=\"wordle\"/><m text=\"two\"/></log>"
    let (_, items) = try await LegacySample.items(log, as: .xml)
    #expect(items.entries.map(\.string) == ["one", "two"])
    #expect(items.entries.map(\.sender) == ["Ada", nil])
    #expect(items.entries.map(\.game) == ["wordle", nil])
    let (_, whole) = try await LegacySample.items("<text from=\"Ada\">one</text>", as: .xml)
    #expect(whole.entries.map(\.string) == ["one"])
    #expect(whole.entries.map(\.sender) == ["Ada"])
  }

  @Test(arguments: [true, false])
  func `flat XML gives each text its own date and sender, on whichever side`(
    isBefore: Bool
  ) async throws {
    let parts = [("Ada", 5, "A"), ("Bob", 6, "B"), ("Cy", 7, "C")].map { name, day, text in
      let about = "<from>\(name)</from><date>2024-03-0\(day)</date>"
      return isBefore ? "\(about)<text>\(text)</text>" : "<text>\(text)</text>\(about)"
    }
    let (_, items) = try await LegacySample.items("<log>\(parts.joined())</log>", as: .xml)
    #expect(items.entries.map(\.string) == ["A", "B", "C"])
    #expect(items.entries.map(\.sender) == ["Ada", "Bob", "Cy"])
    let days = items.entries.map { $0.date?.text(in: .utc).prefix(10) }
    #expect(days == ["2024-03-05", "2024-03-06", "2024-03-07"])
  }

  @Test func `a record of many texts gives each once`() async throws {
    var options = LegacyOptions()
    options.xml = XMLNames(record: "day", text: ["t"])
    let texts = (0..<600).map { "<t>\($0)</t>" }.joined()
    let (_, items) = try await LegacySample.items(
      "<log><day>\(texts)</day></log>",
      as: .xml,
      options: options
    )
    #expect(items.entries.map(\.string) == (0..<600).map(String.init))
  }

  @Test func `a record of many texts keeps its findings`() async throws {
    var options = LegacyOptions()
    options.xml = XMLNames(record: "day", text: ["t"], date: ["@date"], sender: ["@from"])
    let texts = (0..<600).map { "<t>\($0)</t>" }.joined()
    let (_, items) = try await LegacySample.items(
      "<log><day date=\"2024-03-05\" from=\"Ada\">\(texts)</day></log>",
      as: .xml,
      options: options
    )
    #expect(items.entries.count { $0.date != nil && $0.sender == "Ada" } == 600)
  }

  @Test func `XML without a named text element is refused with the option to give`() async throws {
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items("<log><m>one</m></log>", as: .xml)
    }
    #expect(error?.description.contains("no element or attribute of <log>") == true)
    #expect(error?.cure?.contains("--xml-text") == true)
  }
}

/// A binary list whose array refers to the same data so many times.
private enum BinaryList {
  static func sharing(_ data: [UInt8], _ count: UInt8) -> [UInt8] {
    let start = Array("bplist00".utf8)
    let array = [0xAF, 0x10, count] + Array(repeating: UInt8(1), count: Int(count))
    let leaf = [0x4F, 0x12] + bigEndian(data.count, size: 4) + data
    let offsets = bigEndian(8, size: 4) + bigEndian(8 + array.count, size: 4)
    let table = start.count + array.count + leaf.count
    let trailer =
      [0, 0, 0, 0, 0, 0, 4, 1] + bigEndian(2, size: 8) + bigEndian(0, size: 8)
      + bigEndian(table, size: 8)
    return start + array + leaf + offsets + trailer
  }

  private static func bigEndian(_ number: Int, size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
