/// The share of one worker: one part of so many.
///
/// A store belongs to the part that its name's hash gives, see ``FleetEntry/hash``, so that every worker
/// finds the same parts, whatever the order of the list, and a longer list moves no store.
package struct FleetShard: Hashable, Sendable {
  /// From one.
  package let number: Int
  package let count: Int

  /// Whether a store is of this part.
  package func contains(_ entry: FleetEntry) -> Bool {
    entry.hash % UInt64(count) == UInt64(number - 1)
  }

  /// Reads `K/N`, with K from 1 to N, or `auto/N`, where a scheduler says which one this is.
  ///
  /// | scheduler | variable | its first index |
  /// |---|---|---|
  /// | Kubernetes, Indexed Job | `JOB_COMPLETION_INDEX` | 0 |
  /// | AWS Batch, array job | `AWS_BATCH_JOB_ARRAY_INDEX` | 0 |
  /// | Slurm, job array | `SLURM_ARRAY_TASK_ID` | what `--array` begins with: `firstIndex` |
  ///
  /// N is always said, never guessed from the scheduler: an array of which only some tasks are
  /// submitted again has another size, and every store would change hands.
  ///
  /// - Throws: ``FleetError/badShard(reason:cure:)``.
  package init(
    _ text: String,
    firstIndex: Int = 0,
    environment: [String: String]
  ) throws(FleetError) {
    let halves = text.split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2, let count = Int(halves[1]), (1...1_000_000).contains(count) else {
      throw .badShard(
        reason: "--shard takes K/N or auto/N, not “\(text)”",
        cure: "write 1/8 to 8/8, or auto/8 under a scheduler"
      )
    }
    self.count = count
    if halves[0] == "auto" {
      number = try Self.index(environment, firstIndex) + 1
    } else {
      guard let given = Int(halves[0]) else {
        throw .badShard(reason: "“\(halves[0])” is not a number", cure: "write 1/\(count)")
      }
      number = given
    }
    guard (1...count).contains(number) else {
      throw .badShard(
        reason: "there is no part \(number) of \(count)",
        cure: halves[0] == "auto"
          ? "let the array have \(count) tasks, and give its first index with --first-index"
          : "count the parts from 1 to \(count)"
      )
    }
  }

  /// Which task this is, from zero.
  private static func index(
    _ environment: [String: String],
    _ firstIndex: Int
  ) throws(FleetError) -> Int {
    let schedulers = [
      ("JOB_COMPLETION_INDEX", 0), ("AWS_BATCH_JOB_ARRAY_INDEX", 0),
      ("SLURM_ARRAY_TASK_ID", firstIndex),
    ]
    for (name, first) in schedulers {
      guard let text = environment[name] else { continue }
      guard let index = Int(text), index >= first else {
        throw .badShard(
          reason: "\(name) is “\(text)”, and the first index is \(first)",
          cure: "give the array's first index with --first-index"
        )
      }
      return index - first
    }
    throw .badShard(
      reason:
        "auto finds no scheduler: none of \(schedulers.map(\.0).joined(separator: ", ")) is set",
      cure: "write K/N"
    )
  }
}
