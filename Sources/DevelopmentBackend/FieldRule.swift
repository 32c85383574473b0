import JSONText

/// What a member of a request has to be.
///
/// Lengths count UTF-16 code units, as the backend this server represents does.
enum FieldRule: Sendable {
  case text(ClosedRange<Int>)
  case integer(ClosedRange<Int64>)
  case number
  case boolean
  case texts(count: ClosedRange<Int>, length: Int)

  /// What is wrong with the value, or `nil`.
  func fault(of value: JSONValue) -> String? {
    switch self {
    case .text(let bounds):
      guard let text = value.text else { return "expected string, received \(value.kind)" }
      return Self.fault(of: text, within: bounds)
    case .integer(let bounds):
      guard let integer = value.integer else { return "expected int, received \(value.kind)" }
      guard bounds.contains(integer) else {
        return "expected a number from \(bounds.lowerBound) to \(bounds.upperBound)"
      }
      return nil
    case .number:
      return value.double == nil ? "expected number, received \(value.kind)" : nil
    case .boolean:
      return value.boolean == nil ? "expected boolean, received \(value.kind)" : nil
    case .texts(let count, let length):
      guard let elements = value.array else { return "expected array, received \(value.kind)" }
      guard count.contains(elements.count) else {
        return "expected \(count.lowerBound) to \(count.upperBound) items"
      }
      for (index, element) in elements.enumerated() {
        guard let text = element.text else { return "item \(index): expected string" }
        if let fault = Self.fault(of: text, within: 0...length) { return "item \(index): \(fault)" }
      }
      return nil
    }
  }

  private static func fault(of text: String, within bounds: ClosedRange<Int>) -> String? {
    let length = text.utf16.count
    if length < bounds.lowerBound {
      return "too small: expected string to have >=\(bounds.lowerBound) characters"
    }
    if length > bounds.upperBound {
      return "too big: expected string to have <=\(bounds.upperBound) characters"
    }
    return nil
  }
}

/// The members that a request may have, and what they have to be; others are passed over.
struct RequestForm: Sendable {
  let fields: [Field]

  /// One member of a request.
  struct Field: Sendable {
    let name: String
    let rule: FieldRule
    var isRequired = false
  }

  init(_ fields: [Field]) {
    self.fields = fields
  }

  /// The known members, or a refusal that names every fault: `age: …; name: …`.
  func values(of object: JSONObject) throws(Refusal) -> [String: JSONValue] {
    var values: [String: JSONValue] = [:]
    var faults: [String] = []
    for field in fields {
      guard let value = object[field.name] else {
        if field.isRequired { faults.append("\(field.name): is required") }
        continue
      }
      if let fault = field.rule.fault(of: value) {
        faults.append("\(field.name): \(fault)")
      } else {
        values[field.name] = value
      }
    }
    guard faults.isEmpty else { throw .validation(faults.joined(separator: "; ")) }
    return values
  }
}

extension RequestForm {
  /// A new hero; its avatar can only be given by a later change.
  static let newHero = RequestForm([
    Field(name: "name", rule: .text(1...200), isRequired: true),
    Field(name: "age", rule: .integer(3...12), isRequired: true),
    Field(name: "traits", rule: .texts(count: 1...20, length: 100), isRequired: true),
    Field(name: "hairColor", rule: .text(0...50)),
    Field(name: "eyeColor", rule: .text(0...50)),
    Field(name: "skinTone", rule: .text(0...50)),
    Field(name: "height", rule: .text(0...50)),
    Field(name: "specialAbilities", rule: .texts(count: 0...10, length: 200)),
    Field(name: "appearance", rule: .text(0...500)),
  ])

  /// A change of a custom event.
  static let changedEvent = RequestForm([
    Field(name: "title", rule: .text(1...200)),
    Field(name: "description", rule: .text(0...2_000)),
    Field(name: "promptSeed", rule: .text(1...2_000)),
    Field(name: "category", rule: .text(0...100)),
    Field(name: "ageRange", rule: .text(0...20)),
    Field(name: "tone", rule: .text(0...50)),
    Field(name: "keywords", rule: .texts(count: 0...20, length: 50)),
    Field(name: "isFavorite", rule: .boolean),
  ])

  /// How a hero looks, new or changed.
  static let visualProfile = RequestForm(
    Table.visualTexts.map { Field(name: $0, rule: .text(0...Int.max)) }
      + [
        Field(name: "age", rule: .number),
        Field(name: "colorPalette", rule: .texts(count: 0...Int.max, length: .max)),
        Field(name: "visualKeywords", rule: .texts(count: 0...Int.max, length: .max)),
      ]
  )
}
