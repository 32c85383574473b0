/// A tree of objects by their keys (formats from 10 on).
///
/// An inner node is `[offsets or 0, 2·depth + 1, 2·count + 1, child, child, …]`. The keys of a child
/// are counted from its offset, which without offsets is the child's number times 256 to the depth.
struct ClusterTree {
  let root: Int64

  /// The objects of the tree, as its root says.
  func count(_ pass: ReadPass) throws(RealmError) -> Int {
    switch try ClusterNode(at: root, pass) {
    case .inner(let inner): inner.count
    case .cluster(let cluster): cluster.keys.count
    }
  }

  /// The cluster that holds a key, if any does.
  func cluster(with key: Int64, _ pass: ReadPass) throws(RealmError) -> Cluster? {
    var (reference, base) = (root, Int64(0))
    for _ in 0...ReadLimits.treeDepth {
      switch try ClusterNode(at: reference, base: base, pass) {
      case .cluster(let cluster):
        return cluster.keys.index(of: key) == nil ? nil : cluster
      case .inner(let inner):
        guard let child = inner.number(ofChildWith: key) else { return nil }
        (reference, base) = (inner.children[child], inner.offsets[child])
      }
    }
    throw .tooDeep(Int(reference))
  }
}

/// A node of a cluster tree.
enum ClusterNode {
  case inner(ClusterBranch)
  case cluster(Cluster)

  /// Reads the node at `reference`, whose keys are counted from `base`.
  init(at reference: Int64, base: Int64 = 0, _ pass: ReadPass) throws(RealmError) {
    let elements = try pass.elements(at: reference)
    self =
      elements.node.isInner
      ? .inner(try ClusterBranch(elements, base: base, pass))
      : .cluster(try Cluster(elements, base: base, pass))
  }
}

/// An inner node of a cluster tree.
struct ClusterBranch {
  let children: [Int64]
  /// What the keys of each child are counted from; they ascend.
  let offsets: [Int64]
  /// The objects below it, as the node says.
  let count: Int

  init(_ elements: ElementList, base: Int64, _ pass: ReadPass) throws(RealmError) {
    let damaged = { (cause: String) -> RealmError in
      .damaged(RealmPlace(offset: elements.node.offset), cause: cause)
    }
    guard elements.count >= 3, let depth = elements.number(1), let count = elements.number(2),
      let count = Int(exactly: count)
    else { throw damaged("an inner node lacks its depth or its count") }
    children = Array(elements.values[3...])
    self.count = count
    var relative: [Int64]
    if let reference = elements.optionalReference(0) {
      relative = try pass.integers(at: reference, isSigned: false)
      guard relative.count >= children.count else {
        throw damaged("\(children.count) children have \(relative.count) keys")
      }
      relative = Array(relative.prefix(children.count))
    } else {
      guard depth < 7 else { throw damaged("an inner node has the depth \(depth)") }
      relative = children.indices.map { Int64($0) << Int64(8 * depth) }
    }
    guard let offsets = ObjectKeys.sums(relative, base) else {
      throw damaged("the keys of children do not ascend")
    }
    self.offsets = offsets
  }

  /// The number of the only child that may hold a key.
  func number(ofChildWith key: Int64) -> Int? { offsets.lastIndex { $0 <= key } }
}

/// The keys of objects that lie together.
enum ObjectKeys {
  /// Consecutive keys, from the first one on.
  case consecutive(Int64, count: Int)
  /// Keys that ascend.
  case ascending([Int64])

  var count: Int {
    switch self {
    case .consecutive(_, let count): count
    case .ascending(let keys): keys.count
    }
  }

  subscript(index: Int) -> Int64 {
    switch self {
    case .consecutive(let first, _): first + Int64(index)
    case .ascending(let keys): keys[index]
    }
  }

  /// The place of a key.
  func index(of key: Int64) -> Int? {
    switch self {
    case .consecutive(let first, let count):
      return key >= first && key - first < Int64(count) ? Int(key - first) : nil
    case .ascending(let keys):
      return keys.firstIndex(of: key)
    }
  }

  /// Adds `base` to each number; `nil` when one is too large, or they do not ascend.
  static func sums(_ numbers: [Int64], _ base: Int64) -> [Int64]? {
    var sums: [Int64] = []
    sums.reserveCapacity(numbers.count)
    var last: Int64 = -1
    for number in numbers {
      let (sum, overflow) = number.addingReportingOverflow(base)
      guard number >= 0, !overflow, sum > last else { return nil }
      sums.append(sum)
      last = sum
    }
    return sums
  }
}

