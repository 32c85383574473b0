import Files
import Foundation
import LegacyFiles
import ResultText
import TestSupport
import Testing

/// Files that cannot be opened, are too large, or are something else than they were.
struct UnreadableFileTests {
  private static let words: [(form: LegacyForm, text: String)] = [
    (.plist, "{ a = b; }"), (.json, "[]"), (.jsonl, "{}"), (.xml, "<a/>"), (.sms, "<smses/>"),
    (.chat, "05.03.24, 10:11 - Ada: x"), (.text, "x"),
    (.csv, "date,text\n2024-03-05,x"),
  ]

  private func refusal(
    _ body: () throws -> Void
  ) -> LegacyFileError? {
    #expect(throws: LegacyFileError.self) { try body() }
  }

  @Test func `a file that is not there is refused with its path`() async throws {
    try await withTemporaryFolder { folder in
      let error = refusal { _ = try LegacyFile("\(folder)/gone.txt") }
      #expect(error?.description.contains("\(folder)/gone.txt") == true)
      // The message says already what to do.
      #expect(error?.cure == nil)
    }
  }

  @Test(arguments: words)
  func `a file that disappears before it is read is refused with its path`(
    form: LegacyForm,
    text: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/file"
      try WholeFile.replace(path, with: Array(text.utf8))
      let file = try LegacyFile(path, form: form)
      try FileManager.default.removeItem(atPath: path)
      let error = refusal {
        _ = try file.reader(LegacyOptions(), catalogue: LegacySample.catalogue)
      }
      #expect(error?.description.contains(path) == true)
    }
  }

  #if os(Linux)
  // A list is taken whole, by its size, and this file has none.
  @Test(arguments: words.filter { $0.form != .plist })
  func `a file whose bytes cannot be read is refused with its path`(
    form: LegacyForm,
    text: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/file"
      try WholeFile.replace(path, with: Array(text.utf8))
      let file = try LegacyFile(path, form: form)
      try FileManager.default.removeItem(atPath: path)
      // This file of the kernel's can be opened, and fails to be read at its beginning.
      try FileManager.default.createSymbolicLink(
        atPath: path,
        withDestinationPath: "/proc/self/mem"
      )
      let error = refusal {
        let reader = try file.reader(LegacyOptions(), catalogue: LegacySample.catalogue)
        while try reader.next() != nil {}
      }
      #expect(error?.description.contains(path) == true, "\(error?.description ?? "")")
    }
  }
  #endif

  @Test(arguments: [LegacyForm.plist, .json])
  func `a file that is too large to be held is refused before it is read`(
    form: LegacyForm
  ) async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/file"
      try WholeFile.replace(path, with: Array("[]".utf8))
      let handle = try FileHandle(forWritingTo: URL(filePath: path))
      try handle.truncate(atOffset: (64 << 20) + 1)
      try handle.close()
      let file = try LegacyFile(path, form: form)
      let error = refusal {
        _ = try file.reader(LegacyOptions(), catalogue: LegacySample.catalogue)
      }
      #expect(error?.description.contains("more than the 67108864 bytes") == true)
      #expect(error?.cure?.contains("cut it") == true)
    }
  }

  @Test func `a long name is shortened in a report`() async throws {
    let name = String(repeating: "k", count: 100_000)
    let items = try await LegacySample.items(Array("{\"\(name)\":1}".utf8), as: .json)
    #expect(items.items.notes.map(\.place) == [name.prefix(100) + "…"])
  }

  @Test func `the first of very many values without a result are named, and the rest counted`()
    async throws
  {
    let members = (1...1_234).map { "\"k\($0)\":1" }.joined(separator: ",")
    let items = try await LegacySample.items(Array("{\(members)}".utf8), as: .json)
    #expect(items.items.notes.count == 1_001)
    #expect(items.items.notes[999].place == "k1000")
    #expect(items.items.notes.last?.cause == "234 more values, and no result among them")
  }

  @Test func `a line of JSON that is too long is refused with its number`() async throws {
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: (64 << 20) + 1)
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items(Array("{}\n".utf8) + line, as: .jsonl)
    }
    #expect(error?.description.contains("line 2: a line of more than 67108864 bytes") == true)
  }

  @Test func `an XML text that is too long is refused with its line`() async throws {
    let text = String(repeating: "x", count: (4 << 20) + 1)
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items("<a>\n<text>\(text)</text></a>", as: .xml)
    }
    #expect(error?.description.contains("line 2: a text of more than 4194304 bytes") == true)
  }

  @Test func `a damaged list is refused with its file and its fault`() async throws {
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items("bplist00 and no more")
    }
    #expect(error?.description.hasPrefix("file: ") == true)
    #expect(error?.cure == nil)
  }

  @Test func `damaged JSON is refused with its line and a cure`() async throws {
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items("[\n1,\n}", as: .json)
    }
    #expect(error?.description.hasPrefix("file, line 3: ") == true)
    #expect(error?.cure?.contains("undamaged copy") == true)
  }

  @Test func `a damaged backup of messages is refused with its line`() async throws {
    let error = await #expect(throws: LegacyFileError.self) {
      _ = try await LegacySample.items("<smses>\n<sms body=\"a\" /></mms>", as: .sms)
    }
    #expect(error?.description.contains("line 2") == true)
  }
}
