import JSONText
import RecordMapping
import Records
import Testing

/// Members written together, held to the same members written one by one.
@Suite struct UsualMembersTests {
  private static let forms: [ValueForm] = [
    .integer, .real, .decimal, .boolean, .date, .text, .uuid, .bytes, .cutDate, .json, .archive,
    .list, .transformed, .found,
  ]

  /// A program over as many cells as there are forms, each asked for and optional.
  private let program: RecordProgram

  init() throws {
    let note = try #require(try SampleApp.export().program(for: "Note"))
    var steps: [RecordProgram.Step] = []
    for (number, form) in Self.forms.enumerated() {
      for isRequired in [false, true] {
        let leaf = RecordProgram.Leaf(cell: steps.count, form: form, isRequired: isRequired)
        let name = "\(form)\(String(repeating: "n", count: number * 3))\(isRequired)\"é"
        steps.append(RecordProgram.Step(name: Array(name.utf8), content: .leaf(leaf)))
      }
    }
    steps.append(RecordProgram.Step(name: Array("z".utf8), content: .null))
    program = RecordProgram(
      entity: note.entity,
      profile: note.profile,
      request: note.request,
      keyMember: "$id",
      references: [],
      members: [],
      omitted: [],
      steps: steps,
      key: RecordProgram.KeyCell(cell: 0, form: .text)
    )
  }

  private func written(_ row: Row, oneByOne: Bool) throws -> (text: String, losses: [RecordLoss]) {
    let records = RecordWriter(program, oneByOne: oneByOne) { _, _ throws(RecordFault) in
      preconditionFailure("no member is a file")
    }
    var writer = JSONWriter()
    try records.write(row, into: &writer)
    return (String(decoding: writer.bytes, as: UTF8.self), records.losses)
  }

  private func compare(_ values: [TestRow.Value]) throws {
    let cells = TestRow(values)
    let together = try written(cells.row, oneByOne: false)
    let alone = try written(cells.row, oneByOne: true)
    #expect(together.text == alone.text)
    #expect(together.losses == alone.losses)
    #expect(throws: Never.self) { try JSONValue(parsing: Array(together.text.utf8)) }
  }

  /// A value of the kind that a form expects.
  private static func usual(_ form: ValueForm) -> TestRow.Value {
    let seconds = Double(Int64.random(in: -90_000_000_000_000...90_000_000_000_000)) / 100_000
    return switch form {
    case .integer, .key: .integer(Int64.random(in: .min ... .max) >> Int64.random(in: 0..<64))
    case .real: .real(Bool.random() ? seconds : Double.random(in: -1...1))
    case .decimal: .text("\(Int.random(in: 0..<1000)).50")
    case .boolean: .integer(.random(in: 0...1))
    case .date, .cutDate: .real(Bool.random() ? seconds : seconds / 3)
    case .uuid: .blob((0..<16).map { _ in .random(in: .min ... .max) })
    case .bytes, .archive, .list, .transformed:
      .blob((0..<Int.random(in: 0..<50)).map { _ in .random(in: .min ... .max) })
    case .json: .text(#"{"a":[1,2]}"#)
    case .text, .found: .text(text(Int.random(in: 0..<70)))
    }
  }

  private static func text(_ length: Int) -> String {
    let letters: [Character] = ["a", "b", " ", "é", "月", "🦊", "\"", "\\", "\n", "\u{1}", "\u{7F}"]
    return String(
      (0..<length).map { _ in Int.random(in: 0..<4) > 0 ? "x" : letters.randomElement() ?? "y" }
    )
  }

  private static let reals: [Double] = [
    .nan, .infinity, -.infinity, 0, -0.0, 1e300, .leastNonzeroMagnitude,
  ]

  /// Any value, whatever the form expects.
  private static func any() -> TestRow.Value {
    switch Int.random(in: 0..<9) {
    case 0: .null
    case 1: .integer(.random(in: -2...2))
    case 2: .integer([.min, .max, 1 << 53, 1 << 53 + 1].randomElement() ?? 0)
    case 3: .real(reals.randomElement() ?? 1)
    case 4: .rawText([0x61, 0xFF])
    case 5: .blob([])
    case 6: .json(#"{"b":1,"a":2}"#)
    case 7: .list(["A"])
    default: .text(String(repeating: "é\n", count: 20_000))
    }
  }

  @Test func `usual values are written the same together as one by one`() throws {
    for _ in 0..<2_000 {
      try compare(Self.forms.flatMap { [Self.usual($0), Self.usual($0)] })
    }
  }

  @Test func `an unusual value is written the same, with the same finding`() throws {
    for _ in 0..<2_000 {
      var values = Self.forms.flatMap { [Self.usual($0), Self.usual($0)] }
      for _ in 0..<Int.random(in: 1..<4) { values[Int.random(in: values.indices)] = Self.any() }
      try compare(values)
    }
  }

  @Test func `an optional null is in the record without a finding`() throws {
    let cells = TestRow(Self.forms.flatMap { [.null, Self.usual($0)] })
    let record = try written(cells.row, oneByOne: false)
    #expect(record.losses.allSatisfy { [.cutDate, .notDecoded].contains($0.kind) })
    #expect(record.text.contains(#""integerfalse\"é":null,"#))
  }

  @Test(arguments: [10_900, 10_921, 10_922, 10_923, 70_000])
  func `a text at the end of the buffer is written whole`(count: Int) throws {
    var values = Self.forms.flatMap { [Self.usual($0), Self.usual($0)] }
    values[10] = .text(String(repeating: "\u{1}", count: count))
    try compare(values)
  }
}
