import Files
import JSONText

/// Gives the texts of JSON Lines: one object a line, in flat memory.
final class JSONLinesReader: LegacyReader {
  private let lines: LineReader
  private let name: String
  private let options: LegacyOptions
  private let document = JSONDocument()
  private let textNames: [JSONName]
  private let dateNames: [JSONName]
  private let senderNames: [JSONName]
  private let gameNames: [JSONName]

  /// The longest line, which is held whole.
  static let longestLine = 64 << 20

  init(_ file: consuming InputFile, name: String, options: LegacyOptions) {
    lines = LineReader(file, longest: Self.longestLine)
    self.name = name
    self.options = options
    textNames = Self.names(options.textField, else: ["text", "sharedText", "body", "message"])
    dateNames = Self.names(options.dateField, else: ["date", "time", "timestamp"])
    senderNames = Self.names(options.senderField, else: ["sender", "from", "author"])
    gameNames = Self.names(options.gameField, else: ["game"])
  }

  private static func names(_ given: String?, else known: [String]) -> [JSONName] {
    (given.map { [$0] } ?? known).map { JSONName($0) }
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
    guard let node = member(of: root, textNames), document.kind(of: node) == .string else {
      entry.kind = .damaged(
        cause: "the line has no text “\(textNames.map(\.description).joined(separator: "”, “"))”",
        cure: "name the member that holds it with --text-field"
      )
      return
    }
    entry.text = text(of: node)
    if let node = member(of: root, dateNames) {
      let value = document.value(of: node)
      let reading = DateReading(value, unit: options.dateUnit, naming: "--date-field")
      (entry.date, entry.dateFault) = (reading.date, reading.fault)
    }
    entry.sender = member(of: root, senderNames).flatMap(string)
    entry.game = member(of: root, gameNames).flatMap(string)
  }

  private func member(of root: JSONNode, _ names: [JSONName]) -> JSONNode? {
    for name in names {
      if let node = document.member(of: root, name) { return node }
    }
    return nil
  }

  private func text(of node: JSONNode) -> [UInt8] {
    document.withText(of: node) { [UInt8]($0) }
  }

  private func string(_ node: JSONNode) -> String? {
    document.kind(of: node) == .string ? document.text(of: node) : nil
  }
}
