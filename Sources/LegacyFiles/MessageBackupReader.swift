import XMLAccess

/// Gives the messages of what Android's “SMS Backup & Restore” writes: `sms` and `mms` elements.
///
/// The body of a short message is an attribute; a multimedia message has parts, of which those of
/// text are joined. That program writes an emoji as two references to surrogates, which XML forbids
/// and which are understood here; half an emoji, and a reference to no character at all, is U+FFFD in
/// its message, which is noted. Dates are milliseconds since 1970.
final class MessageBackupReader: LegacyReader {
  private let reader: XMLEventReader
  private var number = 0
  private var multimedia: LegacyEntry?
  private var noted: LegacyItem?

  init(path: String) throws(LegacyFileError) {
    do throws(XMLError) {
      reader = try XMLEventReader(
        path: path,
        limits: .longAttributes,
        tolerance: .replacedReferences
      )
    } catch {
      throw .xml(error)
    }
  }

  func next() throws(LegacyFileError) -> LegacyItem? {
    if let note = noted {
      noted = nil
      return note
    }
    while true {
      let event: XMLEvent?
      do throws(XMLError) { event = try reader.next() } catch { throw .xml(error) }
      switch event {
      case nil: return nil
      case .start("sms", let attributes):
        return give(message(attributes, body: attributes["body"], sent: attributes["type"]))
      case .start("mms", let attributes):
        multimedia = message(attributes, body: nil, sent: attributes["msg_box"])
      case .start("part", let attributes):
        guard attributes["ct"] == "text/plain", let text = attributes["text"] else { continue }
        if multimedia?.text.isEmpty == false { multimedia?.text.append(0x0A) }
        multimedia?.text += Array(text.utf8)
      case .end("mms"):
        guard let entry = multimedia else { continue }
        multimedia = nil
        return give(entry)
      case .start, .text, .end: continue
      }
    }
  }

  /// Gives a message, and then a note where something of it was no character.
  private func give(_ entry: LegacyEntry) -> LegacyItem {
    if reader.replacedCount > 0, entry.text.hasReplacement {
      noted = .note(.replaced(at: entry.place))
    }
    return .entry(entry)
  }

  /// A message, which the owner of the telephone wrote or received, as its box says.
  private func message(
    _ attributes: [XMLAttribute],
    body: String?,
    sent box: String?
  ) -> LegacyEntry {
    number += 1
    let isOwn = AuthorMembers.isOwn(box: box)
    let reading = DateReading(ofMessage: attributes["date"])
    let name = (attributes["contact_name"] ?? attributes["name"]).flatMap {
      $0 == Authorship.unknown || $0.isEmpty ? nil : $0
    }
    let address = attributes["address"].flatMap { $0.isEmpty ? nil : $0 }
    var entry = LegacyEntry(
      .text,
      text: Array((body ?? "").utf8),
      date: reading.date,
      dateFault: reading.fault,
      place: .named("line \(reader.line), message \(number)"),
      number: number
    )
    let other = name ?? address ?? Authorship.unknown
    switch isOwn {
    case true?: entry.take(Authorship(isOwn: true))
    case false?: entry.take(Authorship(sender: other, senderID: address, isOwn: false))
    case nil:
      let fault = "it does not say whether it was sent or received"
      entry.take(Authorship(sender: other, senderID: address, fault: fault))
    }
    return entry
  }
}

extension LegacyNote {
  /// Says that something of a message is no character.
  static func replaced(at place: LegacyPlace) -> LegacyNote {
    LegacyNote(
      code: "characters",
      place: place.description,
      cause: "a reference in it is to no character, and is read as U+FFFD"
    )
  }
}

extension [UInt8] {
  /// Whether U+FFFD is in the text.
  var hasReplacement: Bool {
    var place = 0
    while let found = self[place...].firstIndex(of: 0xEF) {
      if self[found...].starts(with: [0xEF, 0xBF, 0xBD]) { return true }
      place = found + 1
    }
    return false
  }
}
