import LegacyFiles
import ResultGrammar
import ResultText
import Testing

/// Whose texts are, by the members beside and around them.
struct AuthorTests {
  /// Sender, owner and fault of the entries that are results.
  private func authors(
    _ text: String,
    as form: LegacyForm? = nil
  ) async throws -> [String] {
    let (_, items) = try await LegacySample.items(text, as: form)
    return items.entries.filter { $0.string.contains("Wordle 9") }.map { entry in
      let own = entry.isOwn.map { $0 ? "own" : "other" } ?? "?"
      return "\(entry.sender ?? "-") \(own)" + (entry.authorFault == nil ? "" : " fault")
    }
  }

  @Test(
    arguments: [
      // Messenger, Google Chat, Teams, Matrix, Signal, Skype, Facebook, iMessage, mail.
      #"{"senderName":"Bob","text":"Wordle 936 2/6","timestamp":1}"#,
      #"{"sender_name":"Bob","content":"Wordle 936 2/6"}"#,
      #"{"creator":{"name":"Bob","email":"b@x.y"},"text":"Wordle 936 2/6"}"#,
      #"{"from":{"user":{"displayName":"Bob","id":"1"}},"body":{"contentType":"text","content":"Wordle 936 2/6"}}"#,
      #"{"sender":"Bob","content":{"msgtype":"m.text","body":"Wordle 936 2/6"},"type":"m.room.message"}"#,
      #"{"envelope":{"sourceName":"Bob","source":"+1","dataMessage":{"message":"Wordle 936 2/6","timestamp":1}}}"#,
      #"{"displayName":"Bob","from":"8:Bob","content":"Wordle 936 2/6"}"#,
      #"{"key":{"fromMe":false},"pushName":"Bob","message":{"conversation":"Wordle 936 2/6"}}"#,
      #"{"from":[{"name":"Bob"}],"body":"Wordle 936 2/6"}"#,
      #"{"postedBy":"Bob","note":"Wordle 936 2/6"}"#, #"{"name":"Bob","message":"Wordle 936 2/6"}"#,
      #"{"nickname":"Bob","user_id":7,"msg":"Wordle 936 2/6"}"#,
      #"{"user":"Bob","results":["Wordle 936 2/6"]}"#,
      #"{"u":{"_id":"1","username":"Bob"},"msg":"Wordle 936 2/6"}"#,
      #"{"sender_id":{"gaia_id":"Bob"},"parts":[{"text":"Wordle 936 2/6"}]}"#,
    ]
  )
  func `a member that names a person says whose the text is`(object: String) async throws {
    for text in ["[\(object)]", "{\"messages\":[\(object)]}"] {
      let found = try await authors(text, as: .json)
      #expect(found.count == 1 && found[0].contains("Bob"), "\(text): \(found)")
    }
  }

