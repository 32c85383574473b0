import LegacyFiles
import ResultGrammar
import ResultText
import Testing

/// Texts of several people, in forms that are read and in forms that are not.
struct SpeakerTests {
  private static let two = "Wordle 936 2/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
  private static let five =
    "Wordle 936 5/6\n\n⬛🟨⬛⬛⬛\n🟩⬛🟨⬛⬛\n🟩🟩⬛🟩🟩\n🟩🟩⬛🟩🟩\n🟩🟩🟩🟩🟩\n"

  private func form(_ text: String) throws -> LegacyForm {
    try LegacyForm.recognise(Array(text.utf8), file: "file")
  }

  @Test(
    arguments: [
      // Messenger, Teams and Signal, where messages are copied.
      ("Bob sent Jan 14, 2024, 9:05 AM\n", "Anna sent Jan 14, 2024, 9:30 AM\n"),
      ("Bob, [14.01.2024 9:05]\n", "Anna, [14.01.2024 9:30]\n"), ("[9:05] Bob\n", "[9:30] Anna\n"),
      ("[Yesterday 9:05 PM] Bob Smith\n", "[Yesterday 9:30 PM] Anna\n"),
      // WeChat and QQ.
      ("2024-01-14 09:05:00 Bob(10001)\n", "2024-01-14 09:30:00 Anna(10002)\n"),
      ("Bob | 9:05\n", "Anna | 9:30\n"), ("*Bob* _9:05_\n", "*Anna* _9:30_\n"),
      ("Bob Smith, 14 Jan 2024\n", "Anna, 14 Jan 2024\n"), ("昨天 9:05 Bob\n", "昨天 9:30 Anna\n"),
      ("Bob — вчера в 9:05\n", "Anna — сегодня в 9:30\n"), ("1705222800 bob ", "1705224600 anna "),
      // LINE without tabs, IRC, a table without names for its columns.
      ("09:05 Bob ", "09:30 Anna "), ("[09:05] <bob> ", "[09:30] <anna> "), ("<bob> ", "<anna> "),
      ("Bob,2024-01-14 09:05,\"", "Anna,2024-01-14 09:30,\""),
      ("2024-01-14 09:05,Bob,", "2024-01-14 09:30,Me,"), ("Bob: ", "Me: "), ("Bob: ", "Anna: "),
      ("Bob | ", "Anna | "),
      ("**Bob:** ", "**Anna:** "), ("Sender: Bob\n", "Sender: Anna\n"),
      ("from: Bob\ntext: ", "from: Anna\ntext: "), ("2024-01-14 Bob\n", "2024-01-14 Anna\n"),
      ("14 Jan 2024 09:05\nBob\n", "14 Jan 2024 09:30\nAnna\n"),
    ]
  )
  func `a text of several people in an unread format is not taken for a text of one`(
    bob: String,
    anna: String
  ) {
    let text = "so\n\(bob)\(Self.two)\n\(anna)\(Self.five)"
    let error = #expect(throws: LegacyFileError.self) { try form(text) }
    #expect(error?.cure?.contains("--as text") == true, "\(error?.description ?? "")")
  }

  @Test(
    arguments: [
      "From: Bob <bob@example.com>\nSent: Sunday\nSubject: today\n\n",
      "-----Original Message-----\n", "Begin forwarded message:\n\n",
      "-----Ursprüngliche Nachricht-----\n", "-----Message d'origine-----\n",
      "On Sun, Jan 14, 2024 at 9:05 AM Bob wrote:\n", "Forwarded from Bob\n",
    ]
  )
  func `a text with a part by another person belongs to no single sender`(mark: String) {
    let error = #expect(throws: LegacyFileError.self) { try form("Look\n\n\(mark)\(Self.two)") }
    #expect(error?.description.contains("another person wrote") == true)
  }

  @Test(
    arguments: [
      "2024-01-14\n\(two)\n2024-01-15\n\(five)",
      "Sunday, January 14, 2024\n\(two)\nMonday\n\(five)",
      "2024-01-14: \(two)\n2024-01-15: \(five)", "Today: \(two)\nYesterday: \(five)",
      "Solved in 1:23\n\(two)\nSolved in 2:10\n\(five)",
      "My score: \(two)\n14.01.2024 10:05\n\(five)",
      "Queens #161 | 0:58 and flawless\nQueens #162 | 2:56\nTango #3 | 1:24 and flawless\n",
      "I solved the 6/10/2026 New York Times Mini Crossword in 0:30!\n"
        + "I solved the 12/10/2024 New York Times Mini Crossword in 0:56\n",
      "2024-01-14 10:05 Connections\nPuzzle #123\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪\n",
    ]
  )
  func `notes of one person are text`(text: String) throws {
    #expect(try form(text) == .text)
  }

