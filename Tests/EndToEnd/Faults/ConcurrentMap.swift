/// Runs `body` side by side in lanes of their own, and adds up what they counted.
func inLanes(
  _ count: Int,
  _ body: @escaping @Sendable (Int) async throws -> [String: Int]
) async throws -> [String: Int] {
  try await withThrowingTaskGroup(of: [String: Int].self) { group in
    for number in 0..<count { group.addTask { try await body(number) } }
    var all: [String: Int] = [:]
    for try await hits in group { all.merge(hits) { $0 + $1 } }
    return all
  }
}

/// Runs `body` for each value, as many at once as `width` says.
func forEach<Value: Sendable>(
  _ values: [Value],
  atOnce width: Int,
  _ body: @escaping @Sendable (Value) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for (place, value) in values.enumerated() {
      if place >= width { try await group.next() }
      group.addTask { try await body(value) }
    }
    try await group.waitForAll()
  }
}
