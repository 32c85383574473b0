/// The values of a whole B+ tree by their places; what a column is in formats up to 9.
final class TreeColumn: Leaf {
  let count: Int
  private let form: LeafForm
  private let pass: ReadPass
  /// The leaves that have values, and the place of the first value of each.
  private let references: [Int64]
  private let starts: [Int]
  /// The leaves that were used last, each in the slot of its number's remainder.
  private var cache: [(number: Int, leaf: any Leaf)?]

  /// Goes through the tree once, for the places of its leaves.
  ///
  /// Where values are reached in any order, more leaves are kept, and `survey` is the reading that the
  /// first time through the tree belongs to.
  init(
    at reference: Int64,
    _ form: LeafForm,
    _ pass: ReadPass,
    inAnyOrderAfter survey: ReadPass? = nil
  ) throws(RealmError) {
    var (references, starts): ([Int64], [Int]) = ([], [])
    var count = 0
    cache = Array(repeating: nil, count: survey == nil ? 1 : 16)
    let survey = survey ?? pass
    try survey.forEachLeaf(inTree: reference) { node throws(RealmError) in
      let leaf = try survey.leaf(of: node, form)
      if leaf.count == 0 { return }
      references.append(Int64(node.offset))
      starts.append(count)
      count += leaf.count
    }
    (self.references, self.starts, self.count) = (references, starts, count)
    self.form = form
    self.pass = pass
  }

  func value(at index: Int) throws(RealmError) -> RealmValue {
    let number = number(ofLeafWith: index)
    return try leaf(number).value(at: index - starts[number])
  }

  private func leaf(_ number: Int) throws(RealmError) -> any Leaf {
    let slot = number % cache.count
    if let cached = cache[slot], cached.number == number { return cached.leaf }
    let leaf = try pass.leaf(at: references[number], form)
    cache[slot] = (number, leaf)
    return leaf
  }

  /// The last leaf that does not begin behind the place.
  private func number(ofLeafWith index: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= index { low = middle } else { high = middle }
    }
    return low
  }
}