  @Test func `lines that end with a carriage return and a line feed are counted once`() throws {
    let text = "so\n\n14 Jan 2024 09:05\nBob\n\(Self.two)\n14 Jan 2024 09:30\nAnna\n\(Self.five)"
    let error = #expect(throws: LegacyFileError.self) {
      try form(
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
      )
    }
    #expect(error?.description.contains("line 10: several names") == true)
  }

  @Test func `a text of several people behind many lines is refused too`() async throws {
    let notes = String(repeating: "a line of notes, and nothing else\n", count: 3_000)
    let text = "\(Self.two)\(notes)Bob  9:05 AM\n\(Self.two)\nAnna  9:30 AM\n\(Self.five)"
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items(text)
    }
    #expect(error?.description.contains("several names are beside days") == true)
    let (form, items) = try await LegacySample.items(text, as: .text)
    #expect(form == .text && items.entries.count == 3)
  }

  // MARK: Forms that are read

  private func senders(
    _ text: String,
    order: ChatDateOrder? = nil
  ) async throws -> [String] {
    var options = LegacyOptions()
    options.dateOrder = order
    let (_, items) = try await LegacySample.items(text, options: options)
    return items.entries.filter { $0.string.contains("Wordle") }.map { entry in
      "\(entry.sender ?? "-") \(entry.date?.text(in: .utc) ?? "-") \(entry.string.prefix(14))"
    }
  }

  @Test(
    arguments: [
      // LINE.
      """
      [LINE] Chat history with Bob
      Saved on: 2024/01/20 10:00

      2024/01/14(Sun)
      09:05\tBob\t"\(two)"
      09:10\tBob called
      09:30\tAnna\tWordle 936 5/6
      """,
      // KakaoTalk.
      """
      KakaoTalk Chats with Bob
      Date Saved : 2024-01-20 10:00:00

      --------------- Sunday, January 14, 2024 ---------------
      [Bob] [9:05 AM] \(two)
      [Anna] [9:30 AM] \(five)
      """,
      """
      Bob 님과 카카오톡 대화
      --------------- 2024년 1월 14일 일요일 ---------------
      [Bob] [오전 9:05] \(two)
      [Anna] [오전 9:30] \(five)
      """,
      "January 14, 2024 at 9:05 AM, Bob : \(two)\nJanuary 14, 2024 at 9:30 AM, Anna : \(five)",
      // DiscordChatExporter.
      """
      ==============================================================
      Guild: Direct Messages
      Channel: Bob
      ==============================================================

      [1/14/2024 9:05 AM] Bob
      \(two)
      [1/14/2024 9:30 AM] Anna (pinned)
      \(five)
      """,
      "[14-Jan-24 09:05 AM] Bob\n\(two)\n[14-Jan-24 09:30 AM] Anna\n\(five)",
      // Line ends of old Macs, and parts of the day.
      "[14.01.24, 09:05:00] Bob: Wordle 936 2/6\r[14.01.24, 09:30:00] Anna: Wordle 936 5/6\r",
      "2024/1/14 早上9:05 - Bob: \(two)\n2024/1/14 清晨9:30 - Anna: \(five)",
      "१४/०१/२४, ९:०५ पूर्वाह्न - Bob: \(two)\n१४/०१/२४, ९:३० पूर्वाह्न - Anna: \(five)",
      "௧௪/௦௧/௨௪, ௯:௦௫ - Bob: \(two)\n௧௪/௦௧/௨௪, ௯:௩௦ - Anna: \(five)",
    ]
  )
  func `a chat is read with its senders and its days`(chat: String) async throws {
    #expect(
      try await senders(chat) == [
        "Bob 2024-01-14T09:05:00Z Wordle 936 2/6", "Anna 2024-01-14T09:30:00Z Wordle 936 5/6",
      ]
    )
  }

  private static let page = """
    <html>
    <meta charset="UTF-8">
    <link rel="stylesheet" type="text/css" href="style.css">
    <div class="message">
    <div class="received">
    <p><span class="timestamp">Jan 14, 2024  9:05:00 AM (Read by you after 5 seconds)</span>
    <span class="sender">Bob</span></p>
    <hr><div class="message_part">
    <span class="bubble">\(two)a &lt; b &amp; c</span>
    </div>
    <div class="replies"><div class="reply"><div class="message"><div class="sent iMessage">
    <p><span class="timestamp">Jan 14, 2024  9:30:00 AM</span>
    <span class="sender">Anna</span></p>
    <div class="message_part"><span class="bubble">\(five)</span></div>
    </div></div></div></div>
    </div>
    </div>
    <div class="announcement"><p><span class="timestamp">Jan 14, 2024  9:20:00 AM</span> Bob named it</p></div>
    <div class="message">
    <div class="sent iMessage">
    <p><span class="timestamp">Jan 14, 2024  9:30:00 AM</span>
    <span class="sender">Anna</span></p>
    <hr><div class="message_part">
    <span class="bubble">\(five)</span>
    </div>
    </div>
    </div>
    </html>
    """

  @Test(
    arguments: [
      // imessage-exporter: when a message was read, an announcement, an answer below its message.
      """
      Jan 14, 2024  9:05:00 AM (Read by you after 1 hour, 49 seconds)
      Bob
      \(two)
      Tapbacks:
          Loved by Anna
          Jan 14, 2024  9:30:00 AM
          Anna
          \(five)
      Jan 14, 2024  9:20:00 AM Bob named the conversation Games
      Jan 14, 2024  9:30:00 AM
      Anna
      \(five)
      """,
      "Bob — 01/14/2024 9:05 AM\n\(two)\nAnna — 01/14/2024 9:30 AM\n\(five)",
      "Sunday, January 14th, 2024\nBob  9:05 AM\n\(two)\nAnna  9:30 AM\n\(five)",
      page,
    ]
  )
  func `messages that are copied or exported with heads of their own keep senders and days`(
    chat: String
  ) async throws {
    #expect(
      try await senders(chat, order: .mdy) == [
        "Bob 2024-01-14T09:05:00Z Wordle 936 2/6", "Anna 2024-01-14T09:30:00Z Wordle 936 5/6",
      ]
    )
  }

  @Test func `a copied clock without a day gives a message without a date`() async throws {
    let (form, items) = try await LegacySample.items(
      "Bob  9:05 AM\n\(Self.two)\nAnna  9:30 AM\n\(Self.five)"
    )
    #expect(form == .chat)
    #expect(items.entries.map(\.sender) == ["Bob", "Anna"])
    #expect(items.entries.allSatisfy { $0.date == nil && $0.dateFault == nil })
  }

  @Test func `a page of messages has its entities replaced`() async throws {
    let (_, items) = try await LegacySample.items(Self.page)
    #expect(items.entries.first?.string.contains("a < b & c") == true)
  }

  @Test func `a message between quotation marks loses them, and a line of a list keeps its own`()
    async throws
  {
    let chat = """
      2024/01/14(Sun)
      09:05\tBob\t"two
      lines"
      09:30\tAnna\t"so"
      """
    let (_, items) = try await LegacySample.items(chat)
    #expect(items.entries.map(\.string) == ["two\nlines", "\"so\""])
  }

  @Test func `a new day is found by its date line, and a time that goes back needs one`()
    async throws
  {
    let day = "09:05\tBob\tWordle 936 2/6\n23:30\tAnna\tWordle 936 5/6\n"
    #expect(
      try await senders("2024/01/14(Sun)\n\(day)\n2024/01/15(Mon)\n00:05\tAnna\tWordle 937 5/6\n")
        == [
          "Bob 2024-01-14T09:05:00Z Wordle 936 2/6", "Anna 2024-01-14T23:30:00Z Wordle 936 5/6",
          "Anna 2024-01-15T00:05:00Z Wordle 937 5/6",
        ]
    )
    for between in ["", "\n2024. 1. 15.\n", "\nMontag 15 1 2024\n", "\n2024/01/13(Sat)\n"] {
      let error = await #expect(throws: LegacyFileError.self) {
        _ = try await senders("2024/01/14(Sun)\n\(day)\(between)00:05\tAnna\tWordle 937 5/6\n")
      }
      guard case .unreadHead? = error else {
        Issue.record("\(between): \(String(describing: error))")
        continue
      }
    }
  }

  @Test(
    arguments: [
      "2024/1/15 夜里9:05 - Bob: x", "2024/1/15 晚上12:05 - Bob: x", "2024/1/15 24:05 - Bob: x",
      "2024/1/15 30:05 - Bob: x", "2024/1/15 9:05 Bob: x", "15 janvier 2024 9:05 - Bob: x",
      "2024/1/15 9：05 - Bob: x", "2024/1/15, 0905 - Bob: x", "2024/1/15, 9 Uhr 05 - Bob: x",
      "[2024/1/15 9:05] Bob: x", "2024/1/15\t9:05\tBob\tx", "[Bob] [9:05] x", "9:05\tBob\tx",
    ]
  )
  func `a chat with an unreadable message head is refused`(
    line: String
  ) async throws {
    let chat = "2024/1/14 9:05 - Anna: Wordle 936 2/6\n\(line)\n"
    let read = try? await LegacySample.items(chat)
    // It is read as a message of its own, or the file is refused.
    #expect(read.map { $0.items.entries.map(\.sender) } ?? ["Anna", "Bob"] == ["Anna", "Bob"])
    if read == nil {
      await #expect(throws: LegacyFileError.self) { _ = try await LegacySample.items(chat) }
    }
  }

  @Test(
    arguments: [
      "see you at 9:05", "9:05 - leave", "1. one: 1/6", "2024/1/15 - 3 of 6: so",
      "10:30 lunch: soup", "5/6 today",
      "2024/1/15: a day", "https://example.com/2024/1/15?t=9:05",
    ]
  )
  func `a line of a message with a clock or a day belongs to it`(line: String) async throws {
    let (_, items) = try await LegacySample.items("2024/1/14 9:05 - Anna: hi\n\(line)\n")
    #expect(items.entries.map(\.string) == ["hi\n\(line)"])
  }

  @Test func `a date that a message mentions does not date the messages below it`() async throws {
    let chat = "2024/01/14(Sun)\n09:05\tBob\tsee you on\n2024/02/20\n09:30\tAnna\tWordle 936 5/6\n"
    #expect(throws: Never.self) { try form(chat) }
    await #expect(throws: LegacyFileError.self) { _ = try await senders(chat) }
  }
}
