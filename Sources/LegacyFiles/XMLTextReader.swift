import JSONText
import Records
import XMLAccess

/// Gives the texts of any XML, by the names of its elements and attributes.
///
/// A text is the content of an element, or an attribute, that ``XMLNames`` lists. What belongs to
/// it is looked for in the record around it: the named element, else the element in which the text
/// is. Memory follows one record.
final class XMLTextReader: LegacyReader {
  private let reader: XMLEventReader
  private let name: String
  private let names: XMLNames
  private let unit: DateUnit?
  private var number = 0
  /// The open elements, the outermost first.
  private var open: [OpenElement] = []
  private var ready: [LegacyItem] = []
  /// The outermost element, once it was found.
  private var root: String?
  private var isOver = false

  /// The longest content of an element that is kept.
  static let longestText = 4 << 20

  private struct OpenElement {
    let name: String
    let line: Int
    var content: [UInt8] = []
    var keeps: Bool
    /// What was found for the record that this element is.
    var found = Found()
  }

  private struct Found {
    var texts: [(bytes: [UInt8], line: Int)] = []
    var date: String?
    var sender: String?
    var game: String?
    /// What else says whose the texts are.
    var members = JSONObject()
    /// The names of the elements and attributes that stated these.
    var tellers: [String] = []

    /// Whether what has that name is reported again, and of a further text.
    func isReported(again name: String) -> Bool { !texts.isEmpty && tellers.contains(name) }
  }

  init(path: String, name: String, _ options: LegacyOptions) throws(LegacyFileError) {
    self.name = name
    names = options.xml
    unit = options.dateUnit
    do throws(XMLError) {
      reader = try XMLEventReader(path: path, limits: .longAttributes, tolerance: .surrogatePairs)
    } catch {
      throw .xml(error)
    }
  }

  func next() throws(LegacyFileError) -> LegacyItem? {
    while ready.isEmpty {
      let event: XMLEvent?
      do throws(XMLError) { event = try reader.next() } catch { throw .xml(error) }
      guard let event else {
        guard number == 0, !isOver else { return nil }
        isOver = true
        throw noText
      }
      try take(event)
    }
    return ready.removeFirst()
  }

  /// Nothing in the file has a name under which texts are looked for.
  private var noText: LegacyFileError {
    let looked = names.text.joined(separator: ", ")
    return .unknownForm(
      file: name,
      reason: "no element or attribute of <\(root ?? "")> is named as a text: \(looked)",
      cure: "name the element or attribute that holds the texts with --xml-text, or in the profile"
    )
  }

  private func take(_ event: XMLEvent) throws(LegacyFileError) {
    switch event {
    case .start(let name, let attributes):
      if root == nil { root = name }
      open.append(OpenElement(name: name, line: reader.line, keeps: isNamed(name)))
      take(attributes)
    case .text(let bytes):
      guard let last = open.indices.last, open[last].keeps else { return }
      guard open[last].content.count + bytes.count <= Self.longestText else {
        throw .beyondLimit(
          file: name,
          place: "line \(reader.line)",
          limit: "a text of more than \(Self.longestText) bytes"
        )
      }
      open[last].content += bytes
    case .end:
      guard let element = open.popLast() else { return }
      close(element)
    }
  }

  private func isNamed(_ name: String) -> Bool {
    names.text.contains(name) || names.date.contains(name) || names.sender.contains(name)
      || names.game.contains(name) || Self.isKept(name)
  }

  /// Whether the content of an element so called says whose the texts beside it are.
  private static func isKept(_ name: String) -> Bool {
    switch MemberRole.ofAuthor(name) {
    case .person, .counterpart, .direction, .name, .forward: true
    default: false
    }
  }

  /// Attributes belong to the record that the element is in, or is.
  private func take(_ attributes: [XMLAttribute]) {
    let record = place(ofRecordAround: open.count)
    for attribute in attributes {
      let name = "@" + attribute.name
      if names.text.contains(name) {
        add(Array(attribute.value.utf8), line: reader.line, to: record)
      }
      put(attribute.value, name, into: record)
      note(.string(attribute.value), attribute.name, in: record)
    }
  }

