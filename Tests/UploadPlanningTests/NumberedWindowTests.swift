import Testing
import UploadPlanning

struct NumberedWindowTests {
  @Test func `a window of operations behaves like a dictionary under any insertions and removals`()
  {
    let seed = UInt64.random(in: 0...999_999)
    print("seed \(seed)")
    var numbers = SeededRandom(seed: seed)
    var window = NumberedWindow<Int>()
    var dictionary: [Int64: Int] = [:]
    var next: Int64 = 0
    for step in 0..<20_000 {
      // Most come in order, with gaps now and then; a few come late or once more.
      if Bool.random(using: &numbers) {
        next += Int.random(in: 0..<20, using: &numbers) == 0 ? 1_000 : 1
      }
      let number = step % 7 == 0 ? Int64.random(in: 0...(next + 2), using: &numbers) : next
      let value = Int.random(in: 0..<3, using: &numbers) == 0 ? nil : step
      window[number] = value
      dictionary[number] = value
      if let some = dictionary.keys.sorted().randomElement(using: &numbers) {
        #expect(window[some] == dictionary[some], "seed \(seed)")
        // All but a few go again, mostly the first.
        if dictionary.count > 50, let first = dictionary.keys.min() {
          let gone = step % 3 == 0 ? some : first
          window[gone] = nil
          dictionary[gone] = nil
        }
      }
      #expect(window[next + 5] == dictionary[next + 5], "seed \(seed)")
    }
    var listed: [Int64] = []
    window.forEach { number, value in
      listed.append(number)
      #expect(dictionary[number] == value, "seed \(seed)")
    }
    #expect(listed == dictionary.keys.sorted(), "seed \(seed)")
    #expect(window.count == dictionary.count, "seed \(seed)")
  }
}
