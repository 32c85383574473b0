import Files
import Testing

@Suite struct OrderedWorkTests {
  /// Parts of these sizes, taken in order; gives them, and the largest sum that was on the way at once,
  /// where nothing counts less than 1.
  private func run(_ sizes: [Int], workers: Int) async -> (taken: [Int], most: Int) {
    var rest = sizes[...]
    var (taken, held, most): ([Int], Int, Int) = ([], 0, 0)
    await inOrder(workers: workers, size: { $0 }) {
      guard let size = rest.popFirst() else { return nil }
      held += max(1, size)
      most = max(most, held)
      return size
    } work: { size in
      size
    } take: { size in
      held -= max(1, size)
      taken.append(size)
    }
    return (taken, most)
  }

  @Test(arguments: [1, 2, 8])
  func `answers are taken in the order of the parts`(workers: Int) async {
    let sizes = (0..<100).map { $0.isMultiple(of: 7) ? 20 : 1 }
    #expect(await run(sizes, workers: workers).taken == sizes)
  }

  @Test func `one usual part more than there are workers is on the way`() async {
    #expect(await run(Array(repeating: 1, count: 50), workers: 4).most == 5)
  }

  @Test func `no second large part is on the way`() async {
    let most = await run(Array(repeating: 40, count: 20), workers: 4).most
    #expect(most == 40)
  }

  @Test func `beside a large part at most as many usual ones as there are workers are on the way`()
    async
  {
    #expect(await run([1, 1, 1, 1, 40, 40], workers: 4).most == 44)
  }

  @Test func `a part without a size counts as a usual one`() async {
    #expect(await run(Array(repeating: 0, count: 50), workers: 4).most == 5)
  }
}
