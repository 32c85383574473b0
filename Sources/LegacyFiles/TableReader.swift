import Files
import JSONText

/// Gives the rows of a table whose first line names its columns, as messages: separated by commas,
/// semicolons or tabs (RFC 4180).
///
/// The columns are what members of an object are, by ``MessageMembers``.
final class TableReader: LegacyReader {
  private let lines: LineReader
  private let name: String
  private var members: MessageMembers
  private let separator: UInt8
  private var columns: [String] = []
  private var number = 0

  /// The longest row.
  static let longestRow = 4 << 20

  init(
    _ file: consuming InputFile,
    name: String,
    options: LegacyOptions
  ) throws(LegacyFileError) {
    lines = LineReader(file, longest: Self.longestRow)
    self.name = name
    members = MessageMembers(options)
    let first = try Self.row(of: lines, name)
    separator = first.map { Self.separator(of: $0.bytes) } ?? UInt8(ascii: ",")
    columns = first.map { Self.fields(of: $0.bytes, separator) ?? [] } ?? []
    if columns.first?.hasPrefix("\u{FEFF}") == true { columns[0].removeFirst() }
    columns = columns.map(\.trimmed)
  }

  func next() throws(LegacyFileError) -> LegacyItem? {
    while let row = try Self.row(of: lines, name) {
      guard row.bytes.contains(where: { $0 > 0x20 }) else { continue }
      number += 1
      return .entry(entry(row))
    }
    return nil
  }

  private typealias Row = (bytes: [UInt8], line: Int)

  /// The lines of a row: a line goes on in the next one while a quotation mark is open.
  private static func row(of lines: LineReader, _ name: String) throws(LegacyFileError) -> Row? {
    guard let first = try lines.next(of: name) else { return nil }
    var row: Row = ([UInt8](first.bytes), first.number)
    // Each line is looked at once: a mark that is never closed makes all that follows one row.
    var isOpen = hasOpenMark(row.bytes)
    while isOpen {
      guard let more = try lines.next(of: name) else { break }
      row.bytes.append(0x0A)
      let line = [UInt8](more.bytes)
      row.bytes += line
      if hasOpenMark(line) { isOpen.toggle() }
      guard row.bytes.count <= longestRow else {
        throw .beyondLimit(
          file: name,
          place: "line \(row.line)",
          limit: "a row of more than \(longestRow) bytes"
        )
      }
    }
    if row.bytes.last == 0x0D { row.bytes.removeLast() }
    return row
  }

  /// Whether a line has an odd number of quotation marks.
  private static func hasOpenMark(_ line: [UInt8]) -> Bool {
    !line.count { $0 == UInt8(ascii: "\"") }.isMultiple(of: 2)
  }

  private func entry(_ row: Row) -> LegacyEntry {
    var entry = LegacyEntry(.text, place: .line(row.line), number: number)
    guard let fields = Self.fields(of: row.bytes, separator) else {
      return damaged(entry, "a quotation mark of the row is not closed, or closed too soon", row)
    }
    guard fields.count == columns.count else {
      let cause = "the row has \(fields.count) fields, and the first line names \(columns.count)"
      return damaged(entry, cause, row)
    }
    var object = JSONObject()
    for (column, field) in zip(columns, fields) where !field.isEmpty && object[column] == nil {
      object[column] = .string(field)
    }
    let facts = members.facts(of: object)
    entry.take(facts?.authorship)
    guard let message = facts?.message else { return entry }
    entry.text = Array(message.text.utf8)
    (entry.date, entry.dateFault) = (message.reading.date, message.reading.fault)
    entry.game = message.game
    return entry
  }

  private func damaged(_ entry: LegacyEntry, _ cause: String, _ row: Row) -> LegacyEntry {
    var entry = entry
    entry.text = row.bytes
    entry.kind = .damaged(cause: cause, cure: "correct the row")
    return entry
  }

  // MARK: Fields

  /// The separator that a first line has most of, outside of quotation marks.
  static func separator(of line: some Sequence<UInt8>) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in line {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted { counts[byte, default: 0] += 1 }
    }
    let known = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
    return known.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? UInt8(ascii: ",")
  }

  /// The fields of a row; `nil` where its quotation marks do not match.
  static func fields(of row: [UInt8], _ separator: UInt8) -> [String]? {
    var fields: [String] = []
    var field: [UInt8] = []
    var place = 0
    while true {
      field.removeAll(keepingCapacity: true)
      if place < row.count, row[place] == UInt8(ascii: "\"") {
        place += 1
        while true {
          guard place < row.count else { return nil }
          if row[place] != UInt8(ascii: "\"") {
            field.append(row[place])
            place += 1
          } else if place + 1 < row.count, row[place + 1] == UInt8(ascii: "\"") {
            field.append(row[place])
            place += 2
          } else {
            place += 1
            break
          }
        }
        guard place == row.count || row[place] == separator else { return nil }
      } else {
        while place < row.count, row[place] != separator {
          field.append(row[place])
          place += 1
        }
      }
      fields.append(String(decoding: field, as: UTF8.self))
      guard place < row.count else { return fields }
      place += 1
    }
  }

  /// Whether a first line names columns, one of a text and one of a date or of who wrote it.
  static func namesColumns(_ line: [UInt8]) -> Bool {
    guard let fields = fields(of: line, separator(of: line)), fields.count > 1 else { return false }
    let roles = fields.map { MemberRole.known($0.trimmed) }
    let hasText = roles.contains { role in
      if case .text = role { true } else { false }
    }
    return hasText
      && roles.contains { role in
        switch role {
        case .date, .person, .counterpart, .name: true
        case .direction(let direction): direction != .kind && direction != .side
        case .text, .game, .forward, .quote, .envelope, nil: false
        }
      }
  }
}
