import LegacyFiles
import Testing

/// The files of messages in the exports of Facebook and Instagram.
///
/// Their form: <https://developers.facebook.com/docs/messenger-platform/>, and the files that
/// “Download your information” gives: one object a conversation, with `participants` and `messages`.
struct SocialExportTests {
  private static let result = "Wordle 990 2/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩"

  /// The text as these exports write it: each byte of its UTF-8 as a character of its own.
  private static func damaged(_ text: String) -> String {
    text.utf8.map { byte in
      byte < 0x80 && byte != 0x0A
        ? String(Unicode.Scalar(byte))
        : byte == 0x0A ? "\\n" : "\\u00" + String(byte, radix: 16)
    }
    .joined()
  }

  /// A conversation of two people, the newest message first, with what a program adds to it.
  private static func conversation(_ extra: String = "") -> String {
    """
    {
      "participants": [{"name": "Ada Roe"}, {"name": "Bo Lind"}],
      "messages": [
        {
          "sender_name": "Bo Lind", "timestamp_ms": 1709712000123,
          "photos": [{"uri": "photos/1.jpg", "creation_timestamp": 1709712000}]\(extra)
        },
        {
          "sender_name": "Ada Roe", "timestamp_ms": 1709633472001,
          "content": "\(damaged(result))",
          "reactions": [{"reaction": "\(damaged("👏"))", "actor": "Bo Lind"}]\(extra)
        },
        {
          "sender_name": "Bo Lind", "timestamp_ms": 1709633400000,
          "content": "\(damaged("À toi !"))"\(extra)
        }
      ],
      "title": "Ada Roe", "is_still_participant": true, "thread_path": "inbox/adaroe_1",
      "magic_words": []
    }
    """
  }

  private static func repaired(_ entry: LegacyEntry) -> String? {
    DoubleEncoding.repaired(entry.text).map { String(decoding: $0, as: UTF8.self) }
  }

  /// What Facebook writes is bare; Instagram adds members to each message.
  static let programs = [
    "", #", "is_geoblocked_for_viewer": false, "is_unsent_image_by_messenger_kid_parent": false"#,
  ]

  @Test(arguments: programs)
  func `a conversation gives the words, the moment and the writer of each message`(
    extra: String
  ) async throws {
    let (form, items) = try await LegacySample.items(Self.conversation(extra))
    #expect(form == .json)
    let result = try #require(items.entries.first { Self.repaired($0) == Self.result })
    #expect(result.sender == "Ada Roe")
    #expect(result.date == .instant(1_709_633_472, fraction: "001"))
    #expect(items.entries.first { Self.repaired($0) == "À toi !" }?.sender == "Bo Lind")
  }

  @Test(arguments: programs)
  func `words that were encoded twice are what was written once they are repaired`(
    extra: String
  ) async throws {
    let (_, items) = try await LegacySample.items(Self.conversation(extra))
    let damaged = items.entries.filter { DoubleEncoding.place(in: $0.text) != nil }
    #expect(damaged.map(Self.repaired) == [Self.result, "👏"])
  }
}
