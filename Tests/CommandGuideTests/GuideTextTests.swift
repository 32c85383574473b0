import CommandGuide
import JSONText
import Testing

/// Words as a terminal and `man` want them.
struct GuideTextTests {
  @Test(arguments: [
    ("uplaod", "upload"), ("migrat", "migrate"), ("statsu", "status"), ("hist", "history"),
    ("Verify", "verify"),
  ])
  func `a mistyped verb is found`(word: String, meant: String) {
    let verbs = ["upload", "migrate", "status", "history", "verify", "export", "import"]
    #expect(NearestWord.to(word, among: verbs) == meant)
  }

  @Test(arguments: ["x", "", "frobnicate", "e"])
  func `a word that is near to nothing is left alone`(word: String) {
    #expect(NearestWord.to(word, among: ["upload", "export"]) == nil)
  }

  @Test func `a discussion is read by its parts`() {
    let text = """
      ferry plan x
      ferry plan y

      One paragraph
      in two lines.

      EXIT STATUS
        0   Done, and
            well.
        130, 143  Ended.
      """
    let discussion = Discussion(text)
    #expect(discussion.examples == ["ferry plan x", "ferry plan y"])
    #expect(discussion.paragraphs == ["One paragraph in two lines."])
    #expect(discussion.sections.map(\.title) == ["EXIT STATUS"])
    #expect(discussion.sections[0].items.map(\.name) == ["0", "130, 143"])
    #expect(discussion.sections[0].items[0].text == "Done, and well.")
  }

  @Test(arguments: [40, 60, 80, 100])
  func `a page fits its width, but for examples`(width: Int) throws {
    let dump = """
      {"command":{"commandName":"ferry","abstract":"Move an app's local store to the backend.",
       "discussion":"ferry migrate something that is long enough to be broken if it were a paragraph of words and no example\\n\\nA paragraph of words that has to be broken into lines somewhere.\\n\\nEXIT STATUS\\n  12  Checkpoint, package or profile do not belong together, are damaged or too new.",
       "subcommands":[{"commandName":"upload","abstract":"Plan, and carry the plan out; the same line again resumes."}],
       "arguments":[{"kind":"flag","abstract":"Say only what went wrong, which is not what everybody wants.",
        "names":[{"kind":"long","name":"quiet"}],"preferredName":{"kind":"long","name":"quiet"}}]}}
      """
    let lines = HelpPage(try CommandCatalogue(dump: dump).root, width: width).lines
    let tooLong = lines.filter { $0.count > width && !$0.hasPrefix("  ferry migrate") }
    #expect(tooLong.isEmpty, "\(tooLong)")
    #expect(lines.firstIndex(of: "EXAMPLES") ?? .max < lines.firstIndex(of: "USAGE") ?? 0)
    #expect(lines.contains { $0.hasPrefix("  12  Checkpoint") })
  }

  @Test func `nothing in a man page is taken for a request`() throws {
    let dump = """
      {"command":{"commandName":"ferry","abstract":"x","subcommands":[
        {"commandName":"import","abstract":".profile is read; a \\\\ is not.","discussion":"'tis “so”."}
      ]}}
      """
    let text = ManualPage(try CommandCatalogue(dump: dump), version: "1").text
    #expect(text.contains("\n\\&.profile is read; a \\e is not.\n"))
    #expect(text.contains("\n\\&'tis \\[u201C]so\\[u201D].\n"))
    #expect(text.allSatisfy { $0.isASCII })
  }
}
