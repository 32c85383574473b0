import JSONText
import Records

/// What the values of one column of a file, or of one member of its objects, have in common.
struct FileColumn {
  /// What values are.
  private struct Forms: OptionSet {
    let rawValue: UInt8
    static let text = Forms(rawValue: 1)
    static let boolean = Forms(rawValue: 2)
    /// A whole number that 64 bits hold.
    static let integer = Forms(rawValue: 4)
    static let number = Forms(rawValue: 8)
    static let structure = Forms(rawValue: 16)
  }

  /// Whether the file has texts only, so that their content says what they are.
  private let isTextual: Bool
  private var forms: Forms = []
  private var valueCount = 0
  private var emptyCount = 0
  private(set) var nullCount = 0

  init(isTextual: Bool) { self.isTextual = isTextual }

  /// How many rows have a value or a null there.
  var presentCount: Int { valueCount + emptyCount + nullCount }

  /// The kind of the attribute: what every value is, else text, or any JSON.
  var kind: StoreAttribute.Kind {
    switch forms {
    case [], .text: .string
    case .boolean: .boolean
    case .integer: .integer64
    case .number, [.integer, .number]: .double
    default: isTextual ? .string : .transformable(transformer: nil, valueClass: nil)
    }
  }

  /// Whether one of so many rows has no value.
  func isOptional(among rowCount: Int) -> Bool {
    valueCount + (kind == .string ? emptyCount : 0) < rowCount
  }

  mutating func addNull() { nullCount += 1 }

  /// Takes in an empty value in quotes: an empty text, or nothing where the others are no texts.
  mutating func addEmpty() { emptyCount += 1 }

  /// Takes in a text, whatever it could mean.
  mutating func addText() {
    valueCount += 1
    forms.insert(.text)
  }

  /// Takes in an array or an object.
  mutating func addStructure() {
    valueCount += 1
    forms.insert(.structure)
  }

  /// Takes in a value of delimited text.
  mutating func add(_ text: ArraySlice<UInt8>) {
    valueCount += 1
    if !forms.contains(.text) { forms.insert(Self.form(of: text)) }
  }

  /// Takes in a value of an object.
  mutating func add(_ node: JSONNode, of document: JSONDocument) {
    let kind = document.kind(of: node)
    switch kind {
    case .string: return addText()
    case .null: return addNull()
    case .array, .object: return addStructure()
    case .boolean: forms.insert(.boolean)
    case .number: forms.insert(document.int64(of: node) == nil ? .number : .integer)
    }
    valueCount += 1
  }

  /// What a text of delimited text means; a number with a zero before it is a text, as codes have them.
  private static func form(of text: ArraySlice<UInt8>) -> Forms {
    if DelimitedValue.boolean(text) != nil { return .boolean }
    guard DelimitedValue.isNumber(text) else { return .text }
    if text.contains(UInt8(ascii: ".")) { return .number }
    return DelimitedValue.integer(text) == nil ? .text : .integer
  }
}
