import Files
package import JSONText
package import Records
import StageSupport
import Synchronization

/// A conflict that a person has to decide.
package struct AskedConflict: Hashable, Sendable {
  package let record: RecordID
  package let reason: String
  package let isDeletedHere: Bool
  /// The members in which the two sides differ, as each has them.
  package let here: JSONObject
  package let there: JSONObject
  /// What can be done about it: a merge needs a base, and a deletion cannot be merged.
  package let answers: [Answer]
  /// Names this very conflict: an answer to an earlier one is not one to it.
  package let mark: String

  /// What a person can decide.
  package enum Answer: String, Sendable, CaseIterable {
    case local, remote, merge
  }

  /// What conflicts have in common that one answer can settle.
  fileprivate struct Kind: Hashable {
    let entity: EntityName
    let reason: String
    let isDeletedHere: Bool
  }

  fileprivate var kind: Kind {
    Kind(entity: record.entity, reason: reason, isDeletedHere: isDeletedHere)
  }
}

/// A conflict as a person is asked about it.
package struct ConflictQuestion: Hashable, Sendable {
  package let conflict: AskedConflict
  /// Its place among all conflicts of the plan, counted from one.
  package let number: Int
  /// How many conflicts the plan has.
  package let count: Int
  /// How many of this kind are still open, this one included: the same entity and the same reason.
  package let alikeCount: Int

  package init(conflict: AskedConflict, number: Int, count: Int, alikeCount: Int) {
    self.conflict = conflict
    self.number = number
    self.count = count
    self.alikeCount = alikeCount
  }

  /// What a person says to it.
  package enum Reply: Hashable, Sendable {
    case answer(AskedConflict.Answer)
    /// The answer to every open conflict of this kind that it can settle.
    case answerAlike(AskedConflict.Answer)
    case leaveOpen
    /// The person ends the command.
    case cancel
  }
}

