package import JSONText
import SchemaValidation
import StringFormats

/// What JSON values at one place of many documents have in common.
///
/// Memory follows the shapes that were found, not the values: at most 200 names an object, 12 texts a
/// place, and a whole number of places that ``DocumentSketch`` shares out.
package struct ValueSketch: Sendable {
  package private(set) var kinds: Set<JSONKind> = []
  /// Whether no number has a fraction.
  package private(set) var hasOnlyIntegers = true
  /// The smallest and the largest number; `nil` without any, or where one is beyond measure.
  package private(set) var range: (least: JSONNumber, greatest: JSONNumber)?
  /// The formats that all texts are in.
  private(set) var formats = Set(ValueSketch.watchedFormats)
  /// The texts that were found, or nothing when they are too many to mean a choice.
  ///
  /// Kept by their bytes: two texts that look alike need not be the same.
  private var exampleBytes: Set<JSONName>? = []
  /// By the bytes of their names, for the same reason.
  private(set) var members: [JSONName: ValueSketch] = [:]
  /// Whether objects have more names than are distinguished.
  package private(set) var isOpen = false
  private(set) var textCount = 0
  private var bounds: (least: DecimalForm, greatest: DecimalForm)?
  private var isBeyondMeasure = false
  private var element: [ValueSketch] = []
  private var objectCount = 0
  private var count = 0

  /// The formats that are looked for, the first of which is chosen.
  static let watchedFormats: [SchemaFormat] = [.uuid, .dateTime, .date, .uri, .email]
  static let mostMembers = 200
  static let mostExamples = 12
  static let longestExample = 100
  static let longestFormatted = 2_000
  static let greatestDepth = 16
  /// So many bytes of a text say as much of it as all of them.
  package static let longestText = 3 << 10

  init() {}

  /// What the elements of arrays have in common.
  package var elements: ValueSketch? { element.first }

  /// Whether all texts are in the format of this name: `uuid`, `date-time`, `date`, `uri`, `email`.
  package func keepsFormat(_ name: String) -> Bool { formats.contains { $0.rawValue == name } }

  /// What the values of a member have in common; `nil` for one that was not found.
  package func member(_ name: String) -> ValueSketch? { members[JSONName(name)] }

  /// The texts that were found, by their bytes; nothing when they are too many to mean a choice.
  package var examples: [String]? {
    exampleBytes.map { $0.sorted(by: Self.precedes).map(\.description) }
  }

  /// The names that every object had.
  package var constantMembers: [String] {
    members.filter { $0.value.count == objectCount }.map(\.key)
      .sorted(by: Self.precedes).map(\.description)
  }

  static func precedes(_ left: JSONName, _ right: JSONName) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  /// Takes one more value in; `target` is how many places may still be distinguished.
  mutating func add(
    _ node: JSONNode,
    of document: JSONDocument,
    depth: Int,
    target: inout Int
  ) {
    count += 1
    let kind = document.kind(of: node)
    kinds.insert(kind)
    switch kind {
    case .null, .boolean: break
    case .number: addNumber(node, of: document)
    case .string: addText(document.text(of: node))
    case .array:
      document.forEachElement(of: node) { inner in
        addElement(inner, of: document, depth: depth, target: &target)
      }
    case .object: addMembers(of: node, of: document, depth: depth, target: &target)
    }
  }

  /// Takes in that the value is an array, whose elements come one by one.
  mutating func beginArray() {
    count += 1
    kinds.insert(.array)
  }

  mutating func addElement(
    _ node: JSONNode,
    of document: JSONDocument,
    depth: Int,
    target: inout Int
  ) {
    if element.isEmpty {
      guard depth < Self.greatestDepth, target > 0 else { return }
      target -= 1
      element = [ValueSketch()]
    }
    element[0].add(node, of: document, depth: depth + 1, target: &target)
  }

  private mutating func addMembers(
    of node: JSONNode,
    of document: JSONDocument,
    depth: Int,
    target: inout Int
  ) {
    objectCount += 1
    guard depth < Self.greatestDepth else {
      isOpen = true
      return
    }
    unsafe document.forEachMember(of: node) { name, inner in
      let name = JSONName(bytes: unsafe Array(name))
      if members[name] == nil {
        guard members.count < Self.mostMembers, target > 0 else {
          isOpen = true
          return
        }
        target -= 1
      }
      members[name, default: ValueSketch()].add(
        inner,
        of: document,
        depth: depth + 1,
        target: &target
      )
    }
  }

  private mutating func addNumber(_ node: JSONNode, of document: JSONDocument) {
    guard let form = unsafe DecimalForm(document.numberLiteral(of: node)) else {
      isBeyondMeasure = true
      hasOnlyIntegers = false
      range = nil
      return
    }
    if !form.isInteger { hasOnlyIntegers = false }
    guard !isBeyondMeasure else { return }
    let isLeast = bounds.map { form < $0.least } ?? true
    let isGreatest = bounds.map { $0.greatest < form } ?? true
    guard isLeast || isGreatest,
      case .number(let number) = document.value(of: node)
    else { return }
    bounds = (
      isLeast ? form : bounds?.least ?? form, isGreatest ? form : bounds?.greatest ?? form
    )
    range = (
      isLeast ? number : range?.least ?? number, isGreatest ? number : range?.greatest ?? number
    )
  }

  private mutating func addText(_ text: String) {
    textCount += 1
    let length = text.utf8.count
    if !formats.isEmpty {
      formats = length > Self.longestFormatted ? [] : formats.filter { $0.accepts(text) }
    }
    guard let known = exampleBytes else { return }
    let name = JSONName(text)
    guard !known.contains(name) else { return }
    let isTooMuch = length > Self.longestExample || known.count == Self.mostExamples
    if isTooMuch { exampleBytes = nil } else { exampleBytes?.insert(name) }
  }
}
