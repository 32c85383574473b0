import Profiles
import Records
import UploadPlanning

/// What the plan of a run depends on beside its package, and by which rules it is taken back, as it is
/// written down with the run.
struct RunChoice: Hashable, Sendable {
  /// What a person chose, in words; empty for nothing.
  let options: String
  /// The digest of the profile; `nil` where an older program planned the run.
  let profile: String?
  /// By which rules the profile takes back what the run does; `nil` where an older program planned it.
  let rules: UndoRules?

  private static let mark = "profile "

  init(options: String, profile: Profile) {
    self.options = options
    self.profile = profile.digest.description
    rules = UndoRules(profile)
  }

  init(words: String) {
    let lines = words.split(separator: "\n", omittingEmptySubsequences: false)
    let digest = lines.last.flatMap { line in
      line.hasPrefix(Self.mark) ? String(line.dropFirst(Self.mark.count)) : nil
    }
    guard let digest, Digest(hexadecimal: digest) != nil else {
      (options, profile, rules) = (words, nil, nil)
      return
    }
    let others = lines.dropLast()
    let ruleCount = others.reversed().prefix(while: UndoRules.isWord).count
    options = others.dropLast(ruleCount).joined(separator: "\n")
    profile = digest
    rules = ruleCount == 0 ? nil : UndoRules(words: others.suffix(ruleCount))
  }

  /// The rules stand before the profile, and that stands in the last line.
  var words: String {
    let digest = profile.map { Self.mark + $0 }
    return ([options] + (rules?.words ?? []) + [digest ?? ""]).filter { !$0.isEmpty }
      .joined(separator: "\n")
  }

  /// Whether what an action did would be taken back by other rules than those of its run; where these
  /// were not written down, whether something is put back, of which another profile may put back less.
  func isOutgrown(in now: RunChoice, _ action: Operation.Action, on entity: EntityName) -> Bool {
    guard let profile, profile != now.profile else { return false }
    guard let rules, let others = now.rules else {
      return switch action {
      case .update, .complete, .restore: true
      case .create, .delete, .upload, .uncreate, .unupload, .discard: false
      }
    }
    return !rules.stand(in: others, for: action, on: entity)
  }

  /// Whether files of a category go where the profile of the run sent them, as far as was written down.
  func isSamePlace(of category: EntityName, in now: RunChoice) -> Bool {
    guard let rules, let others = now.rules else { return false }
    return rules.isSamePlace(of: category, in: others)
  }
}
