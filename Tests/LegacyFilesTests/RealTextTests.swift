import Foundation
import JSONText
import LegacyFiles
import Testing

/// Texts that people shared, none of which is taken for one of several people, or for a quoted one.
///
/// `FERRY_SHARE_TEXTS` names a folder with files of JSON Lines, each with a `game` and a `text`.
@Suite(.enabled(if: RealTexts.folder != nil, "FERRY_SHARE_TEXTS is not set"))
struct RealTextTests {
  private struct SharedText {
    let game: String
    let text: String
  }

  private func texts() throws -> [SharedText] {
    let folder = URL(filePath: try #require(RealTexts.folder))
    return try ["share_texts.jsonl", "new_texts.jsonl"].flatMap { name in
      try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        .split(separator: "\n").compactMap { line in
          let value = try JSONValue(parsing: String(line))
          guard let game = value["game"]?.text, let text = value["text"]?.text else { return nil }
          return SharedText(game: game, text: text)
        }
    }
  }

  private func form(_ text: String) throws -> LegacyForm {
    try LegacyForm.recognise(Array(text.utf8), file: "file")
  }

  @Test func `real result texts are read as notes of one person`() throws {
    let texts = try texts()
    #expect(texts.count > 700)
    for text in texts {
      #expect(try form("\n" + text.text) == .text, "\(text.game): \(text.text)")
      #expect(QuotedText.own(Array(text.text.utf8)) == nil, "\(text.game): \(text.text)")
    }
    for (game, all) in Dictionary(grouping: texts, by: \.game) {
      #expect(try form("\n" + all.map(\.text).joined(separator: "\n\n")) == .text, "\(game)")
    }
    #expect(try form("\n" + texts.map(\.text).joined(separator: "\n\n")) == .text)
  }

  @Test func `a real result text is read as one message of a chat`() async throws {
    for text in try texts()
    where !text.text.contains("\r") && text.text.first?.isWhitespace == false {
      let head = "[05.03.24, 10:11:12] "
      let chat = "\(head)Ada: \(text.text)\n\(head)Bob: well done\n"
      let (_, items) = try await LegacySample.items(chat, as: .chat)
      #expect(
        items.entries.map(\.string) == [text.text, "well done"],
        "\(text.game): \(text.text)"
      )
    }
  }
}

private enum RealTexts {
  static let folder = ProcessInfo.processInfo.environment["FERRY_SHARE_TEXTS"]
}
