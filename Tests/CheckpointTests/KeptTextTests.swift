import Checkpoint
import LongTexts
import Records
import Testing
import UploadPlanning

/// Long texts that the checkpoint keeps beside the rows that name them.
struct KeptTextTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  private static func text(_ name: String) -> KeptText {
    KeptText(LongText(digest: .sample(name), count: 3 << 20), size: 4 << 20)
  }

  /// A value that names texts, as a column has it.
  private static func value(naming texts: KeptText...) -> [UInt8] {
    KeptValue(Array("{}".utf8), naming: texts).column
  }

  private static func keep(_ text: KeptText, in file: CheckpointFile) throws {
    var pieces: [[UInt8]] = [[1, 2], [3]]
    try file.keep(text) { pieces.isEmpty ? nil : pieces.removeFirst() }
  }

  @Test(arguments: [[], ["a"], ["a", "b"]])
  func `a kept value comes back with the long texts that it names`(names: [String]) {
    let value = KeptValue([0x7B, 0x7D], naming: names.map(Self.text))
    #expect(KeptValue(column: value.column) == value)
  }

  @Test func `a value that names no text is kept as it is`() {
    #expect(KeptValue([0x7B, 0x7D], naming: []).column == [0x7B, 0x7D])
  }

  @Test func `a column that ends within its names has those before`() {
    let column = Self.value(naming: Self.text("a"), Self.text("b"))
    #expect(KeptValue(column: Array(column.prefix(60))).texts == [Self.text("a")])
  }

  @Test func `a text is there piece by piece when the file is opened again`() throws {
    try Self.keep(Self.text("a"), in: bench.open())
    let file = try bench.open()
    #expect(try file.has(Self.text("a")))
    #expect(try (0..<3).map { try file.piece($0, of: Self.text("a")) } == [[1, 2], [3], nil])
  }

  @Test func `nothing is kept of a text that cannot be read to its end`() throws {
    struct Unread: Error {}
    let file = try bench.open()
    var count = 0
    #expect(throws: CheckpointError.self) {
      try file.keep(Self.text("a")) {
        count += 1
        if count == 2 { throw Unread() }
        return [1]
      }
    }
    #expect(try !file.has(Self.text("a")))
  }

  @Test func `the next run finds the text that an operation names, and no other`() throws {
    let (file, _) = try bench.openWithRun([.hero(1)])
    for name in ["named", "left"] { try Self.keep(Self.text(name), in: file) }
    let before = Self.value(naming: Self.text("named"))
    try file.commit([.begin(1, before: before, version: nil)], now: 1)
    _ = try file.beginSampleRun(id: "run-2")
    #expect(try file.has(Self.text("named")))
    #expect(try !file.has(Self.text("left")))
  }

  @Test func `the text that an image names stays`() throws {
    let file = try bench.open()
    let run = try file.beginSampleRun()
    try Self.keep(Self.text("a"), in: file)
    var step = PlanStep()
    step.images = [
      RecordImage(
        record: .hero(1),
        content: .sample("line"),
        requestDigest: .sample("fields"),
        base: Array("{}".utf8),
        sent: Self.value(naming: Self.text("a"))
      )
    ]
    try file.add(step, to: run, now: 0)
    _ = try file.beginSampleRun(id: "run-2")
    #expect(try file.has(Self.text("a")))
  }

  @Test func `the text of a plan that is discarded is gone`() throws {
    let file = try bench.open()
    let run = try file.beginSampleRun()
    try Self.keep(Self.text("a"), in: file)
    var step = PlanStep()
    step.operations = [.hero(1, action: .update, before: Self.value(naming: Self.text("a")))]
    try file.add(step, to: run, now: 0)
    try file.discardPlan(of: run)
    #expect(try !file.has(Self.text("a")))
  }

  @Test func `a recorded operation shows its values without the names`() throws {
    let (file, run) = try bench.openWithRun([.hero(1)])
    let before = Self.value(naming: Self.text("a"))
    try file.commit([.begin(1, before: before, version: nil)], now: 1)
    #expect(try file.recorded(of: run, after: 0, limit: 1).first?.before == Array("{}".utf8))
  }
}
