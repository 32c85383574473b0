import ResultGrammar

/// Readings as bytes, one behind the other, so that many can be kept outside of memory.
///
/// What is taken back equals what was added; the bytes are of no use to another build.
package struct ReadingBytes {
  package private(set) var bytes: [UInt8]
  /// Where the next value is taken from.
  package private(set) var place = 0
  /// Whether something was taken that the bytes do not hold.
  package private(set) var isDamaged = false
  /// How many bytes are not taken yet.
  package var rest: Int { bytes.count - place }

  package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  /// Forgets what was added.
  package mutating func forget() {
    bytes.removeAll(keepingCapacity: true)
    place = 0
  }

  /// Adds bytes that were added before, behind those that are not taken yet.
  package mutating func add(bytes more: [UInt8]) {
    bytes.removeFirst(place)
    place = 0
    bytes += more
  }

  /// Adds what other bytes are, behind their count.
  package mutating func add(_ other: ReadingBytes) {
    add(other.bytes.count)
    bytes += other.bytes
  }

  package mutating func add(_ reading: TextReading) {
    add(reading.results) { $0.add(result: $1) }
    add(reading.undescribed) { $0.add(undescribed: $1) }
    add(reading.refusals) {
      $0.add($1.game)
      $0.add($1.gameName)
      $0.add($1.cause)
      $0.add($1.range)
    }
  }

  package mutating func takeReading() -> TextReading {
    var reading = TextReading()
    reading.results = takeList { $0.takeResult() }
    reading.undescribed = takeList { $0.takeUndescribed() }
    reading.refusals = takeList {
      Refusal(
        game: $0.takeText(),
        gameName: $0.takeText(),
        cause: $0.takeText(),
        range: $0.takeRange()
      )
    }
    return reading
  }

  // MARK: Results

  private mutating func add(result: GameResult) {
    add(result.game)
    add(result.gameName)
    add(result.puzzle) { $0.add($1) }
    add(result.puzzleDay) { $0.add($1.number) }
    add(result.score) { $0.add($1) }
    add(result.maxAttempts) { $0.add($1) }
    add(result.completed)
    add(result.hardMode) { $0.add($1) }
    add(result.timeSeconds) { $0.add($1) }
    add(result.variant) { $0.add($1) }
    add(result.fields) {
      $0.add($1.name)
      $0.add(value: $1.value)
    }
    add(result.isTruncated)
    add(result.range)
    add(result.identity)
  }

  private mutating func takeResult() -> GameResult {
    GameResult(
      game: takeText(),
      gameName: takeText(),
      puzzle: takeOptional { $0.takeNumber() },
      puzzleDay: takeOptional { CalendarDay(number: $0.takeNumber()) },
      score: takeOptional { $0.takeResultNumber() },
      maxAttempts: takeOptional { $0.takeNumber() },
      completed: takeFlag(),
      hardMode: takeOptional { $0.takeFlag() },
      timeSeconds: takeOptional { $0.takeResultNumber() },
      variant: takeOptional { $0.takeText() },
      fields: takeList { GameResult.Field(name: $0.takeText(), value: $0.takeValue()) },
      isTruncated: takeFlag(),
      range: takeRange(),
      identity: takeText()
    )
  }

  private mutating func add(value: GameResult.Value) {
    switch value {
    case .number(let number):
      add(0)
      add(number)
    case .text(let text):
      add(1)
      add(text)
    case .flag(let flag):
      add(2)
      add(flag)
    case .numbers(let numbers):
      add(3)
      add(numbers) { bytes, number in bytes.add(number) { $0.add($1) } }
    case .day(let day):
      add(4)
      add(day.number)
    }
  }

  private mutating func takeValue() -> GameResult.Value {
    switch takeNumber() {
    case 0: .number(takeResultNumber())
    case 1: .text(takeText())
    case 2: .flag(takeFlag())
    case 3: .numbers(takeList { bytes in bytes.takeOptional { $0.takeNumber() } })
    default: .day(CalendarDay(number: takeNumber()))
    }
  }

  private mutating func add(undescribed result: UndescribedResult) {
    add(result.name)
    add(result.mode) { $0.add($1) }
    add(result.puzzle) { $0.add($1) }
    add(result.puzzleDay) { $0.add($1.number) }
    add(result.score) { $0.add($1) }
    add(result.maximum) { $0.add($1) }
    add(result.timeSeconds) { $0.add($1) }
    add(result.completed) { $0.add($1) }
    add(result.hardMode) { $0.add($1) }
    add(result.rows) { $0.add($1) }
    add(result.range)
    add(result.identity)
  }

  private mutating func takeUndescribed() -> UndescribedResult {
    UndescribedResult(
      name: takeText(),
      mode: takeOptional { $0.takeText() },
      puzzle: takeOptional { $0.takeNumber() },
      puzzleDay: takeOptional { CalendarDay(number: $0.takeNumber()) },
      score: takeOptional { $0.takeResultNumber() },
      maximum: takeOptional { $0.takeResultNumber() },
      timeSeconds: takeOptional { $0.takeResultNumber() },
      completed: takeOptional { $0.takeFlag() },
      hardMode: takeOptional { $0.takeFlag() },
      rows: takeList { $0.takeText() },
      range: takeRange(),
      identity: takeText()
    )
  }

  // MARK: Values

  /// Adds a number: seven bits a byte, the sign in the lowest.
  package mutating func add(_ number: Int) {
    var rest = UInt64(bitPattern: Int64(number << 1 ^ number >> 63))
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  package mutating func takeNumber() -> Int {
    var bits: UInt64 = 0
    var shift: UInt64 = 0
    while place < bytes.count, shift < 64 {
      let byte = bytes[place]
      place += 1
      bits |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 { return Int(Int64(bitPattern: bits >> 1) ^ -Int64(bits & 1)) }
    }
    isDamaged = true
    return 0
  }

  private mutating func add(_ number: ResultNumber) {
    add(Int(number.digits))
    add(number.scale)
  }

  private mutating func takeResultNumber() -> ResultNumber {
    ResultNumber(digits: Int64(takeNumber()), scale: takeNumber())
  }

  private mutating func add(_ flag: Bool) { add(flag ? 1 : 0) }

  private mutating func takeFlag() -> Bool { takeNumber() != 0 }

  private mutating func add(_ text: String) {
    add(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func takeText() -> String {
    let count = takeNumber()
    guard count >= 0, count <= rest else {
      isDamaged = true
      return ""
    }
    defer { place += count }
    return String(decoding: bytes[place..<place + count], as: UTF8.self)
  }

  private mutating func add(_ range: Range<Int>) {
    add(range.lowerBound)
    add(range.count)
  }

  private mutating func takeRange() -> Range<Int> {
    let start = takeNumber()
    let count = takeNumber()
    guard count >= 0, start >= 0, start < Int.max - count else {
      isDamaged = true
      return 0..<0
    }
    return start..<start + count
  }

  private mutating func add<Value>(
    _ value: Value?,
    _ addValue: (inout ReadingBytes, Value) -> Void
  ) {
    add(value != nil)
    if let value { addValue(&self, value) }
  }

  private mutating func takeOptional<Value>(_ take: (inout ReadingBytes) -> Value) -> Value? {
    takeFlag() ? take(&self) : nil
  }

  private mutating func add<Value>(
    _ values: [Value],
    _ addValue: (inout ReadingBytes, Value) -> Void
  ) {
    add(values.count)
    for value in values { addValue(&self, value) }
  }

  private mutating func takeList<Value>(_ take: (inout ReadingBytes) -> Value) -> [Value] {
    let count = takeNumber()
    var values: [Value] = []
    while values.count < count, !isDamaged { values.append(take(&self)) }
    return values
  }
}
