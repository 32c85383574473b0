import Testing
import TextCodecs

struct CivilDateTests {
  private static func text(_ days: Int) -> String { CivilDate(daysSince1970: days).description }

  @Test(arguments: [
    (0, "1970-01-01"), (-1, "1969-12-31"), (11_323, "2001-01-01"), (11_016, "2000-02-29"),
    (11_017, "2000-03-01"), (-25_508, "1900-03-01"), (-719_468, "0000-03-01"),
    (-719_469, "0000-02-29"), (-719_528, "0000-01-01"), (2_932_896, "9999-12-31"),
  ])
  func `a day number has its date`(days: Int, text: String) {
    #expect(Self.text(days) == text)
  }

  @Test func `days follow each other in both directions over 3,000 years`() {
    var days = CivilDate.daysSince1970(year: -500, month: 1, day: 1)
    for year in -500...2500 {
      for month in 1...12 {
        for day in 1...31 where CivilDate.exists(year: year, month: month, day: day) {
          let date = CivilDate(daysSince1970: days)
          guard date.year == year, date.month == month, date.day == day,
            CivilDate.daysSince1970(year: year, month: month, day: day) == days
          else {
            Issue.record("\(date) is not \(year), \(month), \(day)")
            return
          }
          days += 1
        }
      }
    }
    #expect(days == CivilDate.daysSince1970(year: 2501, month: 1, day: 1))
  }

  @Test func `each month has its number of days`() {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    for (month, length) in zip(1..., lengths) {
      for day in [-1, 0, 1, length, length + 1, 32] {
        let exists = CivilDate.exists(year: 2023, month: month, day: day)
        #expect(exists == (1...length).contains(day), "\(month), \(day)")
      }
    }
    for month in [-1, 0, 13, 64] { #expect(!CivilDate.exists(year: 2023, month: month, day: 1)) }
    for year in [0, 4, 1600, 2000, 2024, -4, -400] {
      #expect(CivilDate.exists(year: year, month: 2, day: 29), "\(year)")
    }
    for year in [1, 1700, 1900, 2023, 2100, -1, -100] {
      #expect(!CivilDate.exists(year: year, month: 2, day: 29), "\(year)")
    }
  }

  @Test func `a day that the month does not have counts on into the next`() {
    let days = CivilDate.daysSince1970(year: 2023, month: 2, day: 31)
    #expect(Self.text(days) == "2023-03-03")
  }
}
