import ResultGrammar
import ResultText
import Testing

/// Reads texts with the built-in catalogue.
enum ReadTexts {
  private static let catalogue = Result { () throws(GameDescriptionError) in
    try BuiltInGames.catalogue()
  }

  /// 2030-01-01, on which tests read: they read the same on every day.
  static let today = CalendarDay(number: 21_915)

  static func reading(_ text: String, sentOn day: CalendarDay? = nil) throws -> TextReading {
    var reader = ResultReader(catalogue: try catalogue.get(), today: today)
    return reader.read(Array(text.utf8), sentOn: day)
  }

  /// The only result of a text.
  static func result(_ text: String) throws -> GameResult {
    let reading = try reading(text)
    #expect(reading.refusals.isEmpty, "\(reading.refusals)")
    try #require(reading.results.count == 1)
    return reading.results[0]
  }
}
