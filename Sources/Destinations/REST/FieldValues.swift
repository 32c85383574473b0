import HTTPTransport
package import JSONText
package import RequestBodies
import TextCodecs

/// Turns the members of a body into values that say what they are, and back.
///
/// | the field is declared | the value | it is written as |
/// |---|---|---|
/// | `date` | RFC 3339 text of an instant | `date` |
/// | `bytes`, `reference` | text | that |
/// | `number` | a number, or `NaN`, `Infinity` or `-Infinity` as text | `number` |
/// | `integer` | a whole number | `integer` |
/// | `location` | an object | `location` |
/// | any but `list` | a list | `list`, its elements as declared |
/// | anything else, or not at all | any | what the value is; a whole number beyond 64 bits is a `number` |
///
/// A kind that the destination has no place for is written as the kind that the value is.
package struct FieldValues: Sendable {
  let forms: ValueForms
  let types: [String: FieldForm]
  /// Whose data the destination serves, where a reference names it.
  let account: String?

  package init(_ forms: ValueForms, _ types: [String: FieldForm], account: String? = nil) {
    self.forms = forms
    self.types = types
    self.account = account
  }

  /// The members of a body as the destination takes them.
  package func encoded(_ body: JSONObject) -> JSONObject {
    var encoded = JSONObject()
    for member in body.members {
      encoded[member.name] = self.encoded(member.value, types[member.name])
    }
    return encoded
  }

  /// The members of a row as a body has them; a value of an unknown form stays as it is.
  package func decoded(_ row: JSONObject) -> JSONObject {
    var decoded = JSONObject()
    for member in row.members {
      decoded[member.name] = self.decoded(member.value, types[member.name])
    }
    return decoded
  }
}

// MARK: - To the destination

extension FieldValues {
  /// `nil` for what the destination has no place for: nothing, mostly.
  private func encoded(_ value: JSONValue, _ form: FieldForm?) -> JSONValue? {
    if let elements = value.array, form?.kind != .list {
      return placed(.array(elements.compactMap { encoded($0, form) }), as: .list)
    }
    if let form, forms.forms[form.kind] != nil, let value = declared(value, form) {
      return placed(value, as: form.kind, of: form.target)
    }
    switch value {
    case .null: return placed(.null, as: .null)
    case .boolean: return placed(value, as: .boolean)
    case .string: return placed(value, as: .text)
    case .number(let number):
      let isWhole = number.int64 != nil && forms.forms[.integer] != nil
      return placed(value, as: isWhole ? .integer : .number)
    case .array(let elements):
      return placed(.array(elements.compactMap { encoded($0, nil) }), as: .list)
    case .object(let object):
      return placed(.object(FieldValues(forms, [:]).encoded(object)), as: .object)
    }
  }

  /// The value of a field of a declared kind; `nil` for a value that is none of that kind.
  private func declared(_ value: JSONValue, _ form: FieldForm) -> JSONValue? {
    switch form.kind {
    case .date: value.text.flatMap { Timestamp.microseconds($0) } == nil ? nil : value
    case .bytes: value.text == nil ? nil : value
    case .reference: value.text.flatMap { form.name(of: $0, account: account) }.map { .string($0) }
    case .number: value.double != nil || Self.isUnending(value) ? value : nil
    case .integer: value.integer == nil ? nil : value
    case .location: value.object == nil ? nil : value
    case .text, .boolean, .null, .list, .object: nil
    }
  }

  /// The parts of a location.
  private static let degrees = ["latitude", "longitude"]

  /// Whether a text represents a number that JSON has no digits for.
  private static func isUnending(_ value: JSONValue) -> Bool {
    value.text.map { ["NaN", "Infinity", "-Infinity"].contains($0) } ?? false
  }

  private func placed(
    _ value: JSONValue,
    as kind: ValueForms.Kind,
    of target: String? = nil
  ) -> JSONValue? {
    var placed = value
    if forms.writtenAsText.contains(kind), case .number(let number) = value {
      placed = .string(number.int64.map(String.init) ?? number.literal)
    }
    guard let form = forms.forms[kind] else {
      // Where values say what they are, nothing that says so is left out.
      return kind == .null && forms.forms[.text] != nil ? nil : placed
    }
    var values = ["value": placed, "of": .string(target ?? "")]
    for name in Self.degrees { values[name] = value[name] }
    return form.filled(values)
  }
}

// MARK: - From the destination

extension FieldValues {
  private func decoded(_ value: JSONValue, _ form: FieldForm?) -> JSONValue {
    let found = forms.kind(of: value)
    switch found?.kind {
    case nil: return plainlyDecoded(value, form)
    case .null: return .null
    case .list: return .array((found?.values["value"]?.array ?? []).map { decoded($0, form) })
    case .object: return object(found?.values["value"]?.object ?? JSONObject())
    case .integer, .number: return found?.values["value"].map { number($0, found?.kind) } ?? value
    case .reference:
      guard let text = found?.values["value"]?.text else { return value }
      return .string(form?.id(in: text) ?? text)
    case .text, .boolean, .date, .bytes: return found?.values["value"] ?? value
    case .location: return location(found?.values ?? [:]) ?? value
    }
  }

  /// A list or an object that no form holds, with what is in it.
  private func plainlyDecoded(_ value: JSONValue, _ form: FieldForm?) -> JSONValue {
    switch value {
    case .array(let elements) where forms.forms[.list] == nil:
      .array(elements.map { decoded($0, form) })
    case .object(let members) where forms.forms[.object] == nil: object(members)
    case .null, .boolean, .number, .string, .array, .object: value
    }
  }

  private func location(_ values: [String: JSONValue]) -> JSONValue? {
    if let members = values["value"]?.object { return object(members) }
    var place = JSONObject()
    for name in Self.degrees { place[name] = values[name] }
    return place.count == Self.degrees.count ? .object(place) : nil
  }

  private func object(_ members: JSONObject) -> JSONValue {
    .object(FieldValues(forms, [:]).decoded(members))
  }

  /// Digits that are written as text, as a number again; other texts stay.
  private func number(_ value: JSONValue, _ kind: ValueForms.Kind?) -> JSONValue {
    guard let kind, forms.writtenAsText.contains(kind), let text = value.text else { return value }
    return (Int64(text).map { JSONNumber($0) } ?? JSONNumber(literal: text))
      .map { .number($0) } ?? value
  }
}

extension ValueForms {
  /// What a value of the destination's says that it is, with what its form holds; `nil` for one that says nothing.
  fileprivate func kind(of value: JSONValue) -> (kind: Kind, values: [String: JSONValue])? {
    for kind in Kind.allCases {
      if let values = forms[kind]?.matched(by: value) { return (kind, values) }
    }
    return nil
  }
}
