import JSONText
import Patterns

/// What members have to obey that are named by a pattern, or not at all.
struct PatternMembers {
  private let before: SchemaView
  private let after: SchemaView
  private let old: [String: SchemaNode]
  private let new: [String: SchemaNode]

  init(_ before: SchemaView, _ after: SchemaView) {
    self.before = before
    self.after = after
    old = before.schemas("patternProperties")
    new = after.schemas("patternProperties")
  }

  /// All that a member of this name has to obey; `nil` when a pattern cannot be used.
  func rules(
    of name: String,
    _ named: SchemaNode?,
    in view: SchemaView,
    isOld: Bool
  ) -> [SchemaNode]? {
    var rules = named.map { [$0] } ?? []
    for (source, schema) in (isOld ? old : new).sorted(by: { $0.key < $1.key }) {
      do {
        if try Pattern(source).matches(name) { rules.append(schema) }
      } catch {
        return nil
      }
    }
    return rules.isEmpty ? [rest(view, isOld: isOld)] : rules
  }

  /// What a member has to obey that nothing names.
  func rest(_ view: SchemaView, isOld: Bool) -> SchemaNode {
    if let rest = view.schema("additionalProperties") { return rest }
    // Other keywords of the old schema may have looked at the member, so that it is not left over.
    let canFallBack = !isOld || !view.looksTwice
    return (canFallBack ? view.schema("unevaluatedProperties") : nil)
      ?? view.anything("additionalProperties")
  }

  /// What changed about members whose names follow a pattern.
  func changes(_ comparer: SchemaComparer) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    for (source, schema) in new.sorted(by: { $0.key < $1.key }) {
      if let was = old[source] {
        changes += comparer.compare(was, schema)
        continue
      }
      // That member was named by nothing, or by any of the other patterns.
      changes += comparer.compare(rest(before, isOld: true), schema)
      for (_, other) in old.sorted(by: { $0.key < $1.key }) {
        changes += comparer.compare(other, schema)
      }
    }
    for (source, schema) in old.sorted(by: { $0.key < $1.key }) where new[source] == nil {
      changes += comparer.compare(schema, rest(after, isOld: false))
    }
    return changes
  }
}
