import Foundation
import Testing

/// What a new user asks, and where the documentation answers it.
struct QuestionTests {
  /// A question, what of the README leads to the answer, and the headings that the answer stands between.
  struct Question: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// A heading of the README that answers itself, or the text of a link.
    let found: String
    /// The page that the link leads to; `nil` where the README answers.
    var page: String?
    /// The heading of the answer; `nil` for the beginning of the page.
    var heading: String?
    /// The last heading of the answer, where it goes on under others.
    var last: String?
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let guides = "Sources/FerryCommands/FerryCommands.docc"

  static let questions = [
    Question(testDescription: "How do I install it?", found: "## Install"),
    Question(
      testDescription: "How do I bring my store to my API?",
      found: "## Your app in six steps"
    ),
    Question(
      testDescription: "How do I run it on a pull request, with a comment?",
      found: "A dry run on every pull request",
      page: "how-to/continuous-integration.md",
      heading: "## GitHub Actions, with a comment"
    ),
    Question(testDescription: "The laptop died. What now?", found: "## When it stops"),
    Question(testDescription: "How do I undo it?", found: "## Undo"),
    Question(
      testDescription: "Where are my data, and for how long?",
      found: "## Your data, and clean-up"
    ),
    Question(
      testDescription: "Is my password stored?",
      found: "credential",
      page: "how-to/credentials.md",
      heading: "## Is my password stored?"
    ),
    Question(
      testDescription: "How do I leave out a table?",
      found: "Leave out",
      page: "how-to/leave-out.md",
      last: "## For the destination: nowhere to put it"
    ),
    Question(
      testDescription: "How do I map a field?",
      found: "Map a field",
      page: "how-to/map-a-field.md"
    ),
    Question(
      testDescription: "How far is it?",
      found: "Progress of a run",
      page: "how-to/progress.md"
    ),
    Question(
      testDescription: "How do I migrate 500 users?",
      found: "Many stores",
      page: "how-to/fleet.md",
      last: "## Rehearse, then go"
    ),
    Question(testDescription: "What does 6 mean?", found: "## When it stops"),
    Question(
      testDescription: "What if the profile is newer?",
      found: "Mismatch, newer profile",
      page: "how-to/mismatch.md",
      heading: "## A newer profile"
    ),
    Question(
      testDescription: "What do I do with a rejected record?",
      found: "A rejected record",
      page: "how-to/rejected-record.md",
      heading: "## Send the others",
      last: "## Repair and replay"
    ),
    Question(testDescription: "How do I embed it?", found: "In your app", page: "how-to/embed.md"),
  ]

  private static func lines(of path: String) throws -> [String] {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The lines from one heading to the end of another.
  private static func answer(_ lines: [String], from heading: String?, to last: String?) throws
    -> ArraySlice<String>
  {
    let start = try heading.map { try #require(lines.firstIndex(of: $0), "\($0)") } ?? 0
    let end = try last.map { try #require(lines.firstIndex(of: $0), "\($0)") } ?? start
    return lines[start...end] + lines[(end + 1)...].prefix { !$0.hasPrefix("## ") }
  }

  @Test(arguments: questions)
  func `a question is answered on one screen, a link away from the README`(question: Question)
    throws
  {
    let readme = try Self.lines(of: "README.md")
    guard let page = question.page else {
      #expect(try Self.answer(readme, from: question.found, to: nil).count <= 40)
      return
    }
    let text = readme.joined(separator: " ")
    let address = "](\(Self.guides)/\(page))"
    let labels = text.split(separator: address).dropLast()
      .compactMap { $0.split(separator: "[", omittingEmptySubsequences: false).last }
    #expect(labels.contains(Substring(question.found)), "\(labels)")
    let lines = try Self.lines(of: "\(Self.guides)/\(page)")
    #expect(try Self.answer(lines, from: question.heading, to: question.last).count <= 40)
  }
}
