import LegacyFiles
import Testing

/// How a file's form is known by its first bytes.
struct FormTests {
  private func form(_ text: String) throws -> LegacyForm {
    try LegacyForm.recognise(Array(text.utf8), file: "file")
  }

  @Test(
    arguments: [
      ("<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"x\">\n<plist/>", .plist),
      ("<?xml version=\"1.0\"?><!-- a list --><array/>", .plist), ("<dict></dict>", .plist),
      ("<!-- an unfinished comment", .xml), ("<smses count=\"0\"/>", .sms), ("<a>b</a>", .xml),
      ("\u{4}\u{B}streamtyped", .plist), ("280NPLIST;1.0;D;", .plist), ("bplist00", .plist),
      ("( a, b )", .plist), ("/* kept */ { a = b; }", .plist), ("// kept\n{ a = b; }", .plist),
      ("{ a = b; }", .plist), ("{ \"a\" = b; }", .plist), ("(5/6) today", .plist),
      ("{\"a\":1}\n{\"a\":2}\n", .jsonl), ("{\"a\":\n1}", .json), ("{}", .json),
      ("{\"a\":1}\n", .json), ("[{\"a\":1}]", .json), ("[]", .json), ("[[1]]", .json),
      ("[\"a\"]", .json), ("[05.03.24, 10:11:12] Ada: hi", .chat), ("[sic] hello", .text),
      ("Mar 05, 2024 10:11:12 AM\nMe\nhi", .chat),
      ("Mar 05, 2024  10:11:12 AM (Read by you after 1 minute)\nMe\nhi", .chat),
      ("/hello", .text), ("hello", .text), ("", .text),
    ] as [(String, LegacyForm)]
  )
  func `a file format is recognised by its first bytes`(text: String, form: LegacyForm) throws {
    #expect(try self.form(text) == form)
  }

  @Test(
    arguments: [
      "05.03.24, 10:11 slot - Ada: hi", "[05.03.24 ob 10:11] Ada: hi",
      "Ada, [05.03.2024 10:11]\nhi",
    ]
  )
  func `a chat in an unread format is not taken for a text of one person`(text: String) throws {
    let error = #expect(throws: LegacyFileError.self) { try self.form(text) }
    #expect(error?.description.contains("line 1: its lines begin as those of a chat do") == true)
    #expect(error?.cure?.contains("--as text") == true)
  }

  @Test(
    arguments: [
      "05.03.2024 10:11\nWordle 990 3/6", "05.03.2024\nnote: 10:11", "Mar 05, 2024\nWordle 990 3/6",
      "[1] Wordle 990 3/6: well", "done at 10:11 - so: yes",
      "2024-03-05: Wordle 1.234 3/6 - phew: hard", "3/5/24 with v2.5 - new: dark mode",
    ]
  )
  func `notes with dates between them are read as text`(text: String) throws {
    #expect(try form(text) == .text)
  }

  @Test(
    arguments: [
      "date,sender,text\n2024-03-05,Ada,\"Wordle 990 3/6\"\n",
      "\u{FEFF}\"Author\";\"Date\";\"Content\"\n",
      "timestamp\tbody\r\n1\tWordle 990 3/6\r\n",
    ]
  )
  func `a table whose columns name text and date or sender is known by its first line`(
    text: String
  ) throws {
    #expect(try form(text) == .csv)
  }

  @Test(arguments: ["text, and what it is worth", "Dear date,\nhello", "text"])
  func `words with commas are read as text`(text: String) throws {
    #expect(try form(text) == .text)
  }

  @Test(
    arguments: [
      "<!DOCTYPE html>\n<p>a<br>b", "<!doctype html>\n<html>", "<HTML>a</HTML>", "<html/>",
    ]
  )
  func `a saved browser page is refused with a cure`(text: String) throws {
    let error = #expect(throws: LegacyFileError.self) { try self.form(text) }
    #expect(error?.description == "file: this is a page for a browser")
    #expect(error?.cure?.contains("JSON") == true)
  }

  @Test func `a compressed archive is refused with a cure`() {
    for start in [[0x50, 0x4B, 3, 4], [0x1F, 0x8B, 8, 0]] as [[UInt8]] {
      let error = #expect(throws: LegacyFileError.self) {
        try LegacyForm.recognise(start + [0, 0, 0], file: "backup.zip")
      }
      #expect(error?.description == "backup.zip: this is a compressed archive")
      #expect(error?.cure?.contains("unpack") == true)
    }
  }
}
