import LegacyFiles

/// Whose results are wanted.
///
/// | the file says | nobody said more | `senders` | `takesOthers` |
/// |---|---|---|---|
/// | no sender, or its owner | own | own | own |
/// | one of `senders`, or the only sender there is | own | own | own |
/// | somebody else | refused | refused | a result of that player |
extension ImportSettings {
  /// The player of a text's results; `nil` for the owner's own.
  func player(of entry: LegacyEntry) -> String? { isOwn(entry) ? nil : entry.sender }

  /// Whether the file says whose a text's results are: it names a sender, or the owner sent it.
  func isPlayerKnown(of entry: LegacyEntry) -> Bool { entry.isOwn == true || entry.sender != nil }

  private func isOwn(_ entry: LegacyEntry) -> Bool {
    guard entry.isOwn != true, let sender = entry.sender else { return true }
    if senders.contains(sender) { return true }
    return sender == soleSender?.name && (entry.isOwn == nil || soleSender?.isOfMessages == true)
  }

  /// Why a text's results are not wanted, and what can be done; `nil` where they are.
  func refusal(of entry: LegacyEntry) -> (cause: String, cure: String)? {
    guard !takesOthers, let player = player(of: entry) else { return nil }
    guard senders.isEmpty else {
      let wanted = senders.joined(separator: ", ")
      return (
        "\(player) shared it, and only the results of \(wanted) are wanted",
        "name \(player) with --sender too, or pass --all-senders"
      )
    }
    guard entry.isOwn == false else { return nil }
    return (
      "\(player) sent it to the owner of the messages, whose own results are taken",
      "name \(player) with --sender, or pass --all-senders"
    )
  }
}
