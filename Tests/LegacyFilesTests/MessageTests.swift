import LegacyFiles
import ResultGrammar
import ResultText
import Testing

/// Message backups, chats, XML and JSON Lines.
struct MessageTests {
  @Test func `a message backup gives bodies, dates and who sent them`() async throws {
    let text = """
      <?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
      <!--File Created By SMS Backup & Restore-->
      <smses count="3">
        <sms address="+49" date="1709633472000" type="2" body="Wordle 990 3/6&#10;&#10;⬛" />
        <sms address="+49" date="1709633472001" type="1" body="&#55357;&#57313; hi" \
      contact_name="Ada" />
        <mms msg_box="1" date="1709633473000" address="+43"><parts>
          <part ct="application/smil" text="no" /><part ct="text/plain" text="one" />
          <part ct="text/plain" text="two" />
        </parts></mms>
      </smses>
      """
    let (form, items) = try await LegacySample.items(text)
    #expect(form == .sms)
    #expect(items.entries.map(\.string) == ["Wordle 990 3/6\n\n⬛", "🟡 hi", "one\ntwo"])
    #expect(items.entries.map(\.isOwn) == [true, false, false])
    #expect(items.entries.map(\.sender) == [nil, "Ada", "+43"])
    #expect(items.entries[1].date == .instant(1_709_633_472, fraction: "001"))
  }

  @Test(arguments: [
    "-9223372036854775808", "-9223372036854775001", "9223372036854775807", "-62135596800001",
    "253402300800000", "9223372036854775808", "x",
  ])
  func `a message with an impossible time is read without it`(date: String) async throws {
    let text = """
      <smses><sms address="1" date="\(date)" type="2" body="Wordle 1 3/6"/>
      <mms address="1" date="\(date)" msg_box="2"><parts><part ct="text/plain" text="b"/></parts></mms>
      </smses>
      """
    let (_, items) = try await LegacySample.items(text)
    #expect(items.entries.map(\.string) == ["Wordle 1 3/6", "b"])
    #expect(items.entries.map(\.date) == [nil, nil])
    #expect(items.entries.map { $0.dateFault?.kind } == [.form, .form])
  }

  @Test func `a time before 1970 is cut towards the past`() {
    #expect(LegacyDate(milliseconds: -1) == .instant(-1, fraction: "999"))
    #expect(LegacyDate(milliseconds: -1000) == .instant(-1, fraction: ""))
    #expect(LegacyDate(milliseconds: -1001) == .instant(-2, fraction: "999"))
    #expect(LegacyDate(milliseconds: .min) == nil)
  }

  @Test(arguments: [
    "[05.03.24, 10:11:12] Ada: ", "05/03/2024, 10:11 - Ada: ", "2024-03-05, 10:11 - Ada: ",
    "05.03.24, 10:11 - Ada: ", "\u{200E}[05/03/2024, 10:11:12\u{202F}AM] Ada: ",
    "05/03/2024 à 10:11 - Ada: ", "5/3/24, 10:11 a. m. - Ada: ", "2024. 3. 5. 오전 10:11, Ada: ",
    "2024/03/05 10:11 - Ada: ", "05-03-2024 10:11 - Ada: ", "05.03.24 klo 10.11 - Ada: ",
    "\u{200F}[٥\u{200F}/٣\u{200F}/٢٠٢٤، ١٠:١١:١٢\u{202F}ص] Ada: ", "٥/٣/٢٠٢٤، ١٠:١١ ص - Ada: ",
    "०५/०३/२४, १०:११ am - Ada: ", "5.03.24 г., 10:11 ч. - Ada: ", "5.03.24 г., 10:11 - Ada: ",
    "5/3/24, 10:11 π.μ. - Ada: ", "05/03/2024, 10:11 PG - Ada: ", "10:11, 05/03/2024 - Ada: ",
    "5.3.24, 10:11 e paradites - Ada: ",
  ])
  func `a chat's message is recognised in its locale`(head: String) async throws {
    let chat = "\(head)Wordle 990 3/6\n\n⬛⬛⬛⬛⬛\n\(head)hello: you\n"
    var options = LegacyOptions()
    options.dateOrder = .dmy
    let (form, items) = try await LegacySample.items(chat, options: options)
    #expect(form == .chat)
    #expect(items.entries.map(\.string) == ["Wordle 990 3/6\n\n⬛⬛⬛⬛⬛", "hello: you"])
    #expect(items.entries.map(\.sender) == ["Ada", "Ada"])
    let text = items.entries[0].date?.text(in: .utc) ?? ""
    #expect(text.hasPrefix("2024-03-05T10:11"))
  }

