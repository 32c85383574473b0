import DocumentChecking
import Reporting
import Testing

struct DocumentLinesTests {
  private func lines(
    _ stretches: [DocumentCheck.Stretch],
    in form: StandardOutput? = nil
  ) -> [[String]] {
    var lines = DocumentLines(form)
    var written: [[String]] = []
    lines.put(stretches) { bytes in
      #expect(bytes.last == UInt8(ascii: "\n"))
      written.append(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init))
    }
    return written
  }

  @Test func `documents without a fault have a line each, in one writing`() {
    let written = lines([.valid(lines: 1...2), .valid(lines: 4...4)])
    #expect(
      written == [[1, 2, 4].map { #"{"findings":[],"line":\#($0),"valid":true}"# }]
    )
  }

  @Test func `the flag of a document without a fault is one member`() {
    #expect(lines([.valid(lines: 7...8)], in: .flag) == [[#"{"valid":true}"#, #"{"valid":true}"#]])
  }

  @Test func `a hundred thousand lines are written in pieces, and none is missing`() {
    let written = lines([.valid(lines: 1...100_000)])
    #expect(written.count > 10)
    #expect(written.joined().count == 100_000)
    #expect(written.joined().last == #"{"findings":[],"line":100000,"valid":true}"#)
  }

  @Test func `nothing found is nothing written`() {
    #expect(lines([]).isEmpty)
  }
}
