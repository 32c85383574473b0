import ResultText
import Testing

/// Readings that are kept as bytes and taken back.
struct ReadingBytesTests {
  private static let texts = [
    "Wordle 1,000 3/6*\n\n⬛🟨⬛⬛🟩\n🟨⬛🟩⬛🟩\n🟩🟩🟩🟩🟩",
    "Wordle 1,001 9/6",
    "Queens #12 | 1:05\nlnkd.in/queens.",
    "Daily Octordle #900\n4️⃣🔟\n7️⃣6️⃣\n5️⃣🟥\n8️⃣9️⃣\nScore: 63",
    "#travle #100 +2\n🟧✅✅🟩🟩\nhttps://travle.earth",
    "Zorkle #12 4/6\n\n⬛🟨⬛\n🟨🟨⬛\n⬛🟨🟩\n🟩🟩🟩",
    "I solved #zorble #7 in 5 guesses!\n🔥🧊🧊\nhttps://zorble.example",
    "See you at 1:05, bring 12 chairs",
    "",
  ]

  @Test func `a reading is the same once it is taken back`() throws {
    let readings = try Self.texts.map { try ReadTexts.reading($0) }
    #expect(Set(readings.map(\.bucket)) == [.result, .undescribed, .refused, .none])
    var bytes = ReadingBytes()
    for reading in readings { bytes.add(reading) }
    for reading in readings { #expect(bytes.takeReading() == reading) }
    #expect(bytes.rest == 0)
    #expect(!bytes.isDamaged)
  }

  @Test(arguments: [Int.min, -65, -1, 0, 63, 64, 1 << 35, Int.max])
  func `a number of any size is the same once it is taken back`(number: Int) {
    var bytes = ReadingBytes()
    bytes.add(number)
    #expect(bytes.takeNumber() == number)
    #expect(bytes.rest == 0)
  }

  @Test func `bytes that end within a reading are damaged`() throws {
    var whole = ReadingBytes()
    whole.add(try ReadTexts.reading(Self.texts[0]))
    for count in 0..<whole.bytes.count {
      var part = ReadingBytes(Array(whole.bytes.prefix(count)))
      _ = part.takeReading()
      #expect(part.isDamaged)
    }
  }
}
