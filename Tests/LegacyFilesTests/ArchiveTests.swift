import Foundation
import LegacyFiles
import TestSupport
import Testing

/// Chats that lie in an archive, as WhatsApp exports them.
struct ArchiveTests {
  private static let chat = "[14.01.24, 09:05:00] Bob: Wordle 936 2/6\n"
  /// `chat`, packed by deflate without wrapping (Python's `zlib.compressobj(9, zlib.DEFLATED, -15)`).
  private static let packed: [UInt8] = [
    0x8B, 0x36, 0x34, 0xD1, 0x33, 0x30, 0xD4, 0x33, 0x32, 0xD1, 0x51, 0x30,
    0xB0, 0xB4, 0x32, 0x30, 0xB5, 0x32, 0x30, 0x88, 0x55, 0x70, 0xCA, 0x4F,
    0xB2, 0x52, 0x08, 0xCF, 0x2F, 0x4A, 0xC9, 0x49, 0x55, 0xB0, 0x34, 0x36,
    0x53, 0x30, 0xD2, 0x37, 0xE3, 0x02, 0x00,
  ]

  private static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// A ZIP file: each entry packed by the method given, then the list of entries and its end.
  private static func archive(
    _ entries: [(name: String, method: Int, packed: [UInt8], size: Int)]
  ) -> [UInt8] {
    var (file, list): ([UInt8], [UInt8]) = ([], [])
    for entry in entries {
      let name = Array(entry.name.utf8)
      let shared =
        little(20, 2) + little(0, 2) + little(entry.method, 2) + little(0, 8)
        + little(entry.packed.count, 4) + little(entry.size, 4) + little(name.count, 2)
      let offset = file.count
      file += [0x50, 0x4B, 3, 4] + shared + little(0, 2) + name + entry.packed
      list +=
        [0x50, 0x4B, 1, 2] + little(20, 2) + shared + little(0, 12) + little(offset, 4) + name
    }
    let count = little(entries.count, 2)
    return file + list + [0x50, 0x4B, 5, 6] + little(0, 4) + count + count
      + little(list.count, 4) + little(file.count, 4) + little(0, 2)
  }

  @Test func `the chat of an archive is unpacked and read`() async throws {
    let bytes = Self.archive([
      ("photo.jpg", 0, [1, 2], 2), ("_chat.txt", 8, Self.packed, Self.chat.utf8.count),
      ("notes.txt", 0, [0x61], 1),
    ])
    let (form, items) = try await LegacySample.items(bytes, name: "chat.zip")
    #expect(form == .chat)
    #expect(items.entries.map(\.sender) == ["Bob"])
    #expect(items.entries.map(\.string) == ["Wordle 936 2/6"])
  }

  @Test func `an only text of another name is the chat`() async throws {
    let text = Array(Self.chat.utf8)
    let bytes = Self.archive([("WhatsApp Chat with Bob.txt", 0, text, text.count)])
    let (_, items) = try await LegacySample.items(bytes, name: "chat.zip")
    #expect(items.entries.map(\.sender) == ["Bob"])
  }

  @Test func `an archive without one chat is refused with a cure`() async throws {
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items(Self.archive([("a.jpg", 0, [1], 1)]), name: "a.zip")
    }
    #expect(error?.description.contains("compressed archive") == true)
    #expect(error?.cure?.contains("unpack") == true)
  }

  @Test func `an archive that ends early is damaged`() async throws {
    let bytes = Self.archive([("_chat.txt", 8, Self.packed.dropLast(4) + [], 41)])
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items(bytes, name: "a.zip")
    }
    #expect(error?.description.contains("a.zip, the archive") == true)
  }
}
