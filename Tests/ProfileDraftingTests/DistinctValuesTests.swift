import ProfileDrafting
import StoreFiles
import Testing

struct DistinctValuesTests {
  /// Whether hashes are told to differ, of which so many are held at once.
  private func areDistinct(_ hashes: [Int], runLength: Int) throws -> Bool {
    var values = DistinctValues(runLength: runLength)
    for hash in hashes { guard try values.add(hash) else { return false } }
    return try values.areDistinct()
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
}
