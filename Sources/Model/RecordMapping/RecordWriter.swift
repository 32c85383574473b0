package import JSONText
package import Profiles
import PropertyLists
package import Records
import TextCodecs

/// Writes rows as records: one program's hand, with the space it works in.
///
/// The values of a row become JSON so that nothing is lost and the same row always gives the same
/// bytes:
///
/// | attribute | JSON |
/// |---|---|
/// | integer | its digits |
/// | double, float | the shortest digits that read back the same; `"NaN"`, `"Infinity"`, `"-Infinity"` |
/// | decimal | a string of its digits |
/// | boolean | `true`, `false` |
/// | date | RFC 3339 in UTC, see ``DateText``; with `as: milliseconds` what is finer is cut |
/// | string, URI | a string; bytes that are not UTF-8 as `{"$base64": …}`, with a finding |
/// | UUID | a string in upper case |
/// | binary | a base64 string; with `as: json` the JSON itself, in canonical form; with `as: archive` and `as: plist` what they hold, as in preferences; with `as: uuid` a UUID |
/// | transformable | the decoded value; bytes no one can decode as `{"$base64": …}` |
/// | reference | the identity of the other record; to-many: an array of them |
/// | reference to a record that the store does not have | as the profile says (`dangling`): left out, with a finding, or the identity that the record would have |
/// | composite | an object of its parts; `null` when all parts are null |
/// | large value whose file is not beside the store | `{"$lostFile": …}` with the file's name, with a finding; it is never sent |
/// | media file | an object: what the row says, whether the file is there, its digest and size |
/// | bytes of a media file in the row itself | the same object, with the digest as the name |
/// | nothing | `null` |
package final class RecordWriter {
  package typealias Media = (MediaRule, UnsafeRawBufferPointer) throws(RecordFault) -> MediaValue
  package typealias MediaContent = (MediaRule, LargeValue) throws(RecordFault) -> MediaValue

  /// The member that represents a value whose file is lost.
  package static let lostFile = JSONName("$lostFile")

  package let program: RecordProgram
  /// What was unusual about the last record.
  package private(set) var losses: [RecordLoss] = []
  /// The texts of the last record that are not in what was written; see ``forEachPiece(of:valuesUpTo:_:)``.
  private(set) var large: [LargeText] = []
  /// How many bytes these have in JSON.
  package private(set) var largeSize = 0
  private let media: Media
  private let mediaContent: MediaContent?
  private let document = JSONDocument()
  private let members: MemberList

  /// Takes the program, what finds the file that a row names, and what takes a file that is in the row
  /// itself; without that such bytes are of another kind than they should be.
  ///
  /// With `oneByOne` no members are written together.
  package init(
    _ program: RecordProgram,
    oneByOne: Bool = false,
    media: @escaping Media,
    content: MediaContent? = nil
  ) {
    self.program = program
    self.media = media
    mediaContent = content
    members = MemberList(program.steps, oneByOne: oneByOne)
  }

  /// Whether the last record has texts that are not in what was written.
  package var hasLargeTexts: Bool { !large.isEmpty }

  /// Appends the record in canonical JSON, without the texts that are too large to be held.
  package func write(_ row: Row, into writer: inout JSONWriter) throws(RecordFault) {
    if !losses.isEmpty { losses.removeAll(keepingCapacity: true) }
    if !large.isEmpty { (large, largeSize) = ([], 0) }
    if row.isTooLarge { throw .tooLarge }
    writer.beginObject()
    for run in members.runs {
      switch run {
      case .usual(let usual):
        guard !usual.write(row.cells, into: &writer) else { continue }
        for index in usual.members { try write(index, row, into: &writer) }
      case .other(let index): try write(index, row, into: &writer)
      }
    }
    writer.endObject()
    if !large.isEmpty, row.failure != nil { throw .unreadable }
  }

  /// Appends the member with this number, whatever its value is.
  private func write(
    _ index: Int,
    _ row: Row,
    into writer: inout JSONWriter
  ) throws(RecordFault) {
    let member = members.members[index]
    writer.name(ready: member.readyName)
    if let leaf = member.leaf {
      write(leaf, row.cells[leaf.cell], member.name, into: &writer)
    } else {
      try write(program.steps[index].content, member.name, row, into: &writer)
    }
  }

  private func write(
    _ content: RecordProgram.Content,
    _ name: UnsafeRawBufferPointer,
    _ row: Row,
    into writer: inout JSONWriter
  ) throws(RecordFault) {
    switch content {
    case .leaf(let leaf): write(leaf, row.cells[leaf.cell], name, into: &writer)
    case .null: writer.null()
    case .references(let cell): writeReferences(row.cells[cell], name, into: &writer)
    case .media(let cell, let rule):
      try writeMedia(row.cells[cell], rule, name, into: &writer)
    case .composite(let cells, let steps):
      if cells.allSatisfy({ row.cells[$0].isNull }) {
        writer.null()
      } else {
        writer.beginObject()
        for inner in steps {
          writer.name(inner.name)
          try inner.name.withUnsafeBufferPointer { name throws(RecordFault) in
            try write(inner.content, UnsafeRawBufferPointer(name), row, into: &writer)
          }
        }
        writer.endObject()
      }
    }
  }

  private func lose(_ kind: RecordLoss.Kind, _ name: UnsafeRawBufferPointer) {
    losses.append(RecordLoss(kind: kind, member: String(decoding: name, as: UTF8.self)))
  }
}

