/// Does `body` for every item, at most `width` at a time, until `goesOn` says of a result that
/// nothing more is to be begun.
///
/// - Returns: The results in the order in which they came; fewer than the items when it was ended.
func sideBySide<Item: Sendable, Value: Sendable>(
  _ items: [Item],
  width: Int,
  goesOn: (Value) -> Bool,
  _ body: @escaping @Sendable (Item) async -> Value
) async -> [Value] {
  await withTaskGroup(of: Value.self, returning: [Value].self) { group in
    var values: [Value] = []
    var begun = 0
    while begun < min(width, items.count) {
      let item = items[begun]
      group.addTask { await body(item) }
      begun += 1
    }
    var isGoingOn = true
    while let value = await group.next() {
      values.append(value)
      isGoingOn = isGoingOn && goesOn(value)
      guard isGoingOn, begun < items.count else { continue }
      let item = items[begun]
      group.addTask { await body(item) }
      begun += 1
    }
    return values
  }
}
