/// One thing in which two models differ, and what a migration from one to the other does with it.
package struct ModelDifference: Hashable, Sendable {
  /// What happens to data that a migration takes along.
  package enum Severity: String, Sendable, Comparable {
    /// Everything is kept.
    case compatible
    /// Nothing is lost, but a migration without help of the app fails or refuses rows.
    case breaking
    /// Values, references or whole records are lost or changed.
    case lossy

    private var rank: Int {
      switch self {
      case .compatible: 0
      case .breaking: 1
      case .lossy: 2
      }
    }

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
  }

  /// A stable, dotted name: `model.attribute-removed`.
  package let code: String
  package let severity: Severity
  /// The entity, by its name in the second model where it has one there.
  package let entity: EntityName
  /// The property, with its elements behind points; `nil` when it is about the entity.
  package let property: String?
  /// What differs, with both sides.
  package let cause: String
  /// What a person can do about it.
  package let cure: String

  package init(
    code: String,
    severity: Severity,
    entity: EntityName,
    property: String? = nil,
    cause: String,
    cure: String
  ) {
    self.code = code
    self.severity = severity
    self.entity = entity
    self.property = property
    self.cause = cause
    self.cure = cure
  }
}