extension Cell {
  /// The bytes of the row itself, to be read in pieces; `nil` where there are none.
  fileprivate var content: LargeValue? {
    switch self {
    case .blob(let bytes): return LargeValue(isText: false, lent: bytes)
    default:
      guard let large, !large.isText else { return nil }
      return large
    }
  }

  var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

// MARK: - Values

extension RecordWriter {
  private func write(
    _ leaf: RecordProgram.Leaf,
    _ cell: Cell,
    _ name: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) {
    switch (leaf.form, cell) {
    case (_, .large(let value)):
      write(value.takeUnretainedValue(), as: leaf.form, name, into: &writer)
    case (.json, .blob(let bytes)), (.json, .text(let bytes)), (_, .json(let bytes)):
      write(json: bytes, name, into: &writer)
    case (.archive, .blob(let bytes)), (.list, .blob(let bytes)):
      write(encoded: bytes, as: leaf.form, name, into: &writer)
    case (_, .blob(let bytes)) where bytes.count > LargeValue.mostHeld:
      write(LargeValue(isText: false, lent: bytes), as: leaf.form, name, into: &writer)
    case (_, .text(let bytes)) where bytes.count > LargeValue.mostHeld:
      write(LargeValue(isText: true, lent: bytes), as: leaf.form, name, into: &writer)
    case (_, .dangling): write(dangling: cell, name, into: &writer)
    case (_, .null):
      if leaf.isRequired { lose(.missing, name) }
      writer.null()
    case (.integer, .integer(let value)): writer.integer(value)
    case (.boolean, .integer(let value)) where value == 0 || value == 1:
      writer.boolean(value == 1)
    case (.real, .real(let value)): write(double: value, into: &writer)
    case (.real, .integer(let value)) where Double(exactly: value) != nil:
      write(double: Double(value), into: &writer)
    case (.date, .real(let value)): write(date: value, name, into: &writer)
    case (.date, .integer(let value)) where Double(exactly: value) != nil:
      write(date: Double(value), name, into: &writer)
    case (.cutDate, .real(let value)): write(cutDate: value, name, into: &writer)
    case (.cutDate, .integer(let value)) where Double(exactly: value) != nil:
      write(cutDate: Double(value), name, into: &writer)
    case (.text, .text(let bytes)), (.uuid, .text(let bytes)), (.decimal, .text(let bytes)):
      write(text: bytes, name, into: &writer)
    case (.uuid, .blob(let bytes)) where bytes.count == 16: write(uuid: bytes, into: &writer)
    case (.decimal, .integer(let value)), (.key, .integer(let value)):
      writer.string(String(value))
    case (.decimal, .real(let value)): writer.string(Self.digits(of: value))
    case (.bytes, .blob(let bytes)): writer.base64(bytes)
    case (.transformed, .blob(let bytes)), (.found, .blob(let bytes)):
      write(wrapped: bytes, into: &writer)
    case (.found, _): write(found: cell, name, into: &writer)
    default:
      if case .lostFile = cell {} else { lose(.otherKind, name) }
      write(found: cell, name, into: &writer)
    }
  }

