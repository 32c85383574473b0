package import Records

/// What a person or a profile says about legacy files.
package struct LegacyOptions: Hashable, Sendable {
  /// The member of a JSON object that holds the text; any that is known when it is `nil`.
  package var textField: String?
  package var dateField: String?
  package var senderField: String?
  package var gameField: String?
  package var xml = XMLNames()
  /// What a number that represents a date counts; seconds since 2001 when it is `nil`, and since 1970
  /// where it is written as a text.
  package var dateUnit: DateUnit?
  /// In which order a chat writes day, month and year; found out when it is `nil`.
  package var dateOrder: ChatDateOrder?

  package init() {}
}

/// Which elements and attributes of an XML file hold what: `body` is an element, `@body` an
/// attribute.
package struct XMLNames: Hashable, Sendable {
  /// The element around what belongs together; the one around a text when it is `nil`.
  package var record: String?
  package var text: [String]
  package var date: [String]
  package var sender: [String]
  package var game: [String]

  package init(
    record: String? = nil,
    text: [String] = ["text", "@text", "body", "@body", "message", "content"],
    date: [String] = ["date", "@date", "time", "@time", "timestamp", "@timestamp"],
    sender: [String] = ["sender", "@sender", "from", "@from", "author", "@author"],
    game: [String] = ["game", "@game"]
  ) {
    self.record = record
    self.text = text
    self.date = date
    self.sender = sender
    self.game = game
  }
}

/// The order in which a chat writes the parts of a date.
package enum ChatDateOrder: String, CaseIterable, Sendable {
  case dmy, mdy, ymd
}
