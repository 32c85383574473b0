import Profiles
import Records
import UploadPlanning

/// What the plan of a run depends on beside its package, and by which rules it is taken back, as it is
/// written down with the run.
struct RunChoice: Hashable, Sendable {
  /// What a person chose, in words; empty for nothing.
  let options: String
  /// The digest of the profile.
  let profile: String
  /// By which rules the profile takes back what the run does.
  let rules: UndoRules

  private static let mark = "profile "

  init(options: String, profile: Profile) {
    self.options = options
    self.profile = profile.digest.description
    rules = UndoRules(profile)
  }

  /// Reads ``words`` back; `nil` where they name no profile.
  init?(words: String) {
    let lines = words.split(separator: "\n", omittingEmptySubsequences: false)
    let digest = lines.last.flatMap { line in
      line.hasPrefix(Self.mark) ? String(line.dropFirst(Self.mark.count)) : nil
    }
    guard let digest, Digest(hexadecimal: digest) != nil else { return nil }
    let others = lines.dropLast()
    let ruleCount = others.reversed().prefix(while: UndoRules.isWord).count
    options = others.dropLast(ruleCount).joined(separator: "\n")
    profile = digest
    rules = UndoRules(words: others.suffix(ruleCount))
  }

  /// The rules stand before the profile, and that stands in the last line.
  var words: String {
    ([options] + rules.words + [Self.mark + profile]).filter { !$0.isEmpty }
      .joined(separator: "\n")
  }

  /// Whether what an action did would be taken back by other rules than those of its run.
  func isOutgrown(in now: RunChoice, _ action: Operation.Action, on entity: EntityName) -> Bool {
    profile != now.profile && !rules.stand(in: now.rules, for: action, on: entity)
  }

  /// Whether files of a category go where the profile of the run sent them.
  func isSamePlace(of category: EntityName, in now: RunChoice) -> Bool {
    rules.isSamePlace(of: category, in: now.rules)
  }
}
