import Synchronization

/// Does `body` for every item, at most `width` at a time, until `goesOn` says of a result that
/// nothing more is to be begun.
///
/// - Returns: The results in the order in which they came; fewer than the items when it was ended.
package func sideBySide<Item: Sendable, Value: Sendable>(
  _ items: [Item],
  width: Int,
  goesOn: @escaping @Sendable (Value) -> Bool,
  _ body: @escaping @Sendable (Item) async -> Value
) async -> [Value] {
  let work = SharedWork<Item, Value>(items)
  await withDiscardingTaskGroup { group in
    // Each goes on to its next item by itself: no one has to be woken who hands them out.
    for _ in 0..<min(width, items.count) {
      group.addTask {
        while let item = work.next() {
          let value = await body(item)
          work.add(value, goesOn: goesOn(value))
        }
      }
    }
  }
  return work.values
}

/// Items of which each is taken by one of several tasks, and what became of those that were.
private final class SharedWork<Item: Sendable, Value: Sendable>: Sendable {
  private struct State {
    var left: ArraySlice<Item>
    var values: [Value] = []
  }

  private let state: Mutex<State>

  init(_ items: [Item]) { state = Mutex(State(left: items[...])) }

  var values: [Value] { state.withLock { $0.values } }

  func next() -> Item? { state.withLock { $0.left.popFirst() } }

  /// Keeps what became of an item; where it does not go on, no other is taken.
  func add(_ value: Value, goesOn: Bool) {
    state.withLock { state in
      state.values.append(value)
      if !goesOn { state.left = [] }
    }
  }
}