  @Test(arguments: [
    ("3/13/24, 9:05 PM - A: x\n", "2024-03-13T21:05:00Z", false),
    ("13/3/24, 9:05 - A: x\n", "2024-03-13T09:05:00Z", false),
    (
      "4/5/24, 9:05 - A: x\n5/4/24, 9:05 - A: y\n6/3/24, 9:05 - A: y\n", "2024-04-05T09:05:00Z",
      false
    ),
    ("4/5/24, 12:05 am - A: x\n", "2024-04-05T00:05:00Z", true),
    ("4/5/24, 9:05 - A: x\n", "2024-05-04T09:05:00Z", true),
  ])
  func `the order of a chat's dates is found, or reported as doubtful`(
    chat: String,
    date: String,
    isInDoubt: Bool
  ) async throws {
    let (_, items) = try await LegacySample.items(chat, as: .chat)
    #expect(items.entries.first?.date?.text(in: .utc) == date)
    #expect(items.notes.contains { $0.code == "date-order" } == isInDoubt)
  }

  @Test func `XML gives its texts by the names of elements and attributes`() async throws {
    let text = """
      <log><entry day="2024-03-05"><who>Ada</who><msg>Wordle 990 3/6
      <![CDATA[⬛]]></msg></entry><entry day="2024-03-06"><msg>two</msg><msg>three</msg></entry></log>
      """
    var options = LegacyOptions()
    options.xml = XMLNames(
      record: "entry",
      text: ["msg"],
      date: ["@day"],
      sender: ["who"]
    )
    let (form, items) = try await LegacySample.items(text, options: options)
    #expect(form == .xml)
    #expect(items.entries.map(\.string) == ["Wordle 990 3/6\n⬛", "two", "three"])
    #expect(items.entries.map(\.sender) == ["Ada", nil, nil])
    let days = items.entries.map { $0.date?.text(in: .utc).prefix(10) }
    #expect(days == ["2024-03-05", "2024-03-06", "2024-03-06"])
  }

