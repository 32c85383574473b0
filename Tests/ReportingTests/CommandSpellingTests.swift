import Reporting
import Testing

/// Commands to type next, with the folder that this one was given.
struct CommandSpellingTests {
  private let spelling = CommandSpelling(
    flags: "--state-dir /s",
    verbs: ["rollback": [], "plan": [], "quarantine": ["show", "list"]]
  )

  @Test(arguments: [
    ("next: ferry rollback R1", "next: ferry rollback --state-dir /s R1"),
    (
      "`ferry plan -o` saves it, and “ferry quarantine list” names them",
      "`ferry plan --state-dir /s -o` saves it, and “ferry quarantine list --state-dir /s” names them"
    ),
    ("  repair: ferry quarantine show A", "  repair: ferry quarantine show --state-dir /s A"),
    ("  cure: ferry quarantine show A -o F", "  cure: ferry quarantine show --state-dir /s A -o F"),
  ])
  func `a command gets the flag behind its verb`(text: String, spelled: String) {
    #expect(spelling.spelled(text) == spelled)
    #expect(CommandSpelling.plain.spelled(text) == text)
  }

  @Test(arguments: [
    "next: ferry rollback R1 --state-dir /t", "`ferry preset list` has the names",
    "as ferry plan would", "`ferry quarantine` lists", "a newer ferry wrote it", "ferry ",
  ])
  func `another text, and a command that has the flag, stay as they are`(text: String) {
    #expect(spelling.spelled(text) == text)
  }
}