/// The conflicts that a plan asks about, and the answers that it has.
///
/// Answers come from a file that an earlier run wrote and a person filled in, or from the person
/// at the terminal, who was asked before. What is not answered goes into the file, under
/// `ferry.decisions.v1`.
package final class AskedConflicts: Sendable {
  /// Asks a person at once.
  package typealias Prompt = @Sendable (ConflictQuestion) -> ConflictQuestion.Reply

  /// The most conflicts of one file; the rest is asked about once these are decided.
  private static let limit = 10_000
  private static let longestFile = 256 << 20

  /// Where a person finds what is undecided, in words to be put behind others.
  private let place: String
  private let answers: [String: AskedConflict.Answer]
  private let undecided = Mutex<(listed: [AskedConflict], count: Int)>(([], 0))

  /// - Parameters:
  ///   - path: The file with the answers; one that is not there has none.
  ///   - isWritten: Whether what is not answered will be written there.
  ///   - decided: What a person said to what the file does not answer, by the names of the conflicts.
  /// - Throws: `MigrationError.badChoice` when the file is not one of decisions.
  package init(
    path: String,
    isWritten: Bool,
    decided: [String: AskedConflict.Answer] = [:]
  ) throws {
    place = isWritten ? " (decide in \(path))" : ""
    let filed = InputFile.isPresent(path) ? try Self.answers(in: path) : [:]
    answers = filed.merging(decided) { _, now in now }
  }

  private static func answers(
    in path: String
  ) throws -> [String: AskedConflict.Answer] {
    let bytes = try InputFile.contents(of: path, limit: longestFile)
    func bad(_ reason: String) -> MigrationError {
      .badChoice(
        reason: "the decisions in \(path) cannot be read: \(reason)",
        cure: "write one of its “answers” for each “decision”, or remove the file"
      )
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw bad("\(error)")
    }
    guard value["format"]?.text?.hasPrefix("1.") == true, let list = value["conflicts"]?.array
    else { throw bad("it is not a list of decisions of format 1") }
    var answers: [String: AskedConflict.Answer] = [:]
    for (index, entry) in list.enumerated() {
      guard let decision = entry["decision"], !decision.isNull else { continue }
      guard let mark = entry["conflictID"]?.text,
        let answer = decision.text.flatMap(AskedConflict.Answer.init(rawValue:))
      else { throw bad("“decision” of /conflicts/\(index) is \(decision.canonicalText)") }
      answers[mark] = answer
    }
    return answers
  }

  /// What was decided about a conflict; `nil` for nothing yet.
  func answer(to conflict: AskedConflict) -> AskedConflict.Answer? {
    answers[conflict.mark]
  }

  /// Says that a conflict is open, to be put behind its reason.
  var undecidedWords: String { ", and the conflict is not decided yet\(place)" }

  /// Says that a conflict is open although it was answered, to be put behind its reason.
  func refusal(of answer: AskedConflict.Answer, _ conflict: AskedConflict) -> String {
    let possible = conflict.answers.map(\.rawValue).joined(separator: " or ")
    let reason =
      conflict.isDeletedHere
      ? "a deletion cannot be merged with a change"
      : "no run knows what both sides began with"
    return
      ", and “\(answer.rawValue)” cannot settle it, because \(reason): decide \(possible)\(place)"
  }

  /// Takes a conflict that no one decided.
  func add(_ conflict: AskedConflict) {
    undecided.withLock { open in
      open.count += 1
      if open.listed.count < Self.limit { open.listed.append(conflict) }
    }
  }

  /// Asks a person about each conflict that no one decided.
  ///
  /// - Returns: The answers, by the names of the conflicts.
  /// - Throws: `MigrationError.interrupted` when the person ends the command.
  package func ask(_ prompt: Prompt) throws -> [String: AskedConflict.Answer] {
    let (open, count) = undecided.withLock { $0 }
    var left = open.reduce(into: [AskedConflict.Kind: Int]()) { $0[$1.kind, default: 0] += 1 }
    var alike: [AskedConflict.Kind: AskedConflict.Answer] = [:]
    var given: [String: AskedConflict.Answer] = [:]
    for (index, conflict) in open.enumerated() {
      let kind = conflict.kind
      defer { left[kind, default: 1] -= 1 }
      if let answer = alike[kind], conflict.answers.contains(answer) {
        given[conflict.mark] = answer
        continue
      }
      let question = ConflictQuestion(
        conflict: conflict,
        number: index + 1,
        count: count,
        alikeCount: left[kind] ?? 1
      )
      switch prompt(question) {
      case .answer(let answer): given[conflict.mark] = answer
      case .answerAlike(let answer):
        given[conflict.mark] = answer
        alike[kind] = answer
      case .leaveOpen: continue
      case .cancel: throw MigrationError.interrupted
      }
    }
    return given
  }

  /// Writes what no one decided, for a person to fill in; gives how many there are.
  ///
  /// A file without anything to decide is not written.
  package func write(to path: String) throws -> Int {
    let conflicts = undecided.withLock { $0.listed }
    guard !conflicts.isEmpty else { return 0 }
    let object: JSONObject = [
      "format": "1.0",
      "help": "write one of its answers for each decision, and run the same command again",
      "conflicts": .array(conflicts.map(\.json)),
    ]
    try Folder.makeLasting(Folder.parentPath(of: path))
    var file = try WholeFileDraft(for: path)
    try file.write(Array((JSONValue.object(object).prettyText + "\n").utf8))
    try file.publish()
    return conflicts.count
  }
}

extension AskedConflict {
  fileprivate var json: JSONValue {
    .object([
      "entity": .string(record.entity.text), "record": .string(record.key),
      "reason": .string(reason), "local": isDeletedHere ? .null : .object(here),
      "remote": .object(there), "answers": .array(answers.map { .string($0.rawValue) }),
      "conflictID": .string(mark), "decision": .null,
    ])
  }
}