  @Test(arguments: [
    "<!DOCTYPE a [<!ENTITY b \"c\">]><a><text>&b;</text></a>", "<!DOCTYPE a><a><text>b</text></a>",
    "<!DOCTYPE a SYSTEM \"file:///dev/zero\"><a><text>b</text></a>",
    "<!DOCTYPE a SYSTEM \"file:///etc/passwd\" [<!ENTITY % b SYSTEM \"http://x/\">%b;]><a/>",
    "<a><text>one</text><text>&#55357;</text></a>", "<a><text>cut",
  ])
  func `hostile XML is refused with its place`(text: String) async throws {
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items(text, as: .xml)
    }
    #expect(error?.description.contains("line 1") == true, "\(error?.description ?? "")")
  }

  @Test func `JSON Lines give the named member, and a line without it is damaged`() async throws {
    var options = LegacyOptions()
    options.textField = "t"
    let lines = "{\"t\":\"Wordle 990 3/6\\n\",\"date\":\"2024-03-05\"}\n\n{\"x\":1}\nno\n"
    let (_, items) = try await LegacySample.items(lines, as: .jsonl, options: options)
    #expect(items.entries.map(\.number) == [1, 3, 4])
    #expect(items.entries[0].string == "Wordle 990 3/6\n")
    for entry in items.entries.dropFirst() {
      guard case .damaged = entry.kind else {
        Issue.record("line \(entry.number) is not damaged")
        continue
      }
    }
  }

  @Test func `plain text is cut where results begin`() async throws {
    let text = """
      look at this
      Wordle 990 3/6

      ⬛⬛⬛⬛⬛
      ⬛🟨⬛⬛⬛
      🟩🟩🟩🟩🟩
      and
      #Worldle #775 (05.03.2024) 2/6 (100%)
      🟩🟩🟩⬜⬜⬇️
      🟩🟩🟩🟩🟩🎉
      Wordle 991 9/6
      """
    let (form, items) = try await LegacySample.items(text)
    #expect(form == .text)
    #expect(items.entries.map(\.place.description) == ["line 1", "line 8", "line 11"])
    #expect(items.entries[2].string == "Wordle 991 9/6")
  }

  @Test func `a part of a plain text carries its recognised result`() async throws {
    let notes = String(repeating: "words of a day\n", count: 20)
    let day = "\(notes)Wordle 990 3/6\n\(notes)Wordle 991 9/6\n"
    let (_, items) = try await LegacySample.items(String(repeating: day, count: 300))
    var reader = ResultReader(catalogue: LegacySample.catalogue)
    #expect(items.entries.count > 100)
    #expect(items.entries.contains { $0.reading?.bucket == .refused })
    for entry in items.entries {
      guard let reading = entry.reading else { continue }
      #expect(reading == reader.read(entry.text))
    }
  }

  @Test func `a plain text longer than a window gives every result once`() async throws {
    var text = ""
    // No puzzle of a day that has not come.
    let numbers = (0..<6000).map { $0 % 1500 + 1 }
    for number in numbers {
      text += "Some words before \(number), and\nWordle \(number) X/6\n\n"
      text += String(repeating: "⬛🟨⬛⬛⬛\n", count: 6)
    }
    let (_, items) = try await LegacySample.items(text)
    var reader = ResultReader(catalogue: LegacySample.catalogue)
    let puzzles = items.entries.flatMap { reader.read($0.text).results.compactMap(\.puzzle) }
    #expect(puzzles == numbers)
  }

  @Test func `a plain text with a result in each of its lines gives all of them`() async throws {
    let numbers = (0..<5000).map { $0 % 1500 + 1 }
    let text = numbers.map { "Wordle \($0) 3/6\n" }.joined()
    let (_, items) = try await LegacySample.items(text, as: .text)
    var reader = ResultReader(catalogue: LegacySample.catalogue)
    let readings = items.entries.map { reader.read($0.text) }
    #expect(readings.flatMap(\.results).compactMap(\.puzzle) == numbers)
    #expect(readings.allSatisfy { $0.refusals.isEmpty })
  }

  @Test(arguments: [2_710, 2_728, 2_729, 2_730, 3_120])
  func `the only result of a long text is whole, wherever a window ends`(
    lineCount: Int
  ) async throws {
    let result = "Wordle 990 3/6\n\n⬛🟨⬛⬛⬛\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
    let words = String(repeating: "some words of a talk\n", count: lineCount)
    let (_, items) = try await LegacySample.items(words + result + words, as: .text)
    #expect(items.entries.count { $0.string.contains(result) } == 1)
    #expect(items.entries.map(\.string).joined() == words + result + words)
  }

  private static let squaresFirst = "🟥🟥🟩⬜⬜⬜\n#HeardleItalia 19/06/2025\n\nhttps://heardle.it\n"

  /// A window ends at byte 57,344, and of one without a result the last 4,096 bytes are read again.
  @Test(arguments: [2_533, 2_534, 2_535, 2_536, 2_725, 2_728, 2_729, 2_730, 3_120])
  func `a result that has its squares before its name is whole, wherever a window ends`(
    lineCount: Int
  ) async throws {
    let words = String(repeating: "some words of a talk\n", count: lineCount)
    let text = words + Self.squaresFirst + words
    let (_, items) = try await LegacySample.items(text, as: .text)
    var reader = ResultReader(catalogue: LegacySample.catalogue)
    let results = items.entries.flatMap { reader.read($0.text).results }
    #expect(results.map(\.game) == ["heardle"])
    #expect(results.map(\.score) == [ResultNumber(3)])
    #expect(items.entries.map(\.string).joined() == text)
  }

  @Test func `a result before one that has its score before its name keeps its own squares`()
    async throws
  {
    let wordle = "Wordle 990 3/6\n\n⬛🟨⬛⬛⬛\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\nand\n"
    let raddle = "COSTA → RICA [💯]\nRaddle #567 • Sep 14, 2026\nhttps://raddle.quest/567\n"
    let words = String(repeating: "some words of a talk\n", count: 4_000)
    for text in [wordle + raddle + words, words + wordle + raddle] {
      let (_, items) = try await LegacySample.items(text, as: .text)
      var reader = ResultReader(catalogue: LegacySample.catalogue)
      let readings = items.entries.map { reader.read($0.text) }
      let results = readings.flatMap(\.results)
      #expect(results.map(\.game) == ["wordle", "raddle"])
      #expect(results.map(\.score) == [ResultNumber(3), ResultNumber(100)])
      #expect(readings.allSatisfy { $0.refusals.isEmpty })
    }
  }

  @Test(arguments: ["Wordle 900 1/6\n🟩🟩🟩🟩🟩", "Größe ⬛⬜5️⃣ – “fin”"])
  func `text that was encoded twice in Latin-1 is repaired`(text: String) {
    var damaged = ""
    for byte in text.utf8 { damaged.unicodeScalars.append(Unicode.Scalar(byte)) }
    #expect(DoubleEncoding.repaired(Array(damaged.utf8)) == Array(text.utf8))
  }

  @Test func `text that was encoded twice in Windows-1252 is repaired`() {
    #expect(DoubleEncoding.repaired(Array("ðŸŸ©".utf8)) == Array("🟩".utf8))
  }

  @Test(arguments: ["ðŸŸ", "ð🟩", "âge"])
  func `text that lost bytes is not repaired`(text: String) {
    #expect(DoubleEncoding.repaired(Array(text.utf8)) == nil)
  }

  @Test func `text that was encoded twice is found`() {
    let damaged = "Wordle 990 3/6 ðŸŸ©"
    #expect(DoubleEncoding.place(in: Array(damaged.utf8)) == 15)
    #expect(DoubleEncoding.place(in: Array("Wordle 🟩⬛5️⃣ âge ð".utf8)) == nil)
  }

  @Test(arguments: [
    ("SQLite format 3\0", "ferry export"), ("PK\u{3}\u{4}", "unpack"), ("W\0o\0r\0", "UTF-8"),
  ])
  func `another file than a legacy file is refused with a cure`(start: String, cure: String)
    async throws
  {
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items(start + "and more")
    }
    #expect(error?.cure?.contains(cure) == true)
  }
}
