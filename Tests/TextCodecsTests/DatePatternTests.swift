import Testing
import TextCodecs

@Suite struct DatePatternTests {
  private func written(_ text: String, _ pattern: String) throws -> String? {
    let micros = try #require(Timestamp.microseconds(text))
    return try #require(DatePattern(pattern)).text(microseconds: micros)
  }

  @Test(arguments: [
    ("yyyy-MM-dd HH:mm:ss", "2026-03-04 05:06:07"),
    ("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", "2026-03-04T05:06:07.890Z"),
    ("dd.MM.yyyy", "04.03.2026"), ("yyyyMMdd", "20260304"), ("M/d/yyyy H:m", "3/4/2026 5:6"),
    ("yyyy ''MM'' dd", "2026 '03' 04"),
    ("EEE, dd MMM yyyy HH:mm:ss 'GMT'", "Wed, 04 Mar 2026 05:06:07 GMT"),
  ])
  func `an instant is written as the pattern says`(pattern: String, text: String) throws {
    #expect(try written("2026-03-04T05:06:07.890Z", pattern) == text)
  }

  @Test(arguments: [
    "2026-03-04T05:06:07.891234Z", "1969-12-31T23:59:59.5Z", "0001-01-01T00:00:00Z",
  ])
  func `what is written is read as the same instant`(text: String) throws {
    let micros = try #require(Timestamp.microseconds(text))
    for pattern in ["yyyy-MM-dd HH:mm:ss.SSSSSS", "EEE, dd MMM yyyy HH:mm:ss.SSSSSS 'GMT'"] {
      let pattern = try #require(DatePattern(pattern))
      let written = try #require(pattern.text(microseconds: micros))
      #expect(pattern.microseconds(written) == micros)
    }
  }

  @Test func `what is finer than the pattern is cut before 1970 as well`() throws {
    #expect(try written("1969-12-31T23:59:59.9Z", "yyyy-MM-dd HH:mm:ss") == "1969-12-31 23:59:59")
  }

  @Test func `a year beyond four digits has no text`() throws {
    #expect(try written("+010000-01-01T00:00:00Z", "yyyy-MM-dd") == nil)
  }

  @Test(arguments: ["2026-02-30", "2026-13-01", "2026-3-4", "2026-03-04x", "٢٠٢٦-03-04", ""])
  func `a text in another form names no instant`(text: String) throws {
    #expect(try #require(DatePattern("yyyy-MM-dd")).microseconds(text) == nil)
  }

  @Test(arguments: [
    "yyyy-MM", "yy-MM-dd", "yyyy-MM-dd hh:mm", "yyyy-MM-dd'T", "yyyy-MM-dd MM", "week",
    "yyyy-MMM-dd E",
  ])
  func `a pattern that names no instant is no pattern`(pattern: String) {
    #expect(DatePattern(pattern) == nil)
  }
}
