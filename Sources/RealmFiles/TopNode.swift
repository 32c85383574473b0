/// The root of all nodes of a file.
///
/// | element | what |
/// |---|---|
/// | 0, 1 | names of tables, tables; an element that is not a reference is a removed table |
/// | 2 | the size of the file in bytes |
/// | 6 | the number of the last commit |
/// | 7 | what kind of history there is |
///
/// The history, and the lists of free space, may hold what was deleted; they are not looked at.
struct TopNode {
  /// One table, its place among all there ever were, and where it is.
  struct Entry {
    let name: String
    let position: Int
    let reference: Int64
  }

  let tables: [Entry]
  let commitNumber: UInt64?
  let history: RealmHistory

  private static let lengths: Set<Int> = [3, 5, 7, 9, 10, 11, 12]

  init(at reference: Int64, _ pass: ReadPass) throws(RealmError) {
    let top = try pass.elements(at: reference)
    guard Self.lengths.contains(top.count), let size = top.number(2) else {
      throw .damaged(
        RealmPlace(offset: top.node.offset),
        cause: "the top node has \(top.count) elements"
      )
    }
    guard size <= UInt64(pass.context.pages.size) else {
      throw .truncated(
        RealmPlace(),
        cause: "the file has \(pass.context.pages.size) bytes, and says \(size)"
      )
    }
    commitNumber = top.number(6)
    history = RealmHistory(number: top.number(7) ?? 0)
    let names = try pass.names(at: top.reference(0))
    let list = try pass.elements(at: top.reference(1))
    var tables: [Entry] = []
    for position in 0..<list.count {
      guard let reference = list.optionalReference(position) else { continue }
      guard position < names.count else {
        throw .damaged(RealmPlace(offset: list.node.offset), cause: "a table has no name")
      }
      tables.append(Entry(name: names[position], position: position, reference: reference))
    }
    self.tables = tables
  }
}

/// What a file's history is for.
package enum RealmHistory: Hashable, Sendable {
  case none, local
  /// The file of an app that synced with a server: it holds what the device had.
  case syncedClient
  /// A file of a sync server.
  case syncServer
  case other(UInt64)

  init(number: UInt64) {
    switch number {
    case 0: self = .none
    case 2: self = .local
    case 3: self = .syncedClient
    case 4: self = .syncServer
    case let other: self = .other(other)
    }
  }
}

extension ReadPass {
  /// The names in a leaf of strings.
  func names(at reference: Int64) throws(RealmError) -> [String] {
    let node = try node(at: reference)
    let leaf = try StringLeaf(node, self, isOptional: false, keys: nil)
    guard leaf.count <= ReadLimits.elementCount else {
      throw .damaged(RealmPlace(offset: node.offset), cause: "there are \(leaf.count) names")
    }
    var names: [String] = []
    for index in 0..<leaf.count {
      guard case .string(let name) = try leaf.value(at: index) else {
        throw .damaged(RealmPlace(offset: node.offset), cause: "a name is not UTF-8")
      }
      names.append(name)
    }
    return names
  }
}
