import RecordMapping
import Testing
import TestSupport
import TextCodecs

@Suite struct DateTextTests {
  private func text(_ seconds: Double) -> String? {
    var bytes: [UInt8] = []
    return DateText.append(seconds, to: &bytes) ? String(decoding: bytes, as: UTF8.self) : nil
  }

  @Test(arguments: [
    (0, "2001-01-01T00:00:00Z"),
    (-0.25, "2000-12-31T23:59:59.75Z"),
    (-63_114_076_800, "0000-12-30T00:00:00Z"),
    (-63_113_904_000, "0001-01-01T00:00:00Z"),
    (64_092_211_200, "4032-01-02T00:00:00Z"),
    (745_684_496.303_455_9, "2024-08-18T14:34:56.303456Z"),
    (0.1, "2001-01-01T00:00:00.1Z"),
    (1e-7, "2001-01-01T00:00:00.0000001Z"),
    (-1e-7, "2000-12-31T23:59:59.9999999Z"),
    (-63_145_526_400, "0000-01-01T00:00:00Z"),
    (-63_145_526_401, "-000001-12-31T23:59:59Z"),
    (252_423_993_600, "+010000-01-01T00:00:00Z"),
    (-31_622_400, "2000-01-01T00:00:00Z"),
    (99_705_600, "2004-02-29T00:00:00Z"),
  ])
  func `a date has its text`(seconds: Double, expected: String) {
    #expect(text(seconds) == expected)
  }

  @Test func `the first and last day of every year are right`() throws {
    let digits = { (number: Int, width: Int) in
      String(repeating: "0", count: width - String(number).count) + String(number)
    }
    // From the first of 0000, which is 63,145,526,400 seconds before 2001.
    var start = -63_145_526_400.0
    for year in 0...9999 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let length = isLeap ? 366.0 : 365
      for (day, text) in [
        (0, "01-01"), (58, "02-28"), (isLeap ? 60 : 59, "03-01"), (length - 1, "12-31"),
      ] {
        let expected = "\(digits(year, 4))-\(text)T"
        let begun = try #require(self.text(start + day * 86_400))
        let ended = try #require(self.text(start + day * 86_400 + 86_399))
        #expect(begun == expected + "00:00:00Z")
        #expect(ended == expected + "23:59:59Z")
      }
      if isLeap {
        #expect(text(start + 59 * 86_400)?.hasPrefix("\(digits(year, 4))-02-29") == true)
      }
      start += length * 86_400
    }
  }

  @Test func `an impossible date has no instant`() {
    for value in [Double.nan, .infinity, -.infinity, 1e17, -1e300] { #expect(text(value) == nil) }
  }

  @Test func `every date double is read back from its text`() throws {
    var random = SeededNumbers(seed: 20_261_120)
    for round in 0..<20_000 {
      let value = random.date(round)
      let text = try #require(self.text(value))
      let back = try #require(Self.seconds(text))
      #expect(back == value, "seed \(random.seed), round \(round): \(value) gave \(text)")
    }
  }

  @Test func `a fraction has only the digits of its double`() throws {
    var random = SeededNumbers(seed: 31)
    for round in 0..<60_000 {
      let limit = [2e7, 1e8, 8e8, 4.29e9][round % 4]
      let value = Double.random(in: -limit...limit, using: &random)
      let own = value.description.split(separator: ".")
      guard own.count == 2, !own[1].contains("e"), own[1] != "0", abs(value) > 1 else { continue }
      let text = try #require(self.text(value)).dropLast()
      var fraction = own[1].compactMap(\.wholeNumberValue)
      if value < 0 {
        fraction = fraction.map { 9 - $0 }
        fraction[fraction.count - 1] += 1
      }
      let expected = fraction.map(String.init).joined()
      #expect(text.hasSuffix("." + expected), "\(value) gave \(text)")
    }
  }

  @Test func `reading a date agrees with writing it`() throws {
    var random = SeededNumbers(seed: 7)
    for _ in 0..<2_000 {
      let whole = Double(Int64.random(in: -100_000_000_000...300_000_000_000, using: &random))
      let text = try #require(self.text(whole))
      #expect(Timestamp.microseconds(text) == Int64(whole) * 1_000_000)
    }
  }

  /// The double that a text means, by exact decimal arithmetic.
  private static func seconds(_ text: String) -> Double? {
    let body = text.dropLast()
    let parts = body.split(separator: ".")
    guard let head = parts.first, let micros = Timestamp.microseconds("\(head)Z") else {
      return nil
    }
    let whole = micros / 1_000_000
    guard parts.count == 2 else { return Double(whole) }
    let digits = parts[1].compactMap { $0.wholeNumberValue }
    guard whole < 0 else { return Double("\(whole).\(parts[1])") }
    // −w + 0.f = −(w − 1 + (1 − 0.f))
    var rest = digits.map { 9 - $0 }
    rest[rest.count - 1] += 1
    return Double("-\(-whole - 1).\(rest.map(String.init).joined())")
  }
}

extension SeededNumbers {
  /// Dates as stores hold them: whole, to the microsecond, at full precision, small, far away.
  mutating func date(_ round: Int) -> Double {
    switch round % 6 {
    case 0: Double(Int64.random(in: -70_000_000_000...300_000_000_000, using: &self))
    case 1: Double(Int64.random(in: -800_000_000_000_000...800_000_000_000_000, using: &self)) / 1e6
    case 2: Double.random(in: -1e9...1e9, using: &self)
    case 3: Double.random(in: -1...1, using: &self)
    case 4: Double.random(in: -1e12...1e12, using: &self)
    default: Double.random(in: -1e-3...1e-3, using: &self)
    }
  }
}
