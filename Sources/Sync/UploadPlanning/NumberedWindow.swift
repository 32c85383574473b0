/// Values by their numbers, of which most follow each other and come in their order.
///
/// A number is found by its distance from the first one, or by halving where some are missing. Taking
/// one out leaves an empty place, and empty places go once they outnumber the values: memory follows
/// the values that are in it, however long one of them stays.
package struct NumberedWindow<Value> {
  /// Ascending.
  private var numbers: [Int64] = []
  private var values: [Value?] = []
  /// The places before this one are empty.
  private var start = 0
  /// How many values there are.
  package private(set) var count = 0

  /// A window that holds nothing yet.
  package init() {}

  var isEmpty: Bool { count == 0 }

  /// The value with a number, where there is one.
  package subscript(number: Int64) -> Value? {
    get { place(of: number).flatMap { values[$0] } }
    set {
      guard let place = place(of: number) else {
        if let newValue { insert(newValue, number) }
        return
      }
      count += (newValue == nil ? 0 : 1) - (values[place] == nil ? 0 : 1)
      values[place] = newValue
      if newValue == nil { close() }
    }
  }

  /// Calls `body` with each number and its value, in the order of the numbers.
  package func forEach(_ body: (Int64, Value) -> Void) {
    for place in start..<values.count {
      if let value = values[place] { body(numbers[place], value) }
    }
  }

  private func place(of number: Int64) -> Int? {
    guard start < numbers.count, number >= numbers[start] else { return nil }
    let guess = start + Int(clamping: number - numbers[start])
    if guess < numbers.count, numbers[guess] == number { return guess }
    let place = firstPlace(notBelow: number)
    return place < numbers.count && numbers[place] == number ? place : nil
  }

  private func firstPlace(notBelow number: Int64) -> Int {
    var (low, high) = (start, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func insert(_ value: Value, _ number: Int64) {
    count += 1
    if numbers.last ?? .min < number {
      numbers.append(number)
      values.append(value)
    } else {
      let place = firstPlace(notBelow: number)
      numbers.insert(number, at: place)
      values.insert(value, at: place)
    }
  }

  /// Lets go of places that are empty.
  private mutating func close() {
    while start < values.count, values[start] == nil { start += 1 }
    guard values.count > 2 * count + 256 else { return }
    var kept = NumberedWindow()
    forEach { number, value in
      kept.numbers.append(number)
      kept.values.append(value)
    }
    kept.count = count
    self = kept
  }
}

extension NumberedWindow: Sendable where Value: Sendable {}
