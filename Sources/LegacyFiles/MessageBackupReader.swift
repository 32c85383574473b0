import XMLAccess

/// Gives the messages of what Android's “SMS Backup & Restore” writes: `sms` and `mms` elements.
///
/// The body of a short message is an attribute; a multimedia message has parts, of which those of
/// text are joined. That program writes an emoji as two references to surrogates, which XML forbids
/// and which are understood here. Dates are milliseconds since 1970.
final class MessageBackupReader: LegacyReader {
  private let reader: XMLEventReader
  private var number = 0
  private var multimedia: LegacyEntry?

  init(path: String) throws(LegacyFileError) {
    do throws(XMLError) {
      reader = try XMLEventReader(path: path, limits: .longAttributes, tolerance: .surrogatePairs)
    } catch {
      throw .xml(error)
    }
  }

  func next() throws(LegacyFileError) -> LegacyItem? {
    while true {
      let event: XMLEvent?
      do throws(XMLError) { event = try reader.next() } catch { throw .xml(error) }
      switch event {
      case nil: return nil
      case .start("sms", let attributes):
        return .entry(message(attributes, body: attributes["body"], sent: attributes["type"]))
      case .start("mms", let attributes):
        multimedia = message(attributes, body: nil, sent: attributes["msg_box"])
      case .start("part", let attributes):
        guard attributes["ct"] == "text/plain", let text = attributes["text"] else { continue }
        if multimedia?.text.isEmpty == false { multimedia?.text.append(0x0A) }
        multimedia?.text += Array(text.utf8)
      case .end("mms"):
        guard let entry = multimedia else { continue }
        multimedia = nil
        return .entry(entry)
      case .start, .text, .end: continue
      }
    }
  }

  /// A message; in the boxes 2, 4, 5 and 6 lie those that the owner of the telephone wrote.
  private func message(
    _ attributes: [XMLAttribute],
    body: String?,
    sent box: String?
  ) -> LegacyEntry {
    number += 1
    let isOwn = box.flatMap { ["1": false, "2": true, "4": true, "5": true, "6": true][$0] }
    let reading = DateReading(ofMessage: attributes["date"])
    let name = attributes["contact_name"].flatMap { $0 == "(Unknown)" || $0.isEmpty ? nil : $0 }
    return LegacyEntry(
      .text,
      text: Array((body ?? "").utf8),
      date: reading.date,
      dateFault: reading.fault,
      sender: isOwn == true ? nil : name ?? attributes["address"] ?? "(Unknown)",
      isOwn: isOwn,
      place: .named("line \(reader.line), message \(number)"),
      number: number
    )
  }
}
