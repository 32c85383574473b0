package import JSONText
package import ResultText

/// Something that a legacy file holds and that is, or may be, a game result.
package struct LegacyEntry: Hashable, Sendable {
  package var kind: Kind
  /// The shared text in UTF-8; empty if it is missing.
  package var text: [UInt8]
  /// What was recognised in the text, where its reader has read it alone to cut it out of others.
  package var reading: TextReading?
  package var date: LegacyDate?
  /// Why the text for its date was not read, where something does.
  package var dateFault: DateFault?
  /// Who sent it, as the file says.
  package var sender: String?
  /// What distinguishes the sender from another one of the same name.
  package var senderID: String?
  /// Whether the owner of the file sent it; `nil` where the file does not state.
  package var isOwn: Bool?
  /// Why it cannot be known whose it is, although the file speaks of it.
  package var authorFault: String?
  /// The game as the file names it.
  package var game: String?
  /// Where in the file it is: `line 12`, `gameResults, element 3`.
  package var place: LegacyPlace
  /// The line, or the number of the text, counted from one.
  package var number: Int

  /// What an entry is.
  package enum Kind: Hashable, Sendable {
    /// A text that a person shared or wrote.
    case text
    /// A text that is one among other values and counts only when it is a result.
    case candidate
    /// A result that an app stored, with its members.
    case result(JSONObject)
    /// A streak that an app stored, with its members.
    case streak(JSONObject)
    /// Something that should hold a text and does not.
    case damaged(cause: String, cure: String)
  }

  package init(
    _ kind: Kind,
    text: [UInt8] = [],
    date: LegacyDate? = nil,
    dateFault: DateFault? = nil,
    sender: String? = nil,
    senderID: String? = nil,
    isOwn: Bool? = nil,
    game: String? = nil,
    place: LegacyPlace,
    number: Int
  ) {
    self.kind = kind
    self.text = text
    self.date = date
    self.dateFault = dateFault
    self.sender = sender
    self.senderID = senderID
    self.isOwn = isOwn
    self.game = game
    self.place = place
    self.number = number
  }

  /// Takes over what says whose it is.
  mutating func take(_ authorship: Authorship?) {
    guard let authorship else { return }
    (sender, senderID) = (authorship.sender, authorship.senderID)
    (isOwn, authorFault) = (authorship.isOwn, authorship.fault)
  }
}

/// Where in a file something is.
package enum LegacyPlace: Hashable, Sendable, CustomStringConvertible {
  case line(Int)
  /// In words: `gameResults, element 3`.
  case named(String)

  package var description: String {
    switch self {
    case .line(let number): "line \(number)"
    case .named(let words): words
    }
  }
}

/// What a reader of a legacy file gives.
package enum LegacyItem: Hashable, Sendable {
  case entry(LegacyEntry)
  /// Something of the file that is worth knowing, and is no entry.
  case note(LegacyNote)
}

/// Something of a legacy file that became no entry, and why.
package struct LegacyNote: Hashable, Sendable {
  /// A stable word: `left-out`, `date-order`, `queue`, `characters`.
  package let code: String
  package let place: String
  package let cause: String

  package init(code: String, place: String, cause: String) {
    self.code = code
    self.place = place
    self.cause = cause
  }
}

/// Gives the items of one legacy file, one at a time.
package protocol LegacyReader: AnyObject {
  /// The next item, or `nil` at the end of a sound file.
  func next() throws(LegacyFileError) -> LegacyItem?
}
