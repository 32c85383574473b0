package import JSONText

/// One way in which a new schema differs from an old one.
package struct SchemaChange: Hashable, Sendable {
  /// What the change means to data that obey the old schema.
  package enum Effect: String, Sendable, CaseIterable {
    /// They obey the new one as well.
    case compatible
    /// Some do not.
    case breaking
    /// It cannot be determined; it counts as breaking.
    case unclear
  }

  /// The name of the schema, without its version.
  package let schema: String
  /// The JSON Pointer of the keyword: in the new schema, or in the old one when it is gone there.
  package let pointer: String
  package let keyword: String
  package let effect: Effect
  /// What the keyword said before; `nil` when it was not there.
  package let old: JSONValue?
  /// What it says now; `nil` when it is gone.
  package let new: JSONValue?
  /// What changed, in words.
  package let cause: String
  /// Why that has this effect.
  package let reason: String

  /// Whether data that were right may be wrong now.
  package var isBreaking: Bool { effect != .compatible }
}