  /// Takes note of what says whose the texts of a record are.
  private func note(_ value: JSONValue, _ name: String, in record: Int) {
    guard MemberRole.ofAuthor(name) != nil, value.text?.trimmed.isEmpty != true else { return }
    let isReported = open[record].found.members[name] != nil
    if names.record == nil, isReported, !open[record].found.texts.isEmpty { giveTexts(of: record) }
    guard open[record].found.members[name] == nil else { return }
    open[record].found.members[name] = value
  }

  /// Keeps a text for its record.
  ///
  /// Where no record is named, a further text begins a new one: the one before is given first. So
  /// it is with many texts, that memory stays flat.
  private func add(_ text: [UInt8], line: Int, to record: Int) {
    let count = open[record].found.texts.count
    if names.record == nil && count > 0 || count >= 256 { giveTexts(of: record) }
    open[record].found.texts.append((text, line))
  }

  /// Gives the texts that were found for a record.
  ///
  /// A named one goes on, with what was informed of it; else the next one begins.
  private func giveTexts(of record: Int) {
    let found = open[record].found
    for text in found.texts { give(text, found) }
    if names.record == nil { open[record].found = Found() } else { open[record].found.texts = [] }
  }

  /// The innermost element that is a record, of the first `count` open ones.
  private func place(ofRecordAround count: Int) -> Int {
    guard let record = names.record else { return max(0, count - 1) }
    return open[..<count].lastIndex { $0.name == record } ?? 0
  }

  /// Keeps what belongs to the texts of a record.
  ///
  /// Where no record is named, what was reported already and is reported again behind a text belongs to the
  /// next one: the text before is given first.
  private func put(_ value: String, _ name: String, into record: Int) {
    if names.record == nil, open[record].found.isReported(again: name) { giveTexts(of: record) }
    if names.date.contains(name), open[record].found.date == nil {
      open[record].found.date = value
      open[record].found.tellers.append(name)
    }
    if names.sender.contains(name), open[record].found.sender == nil {
      open[record].found.sender = value
      open[record].found.tellers.append(name)
    }
    if names.game.contains(name), open[record].found.game == nil {
      open[record].found.game = value
      open[record].found.tellers.append(name)
    }
  }

  private func close(_ element: OpenElement) {
    if element.keeps, !open.isEmpty {
      let record = place(ofRecordAround: open.count)
      if names.text.contains(element.name) {
        add(element.content, line: element.line, to: record)
      }
      let content = String(decoding: element.content, as: UTF8.self)
      put(content, element.name, into: record)
      let isEmpty = content.trimmed.isEmpty
      // A person may be an element with elements of their own.
      note(
        isEmpty ? .object(element.found.members) : .string(content.trimmed),
        element.name,
        in: record
      )
    }
    // A record whose texts are in elements of their own, or in its attributes.
    for text in element.found.texts { give(text, element.found) }
    // The outermost element may be a text itself.
    if open.isEmpty, names.text.contains(element.name) {
      give((element.content, element.line), element.found)
    }
  }

  private func give(_ text: (bytes: [UInt8], line: Int), _ found: Found) {
    number += 1
    let reading = DateReading(found.date ?? "", unit: unit, naming: "--xml-date")
    var entry = LegacyEntry(
      .text,
      text: text.bytes,
      date: reading.date,
      dateFault: reading.fault,
      game: found.game?.trimmed,
      place: .line(text.line),
      number: number
    )
    var authors = AuthorMembers()
    for member in found.members.members {
      authors.add(member.name, MemberRole.ofAuthor(member.name), member.value)
    }
    entry.take(authors.authorship(of: String(decoding: text.bytes, as: UTF8.self)))
    if let sender = found.sender?.trimmed, !sender.isEmpty, entry.isOwn != true {
      entry.sender = sender
    }
    ready.append(.entry(entry))
  }
}

extension String {
  /// Without white space around it.
  var trimmed: String {
    let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[first...last])
  }
}
