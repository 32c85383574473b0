import Files
import JSONText

/// Gives the texts of JSON Lines: one object a line, in flat memory.
final class JSONLinesReader: LegacyReader {
  private let lines: LineReader
  private let name: String
  private let options: LegacyOptions
  private let document = JSONDocument()
  private let members: MessageMembers

  /// The longest line, which is held whole.
  static let longestLine = 64 << 20

  init(_ file: consuming InputFile, name: String, options: LegacyOptions) {
    lines = LineReader(file, longest: Self.longestLine)
    self.name = name
    self.options = options
    members = MessageMembers(options)
  }

  func next() throws(LegacyFileError) -> LegacyItem? {
    while let line = try nextLine() {
      let isBlank = line.bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      if isBlank { continue }
      return .entry(entry(line))
    }
    return nil
  }

  private func nextLine() throws(LegacyFileError) -> LineReader.Line? {
    do throws(LineReader.Failure) {
      return try lines.next()
    } catch {
      switch error {
      case .file(let error): throw .file(error)
      case .tooLong(let line):
        throw .beyondLimit(
          file: name,
          place: "line \(line)",
          limit: "a line of more than \(Self.longestLine) bytes"
        )
      }
    }
  }

  private func entry(_ line: LineReader.Line) -> LegacyEntry {
    var entry = LegacyEntry(.text, place: .line(line.number), number: line.number)
    do throws(JSONError) {
      let hasMark = line.number == 1 && line.bytes.starts(with: [0xEF, 0xBB, 0xBF])
      try document.parse(UnsafeRawBufferPointer(rebasing: line.bytes[(hasMark ? 3 : 0)...]))
    } catch {
      entry.kind = .damaged(
        cause: "the line is no JSON: \(error.message) (byte \(error.offset))",
        cure: "mend the line"
      )
      return entry
    }
    let root = document.root
    switch document.kind(of: root) {
    case .string where options.textField == nil: entry.text = text(of: root)
    case .object: fill(&entry, from: root)
    default:
      entry.kind = .damaged(
        cause: "the line is no object",
        cure: "write one JSON object a line"
      )
    }
    return entry
  }

  private func fill(_ entry: inout LegacyEntry, from root: JSONNode) {
    if options.textField == nil, document.member(of: root, named: "sharedText") != nil,
      let object = document.value(of: root).object, StoredObject.kind(of: object) == .result
    {
      entry = StoredObject.entry(
        .result,
        object,
        place: entry.place,
        number: entry.number,
        unit: options.dateUnit
      )
      return
    }
    guard let node = member(of: root, members.texts), let text = wholeText(of: node) else {
      let names = members.texts.map(\.description).joined(separator: "”, “")
      entry.kind = .damaged(
        cause: "the line has no text “\(names)”",
        cure: "name the member that holds it with --text-field"
      )
      return
    }
    entry.text = text
    let reading = members.date(told(by: root, members.dates))
    (entry.date, entry.dateFault) = (reading.date, reading.fault)
    entry.sender = told(by: root, members.senders).flatMap(MessageMembers.sender)
    entry.game = told(by: root, members.games)?.text
  }

  private func member(of root: JSONNode, _ names: [JSONName]) -> JSONNode? {
    for name in names {
      if let node = document.member(of: root, name), document.kind(of: node) != .null {
        return node
      }
    }
    return nil
  }

  private func told(by root: JSONNode, _ names: [JSONName]) -> JSONValue? {
    member(of: root, names).map { MessageMembers.told(by: $0, in: document) }
  }

  private func text(of node: JSONNode) -> [UInt8] {
    document.withText(of: node) { [UInt8]($0) }
  }

  /// A text as it is written, or put together from its pieces.
  private func wholeText(of node: JSONNode) -> [UInt8]? {
    if document.kind(of: node) == .string { return text(of: node) }
    return MessageMembers.text(MessageMembers.told(by: node, in: document)).map { Array($0.utf8) }
  }
}
