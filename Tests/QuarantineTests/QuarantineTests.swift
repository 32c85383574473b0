import Files
import Foundation
import JSONText
import Quarantine
import Records
import Testing

@Suite struct QuarantineTests {
  private let folder: PrivateFolder
  private let package: Digest

  init() throws {
    folder = try PrivateFolder()
    package = try #require(Digest(bytes: repeatElement(0xAB, count: 32)))
  }

  private func record(_ number: Int, of entity: EntityName, cause: String) -> QuarantinedRecord {
    QuarantinedRecord(
      entity: entity,
      key: "\(number)",
      file: "data/\(entity)-00001.jsonl",
      line: number,
      findings: [
        Finding(
          code: "schema.type",
          severity: .error,
          entity: entity,
          record: "\(number)",
          pointer: "/a",
          file: "data/\(entity)-00001.jsonl",
          line: number,
          cause: cause,
          cure: "correct it"
        )
      ]
    )
  }

  private func keep(_ entities: [EntityName], cause: String = "no") throws -> QuarantineFolder? {
    let writer = try QuarantineWriter(folder: folder.path, package: package, tool: "1")
    for entity in entities {
      for number in 1...2 {
        try #"{"a":\#(number)}"#.withBytes { bytes in
          try writer.add(record(number, of: entity, cause: cause), bytes: bytes)
        }
      }
    }
    return try writer.publish()
  }

  @Test func `quarantined records are stored as lines with their findings`() throws {
    let kept = try #require(try keep(["A", "B"]))
    #expect(kept.recordCount == 4)
    let found = try QuarantineFolder.named("abab", in: folder.path)
    #expect(found.counts.map(\.entity) == ["A", "B"])
    let stream = try found.records()
    var records: [QuarantinedRecord] = []
    while let record = try stream.next() { records.append(record) }
    #expect(
      records.prefix(2) == [record(1, of: "A", cause: "no"), record(2, of: "A", cause: "no")]
    )
    let text = try String(contentsOfFile: found.recordsPath(of: "B"), encoding: .utf8)
    #expect(text == "{\"a\":1}\n{\"a\":2}\n")
  }

  @Test func `no quarantine file exists without quarantined records, or before the end`() throws {
    #expect(try keep([]) == nil)
    let writer = try QuarantineWriter(folder: folder.path, package: package, tool: "1")
    try "{}".withBytes { try writer.add(record(1, of: "A", cause: "no"), bytes: $0) }
    #expect(try QuarantineFolder.all(in: folder.path).isEmpty)
  }

  @Test func `equal findings leave repairs unchanged`() throws {
    let kept = try #require(try keep(["A"]))
    try Data("mended".utf8).write(to: URL(filePath: kept.recordsPath(of: "A")))
    _ = try keep(["A"])
    let text = try String(contentsOfFile: kept.recordsPath(of: "A"), encoding: .utf8)
    #expect(text == "mended")
  }

  @Test func `other findings replace unedited repairs, and never edited ones`() throws {
    let kept = try #require(try keep(["A"]))
    let other = try #require(try keep(["A"], cause: "else"))
    #expect(try other.records().next()?.findings.first?.cause == "else")
    try Data("mended".utf8).write(to: URL(filePath: kept.recordsPath(of: "A")))
    #expect(throws: QuarantineError.edited(path: kept.path)) { try keep(["A"], cause: "third") }
  }

  @Test func `a package name that matches none or several is refused`() throws {
    _ = try keep(["A"])
    #expect(throws: QuarantineError.self) { try QuarantineFolder.named("ff", in: folder.path) }
    #expect(throws: QuarantineError.self) { try QuarantineFolder.named("", in: folder.path) }
  }

  @Test func `a header of a newer format is refused`() throws {
    let kept = try #require(try keep(["A"]))
    let header = "\(kept.path)/quarantine.json"
    let text = try String(contentsOfFile: header, encoding: .utf8)
    try text.replacing("\"1.0\"", with: "\"2.0\"").write(
      toFile: header,
      atomically: true,
      encoding: .utf8
    )
    #expect(throws: QuarantineError.tooNew(path: kept.path, format: "2.0")) {
      try QuarantineFolder(kept.path)
    }
  }
}

extension String {
  fileprivate func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try Array(utf8).withUnsafeBytes(body)
  }
}
