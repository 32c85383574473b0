/// The values of a whole B+ tree by their places; what a column is in formats up to 9.
final class TreeColumn: Leaf {
  let count: Int
  private let form: LeafForm
  private let pass: ReadPass
  /// The leaves that have values, and the place of the first value of each.
  private let references: [Int64]
  private let starts: [Int]
  /// The leaves that were used last, each in the slot of its number's remainder.
  private var cache: [(number: Int, leaf: any Leaf)?] = Array(repeating: nil, count: cacheSize)

  private static let cacheSize = 16

  /// Goes through the tree once, for the places of its leaves.
  init(at reference: Int64, _ form: LeafForm, _ pass: ReadPass) throws(RealmError) {
    var (references, starts): ([Int64], [Int]) = ([], [])
    var count = 0
    let survey = ReadPass(pass.context)
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
    let slot = number % Self.cacheSize
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