  @Test(
    arguments: [
      #""is_from_me":false"#, #""fromMe":false"#, #""isFromMe":0"#, #""from_me":"false""#,
      #""outgoing":false"#, #""isOutgoing":false"#, #""incoming":true"#, #""direction":"incoming""#,
      #""direction":"INBOUND""#, #""direction":"in""#, #""type":"incoming""#, #""isSender":false"#,
      #""address":"+1","type":1"#, #""address":"+1","type":"1""#, #""msg_box":"1""#,
      #""folder":"inbox""#, #""side":"left""#, #""role":"them""#, #""id":{"fromMe":false}"#,
      #""Type":"Received""#,
    ]
  )
  func `a received message belongs to another player, and a sent one to the owner`(
    direction: String
  ) async throws {
    let received = #"{"text":"Wordle 936 2/6","date":"2024-01-14",\#(direction)}"#
    #expect(
      try await authors("[\(received)]").allSatisfy { $0.hasSuffix(" other") },
      "\(direction)"
    )
    #expect(try await authors("\(received)\n\(received)\n").count == 2)
    #expect(try await authors("\(received)\n\(received)\n")[0].hasSuffix(" other"))
    var sent = received
    for (other, own) in [
      ("false", "true"), ("\"incoming\":true", "\"incoming\":false"), (":0", ":1"),
      ("incoming\"", "outgoing\""), ("INBOUND", "OUTBOUND"), (":\"in\"", ":\"out\""),
      ("inbox", "outbox"), ("left", "right"), ("them", "me"), ("Received", "Sent"),
      ("type\":1", "type\":2"), ("\"1\"", "\"2\""),
    ] where received.contains(other) {
      sent = received.replacing(other, with: own)
      break
    }
    #expect(try await authors("[\(sent)]") == ["- own"], "\(sent)")
  }

  @Test(
    arguments: [
      #""forwarded_from":"Bob""#, #""isForwarded":true"#, #""forwardedMessage":{"sender":"Bob"}"#,
      #""fwd_from":{"name":"Bob"}"#, #""contextInfo":{"isForwarded":true}"#,
      #""forwardingScore":2"#, #""reference":{"type":"Forward"}"#,
      #""message_reference":{"type":1,"message_id":"7"}"#,
      #""is_from_me":true,"incoming":true"#, #""direction":"sideways""#, #""is_from_me":"perhaps""#,
    ]
  )
  func `a forwarded text, or one of an unread direction, belongs to no known player`(
    member: String
  ) async throws {
    let text = #"[{"from":"Anna","text":"Wordle 936 2/6",\#(member)}]"#
    #expect(try await authors(text).allSatisfy { $0.hasSuffix(" fault") })
    #expect(try await authors(text).count == 1)
  }

  @Test(arguments: [
    #""forwards":3"#, #""isForwarded":false"#, #""forwarded_from":null"#,
    #""message_reference":{"type":0,"message_id":"7"}"#,
  ])
  func `a text that was not forwarded is its sender's`(member: String) async throws {
    #expect(
      try await authors(#"[{"from":"Anna","text":"Wordle 936 2/6",\#(member)}]"#) == ["Anna ?"]
    )
  }

  @Test(
    arguments: [
      (#""quote":"Wordle 936 2/6""#, "- ? fault"),
      (#""quotedMessage":{"conversation":"Wordle 936 2/6"}"#, "- ? fault"),
      (#""reply_to":{"text":"Wordle 936 2/6","date":"2024-01-14"}"#, "- ? fault"),
      (#""referenced_message":{"author":{"name":"Bob"},"content":"Wordle 936 2/6"}"#, "Bob ?"),
      (
        #""message_snapshots":[{"message":{"content":"Wordle 936 2/6","timestamp":"2024-01-14"}}]"#,
        "- ? fault"
      ),
      (#""attachments":[{"author_name":"Bob","text":"Wordle 936 2/6"}]"#, "Bob ?"),
    ]
  )
  func `a quotation in a message does not count as its sender's text`(
    member: String,
    author: String
  ) async throws {
    let text = #"[{"from":"Anna","text":"so good","date":"2024-01-15",\#(member)}]"#
    #expect(try await authors(text) == [author])
  }

  @Test(
    arguments: [
      #"[{"text":"Wordle 936 2/6","date":"2024-01-14","type":"message"}]"#,
      #"[{"text":"Wordle 936 2/6","date":"2024-01-14","name":"Wordle"}]"#,
      #"[{"text":"Wordle 936 2/6","date":"2024-01-14","kind":1,"source":"app"}]"#,
      #"[{"text":"Wordle 936 2/6","date":"2024-01-14","user":null,"owner":true}]"#,
      #"{"player":{"level":3},"texts":["Wordle 936 2/6"]}"#,
      #"[{"text":"Wordle 936 2/6","date":"2024-01-14","uid":"7","fromDate":"x","user_count":2}]"#,
    ]
  )
  func `a text without a sender belongs to no player`(text: String) async throws {
    #expect(try await authors(text) == ["- ?"])
  }

  @Test func `two senders of one name are distinguished by their ids`() async throws {
    let text = """
      [{"author":{"id":"1","name":"Alex"},"content":"Wordle 936 2/6"},
      {"author":{"id":"2","name":"Alex"},"content":"Wordle 936 5/6"},
      {"from":"Alex","from_id":"user3","text":"Wordle 936 4/6"}]
      """
    let (_, items) = try await LegacySample.items(text)
    let found = items.entries.filter { $0.kind == .text }
    #expect(found.map(\.sender) == ["Alex", "Alex", "Alex"])
    #expect(found.map(\.senderID) == ["1", "2", "user3"])
  }

  @Test func `a text message without its direction belongs to no known player`() async throws {
    let text = #"[{"address":"+1","body":"Wordle 936 2/6","date":"2024-01-14"}]"#
    #expect(try await authors(text) == ["- ? fault"])
  }

  // MARK: Tables and XML

  @Test func `the rows of a table become messages by the names of its columns`() async throws {
    let table = [
      "\u{FEFF}Chat Session,Message Date,Type,Sender ID,Sender Name,Text",
      "Bob,2024-01-14 09:05:00,Incoming,+1,Bob,\"Wordle 936 2/6\n\n🟩🟩🟩🟩🟩\"",
      "Bob,2024-01-14 09:30:00,Outgoing,,,\"Wordle 936 \"\"5/6\"\"\"",
      "Bob,2024-01-14 09:30:00,Outgoing", "",
    ].joined(separator: "\r\n")
    let (form, items) = try await LegacySample.items(table)
    #expect(form == .csv)
    #expect(items.entries.map(\.sender) == ["Bob", nil, nil])
    #expect(items.entries.map(\.senderID) == ["+1", nil, nil])
    #expect(items.entries.map(\.isOwn) == [false, true, nil])
    #expect(items.entries[1].string == "Wordle 936 \"5/6\"")
    #expect(items.entries[0].date?.text(in: .utc) == "2024-01-14T09:05:00Z")
    #expect(items.entries.map(\.place.description) == ["line 2", "line 5", "line 6"])
    guard case .damaged = items.entries[2].kind else {
      Issue.record("a row with too few fields is not a message")
      return
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `an open quotation mark makes all rows behind it one damaged row, in linear time`()
    async throws
  {
    let rest = String(repeating: "2024-01-14,x\n", count: 50_000)
    let (_, items) = try await LegacySample.items("date,text\n2024-01-14,\"x\n" + rest)
    #expect(items.entries.count == 1)
    guard case .damaged = items.entries.first?.kind else {
      Issue.record("a row with an open quotation mark is not a message")
      return
    }
  }

  @Test func `columns of a table may be separated by semicolons or tabs`() async throws {
    let semicolons = "\"Author\";\"Date\";\"Content\"\nBob;2024-01-14;Wordle 936 2/6\n"
    #expect(try await authors(semicolons) == ["Bob ?"])
    let german = "Absender;Datum;Nachricht\nBob;2024-01-14;Wordle 936 2/6\n"
    #expect(try await authors(german) == ["Bob ?"])
    #expect(try await authors("timestamp\tbody\n2024-01-14\tWordle 936 2/6\n") == ["- ?"])
  }

  @Test(
    arguments: [
      #"<log><message from="Bob"><body>Wordle 936 2/6</body></message></log>"#,
      "<log><message><author><name>Bob</name></author><body>Wordle 936 2/6</body></message></log>",
      #"<log><message><creator id="1" name="Bob"/><body>Wordle 936 2/6</body></message></log>"#,
      #"<log><message senderName="Bob" text="Wordle 936 2/6"/></log>"#,
      #"<log><m direction="incoming" user="Bob" text="Wordle 936 2/6"/></log>"#,
    ]
  )
  func `an element or attribute of XML that names a person says whose the text is`(
    text: String
  ) async throws {
    let found = try await authors(text)
    #expect(found.count == 1 && found[0].hasPrefix("Bob "), "\(found)")
  }

  @Test func `every backup of text messages marks the received ones`() async throws {
    let rows = #"""
      <sms address="+1" date="1705222800000" type="1" body="Wordle 936 2/6" name="Bob"/>
      <sms address="+1" date="1705222800000" type="2" body="Wordle 936 5/6" name="Bob"/>
      <sms address="+1" date="1705222800000" body="Wordle 936 4/6" name="Bob"/>
      """#
    for text in ["<allsms>\(rows)</allsms>", "<smses>\(rows)</smses>", "<x>\(rows)</x>"] {
      let found = try await authors(text)
      #expect(found.count == 3 && found[0] == "Bob other" && found[1] == "- own", "\(found)")
      #expect(found.last?.hasSuffix(" fault") == true)
    }
  }

  /// The boxes of a telephone: 1 received, 2 sent, 3 drafts, 4 outbox, 5 failed, 6 queued.
  ///
  /// https://developer.android.com/reference/android/provider/Telephony.TextBasedSmsColumns
  @Test(arguments: 1...6)
  func `a text in any box but the received ones is by the telephone's owner`(box: Int) async throws
  {
    let short = #"<sms address="+1" date="1705222800000" type="\#(box)" body="Wordle 936 2/6"/>"#
    let long = """
      <mms address="+1" date="1705222800000" msg_box="\(box)"><parts>\
      <part ct="text/plain" text="Wordle 937 2/6"/></parts></mms>
      """
    let author = box == 1 ? "+1 other" : "- own"
    #expect(try await authors("<smses>\(short)\(long)</smses>") == [author, author])
    let object = #"{"address":"+1","type":\#(box),"date":1705222800000,"body":"Wordle 936 2/6"}"#
    #expect(try await authors("[\(object)]") == [author])
  }

  @Test(arguments: ["&#55357;", "&#0;", "&#8;", "&#xFFFF;", "&#xDFE9;&#xD83D;"])
  func `an invalid character reference spoils only that character`(
    reference: String
  ) async throws {
    let text = """
      <smses><sms address="1" date="1705222800000" type="2" body="x \(reference) y"/>
      <sms address="1" date="1705222800000" type="2" body="Wordle 936 2/6 &#55357;&#57313;"/></smses>
      """
    let (_, items) = try await LegacySample.items(text)
    #expect(items.entries.count == 2 && items.entries[1].string == "Wordle 936 2/6 🟡")
    #expect(items.entries[0].string.hasPrefix("x \u{FFFD}"))
    #expect(items.notes.map(\.code) == ["characters"])
    #expect(items.notes.map(\.place) == ["line 1, message 1"])
  }
}
