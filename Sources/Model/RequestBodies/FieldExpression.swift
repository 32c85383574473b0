package import ProfileSettings
import TextCodecs

/// How a write names the fields that it changes, where that is a text: `SET #f0 = :f0, #f1 = :f1`.
///
/// DynamoDB keeps their names and their values beside the text
/// (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html>).
package struct FieldExpression: Hashable, Sendable {
  /// What changes one field, with `{n}` for its number, counted from zero, and `{name}` for its name.
  package let each: String
  /// What is between two of those.
  package let separator: String
  /// What a field is called where the names are; `nil` where they are not asked for.
  package let nameKey: String?
  /// What it is called where the values are.
  package let valueKey: String?

  /// A text for the field of this number.
  package func text(_ template: String, _ number: Int, _ name: String) -> String? {
    Template(template).filled { ["n": "\(number)", "name": name][$0] }
  }
}

extension FieldExpression {
  /// Reads `{ each: "#f{n} = :f{n}", between: ", ", name: "#f{n}", value: ":f{n}" }`.
  package static func read(_ section: Section) -> FieldExpression {
    defer { section.close() }
    return FieldExpression(
      each: section.requiredText("each"),
      separator: section.text("between", else: ", "),
      nameKey: section.text("name"),
      valueKey: section.text("value")
    )
  }
}
