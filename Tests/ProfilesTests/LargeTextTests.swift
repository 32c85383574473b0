import Foundation
import JSONText
import RecordMapping
import Records
import Testing

/// Values that are put into a record piece by piece, held to the same values written at once.
@Suite struct LargeTextTests {
  /// The record of a value, its large texts in their places, or only how they begin; the memory that was used
  /// without them.
  private func record(
    _ value: TestRow.Value,
    as form: ValueForm
  ) throws -> (json: JSONValue, beginning: [UInt8], held: Int, losses: [RecordLoss]) {
    let note = try #require(try SampleApp.export().program(for: "Note"))
    let leaf = RecordProgram.Leaf(cell: 0, form: form, isRequired: false)
    let program = RecordProgram(
      entity: note.entity,
      profile: note.profile,
      request: note.request,
      keyMember: "$id",
      references: [],
      members: [],
      omitted: [],
      steps: [
        RecordProgram.Step(name: Array("v".utf8), content: .leaf(leaf)),
        RecordProgram.Step(name: Array("w".utf8), content: .null),
      ],
      key: RecordProgram.KeyCell(cell: 0, form: .text)
    )
    let records = RecordWriter(program) { _, _ throws(RecordFault) in
      preconditionFailure("no member is a file")
    }
    let row = TestRow([value])
    var writer = JSONWriter()
    try records.write(row.row, into: &writer)
    let bytes = try #require(records.bytes(of: writer))
    #expect(bytes.count == writer.count + records.largeSize)
    let beginning = try #require(records.bytes(of: writer, valuesUpTo: 3 << 10))
    return (try JSONValue(parsing: bytes), beginning, writer.count, records.losses)
  }

  @Test(arguments: ["\u{1F600}", "é", "a\u{20AC}", "\"\n", "abc"])
  func `a large text is that of the store, wherever its characters are cut`(
    part: String
  ) throws {
    for start in ["", "x", "xy", "xyz"] {
      let text = start + String(repeating: part, count: LargeValue.mostHeld)
      let found = try record(.text(text), as: .text)
      #expect(found.json["v"]?.text == text)
      #expect(found.json["w"] == .null)
      let beginning = try JSONValue(parsing: found.beginning)["v"]?.text ?? ""
      #expect(text.utf8.starts(with: beginning.utf8))
      #expect((3 << 10) - 3...3 << 10 ~= beginning.utf8.count)
      #expect(found.held < 100)
      #expect(found.losses.isEmpty)
    }
  }

  @Test func `large bytes are in base 64`() throws {
    for count in LargeValue.mostHeld + 1...LargeValue.mostHeld + 3 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
      let found = try record(.blob(bytes), as: .bytes)
      #expect(found.json["v"]?.text == Data(bytes).base64EncodedString())
      #expect(found.held < 100)
    }
  }

  @Test func `a large text that is not UTF-8 keeps its bytes, with a finding`() throws {
    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: LargeValue.mostHeld + 1)
    bytes[LargeValue.mostHeld] = 0xC3
    let found = try record(.rawText(bytes), as: .text)
    #expect(found.json["v"]?["$base64"]?.text == Data(bytes).base64EncodedString())
    #expect(found.losses == [RecordLoss(kind: .notUTF8, member: "v")])
  }

  @Test func `texts inside of JSON are written in their places`() throws {
    let long = String(repeating: "\"\u{20AC}\"", count: LargeValue.mostHeld)
    let found = try record(
      .largeJSON(#"{"a":["",2],"b":""}"#, [("first", 7), (long, 17)]),
      as: .text
    )
    #expect(found.json["v"] == ["a": ["first", 2], "b": .string(long)])
    #expect(found.held < 100)
    #expect(found.losses.isEmpty)
  }

  @Test func `large JSON is canonical`() throws {
    let text = String(repeating: "a", count: LargeValue.mostHeld)
    let found = try record(.text("{ \"b\": \"\(text)\", \"a\": 1 }"), as: .json)
    #expect(found.json["v"] == ["a": 1, "b": .string(text)])
  }
}
