import LegacyFiles
import ResultGrammar
import ResultText
import Testing

/// What lines of an exported chat are messages, and of which day.
struct ChatTests {
  private func items(
    _ chat: String,
    order: ChatDateOrder? = .dmy
  ) async throws -> [LegacyItem] {
    var options = LegacyOptions()
    options.dateOrder = order
    return try await LegacySample.items(chat, as: .chat, options: options).items
  }

  @Test(arguments: [
    "05.03.24 10:11 Ada: no hyphen", "05.03.24, 10:77 - Ada: no such minute",
    "05.03.24, 30:11 - Ada: no such hour", "05.03.24, 13:11 PM - Ada: no such half",
    "05.03, 10:11 - Ada: no year", "05x03x24, 10:11 - Ada: no marks",
    "05.03.24, 10:11 a - Ada: half of a half", "05.03.24, 24:05 - Ada: no such hour",
  ])
  func `a chat with an unreadable line that looks like a head is rejected`(
    line: String
  ) async throws {
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await self.items("05.03.24, 10:11 - Ada: one\n\(line)\n")
    }
    #expect(error?.description.hasPrefix("file, line 2: ") == true, "\(error?.description ?? "")")
    #expect(error?.cure?.contains("in a copy of the file") == true)
  }

  @Test(arguments: [
    "5 March - Ada: no numbers", "05.03.24, Ada: no clock", "05.03.24, 10:11 p",
  ])
  func `a line without a complete head continues the message before`(
    line: String
  ) async throws {
    let items = try await items("05.03.24, 10:11 - Ada: one\n\(line)\n")
    #expect(items.entries.map(\.string) == ["one\n\(line)"])
  }

  @Test func `a system line of the chat program is a message without a sender`() async throws {
    let items = try await items("05.03.24, 10:11 - Messages are encrypted\n")
    #expect(items.entries.map(\.sender) == [nil])
    #expect(items.entries.map(\.string) == ["Messages are encrypted"])
  }

  @Test(arguments: [
    ("上午9:05", "09:05"), ("下午9:05", "21:05"), ("午前9:05", "09:05"), ("午後9:05", "21:05"),
    ("오전 9:05", "09:05"), ("오후 9:05", "21:05"), ("ص 9:05", "09:05"), ("م 9:05", "21:05"),
    ("9:05 p. m.", "21:05"), ("9:05 am", "09:05"), ("12:05 AM", "00:05"), ("12:05 PM", "12:05"),
    ("9h05", "09:05"),
  ])
  func `a time of day is read in its language`(clock: String, time: String) async throws {
    let items = try await items("05.03.2024 \(clock) - Ada: x\n")
    #expect(items.entries.first?.date?.text(in: .utc) == "2024-03-05T\(time):00Z")
  }

  @Test(arguments: [
    (ChatDateOrder.dmy, "05.03.24"), (.mdy, "03/05/24"), (.ymd, "24/03/05"), (.dmy, "2024年3月5日"),
  ])
  func `a day is read in the given order, unless a four-digit year comes first`(
    order: ChatDateOrder,
    day: String
  ) async throws {
    let items = try await items("\(day), 10:11 - Ada: x\n", order: order)
    #expect(items.entries.first?.date?.text(in: .utc) == "2024-03-05T10:11:00Z")
  }

  @Test func `a date that begins with a four-digit year has a certain order`()
    async throws
  {
    let items = try await items("2024-03-05, 10:11 - Ada: x\n", order: nil)
    #expect(items.notes.isEmpty)
    #expect(items.entries.first?.date?.text(in: .utc) == "2024-03-05T10:11:00Z")
  }

  @Test func `an impossible calendar day leaves its message without a date`() async throws {
    let items = try await items("31.02.24, 10:11 - Ada: x\n30.02.24, 10:11 - Ada: y\n", order: nil)
    #expect(items.entries.map(\.date) == [nil, nil])
    #expect(items.entries.map { $0.dateFault?.kind } == [.form, .form])
    #expect(items.entries.first?.dateFault?.found == "31.2.24")
  }

  // Years of other calendars, and of another order of the three numbers.
  @Test(arguments: ["5/3/2567", "15/12/1402", "2567/3/5", "24/03/05"])
  func `a date before the first results leaves its message without a date`(
    day: String
  ) async throws {
    let items = try await items("\(day), 10:11 - Ada: x\n")
    #expect(items.entries.map(\.date) == [nil])
    #expect(items.entries.map { $0.dateFault?.kind } == [.form])
    #expect(items.entries.first?.dateFault?.cure.contains("--date-order") == true)
  }

  @Test func `the text before the first message is left out, and reported once`()
    async throws
  {
    let items = try await items("\n\nExported\nfrom a telephone\n05.03.24, 10:11 - Ada: x\n")
    #expect(items.entries.map(\.string) == ["x"])
    #expect(items.notes.map(\.code) == ["left-out"])
    #expect(items.notes.map(\.place) == ["line 3"])
  }

  @Test func `a text without any message yields only findings`() async throws {
    let items = try await items("Exported\n")
    #expect(items.entries.isEmpty)
    #expect(items.notes.map(\.code) == ["left-out"])
  }

  @Test func `a line or a message that is too long is refused with its line`() async throws {
    let long = String(repeating: "x", count: (4 << 20) + 1)
    let halves = String(repeating: String(repeating: "x", count: 1 << 20) + "\n", count: 5)
    for (chat, limit) in [
      ("05.03.24, 10:11 - Ada: \(long)\n", "line 1: a line of more than"),
      ("05.03.24, 10:11 - Ada: x\n\(halves)", "line 5: a message of more than"),
    ] {
      let error = await #expect(throws: LegacyFileError.self) { _ = try await self.items(chat) }
      #expect(error?.description.contains(limit) == true, "\(error?.description.prefix(200) ?? "")")
      #expect(error?.cure?.contains("cut it") == true)
    }
  }
}
