package import JSONText
package import ProfileSettings
import TextCodecs

/// How a destination writes each value: in an object that says what the value is.
///
/// Firestore writes `{"stringValue": "a"}`, DynamoDB `{"S": "a"}`, Parse `{"__type": "Date", "iso": "…"}`. A kind
/// without a form is written as JSON has it.
package struct ValueForms: Hashable, Sendable {
  /// The form of each kind, with `{value}` for the value, and `{of}` for what a reference leads to; that of a
  /// location may have `{latitude}` and `{longitude}`.
  package let forms: [Kind: JSONTemplate]
  /// The kinds of numbers that are written as text.
  package let writtenAsText: Set<Kind>

  /// What a value is.
  package enum Kind: String, Sendable, CaseIterable {
    case text, boolean, null, list, object
    /// A whole number of at most 64 bits with its sign.
    case integer
    /// Any other number; texts such as `NaN` where the field is declared a number.
    case number
    /// An instant, as RFC 3339 text.
    case date
    /// Bytes, as base64 text.
    case bytes
    /// The destination's identity of another record, as text.
    case reference
    /// An object with `latitude` and `longitude`, in degrees.
    case location
  }
}

/// What one field of a body holds, where its value alone does not say that.
package struct FieldForm: Hashable, Sendable {
  package let kind: ValueForms.Kind
  /// How a reference names its record, with `{id}` for the identity: `notes/{id}`; `nil` for the identity
  /// alone.
  package let name: String?
  /// What the destination calls the records that a reference leads to; `nil` where the profile does not say.
  package let target: String?

  /// The name of the record of an identity; `nil` where a name in braces has no value.
  package func name(of id: String, account: String?) -> String? {
    guard let name else { return id }
    return Template(name).filled { ["id": id, "account": account][$0] ?? nil }
  }

  /// The identity in the name of a record; `nil` for a name of another form.
  ///
  /// Both are compared part by part, and `{account}` represents any one part.
  package func id(in name: String) -> String? {
    guard let pattern = self.name else { return name }
    let wanted = pattern.split(separator: "/", omittingEmptySubsequences: false)
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard wanted.count == parts.count,
      zip(wanted, parts).allSatisfy({ $0 == $1 || ["{id}", "{account}"].contains($0) }),
      let place = wanted.firstIndex(of: "{id}"), !parts[place].isEmpty
    else { return nil }
    return String(parts[place])
  }
}

extension ValueForms {
  /// Reads `values`: for each kind a place, `{ name: integerValue, as: text }`, or
  /// `{ form: { __type: Date, iso: "{value}" } }`.
  package static func read(_ section: Section) -> ValueForms {
    enum Writing: String, CaseIterable { case plain, text }
    var forms: [Kind: JSONTemplate] = [:]
    var writtenAsText: Set<Kind> = []
    for kind in Kind.allCases {
      guard let node = section.node(kind.rawValue) else { continue }
      let inner = Section(node.expanded(as: "name"), log: section.log)
      forms[kind] = form(inner, of: kind)
      let writing: Writing = inner.choice("as", else: .plain)
      if writing == .text { writtenAsText.insert(kind) }
      inner.close()
    }
    section.close()
    return ValueForms(forms: forms, writtenAsText: writtenAsText)
  }

  private static func form(_ section: Section, of kind: Kind) -> JSONTemplate {
    guard section.has("form"), let node = section.node("form") else {
      let names = MemberPath(section.requiredText("name")).names
      return JSONTemplate(names.reversed().reduce("{value}") { .object([$1: $0]) })
    }
    let form = JSONTemplate(node.json)
    let parts = kind == .location ? ["latitude", "longitude"] : []
    let hasParts = !parts.isEmpty && parts.allSatisfy { form.path(to: $0) != nil }
    if form.path(to: "value") == nil, kind != .null, !hasParts {
      section.log.add(
        at: node,
        "the form of “\(kind.rawValue)” has no place for the value",
        cure: "write it like { __type: Date, iso: \"{value}\" }"
      )
    }
    return form
  }
}

extension FieldForm {
  /// Reads `types`: for each field a kind, `{ type: reference, name: "notes/{id}" }`, or
  /// `{ type: reference, of: Note }`.
  package static func read(_ section: Section) -> [String: FieldForm] {
    var forms: [String: FieldForm] = [:]
    for member in section.all() {
      let inner = Section(member.value.expanded(as: "type"), log: section.log)
      _ = inner.requiredNode("type")
      let form = FieldForm(
        kind: inner.choice("type", else: .text),
        name: inner.text("name"),
        target: inner.text("of")
      )
      inner.close()
      forms[member.name] = form
      guard let name = form.name else { continue }
      let hasID = name.split(separator: "/").contains("{id}")
      guard form.kind != .reference || !hasID else { continue }
      section.log.add(
        at: member.value,
        "“name” of “\(member.name)” is how a reference names its record",
        cure: "write { type: reference, name: \"notes/{id}\" }"
      )
    }
    return forms
  }
}
