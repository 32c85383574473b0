import JSONText

/// What JSON values at one place of many documents have in common.
///
/// Memory follows the shapes that were met, not the values: at most ``mostMembers`` names an object
/// and ``mostExamples`` texts.
struct ValueSketch {
  private(set) var kinds: Set<JSONKind> = []
  private(set) var hasOnlyWholeNumbers = true
  private(set) var least = Int64.max
  private(set) var greatest = Int64.min
  private(set) var hasOnlyInstants = true
  private(set) var hasOnlyUUIDs = true
  /// The texts that were met, or nothing when they are too many to mean a choice.
  private(set) var examples: Set<String>? = []
  private(set) var members: [String: ValueSketch] = [:]
  /// Whether objects have more names than are told apart.
  private(set) var isOpen = false
  private var element: [ValueSketch] = []
  private var objectCount = 0
  private var count = 0

  private static let mostMembers = 200
  private static let mostExamples = 12
  private static let greatestDepth = 16

  var elements: ValueSketch? { element.first }

  /// The names that every object had.
  var constantMembers: [String] {
    members.filter { $0.value.count == objectCount }.map(\.key)
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Takes one more value in.
  mutating func add(_ node: JSONNode, of document: JSONDocument, depth: Int = 0) {
    count += 1
    let kind = document.kind(of: node)
    kinds.insert(kind)
    switch kind {
    case .null, .boolean: break
    case .number: addNumber(document.int64(of: node))
    case .string: addText(document.text(of: node))
    case .array:
      guard depth < Self.greatestDepth else { return }
      if element.isEmpty { element = [ValueSketch()] }
      document.forEachElement(of: node) { inner in
        element[0].add(inner, of: document, depth: depth + 1)
      }
    case .object:
      objectCount += 1
      guard depth < Self.greatestDepth else {
        isOpen = true
        return
      }
      document.forEachMember(of: node) { name, inner in
        let text = String(decoding: name, as: UTF8.self)
        guard members[text] != nil || members.count < Self.mostMembers else {
          isOpen = true
          return
        }
        members[text, default: ValueSketch()].add(inner, of: document, depth: depth + 1)
      }
    }
  }

  private mutating func addNumber(_ number: Int64?) {
    guard let number else {
      hasOnlyWholeNumbers = false
      return
    }
    least = min(least, number)
    greatest = max(greatest, number)
  }

  private mutating func addText(_ text: String) {
    if hasOnlyInstants { hasOnlyInstants = Self.isInstant(text.utf8) }
    if hasOnlyUUIDs { hasOnlyUUIDs = Self.isUUID(text.utf8) }
    guard examples?.contains(text) == false else { return }
    examples = text.utf8.count > 100 || examples?.count == Self.mostExamples ? nil : examples
    examples?.insert(text)
  }

  /// Whether the text has the shape of an instant with a year of four digits, in UTC.
  private static func isInstant(_ text: String.UTF8View) -> Bool {
    let shape = "dddd-dd-ddTdd:dd:dd".utf8
    guard text.count > shape.count, text.last == UInt8(ascii: "Z") else { return false }
    return zip(text, shape).allSatisfy { byte, wanted in
      wanted == UInt8(ascii: "d") ? (0x30...0x39).contains(byte) : byte == wanted
    }
  }

  private static func isUUID(_ text: String.UTF8View) -> Bool {
    guard text.count == 36 else { return false }
    return zip(0..<36, text).allSatisfy { place, byte in
      [8, 13, 18, 23].contains(place)
        ? byte == UInt8(ascii: "-") : (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
    }
  }
}
