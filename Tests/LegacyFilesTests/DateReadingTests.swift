import JSONText
import LegacyFiles
import Records
import ResultGrammar
import ResultText
import Testing

/// What is where a date belongs, and what it is read as.
struct DateReadingTests {
  @Test(
    arguments: [
      (731_326_272, nil), (731_326_272, .secondsSince2001), (1_709_633_472, .secondsSince1970),
      (1_709_633_472_000, .millisecondsSince1970),
    ] as [(JSONValue, DateUnit?)]
  )
  func `a number is read in the unit that was declared, else in seconds since 2001`(
    number: JSONValue,
    unit: DateUnit?
  ) {
    let reading = DateReading(number, unit: unit)
    #expect(reading.date == .instant(1_709_633_472, fraction: ""))
    #expect(reading.fault == nil)
  }

  @Test(
    arguments: [
      (731_326_272.5, .secondsSince2001), (1_709_633_472.5, .secondsSince1970),
      (1_709_633_472_500, .millisecondsSince1970), (1_709_633_472_500.25, .millisecondsSince1970),
    ] as [(JSONValue, DateUnit)]
  )
  func `a number keeps its fraction`(number: JSONValue, unit: DateUnit) {
    let text = DateReading(number, unit: unit).date?.text(in: .utc)
    #expect(text?.hasPrefix("2024-03-05T10:11:12.5") == true)
  }

  // 2010-01-01 and 2041-01-01 in each unit: no number lies in two of the spans.
  @Test(
    arguments: [
      (283_996_800, 1_262_304_000, .secondsSince2001),
      (1_262_304_000, 2_240_611_200, .secondsSince1970),
      (1_262_304_000_000, 2_240_611_200_000, .millisecondsSince1970),
    ] as [(Int64, Int64, DateUnit)]
  )
  func `a number is a date only between 2010 and 2040 and in one unit`(
    first: Int64,
    end: Int64,
    unit: DateUnit
  ) {
    for number in [first, end - 1] {
      let value = JSONValue.number(JSONNumber(number))
      let units = DateUnit.allCases.filter { DateReading(value, unit: $0).date != nil }
      #expect(units == [unit])
    }
    for number in [first - 1, end] {
      let value = JSONValue.number(JSONNumber(number))
      #expect(DateReading(value, unit: unit).fault?.kind == .unit)
    }
  }

  @Test(
    arguments: [
      (1_709_633_472, "seconds-since-1970"), (1_709_633_472_000, "milliseconds-since-1970"),
    ] as [(JSONValue, String)]
  )
  func `the fault of a number says in which unit it would be a date`(
    number: JSONValue,
    unit: String
  ) {
    let fault = DateReading(number, unit: nil).fault
    #expect(fault?.cure.contains("--date-unit \(unit)") == true)
    #expect(fault?.found == number.canonicalText)
  }

  @Test(arguments: [0, 19_799, 20_240_305, -63_114_076_800, 1_709_633_472_000_000] as [JSONValue])
  func `a number that is a date in no unit is nil`(number: JSONValue) {
    let reading = DateReading(number, unit: nil)
    #expect(reading.date == nil && reading.fault?.kind == .unit)
    #expect(reading.fault?.cause.contains("nor is it in another unit") == true)
  }

  @Test(arguments: [(nil, true), (.secondsSince2001, false)] as [(DateUnit?, Bool)])
  func `digits as a text count since 1970, unless another unit was declared`(
    unit: DateUnit?,
    isSince1970: Bool
  ) {
    #expect((DateReading("1709633472", unit: unit).date != nil) == isSince1970)
    #expect((DateReading("1709633472000", unit: unit).date != nil) == isSince1970)
    #expect((DateReading("731326272", unit: unit).date != nil) != isSince1970)
  }

  @Test func `a missing date, null and an empty text are read as no date, without a fault`() {
    let nothing: [JSONValue?] = [nil, .null, "", " \n"]
    for value in nothing {
      let reading = DateReading(value, unit: nil)
      #expect(reading.date == nil && reading.fault == nil)
    }
  }

  @Test(arguments: ["17.03.2024", "yesterday", "20240305", "2024-02-30"])
  func `a text in no known form is nil, and ends the fault`(text: String) {
    let reading = DateReading(text, unit: nil, naming: "--xml-date")
    #expect(reading.date == nil && reading.fault?.kind == .form)
    #expect(
      reading.fault?.cause.hasSuffix("in no form that is known") == true
        && reading.fault?.found == "“\(text)”"
    )
    #expect(reading.fault?.cure.contains("--xml-date") == true)
  }

  @Test(
    arguments: [
      "2024-03-05 10:11:12 +0000", "2024-03-05 11:11:12 +0100", "2024-03-05 04:41:12 -0530",
      "2024-03-05 10:11:12 Z", "2024-03-05 10:11:12 UTC",
    ]
  )
  func `a date in NSDate's description format is read`(text: String) {
    let reading = DateReading(text, unit: nil)
    #expect(reading.date == .instant(1_709_633_472, fraction: ""))
    #expect(reading.fault == nil)
  }

  @Test(arguments: ["2024-03-05 10:11:12 +1", "2024-03-05 10:11:12 PM", "2024-03-05 10:11 UTC+1"])
  func `a date with a text after the time that is not a zone is refused`(text: String) {
    #expect(DateReading(text, unit: nil).fault?.kind == .form)
  }

  @Test func `seconds since 1970 as a text keep their fraction`() {
    let reading = DateReading("1709633472.000200", unit: nil)
    #expect(reading.date == .instant(1_709_633_472, fraction: "0002"))
    #expect(DateReading("1709633472.0", unit: .millisecondsSince1970).fault != nil)
    #expect(DateReading("731326272.5", unit: nil).fault != nil)
  }

  // Clocks of the Buddhist and the Persian calendar, and one that was never set.
  @Test(arguments: ["2567-03-05T10:11:12Z", "1402-12-15", "0001-01-01T00:00:00Z"])
  func `a date of a year without results is reported as no date`(text: String) {
    let reading = DateReading(text, unit: nil)
    #expect(reading.date == nil && reading.fault?.kind == .form)
    #expect(reading.fault?.cause.contains("of no year from 2010 to 2040") == true)
    #expect(reading.fault?.found == "“\(text)”")
  }

  @Test(arguments: [true, ["2024"], ["$date": true], ["day": 5]] as [JSONValue])
  func `a date that is neither text nor number is nil`(value: JSONValue) {
    #expect(DateReading(value, unit: nil).fault?.kind == .form)
  }

  @Test(arguments: ["1709633472", "731326272000", "253402300800000", "soon"])
  func `a message's date is read as milliseconds since 1970, or is missing`(text: String) {
    #expect(DateReading(ofMessage: text).fault?.kind == .form)
    #expect(DateReading(ofMessage: "1709633472000").date == .instant(1_709_633_472, fraction: ""))
  }
}
