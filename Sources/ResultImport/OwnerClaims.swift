import LegacyFiles
import Records

/// Results that one file calls its owner's own, and another one, which does not know its owner, gives
/// to a name.
///
/// Where two of them are of the same puzzle and came to the same, they may be one person's, or two
/// who played alike: no one but a person can know. Both are kept then, and that is reported once for each
/// name.
struct OwnerClaims {
  private var claims: [Side: [Claim]] = [:]
  private var seen: Set<String> = []

  /// The owner's own results of a puzzle that came to the same, or everybody else's.
  private struct Side: Hashable {
    let key: String
    let content: ResultContent
    let isOwners: Bool
  }

  private struct Claim {
    /// `nil` for the owner's own.
    let player: String?
    let file: String
    let number: Int

    var words: String { player.map { "\($0)'s" } ?? "the owner's own" }
  }

  /// Takes note of a result that becomes a record, and says what it may be the same as.
  mutating func take(
    _ identity: ResultIdentity,
    _ content: ResultContent,
    _ origin: Origin
  ) -> [Finding] {
    // A file that knows its owner knows of everybody else that they are not.
    let entry = origin.entry
    guard entry.isOwn == true || entry.isOwn == nil && identity.player != nil else { return [] }
    let claim = Claim(
      player: identity.player,
      file: origin.file,
      number: entry.number
    )
    var findings: [Finding] = []
    let isOwners = claim.player == nil
    for other in claims[Side(key: identity.key, content: content, isOwners: !isOwners)] ?? [] {
      guard let name = claim.player ?? other.player, seen.insert(name).inserted else { continue }
      findings.append(
        origin.finding(
          "import.perhaps-own",
          "\(identity.key) is \(claim.words) here, and \(other.words) in \(other.file), number "
            + "\(other.number), with the same score: they may be one person, and both are kept",
          cure: "if \(name) is the owner, add --sender \(name), and the result comes once"
        )
      )
    }
    let side = Side(key: identity.key, content: content, isOwners: isOwners)
    claims[side, default: []].append(claim)
    return findings
  }
}
