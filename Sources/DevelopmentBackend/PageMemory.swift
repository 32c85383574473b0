import GRDB
import Synchronization

/// Where the last pages of long lists ended, so that the next page of a list goes on there.
///
/// Counting the rows before a page makes the reading of a whole list grow with the square of its
/// length. What is remembered holds while no row of the database changes; after that, and for a page
/// that follows none, rows are counted.
final class PageMemory: Sendable {
  /// A list: the table, the condition with its arguments.
  struct List: Hashable, Sendable {
    let table: String
    let condition: String
    let arguments: String
  }

  /// The end of a page.
  struct End: Sendable {
    /// How many rows of the list lie before the next page.
    let offset: Int
    let createdAt: Int64
    let id: String
    /// How many rows the whole list has.
    let total: Int
    /// How many rows the database had changed by then.
    let changes: Int
  }

  private static let mostLists = 16
  private let ends = Mutex<[(list: List, end: End)]>([])

  func end(of list: List) -> End? {
    ends.withLock { ends in ends.first { $0.list == list }?.end }
  }

  func remember(_ end: End, of list: List) {
    ends.withLock { ends in
      ends.removeAll { $0.list == list }
      if ends.count == Self.mostLists { ends.removeFirst() }
      ends.append((list, end))
    }
  }
}