/// A leaf of a cluster tree: up to 256 objects, and for each column a reference to its leaf.
struct Cluster {
  let keys: ObjectKeys
  private let elements: ElementList

  /// The first element is the count of objects with the keys 0, 1, 2 …, or leads to their keys.
  init(_ elements: ElementList, base: Int64, _ pass: ReadPass) throws(RealmError) {
    self.elements = elements
    switch elements.element(0) {
    case .number(let count):
      guard let number = Int(exactly: count), number <= ReadLimits.leafValueCount,
        base <= Int64.max - Int64(number)
      else {
        throw .damaged(
          RealmPlace(offset: elements.node.offset),
          cause: "a cluster has \(count) objects"
        )
      }
      keys = .consecutive(base, count: number)
    case .reference(let reference):
      let relative = try pass.integers(at: reference, isSigned: false)
      guard let sums = ObjectKeys.sums(relative, base) else {
        throw .damaged(
          RealmPlace(offset: elements.node.offset),
          cause: "the keys of objects do not ascend"
        )
      }
      keys = .ascending(sums)
    case .nothing:
      throw .damaged(RealmPlace(offset: elements.node.offset), cause: "a cluster has no keys")
    }
  }

  /// The cluster's offset in the file.
  var offset: Int { elements.node.offset }

  /// Where the leaf of the column with this leaf index is.
  func leaf(_ index: Int) throws(RealmError) -> Int64 { try elements.reference(index + 1) }
}

/// Goes through the clusters of a tree in the order of their keys.
struct ClusterCursor {
  /// An inner node on the way down.
  private struct Step {
    let branch: ClusterBranch
    /// The number of the child behind the one that is being read.
    var next = 0

    /// Whether a key is before all those of the next child.
    func mayHold(_ key: Int64) -> Bool {
      next >= branch.offsets.count || key < branch.offsets[next]
    }
  }

  private let pass: ReadPass
  private let after: Int64
  private var branches: [Step] = []
  /// The root, until it was read.
  private var root: Int64?
  private var lastKey: Int64 = -1
  /// The objects that the root says there are, and those that were passed.
  private var (claimed, passed) = (0, 0)

  /// - Parameters:
  ///   - tree: The tree.
  ///   - pass: The reading.
  ///   - after: The key that all keys of interest are beyond.
  init(_ tree: ClusterTree, _ pass: ReadPass, after: Int64? = nil) {
    root = tree.root
    self.pass = pass
    self.after = after ?? -1
  }

  /// The next cluster that has keys beyond the given one; `nil` at the end.
  mutating func next() throws(RealmError) -> Cluster? {
    while let (reference, base) = try nextReference() {
      switch try ClusterNode(at: reference, base: base, pass) {
      case .inner(let branch):
        guard branches.count < ReadLimits.treeDepth else { throw .tooDeep(Int(reference)) }
        if branches.isEmpty { claimed = branch.count }
        branches.append(Step(branch: branch))
      case .cluster(let cluster):
        if branches.isEmpty { claimed = cluster.keys.count }
        try note(cluster)
        let count = cluster.keys.count
        if count > 0, cluster.keys[count - 1] > after { return cluster }
      }
    }
    return nil
  }

  private mutating func nextReference() throws(RealmError) -> (Int64, base: Int64)? {
    if let reference = root {
      root = nil
      return (reference, 0)
    }
    while var step = branches.popLast() {
      let (branch, child) = (step.branch, step.next)
      guard child < branch.children.count else { continue }
      step.next += 1
      branches.append(step)
      // The keys of a child end where those of the next one begin.
      let isPassed = after < .max && !step.mayHold(after + 1)
      if !isPassed { return (branch.children[child], branch.offsets[child]) }
    }
    guard after >= 0 || passed == claimed else {
      throw .damaged(
        RealmPlace(),
        cause: "a tree has \(passed) objects, and its root says \(claimed)"
      )
    }
    return nil
  }

  private mutating func note(_ cluster: Cluster) throws(RealmError) {
    let count = cluster.keys.count
    passed += count
    guard count > 0 else { return }
    guard cluster.keys[0] > lastKey, branches.allSatisfy({ $0.mayHold(cluster.keys[count - 1]) })
    else {
      throw .damaged(RealmPlace(offset: cluster.offset), cause: "the keys of objects do not ascend")
    }
    lastKey = cluster.keys[count - 1]
  }
}
