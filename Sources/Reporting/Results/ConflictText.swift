import JSONText
package import Planning
import Records

/// A conflict as a question at a terminal, and what the answers mean.
package enum ConflictText {
  /// Both sides of the conflict, and how many there are; the last line is the question.
  package static func lines(of question: ConflictQuestion) -> [String] {
    let conflict = question.conflict
    var lines = [
      "\(conflict.record) (\(question.number) of \(question.count)): \(conflict.reason)"
    ]
    if conflict.isDeletedHere { lines.append("  the store deleted it") }
    for member in conflict.there.members {
      let here = conflict.here[member.name]?.canonicalText ?? "nothing"
      lines.append("  \(member.name) in the store:       \(here)")
      lines.append("  \(member.name) at the destination: \(member.value.canonicalText)")
    }
    let merge = conflict.answers.contains(.merge) ? ", (m)erge" : ""
    let alike =
      question.alikeCount > 1
      ? "; a capital letter answers all \(question.alikeCount) of this kind" : ""
    lines.append("  keep (l)ocal, keep (r)emote\(merge), or leave it open (return)\(alike)?")
    return lines.map(\.plainForTerminal)
  }

  /// What a typed line means; `nil` for a line that is no answer to the question.
  package static func reply(
    _ line: String,
    to question: ConflictQuestion
  ) -> ConflictQuestion.Reply? {
    let isForAll = line.first?.isUppercase == true
    let answer: AskedConflict.Answer
    switch line.lowercased() {
    case "": return .leaveOpen
    case "l", "local": answer = .local
    case "r", "remote": answer = .remote
    case "m", "merge": answer = .merge
    default: return nil
    }
    guard question.conflict.answers.contains(answer) else { return nil }
    return isForAll ? .answerAlike(answer) : .answer(answer)
  }
}
