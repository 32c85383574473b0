import JSONText
import Records
import Reporting
import Testing

struct TextTests {
  @Test func `a table that is too wide is folded beside its first column`() {
    var table = TextTable(heading: ["", "records", "created", "unmapped"])
    table.add(["Hero", "24", "20", "4"])
    let lines = TextTable.$width.withValue(26) { table.lines }
    #expect(
      lines == [
        "        records  created", "  Hero       24       20", "        unmapped",
        "  Hero         4",
      ]
    )
    #expect(lines.allSatisfy { $0.count <= 26 })
    #expect(TextTable.$width.withValue(80) { table.lines } == table.lines)
  }

  @Test func `a table has its first column to the left and numbers to the right`() {
    var table = TextTable(heading: ["", "records"])
    table.add(["Hero", "7"])
    table.add(["CustomStoryEvent", "1200"])
    #expect(
      table.lines == [
        "                    records", "  Hero                    7", "  CustomStoryEvent     1200",
      ]
    )
  }

  @Test func `exactly the characters that are not seen are escaped`() {
    let scalars = [0...0x1FFFF, 0xE0000...0xE0FFF].joined().lazy.compactMap {
      Unicode.Scalar($0 as UInt32)
    }
    let wrong = scalars.filter { scalar in
      let isUnseen =
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
      let isEscaped = String(scalar).plainForTerminal != String(scalar)
      return isEscaped != isUnseen
    }
    #expect(Array(wrong).isEmpty)
  }

  @Test func `letters of every script and emoji stay as they are`() {
    #expect("Zoë Ñandú 王 🦊👩‍🚀 שלום".plainForTerminal == "Zoë Ñandú 王 🦊👩‍🚀 שלום")
  }

  @Test(arguments: [
    ("Wo\u{200D}rdle", #"Wo\u{200d}rdle"#), ("Auf\u{200C}lage", #"Auf\u{200c}lage"#),
    ("🦊\u{200D}x", #"🦊\u{200d}x"#), ("👩\u{200D}", #"👩\u{200d}"#),
    // Digits and punctuation of the scripts that need it, before which no letter is.
    ("٣\u{200D}x", #"٣\u{200d}x"#), ("،\u{200C}ا", #"،\u{200c}ا"#), ("।\u{200D}क", #"।\u{200d}क"#),
    // Persian, Hindi, a family, and an emoji with a variation selector within.
    ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("क्\u{200D}ष", "क्\u{200D}ष"),
    ("👨\u{200D}👩\u{200D}👧", "👨\u{200D}👩\u{200D}👧"),
    ("🏴\u{200D}☠\u{FE0F} 👁\u{FE0F}\u{200D}🗨", "🏴\u{200D}☠\u{FE0F} 👁\u{FE0F}\u{200D}🗨"),
  ])
  func `a joiner is shown as it is where a script or an emoji needs it, and else escaped`(
    text: String,
    shown: String
  ) throws {
    #expect(text.plainForTerminal == shown)
    let json = JSONValue.string(text).canonicalText.escapedForDisplay
    #expect(json.unicodeScalars.contains { $0.properties.isJoinControl } == (text == shown))
    #expect(try JSONValue(parsing: json) == .string(text))
  }

  @Test func `the same fault of many records is one line with its count`() {
    let findings = (1...5).map { number in
      Finding(
        code: "schema.type",
        severity: .error,
        entity: "Hero",
        record: "\(number)",
        cause: "expected a string, found a number",
        cure: "correct it"
      )
    }
    let lines = SummaryText.findings(findings)
    #expect(
      lines == [
        "  error: Hero × 5: expected a string, found a number (1, 2, 3, …) [schema.type]",
        "    cure: correct it",
      ]
    )
  }

  /// Findings of records about one rule; `causes` are taken in turn.
  private func findings(_ count: Int, causes: [String]) -> [Finding] {
    (1...count).map { number in
      Finding(
        code: "upload.conflict",
        severity: .error,
        entity: "Hero",
        record: "h\(number)",
        cause: causes[number % causes.count],
        cure: "choose"
      )
    }
  }

  @Test func `the details of a run name each record, and a cure once`() {
    #expect(
      SummaryText.list(findings(4, causes: ["it differs", "it is gone"])) == [
        "  error: Hero × 2: it is gone (h1, h3) [upload.conflict]",
        "  error: Hero × 2: it differs (h2, h4) [upload.conflict]", "    cure: choose",
      ]
    )
  }

  @Test func `the details of a run name a hundred records of a kind, and where the others are`() {
    let lines = SummaryText.list(findings(101, causes: ["it differs"]))
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("  error: Hero × 101: it differs (h1, h2, "))
    #expect(lines[0].hasSuffix("h100, …) [upload.conflict]"))
    #expect(lines[2] == "  … --format json names each record")
  }

  @Test(arguments: [(21, "1 more kind;"), (23, "3 more kinds;")])
  func `kinds of findings beyond twenty are counted`(count: Int, words: String) {
    let findings = (1...count).map { number in
      Finding(code: "schema.c\(number)", severity: .error, cause: "a fault", cure: "correct it")
    }
    #expect(SummaryText.findings(findings).last?.contains("… and \(words)") == true)
  }

  @Test func `findings beyond those that are listed are counted`() {
    let findings = (1...2).map { number in
      Finding(
        code: "verify.missing",
        severity: .error,
        entity: "Hero",
        record: "\(number)",
        cause: "the destination no longer has it",
        cure: "find out who removed it"
      )
    }
    let lines = SummaryText.findings(findings, of: [.error: 2_000, .note: 3])
    #expect(lines.last == "  … and 2001 findings not listed")
    #expect(SummaryText.findings(findings, of: [.error: 2]) == SummaryText.findings(findings))
  }

  @Test(
    arguments: [
      (-3, "0 s"), (0, "0 s"), (119, "119 s"), (200, "3 min 20 s"), (7_512, "2 h 5 min"),
    ] as [(Int64, String)]
  )
  func `a time that was taken has the units that a person uses`(seconds: Int64, words: String) {
    #expect(Figures.wholeSeconds(seconds) == words)
  }

  @Test func `notes of a code are counted by entity`() {
    let note = Finding(
      code: "plan.unmapped",
      severity: .note,
      entity: "Hero",
      cause: "no place",
      cure: "accept it"
    )
    let words = "The destination has no place for a field or a record"
    #expect(
      SummaryText.findings([note]) == ["  note: \(words) (Hero 1) [1 × plan.unmapped]"]
    )
  }

  @Test func `files of a folder that are not read are named, twenty of them by their reason`() {
    let notes = (1...22).map { number in
      Finding(
        code: "container.file-unread",
        severity: .note,
        file: "\(number).plist",
        cause: "\(number).plist is not read",
        cure: "give it by itself"
      )
    }
    let others = Finding(
      code: "container.files-other",
      severity: .note,
      cause: "2 files are no stores and not read: 2 .txt",
      cure: "no action is needed"
    )
    let lines = SummaryText.findings([others] + notes)
    #expect(lines.first?.contains("2 files are no stores and not read: 2 .txt") == true)
    #expect(lines.dropLast().count { $0.contains(" is not read") } == 19)
    #expect(lines.last?.hasSuffix("[3 × container.file-unread]") == true, "\(lines)")
  }
}
