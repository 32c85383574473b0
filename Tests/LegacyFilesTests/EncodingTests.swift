import Foundation
import JSONText
import LegacyFiles
import ResultText
import Testing

/// Texts in the encoding that their first bytes declare.
struct EncodingTests {
  static let wide: [(String, String.Encoding, [UInt8])] = [
    ("UTF-16, little end first", .utf16LittleEndian, [0xFF, 0xFE]),
    ("UTF-16, big end first", .utf16BigEndian, [0xFE, 0xFF]),
    ("UTF-32, little end first", .utf32LittleEndian, [0xFF, 0xFE, 0, 0]),
    ("UTF-8 with a mark", .utf8, [0xEF, 0xBB, 0xBF]),
  ]
  static let wordle = "Wordle 990 2/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩"

  private static func bytes(
    _ text: String,
    _ form: (String, String.Encoding, [UInt8])
  ) throws -> [UInt8] {
    form.2 + [UInt8](try #require(text.data(using: form.1)))
  }

  @Test(arguments: wide)
  func `a plain text is read in the encoding that its mark declares`(
    form: (String, String.Encoding, [UInt8])
  ) async throws {
    let bytes = try Self.bytes(Self.wordle + "\n", form)
    let (found, items) = try await LegacySample.items(bytes)
    #expect(found == .text)
    #expect(items.entries.map(\.string) == [Self.wordle + "\n"])
  }

  @Test(arguments: wide)
  func `a chat is recognised and read in the encoding that its mark declares`(
    form: (String, String.Encoding, [UInt8])
  ) async throws {
    let bytes = try Self.bytes("[05.03.24, 10:11:12] Ada: \(Self.wordle)\n", form)
    let (found, items) = try await LegacySample.items(bytes)
    #expect(found == .chat)
    #expect(items.entries.map(\.string) == [Self.wordle])
    #expect(items.entries.map(\.sender) == ["Ada"])
  }

  @Test(arguments: wide)
  func `JSON and JSON Lines are read in the encoding that their mark declares`(
    form: (String, String.Encoding, [UInt8])
  ) async throws {
    let lines = try Self.bytes("{\"text\":\"a 🟩\"}\n{\"text\":\"b\"}\n", form)
    let (found, items) = try await LegacySample.items(lines)
    #expect(found == .jsonl)
    #expect(items.entries.map(\.string) == ["a 🟩", "b"])
    let array = try Self.bytes("[{\"gameName\":\"wordle\",\"sharedText\":\"🟩\"}]", form)
    let (whole, results) = try await LegacySample.items(array)
    #expect(whole == .json)
    #expect(results.entries.map(\.string) == ["🟩"])
  }

  @Test func `a text in UTF-16 is read whole from many pieces`() async throws {
    let text = (0..<40_000).map { "line \($0) 🟩\n" }.joined()
    let bytes = try Self.bytes(text, Self.wide[0])
    let (_, items) = try await LegacySample.items(bytes, as: .text)
    #expect(items.entries.map(\.string).joined() == text)
  }

  @Test(
    arguments: [
      // Half a surrogate pair, then a letter; half a unit at the end.
      ([0xFF, 0xFE, 0x41, 0x00, 0x3D, 0xD8, 0x42, 0x00], "byte 6"),
      ([0xFF, 0xFE, 0x41, 0x00, 0x42], "byte 5"),
      ([0xFE, 0xFF, 0x00, 0x41, 0x00, 0x00], "byte 4"),
    ] as [([UInt8], String)]
  )
  func `text in another encoding than declared is refused with its place and a cure`(
    bytes: [UInt8],
    place: String
  ) async throws {
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items(bytes)
    }
    #expect(error?.description.contains(place) == true, "\(error?.description ?? "")")
    #expect(error?.cure != nil)
  }

  @Test func `UTF-16 that no mark declares is refused with a cure`() async throws {
    for form in [nil, LegacyForm.text] {
      let error = await #expect(throws: LegacyFileError.self) {
        _ = try await LegacySample.items([0x41, 0x00, 0x42, 0x00, 0x43, 0x00], as: form)
      }
      #expect(error?.cure?.contains("UTF-8") == true)
    }
  }
}
