import Foundation
import JSONText
import LegacyFiles
import ResultGrammar
import ResultText
import Testing

/// Objects that hold a text which a person shared, and say when and who it was.
struct SharedObjectTests {
  private static let moment = "2024-03-05T10:11:12Z"

  @Test func `a text beside a date has that date, in JSON and in a property list`() async throws {
    let json = #"[{"text":"Wordle 990 3/6","date":"\#(Self.moment)"}]"#
    let list = """
      <plist><array><dict><key>text</key><string>Wordle 990 3/6</string>
      <key>date</key><date>\(Self.moment)</date></dict></array></plist>
      """
    for text in [json, list] {
      let (_, items) = try await LegacySample.items(text)
      #expect(items.entries.map(\.string) == ["Wordle 990 3/6"])
      #expect(items.entries.map(\.kind) == [.text])
      #expect(items.entries.first?.date?.text(in: .utc) == Self.moment)
      #expect(items.entries.map(\.place.description) == ["element 1"])
    }
  }

  @Test(
    arguments: [
      // Telegram, which writes links and hashtags as pieces of their own.
      #"""
      {"date":"2024-03-05T10:11:12","from":"Ada","text":["see ",{"type":"link","text":"x.y"}," ok"],
      "text_entities":[{"type":"plain","text":"see "},{"type":"link","text":"x.y"}]}
      """#,
      // Slack.
      #"""
      {"type":"message","user":"Ada","ts":"1709633472.000200","text":"see x.y ok",
      "blocks":[{"type":"rich_text","elements":[{"type":"text","text":"see x.y ok"}]}]}
      """#,
      // Discord.
      #"{"timestamp":"2024-03-05T10:11:12+00:00","content":"see x.y ok","author":{"name":"Ada"}}"#,
    ]
  )
  func `a message of an exported chat is one text, with its date and its sender`(
    message: String
  ) async throws {
    let (form, items) = try await LegacySample.items(#"{"messages":[\#(message)]}"#, as: .json)
    #expect(form == .json)
    #expect(items.entries.filter { $0.kind == .text }.map(\.string) == ["see x.y ok"])
    #expect(!items.entries.contains { $0.kind == .candidate && $0.string.contains("x.y") })
    let entry = items.entries.first
    #expect(entry?.sender == "Ada")
    #expect(entry?.date?.text(in: .utc).hasPrefix("2024-03-05T10:11:12") == true)
    #expect(entry?.place.description == "messages, element 1")
    #expect(items.notes.isEmpty)
  }

  @Test func `an unread date of a message is reported with the flag that names it`()
    async throws
  {
    let (_, items) = try await LegacySample.items(#"[{"text":"Wordle 990 3/6","date":"soon"}]"#)
    #expect(items.entries.first?.dateFault?.cure.contains("--date-field") == true)
  }

  @Test func `a text without a date and a sender is a candidate, as before`() async throws {
    let (_, items) = try await LegacySample.items(#"[{"text":"Wordle 990 3/6","more":1}]"#)
    #expect(items.entries.map(\.kind) == [.candidate])
    #expect(items.entries.map(\.place.description) == ["element 1, text"])
  }

  @Test func `members that a person named hold text, date and sender of an object`() async throws {
    var options = LegacyOptions()
    options.textField = "note"
    options.dateField = "when"
    options.senderField = "who"
    let json = #"[{"note":"Wordle 990 3/6","when":"\#(Self.moment)","who":"Ada","text":"hello"}]"#
    let (_, items) = try await LegacySample.items(json, options: options)
    let entry = items.entries.first
    #expect(entry?.string == "Wordle 990 3/6" && entry?.sender == "Ada")
    #expect(entry?.date?.text(in: .utc) == Self.moment)
  }

  @Test func `results inside a message are found too`() async throws {
    let json =
      #"[{"text":"see this","date":"\#(Self.moment)","kept":{"sharedText":"Wordle 990 3/6"}}]"#
    let (_, items) = try await LegacySample.items(json)
    #expect(items.entries.map(\.string) == ["see this", "Wordle 990 3/6"])
  }

  @Test func `a text inside a message belongs to its sender, and its date is not used`()
    async throws
  {
    let json = """
      [{"content":"","timestamp":"\(Self.moment)","author":{"name":"Bob"},
      "embeds":[{"description":"Wordle 990 3/6"}],
      "more":{"content":"Wordle 991 3/6","timestamp":"\(Self.moment)"}},"Wordle 992 3/6"]
      """
    let kept = Data(#"["Wordle 991 3/6"]"#.utf8).base64EncodedString()
    let list = """
      <plist><array><dict><key>text</key><string>so</string><key>from</key><string>Bob</string>
      <key>more</key><array><string>Wordle 990 3/6</string></array>
      <key>kept</key><data>\(kept)</data>
      </dict><string>Wordle 992 3/6</string></array></plist>
      """
    for text in [json, list] {
      let (_, items) = try await LegacySample.items(text)
      let found = items.entries.filter { $0.string.hasPrefix("Wordle") }
      #expect(found.map(\.string) == ["Wordle 990 3/6", "Wordle 991 3/6", "Wordle 992 3/6"])
      #expect(found.map(\.sender) == ["Bob", "Bob", nil])
      #expect(found.first?.date == nil)
    }
  }

  @Test(
    arguments: [
      // Telegram, of an account that is gone; Slack, of a program.
      (#""from":null,"from_id":"user7""#, "user7"), (#""username":"Bob""#, "Bob"),
      (#""user":7"#, "7"), (#""author":{"id":7,"username":"bob"}"#, "bob"),
    ]
  )
  func `a sender without a name is still a sender other than the owner`(
    member: String,
    sender: String
  ) async throws {
    let object = #"{"text":"Wordle 990 3/6","date":null,"ts":"\#(Self.moment)",\#(member)}"#
    for (text, form) in [("[\(object)]", LegacyForm.json), (object, .jsonl)] {
      let (_, items) = try await LegacySample.items(text, as: form)
      #expect(items.entries.map(\.sender) == [sender])
      #expect(items.entries.first?.date?.text(in: .utc) == Self.moment)
    }
  }

  @Test func `a line of JSON may name its sender by an object, and its text in pieces`()
    async throws
  {
    let line = #"{"text":["Wordle ",{"text":"990"}," 3/6"],"author":{"name":"Ada"}}"#
    let (_, items) = try await LegacySample.items(line, as: .jsonl)
    #expect(items.entries.map(\.string) == ["Wordle 990 3/6"])
    #expect(items.entries.map(\.sender) == ["Ada"])
  }

  @Test func `a stored result beside a message deeper in a line of JSON is given too`() async throws
  {
    let line = """
      {"a":{"text":"Wordle 990 3/6","author":"Ada","date":"\(Self.moment)"},\
      "b":{"sharedText":"Wordle 991 3/6","gameName":"wordle","completed":true}}
      """
    let (_, items) = try await LegacySample.items(line, as: .jsonl)
    #expect(items.entries.count == 2)
    #expect(items.entries.first?.kind == .text)
    guard case .result = items.entries.last?.kind else {
      Issue.record("the stored result is not given")
      return
    }
  }

  @Test func `the text deeper in a line of JSON than its message is given too`() async throws {
    let deep = String(repeating: "[", count: 80) + String(repeating: "]", count: 80)
    let line = """
      {"text":"see this","author":"Ada","date":"\(Self.moment)",\
      "kept":{"sharedText":"Wordle 990 3/6"},"more":["Wordle 991 3/6"],\
      "quote":"Wordle 992 3/6","deep":\(deep)}
      """
    let (_, items) = try await LegacySample.items(line, as: .jsonl)
    #expect(
      items.entries.map(\.string)
        == ["see this", "Wordle 990 3/6", "Wordle 991 3/6", "Wordle 992 3/6"]
    )
    #expect(items.entries.map(\.sender) == ["Ada", "Ada", "Ada", nil])
    #expect(items.entries.map { $0.authorFault != nil } == [false, false, false, true])
    #expect(items.entries.allSatisfy { $0.place == .line(1) && $0.number == 1 })
    #expect(items.notes.map(\.code) == ["depth"])
    #expect(items.notes.allSatisfy { $0.place.hasPrefix("line 1, deep") })
  }

  @Test func `a person who names the member of the text gets no other text of a line`() async throws
  {
    var options = LegacyOptions()
    options.textField = "note"
    let line = #"{"note":"Wordle 990 3/6","more":"Wordle 991 3/6"}"#
    let (_, items) = try await LegacySample.items(line, as: .jsonl, options: options)
    #expect(items.entries.map(\.string) == ["Wordle 990 3/6"])
  }
}
