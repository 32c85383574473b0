/// Does `work` on parts side by side, and takes the answers in the order of the parts.
///
/// A part is only asked for while those on the way have together at most the size of as many usual ones
/// as there are workers. So memory follows the workers and the size of the largest part, never how many
/// parts there are, and at most one part that is larger than these is on the way. With one worker nothing
/// is done beside.
///
/// - Parameters:
///   - workers: How many parts are worked on at once.
///   - size: What a part has of the size of a usual one, which is 1; none counts as smaller.
///   - next: Gives the next part, or `nil` after the last.
///   - work: What is done with a part, in a task of its own.
///   - take: Is given each answer, in the order of the parts.
/// - Throws: What `next` or `take` throws; what was given out before is still taken.
package func inOrder<Part: Sendable, Answer: Sendable, Failure: Error>(
  workers: Int,
  size: (Part) -> Int = { _ in 1 },
  next: () throws(Failure) -> Part?,
  work: @escaping @Sendable (Part) -> Answer,
  take: (Answer) throws(Failure) -> Void
) async throws(Failure) {
  guard workers > 1 else {
    while let part = try next() { try take(work(part)) }
    return
  }
  // A task group knows no typed errors.
  let result: Result<Void, Failure> = await withTaskGroup(of: (Int, Answer).self) { group in
    var waiting: [Int: Answer] = [:]
    var (given, taken) = (0, 0)
    // What the parts on the way have together, and each of them, by its number.
    var (weight, weights): (Int, [Int: Int]) = (0, [:])
    var failure: Failure?
    var isAtEnd = false
    func give() throws(Failure) {
      while !isAtEnd, weight <= workers {
        guard let part = try next() else {
          isAtEnd = true
          return
        }
        let number = given
        let partWeight = max(1, size(part))
        weights[number] = partWeight
        weight += partWeight
        group.addTask { (number, work(part)) }
        given += 1
      }
    }
    func takeWaiting() throws(Failure) {
      while let answer = waiting.removeValue(forKey: taken) {
        weight -= weights.removeValue(forKey: taken) ?? 0
        taken += 1
        try take(answer)
      }
    }
    while true {
      do throws(Failure) { try give() } catch {
        failure = error
        isAtEnd = true
      }
      guard let (number, answer) = await group.next() else { break }
      waiting[number] = answer
      do throws(Failure) { try takeWaiting() } catch {
        // What `take` throws ends it all; nothing after it is taken.
        return .failure(error)
      }
    }
    return failure.map { .failure($0) } ?? .success(())
  }
  try result.get()
}
