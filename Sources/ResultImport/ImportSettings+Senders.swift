package import LegacyFiles

/// Whose results are wanted.
///
/// | the file says | no one said more | `senders` | `takesOthers` |
/// |---|---|---|---|
/// | its owner sent it, or an app stored it | own | own | own |
/// | one of `senders`, or the only sender there is | own | own | own |
/// | another person, or that the owner received it | refused | refused | a result of that player |
/// | nothing of any text | own | refused | own |
/// | nothing of this text, but of others | refused | refused | refused |
/// | that it is forwarded or quoted, or what is not read | refused | refused | refused |
extension ImportSettings {
  /// An entry whose sender is distinguished from others of the same name in its file.
  package func named(_ entry: LegacyEntry, in file: String) -> LegacyEntry {
    guard let name = entry.sender, senderFiles[file]?.sharedNames.contains(name) == true else {
      return entry
    }
    var entry = entry
    if let id = entry.senderID {
      entry.sender = Self.word(for: name, id)
    } else if entry.authorFault == nil {
      entry.authorFault = "several senders are called \(name), and it does not say which one it is"
    }
    return entry
  }

  /// What a sender is called whose name others have too.
  package static func word(for name: String, _ id: String) -> String { "\(name) (\(id))" }

  /// The player of a text's results; `nil` for the owner's own.
  func player(of entry: LegacyEntry) -> String? { isOwn(entry) ? nil : entry.sender }

  /// Whether the file says whose a text's results are: it names a sender, or the owner sent it.
  func isPlayerKnown(of entry: LegacyEntry) -> Bool { entry.isOwn == true || entry.sender != nil }

  private func isOwn(_ entry: LegacyEntry) -> Bool {
    guard entry.isOwn != true, let sender = entry.sender else { return true }
    if senders.contains(sender) { return true }
    if let id = entry.senderID, senders.contains(id) { return true }
    return entry.isOwn == nil && sender == soleSender
  }

  /// Whether a file says that another person sent a text, whose results are not wanted.
  func isOfOther(_ entry: LegacyEntry) -> Bool {
    guard !takesOthers, entry.authorFault == nil, player(of: entry) != nil else { return false }
    return !senders.isEmpty || entry.isOwn == false
  }

  /// Why a text's results are not wanted, and what can be done; `nil` where they are.
  func refusal(of entry: LegacyEntry, in file: String) -> (cause: String, cure: String)? {
    if let fault = entry.authorFault {
      return (
        "\(fault), so its sender is not known",
        "take it from the chat of the person who shared it, or name its sender in a copy of the file"
      )
    }
    if case .result = entry.kind, entry.sender == nil { return nil }
    if entry.sender == nil, entry.isOwn != true {
      guard senders.isEmpty else {
        return (
          "the file does not name its sender, and only the results of \(wanted) are wanted",
          "import a file that names no senders without --sender"
        )
      }
      guard senderFiles[file] == nil else {
        return (
          "the file does not name its sender, and names those of other texts",
          "name its sender in a copy of the file"
        )
      }
    }
    guard !takesOthers, let player = player(of: entry) else { return nil }
    guard senders.isEmpty else {
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

  private var wanted: String { senders.joined(separator: ", ") }
}
