import ProfileDrafting
import StoreFiles
import Testing

struct ValueHashesTests {
  /// Whether hashes are told to differ, of which so many are held at once.
  private func areDistinct(_ hashes: [Int], runLength: Int) throws -> Bool {
    var values = ValueHashes(runLength: runLength)
    for hash in hashes { guard try values.add(hash) else { return false } }
    return try values.sorted().areDistinct()
  }

  @Test(arguments: [1, 2, 3, 7, 10_000, 20_000])
  func `values that differ are distinct, however many are held`(runLength: Int) throws {
    let count = runLength < 10 ? 50 : 20_000
    let hashes = (0..<count).map { ($0 &* 0x5DEE_CE66D) ^ ($0 << 40) }.shuffled()
    #expect(try areDistinct(hashes, runLength: runLength))
  }

  @Test(arguments: [1, 2, 3, 5, 10, 11])
  func `the last value that is the same as another one is found`(runLength: Int) throws {
    for first in 0..<10 {
      #expect(try !areDistinct(Array(0..<10) + [first], runLength: runLength))
    }
  }

  @Test func `no values are distinct, and one value`() throws {
    #expect(try areDistinct([], runLength: 4))
    #expect(try areDistinct([.min], runLength: 1))
    #expect(try areDistinct([.min, .max, 0], runLength: 1))
  }

  private func sorted(_ hashes: [Int], runLength: Int) throws -> SortedHashes {
    var values = ValueHashes(runLength: runLength)
    for hash in hashes { _ = try values.add(hash) }
    return try values.sorted()
  }

  @Test(arguments: [1, 3, 7, 100])
  func `values contain others of which each is among them, however often`(runLength: Int) throws {
    let all = try sorted((0..<50).map { $0 * 3 }.shuffled(), runLength: runLength)
    #expect(try all.contain(sorted([147, 0, 3, 3, 3, 60, 0], runLength: 2)))
    #expect(try all.contain(sorted([], runLength: 2)))
    for missing in [-1, 1, 146, 148, Int.max] {
      #expect(try !all.contain(sorted([0, missing, 3], runLength: 2)), "\(missing)")
    }
  }
}
