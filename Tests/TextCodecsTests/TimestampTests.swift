import Testing
import TextCodecs

struct TimestampTests {
  private static func written(_ seconds: Int64) -> String {
    withUnsafeTemporaryAllocation(byteCount: Timestamp.capacity, alignment: 1) { target in
      guard let start = target.baseAddress else { return "" }
      let count = Timestamp.write(secondsSince1970: seconds, to: start)
      return String(decoding: target[..<count], as: UTF8.self)
    }
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00"), (-1, "1969-12-31T23:59:59"), (951_782_400, "2000-02-29T00:00:00"),
    (-62_167_219_200, "0000-01-01T00:00:00"), (-62_162_035_201, "0000-02-29T23:59:59"),
    (-62_162_035_200, "0000-03-01T00:00:00"), (253_402_300_799, "9999-12-31T23:59:59"),
    (1_763_632_800, "2025-11-20T10:00:00"),
  ])
  func `a timestamp in seconds has its text`(seconds: Int64, text: String) {
    #expect(Self.written(seconds) == text)
    #expect(Timestamp.text(secondsSince1970: seconds) == text + "Z")
    #expect(Timestamp.text(secondsSince1970: seconds, fraction: "05") == text + ".05Z")
  }

  @Test func `a year of other than four digits is written with a sign, or with the digits it has`()
  {
    #expect(Self.written(253_402_300_800) == "+010000-01-01T00:00:00")
    #expect(Self.written(-62_167_219_201) == "-000001-12-31T23:59:59")
    #expect(Timestamp.text(secondsSince1970: 253_402_300_800) == "10000-01-01T00:00:00Z")
    #expect(Self.written(.max) == "+292277026596-12-04T15:30:07")
    #expect(Self.written(.min) == "-292277022657-01-27T08:29:52")
  }

  @Test func `days of 10,000 years are written as the calendar says`() {
    for days in stride(from: -719_528, through: 2_932_896, by: 41) {
      let date = CivilDate(daysSince1970: days)
      let seconds = Int64(days) * 86_400 + 43_200
      guard Self.written(seconds).hasPrefix(date.description + "T") else {
        Issue.record("\(seconds): \(date)")
        return
      }
    }
  }

  @Test(
    arguments: [
      ("2001-01-01T00:00:00Z", 0), ("2001-01-01t00:00:00z", 0), ("2001-01-01 00:00:00Z", 0),
      ("2001-01-01t01:00:00.1234567+01:00", 123_456), ("2000-12-31T19:00:00-05:00", 0),
      ("2001-01-01T00:00:00.5Z", 500_000), ("2001-01-01T00:00:00.Z", 0),
      ("2000-12-31T23:59:60Z", 0), ("2001-01-01T23:59:00+23:59", 0),
      ("0000-01-01T00:00:00Z", -63_145_526_400_000_000),
      ("-000001-12-31T23:59:59Z", -63_145_526_401_000_000),
      ("9999-12-31T23:59:59.999999Z", 252_423_993_599_999_999),
      ("+294278-01-10T04:00:54.775807Z", .max), ("+294278-01-10T04:00:54.775808Z", nil),
      ("2001-02-30T00:00:00Z", 5_184_000_000_000),
      ("", nil), ("now", nil), ("2001-01-01", nil), ("2001-01-01T00:00:00", nil),
      ("2001-13-01T00:00:00Z", nil), ("2001-00-01T00:00:00Z", nil), ("2001-01-32T00:00:00Z", nil),
      ("2001-01-01T24:00:00Z", nil), ("2001-01-01T00:60:00Z", nil), ("2001-01-01T00:00:61Z", nil),
      ("2001-01-01T00:00:00+24:00", nil), ("2001-01-01T00:00:00+0100", nil),
      ("2001-01-01T00:00:00Z ", nil), ("2001-1-1T00:00:00Z", nil), ("+12345-01-01T00:00:00Z", nil),
    ] as [(String, Int64?)]
  )
  func `the text of a date is read to the microsecond`(text: String, expected: Int64?) {
    #expect(Timestamp.microseconds(text) == expected)
  }

  // https://www.rfc-editor.org/rfc/rfc3339#section-5.8
  @Test(arguments: [
    ("1985-04-12T23:20:50.52Z", -496_111_149_480_000),
    ("1996-12-19T16:39:57-08:00", -127_264_803_000_000),
    ("1990-12-31T23:59:60Z", -315_619_200_000_000),
    ("1990-12-31T15:59:60-08:00", -315_619_200_000_000),
    ("1937-01-01T12:00:27.87+00:20", -2_019_644_372_130_000),
  ])
  func `the examples of RFC 3339 are read`(text: String, expected: Int64) {
    #expect(Timestamp.microseconds(text) == expected)
  }

  @Test func `a written timestamp in seconds is read back`() {
    for seconds in stride(from: -62_167_219_200 as Int64, to: 253_402_300_800, by: 86_399 * 997) {
      let text = Timestamp.text(secondsSince1970: seconds)
      guard Timestamp.microseconds(text) == (seconds - 978_307_200) * 1_000_000 else {
        Issue.record("\(seconds): \(text)")
        return
      }
    }
  }
}

struct ServerTimeTests {
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Sun, 06 Nov 1994 08:49:37 +0130", 784_106_377),
      ("Sun, 06 Nov 1994 08:49:37 -0130", 784_117_177),
      ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
      ("Sun, 32 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Not 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 1969 08:49:37 GMT", nil), ("Sun, 06 Nov 10000 08:49:37 GMT", nil), ("", nil),
    ] as [(String, Double?)]
  )
  func `a date of HTTP is read in each of its forms`(text: String, expected: Double?) {
    #expect(ServerTime.httpDate(text) == expected)
  }

  @Test func `a year of two digits lies at most 50 years ahead`() {
    let now = 1_767_225_600.0
    #expect(ServerTime.httpDate("Wednesday, 01-Jan-76 00:00:00 GMT", now: now) == 3_345_062_400)
    #expect(ServerTime.httpDate("Wednesday, 01-Jan-77 00:00:00 GMT", now: now) == 220_924_800)
  }

  @Test(
    arguments: [
      ("1970-01-02T00:00:00Z", 86_400), ("1970-01-02 00:00:00.5z", 86_400.5),
      ("2000-02-29T00:00:00+01:00", 951_778_800), ("2000-02-29T00:00:00-01:00", 951_786_000),
      ("2000-02-29T00:00:00", nil), ("2000-02-29", nil), ("2000-02-29T24:00:00Z", nil),
      ("2000-13-01T00:00:00Z", nil), ("1969-12-31T00:00:00Z", nil), ("x", nil), ("", nil),
    ] as [(String, Double?)]
  )
  func `an instant is read with any offset`(text: String, expected: Double?) {
    #expect(ServerTime.instant(text) == expected)
  }
}