  /// Writes a value by what it is, whatever the model says.
  private func write(
    found cell: Cell,
    _ name: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) {
    switch cell {
    case .null: writer.null()
    case .integer(let value): writer.integer(value)
    case .real(let value): write(double: value, into: &writer)
    case .text(let bytes): write(text: bytes, name, into: &writer)
    case .blob(let bytes): write(wrapped: bytes, into: &writer)
    case .large(let value): write(value.takeUnretainedValue(), as: .found, name, into: &writer)
    case .json(let bytes): write(json: bytes, name, into: &writer)
    case .list: writeReferences(cell, name, into: &writer)
    case .dangling: write(dangling: cell, name, into: &writer)
    case .lostFile(let file):
      lose(.lostFile, name)
      writer.beginObject()
      writer.name(Self.lostFile)
      write(text: file, name, into: &writer)
      writer.endObject()
    }
  }

  private func write(double value: Double, into writer: inout JSONWriter) {
    if value.isFinite {
      writer.double(value)
    } else {
      writer.string(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }
  }

  private static func digits(of value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity" }
    return JSONNumber(value).literal
  }

  private func write(
    date seconds: Double,
    _ name: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) {
    let isInstant = writer.string(atMost: DateText.longest) { DateText.write(seconds, to: $0) }
    guard !isInstant else { return }
    lose(.noInstant, name)
    writer.string(Self.digits(of: seconds))
  }

  private func write(
    cutDate seconds: Double,
    _ name: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) {
    var isCut = false
    let isInstant = writer.string(atMost: DateText.longest) { buffer in
      guard let count = DateText.write(seconds, to: buffer) else { return nil }
      let cut = DateText.cutToMilliseconds(buffer, count: count)
      isCut = cut < count
      return cut
    }
    guard isInstant else { return write(date: seconds, name, into: &writer) }
    if isCut { lose(.cutDate, name) }
  }

  private func write(
    text: UnsafeRawBufferPointer,
    _ name: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) {
    do throws(JSONError) {
      try writer.string(utf8: text)
    } catch {
      lose(.notUTF8, name)
      write(wrapped: text, into: &writer)
    }
  }

  private func write(
    json: UnsafeRawBufferPointer,
    _ name: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) {
    do throws(JSONError) {
      if json.count > LargeValue.mostHeld, json.first == UInt8(ascii: "[") {
        try write(largeArray: json, into: &writer)
      } else {
        try document.parse(json)
        document.write(document.root, to: &writer)
      }
      document.forget()
    } catch {
      lose(.notJSON, name)
      write(wrapped: json, into: &writer)
    }
  }

  /// Writes an array of which one element is held at a time, and nothing of one that is no JSON.
  private func write(
    largeArray json: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) throws(JSONError) {
    _ = try document.parseElements(json) { _ in true }
    writer.beginArray()
    _ = try document.parseElements(json) {
      document.write($0, to: &writer)
      return true
    }
    writer.endArray()
  }

  /// Writes what the bytes of an archive or a property list hold.
  private func write(
    encoded bytes: UnsafeRawBufferPointer,
    as form: ValueForm,
    _ name: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) {
    let json: [UInt8]?
    switch (form, EncodedData(Array(bytes))) {
    case (.archive, .archive(let text)): json = text
    case (.list, let data):
      if case .list = data { json = data.json } else { json = nil }
    default: json = nil
    }
    guard let json else {
      lose(.notDecoded, name)
      return write(wrapped: bytes, into: &writer)
    }
    json.withUnsafeBytes { write(json: $0, name, into: &writer) }
  }

  private func write(wrapped bytes: UnsafeRawBufferPointer, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.name("$base64")
    writer.base64(bytes)
    writer.endObject()
  }

  private func write(uuid bytes: UnsafeRawBufferPointer, into writer: inout JSONWriter) {
    _ = writer.string(atMost: UUIDText.length) { buffer in
      UUIDText.write(bytes, to: buffer)
      return UUIDText.length
    }
  }
}

// MARK: - Large values

extension RecordWriter {
  /// Writes a value that is read in pieces; held as a whole is only one that is decoded.
  private func write(
    _ value: LargeValue,
    as form: ValueForm,
    _ name: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) {
    if let json = value.json {
      writer.raw(json.bytes)
      let start = writer.count - json.bytes.count
      for (value, place) in json.texts {
        let text = LargeText(place: start + place, value: value, isBase64: !value.isText)
        large.append(text)
        // One that cannot be read is a failure of the row.
        largeSize += text.size ?? 0
      }
      return
    }
    switch (form, value.isText) {
    case (.json, _), (.archive, false), (.list, false):
      let bytes = value.bytes() ?? []
      bytes.withUnsafeBytes { bytes in
        form == .json
          ? write(json: bytes, name, into: &writer)
          : write(encoded: bytes, as: form, name, into: &writer)
      }
    case (.text, true), (.uuid, true), (.decimal, true), (.found, true):
      write(largeText: value, name, into: &writer)
    case (.bytes, false): _ = leaveOut(value, isBase64: true, from: &writer)
    case (.found, false), (.transformed, false): write(wrapped: value, into: &writer)
    default:
      lose(.otherKind, name)
      write(value, as: .found, name, into: &writer)
    }
  }

