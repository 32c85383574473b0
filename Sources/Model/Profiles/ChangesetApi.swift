package import JSONText

/// One pair of routes through which all entities travel together.
package struct ChangesetApi: Hashable, Sendable {
  /// Gives rows of every entity: all, or what changed since a mark.
  package let pull: Route
  /// The query parameter that takes the mark.
  package let since: String
  /// Takes rows of every entity, and makes or changes each.
  package let push: Route
  /// Where a pull's answer has the destination's own mark.
  package let mark: MemberPath
  /// The most rows of one push.
  package let batchLimit: Int
}

/// The rows of an entity in a changeset.
package struct ChangesetRows: Hashable, Sendable {
  /// The member of an answer, and of a request, that has the rows.
  package let name: String
  /// The member of a row that holds the moment of its removal; `nil` where none is ever removed.
  package let deleted: String?
  /// The member of a row that holds the moment of its last change, where the destination keeps the one
  /// that a row is pushed with; `nil` where it writes its own, or has none.
  ///
  /// It costs a reading of all rows before each push that changes or removes some, for that destination
  /// need not report all changes after a mark.
  package let changed: String?
  /// The member of a row that holds the account's own identity, without which the destination
  /// passes over the row; `nil` if it does not exist.
  package let owner: String?
  /// How fields are sent that no push takes; `nil` where it takes all of them.
  package let links: Links?

  /// A route for one record, which takes fields that lead to other records.
  package struct Links: Hashable, Sendable {
    package let route: Route
    /// The request's members, by the names of their fields in a row.
    package let names: [String: String]
  }
}
