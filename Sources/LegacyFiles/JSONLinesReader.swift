import Files
import JSONText

/// Gives the texts of JSON Lines: one object a line, in flat memory.
final class JSONLinesReader: LegacyReader {
  private let lines: LineReader
  private let name: String
  private let options: LegacyOptions
  private let document = JSONDocument()
  private var members: MessageMembers
  private var walk: JSONWalk
  /// The items of the last line that were not given yet, the last one first.
  private var ready: [LegacyItem] = []

  /// The longest line, which is held whole.
  static let longestLine = 64 << 20

  init(_ file: consuming InputFile, name: String, options: LegacyOptions) {
    lines = LineReader(file, longest: Self.longestLine)
    self.name = name
    self.options = options
    members = MessageMembers(options)
    walk = JSONWalk(options)
  }

  func next() throws(LegacyFileError) -> LegacyItem? {
    while ready.isEmpty {
      guard let line = try lines.next(of: name) else { return nil }
      let isBlank = line.bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      if !isBlank { ready = items(of: line).reversed() }
    }
    return ready.removeLast()
  }

  private func items(of line: LineReader.Line) -> [LegacyItem] {
    var entry = LegacyEntry(.text, place: .line(line.number), number: line.number)
    do throws(JSONError) {
      let hasMark = line.number == 1 && line.bytes.starts(with: [0xEF, 0xBB, 0xBF])
      try document.parse(UnsafeRawBufferPointer(rebasing: line.bytes[(hasMark ? 3 : 0)...]))
    } catch {
      entry.kind = .damaged(
        cause: "the line is not JSON: \(error.message) (byte \(error.offset))",
        cure: "correct the line"
      )
      return [.entry(entry)]
    }
    let root = document.root
    switch document.kind(of: root) {
    case .string where options.textField == nil:
      entry.text = document.withText(of: root) { [UInt8]($0) }
    case .object: return items(of: root, entry)
    default:
      entry.kind = .damaged(
        cause: "the line is not an object",
        cure: "write one JSON object a line"
      )
    }
    return [.entry(entry)]
  }

  /// The stored result that an object is, or the message that it is and what lies deeper in it.
  private func items(of root: JSONNode, _ line: LegacyEntry) -> [LegacyItem] {
    var entry = line
    let facts = members.facts(of: root, in: document)
    if options.textField == nil, document.member(of: root, named: "sharedText") != nil,
      let object = document.value(of: root).object, StoredObject.kind(of: object) == .result
    {
      entry = StoredObject.entry(
        .result,
        object,
        place: line.place,
        number: line.number,
        unit: options.dateUnit
      )
      entry.take(facts?.authorship)
      return [.entry(entry)]
    }
    if let message = facts?.message ?? facts?.bareMessage {
      entry.text = Array(message.text.utf8)
      (entry.date, entry.dateFault) = (message.reading.date, message.reading.fault)
      entry.game = message.game
      entry.take(facts?.authorship)
      let context = JSONWalk.Context().inside(facts)
      walk.begin(inside: document, place: line.place.description, message, context: context)
      return [.entry(entry)] + itemsOfWalk(line)
    }
    walk.begin(document, place: line.place.description, depth: 1)
    let deeper = itemsOfWalk(line)
    if deeper.contains(where: Self.isMessageOrStored) { return deeper }
    let names = members.textNames.joined(separator: "”, “")
    entry.kind = .damaged(
      cause: "the line has no text “\(names)”",
      cure: "name the member that holds it with --text-field"
    )
    return [.entry(entry)]
  }

  /// The items deeper in a line: messages, as the programs for Signal write them, stored results, other
  /// texts that may be results, and notes.
  private func itemsOfWalk(_ line: LegacyEntry) -> [LegacyItem] {
    while walk.isWalking { walk.step() }
    return walk.takeFound().compactMap { item in
      guard case .entry(var entry) = item else { return item }
      // A person who names the member of the text excludes the texts of other members.
      guard entry.kind != .candidate || options.textField == nil else { return nil }
      (entry.place, entry.number) = (line.place, line.number)
      return .entry(entry)
    }
  }

  private static func isMessageOrStored(_ item: LegacyItem) -> Bool {
    guard case .entry(let entry) = item else { return false }
    return entry.kind != .candidate
  }
}