  private func write(
    largeText value: LargeValue,
    _ name: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) {
    guard !leaveOut(value, isBase64: false, from: &writer) else { return }
    if value.failure == nil { lose(.notUTF8, name) }
    write(wrapped: value, into: &writer)
  }

  private func write(wrapped value: LargeValue, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.name("$base64")
    _ = leaveOut(value, isBase64: true, from: &writer)
    writer.endObject()
  }

  /// Writes an empty string into which the text belongs; `false`, and nothing written, for what is no text.
  private func leaveOut(
    _ value: LargeValue,
    isBase64: Bool,
    from writer: inout JSONWriter
  ) -> Bool {
    guard let size = LargeText(place: 0, value: value, isBase64: isBase64).size else {
      return false
    }
    writer.string("")
    large.append(LargeText(place: writer.count - 1, value: value, isBase64: isBase64))
    largeSize += size
    return true
  }
}

// MARK: - References and media

extension RecordWriter {
  private func writeReferences(
    _ cell: Cell,
    _ name: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) {
    writer.beginArray()
    if case .list(let targets) = cell {
      for target in targets {
        if case .dangling(_, let isExpected) = target, program.profile.dangling == .omit {
          lose(isExpected ? .leftOut : .lostRow, name)
        } else {
          write(found: target, name, into: &writer)
        }
      }
    } else if !cell.isNull {
      lose(.otherKind, name)
      write(found: cell, name, into: &writer)
    }
    writer.endArray()
  }

  /// Writes a link to a record that the store does not have.
  private func write(
    dangling cell: Cell,
    _ name: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) {
    guard case .dangling(let bytes, let isExpected) = cell else { return writer.null() }
    switch program.profile.dangling {
    case .omit:
      lose(isExpected ? .leftOut : .lostRow, name)
      writer.null()
    case .keep:
      lose(.keptLink, name)
      write(text: bytes, name, into: &writer)
    case .refuse: write(text: bytes, name, into: &writer)
    }
  }

  private func writeMedia(
    _ cell: Cell,
    _ rule: MediaRule,
    _ name: UnsafeRawBufferPointer,
    into writer: inout JSONWriter
  ) throws(RecordFault) {
    switch cell {
    case .null: writer.null()
    case .text(let bytes) where bytes.isEmpty: writer.null()
    case .text(let bytes): try media(rule, bytes).write(to: &writer)
    case .blob(let bytes) where bytes.isEmpty: writer.null()
    default:
      if let content = cell.content, let mediaContent {
        return try mediaContent(rule, content).write(to: &writer)
      }
      lose(.otherKind, name)
      write(found: cell, name, into: &writer)
    }
  }
}
