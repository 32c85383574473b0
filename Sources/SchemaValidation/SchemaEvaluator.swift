import JSONText
import Patterns

/// The program at work: one walk over a value, stopping at the first fault.
///
/// Which members or elements have been evaluated is kept as bits on a stack, one run of words for
/// each value that a user asks about; `marks` is where a run begins, or -1 when no one asks.
@safe
struct SchemaEvaluator {
  let program: SchemaProgram
  let nodes: UnsafePointer<SchemaNode>
  var tape: TapeView
  let scratch = PatternScratch()
  let text = TextScratch()
  let frames = FrameStack()
  /// How much of the frames is in use.
  var frameTop = 0
  /// Lends its tape until there is a document.
  private let placeholder = JSONDocument()
  var marks: [UInt64] = []
  var scope: [Int32] = []
  let tracksScope: Bool
  var depth = 0

  /// How many schemas with others inside may still be tried for this value.
  ///
  /// Enough for any honest value; a schema whose alternatives multiply is stopped by it.
  var effort = Self.leastEffort

  private static let leastEffort = 200_000
  private static let effortForEachEntry = 256
  /// More schemas inside each other than any honest value needs.
  static let maximumDepth = 2_000

  init(_ program: SchemaProgram) {
    self.program = program
    unsafe nodes = program.nodes
    unsafe tape = TapeView(placeholder.tape)
    tracksScope = !program.dynamicTargets.isEmpty
  }

  mutating func isValid(_ document: JSONDocument, _ node: JSONNode) -> Bool {
    begin(document)
    return check(0, node.index, -1) && effort > 0 && !scratch.hasGivenUp
  }

  /// The schema of an array's elements, or -1 for one that takes any, where nothing else is asked of an
  /// array; `nil` where something is.
  var elementSchema: Int32? {
    let node = unsafe nodes[Int(resolved(0))]
    guard node.types & KindBit.array != 0, node.values < 0, !node.hasCombination, !node.tracks,
      node.trackedKinds & KindBit.array == 0, !tracksScope
    else { return nil }
    guard node.array >= 0 else { return -1 }
    let rule = unsafe program.arrays[Int(node.array)]
    guard rule.prefix.count == 0, rule.contains < 0, rule.minimumItems <= 0,
      rule.maximumItems == .max, !rule.isUnique, !rule.isTuple, rule.unevaluated < 0
    else { return nil }
    return rule.items
  }

  /// Begins to look at the elements of an array one at a time.
  mutating func beginElements() { effort = Self.leastEffort }

  /// Whether one of them, which is the document's whole value, obeys the schema of elements.
  mutating func isValid(_ document: JSONDocument, _ node: JSONNode, _ schema: Int32) -> Bool {
    guard schema >= 0 else { return true }
    // What is left of the elements before is left for all.
    let left = effort - Self.leastEffort
    begin(document)
    effort += left
    return check(schema, node.index, -1) && effort > 0 && !scratch.hasGivenUp
  }

  mutating func begin(_ document: JSONDocument) {
    unsafe tape = TapeView(document.tape)
    marks.removeAll(keepingCapacity: true)
    scope.removeAll(keepingCapacity: true)
    _ = scratch.takeGivenUp()
    depth = 0
    frameTop = 0
    let root = unsafe tape[0]
    let entryCount = root.kindBit & KindBit.container != 0 ? Int(root.link) : 1
    effort = Self.leastEffort + Self.effortForEachEntry * entryCount
  }

  /// Whether the value at `index` obeys schema `number`.
  mutating func check(_ number: Int32, _ index: Int, _ marks: Int) -> Bool {
    var node = unsafe nodes + Int(number)
    if unsafe node.pointee.classIndex >= 0 { unsafe node = nodes + Int(node.pointee.classIndex) }
    let entry = unsafe tape[index]
    return unsafe checkShape(node, entry, index) ?? checkNode(node, entry, index, marks)
  }

  /// The schema that `number` represents, when it is no more than a reference.
  @inline(__always)
  func resolved(_ number: Int32) -> Int32 {
    guard number >= 0 else { return number }
    let target = unsafe nodes[Int(number)].classIndex
    return target >= 0 ? target : number
  }

  /// Whether the member's value or the element at `index` obeys schema `number`, which is no
  /// reference to another; the simplest schemas are answered at once.
  @inline(__always)
  mutating func checkValue(_ number: Int32, _ index: Int) -> Bool {
    let node = unsafe nodes + Int(number)
    let entry = unsafe tape[index]
    return unsafe checkShape(node, entry, index) ?? checkNode(node, entry, index, -1)
  }

  /// Answers for a schema that asks for little; `nil` for one that asks for more.
  @inline(__always)
  private mutating func checkShape(
    _ node: UnsafePointer<SchemaNode>,
    _ entry: TapeEntry,
    _ index: Int
  ) -> Bool? {
    switch unsafe node.pointee.shape {
    case .any: return nil
    case .type: return allows(unsafe node.pointee.types, entry, index)
    case .values:
      return allows(unsafe node.pointee.types, entry, index)
        && hasValue(unsafe node.pointee.values, entry, index)
    case .text:
      guard allows(unsafe node.pointee.types, entry, index) else { return false }
      guard entry.kindBit == KindBit.string else { return true }
      return checkString(unsafe node.pointee.string, entry, index)
    }
  }

  /// Whether a value obeys the schema, which represents no other.
  @inline(never)
  private mutating func checkNode(
    _ node: UnsafePointer<SchemaNode>,
    _ entry: TapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    guard allows(unsafe node.pointee.types, entry, index) else { return false }
    let values = unsafe node.pointee.values
    if values >= 0, !hasValue(values, entry, index) { return false }
    if entry.kindBit == KindBit.object, marks < 0, unsafe node.pointee.plan >= 0 {
      return unsafe checkPlanned(node.pointee.plan, entry, index)
    }
    let isPlain = unsafe !node.pointee.hasCombination && node.pointee.trackedKinds == 0
    if isPlain, !tracksScope { return unsafe checkOwn(node, entry, index, marks) }
    return unsafe checkWhole(node, entry, index, marks)
  }

  /// Whether the types let the value in.
  @inline(__always)
  func allows(_ types: UInt8, _ entry: TapeEntry, _ index: Int) -> Bool {
    if types & entry.kindBit != 0 { return true }
    guard types & SchemaNode.plainIntegerBit != 0, entry.kindBit == KindBit.number else {
      return false
    }
    if entry.flags & EntryFlag.isPlainInteger != 0 { return true }
    return types & SchemaNode.integerBit != 0 && isInteger(index)
  }

  /// Checks what the schema itself says of the value's own kind.
  @inline(__always)
  mutating func checkOwn(
    _ node: UnsafePointer<SchemaNode>,
    _ entry: TapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    switch entry.kindBit {
    case KindBit.string:
      let rule = unsafe node.pointee.string
      return rule < 0 || checkString(rule, entry, index)
    case KindBit.number:
      let rule = unsafe node.pointee.number
      return rule < 0 || checkNumber(rule, entry, index)
    case KindBit.object:
      let rule = unsafe node.pointee.object
      return rule < 0 || checkObject(rule, entry, index, marks)
    case KindBit.array:
      let rule = unsafe node.pointee.array
      return rule < 0 || checkArray(rule, entry, index, marks)
    default: return true
    }
  }

  /// Checks a schema that also calls others for the same value, or asks what they evaluated.
  private mutating func checkWhole(
    _ node: UnsafePointer<SchemaNode>,
    _ entry: TapeEntry,
    _ index: Int,
    _ outer: Int
  ) -> Bool {
    depth += 1
    defer { depth -= 1 }
    effort -= 1
    guard depth < Self.maximumDepth, effort > 0 else {
      effort = 0
      return false
    }
    let isEntering = tracksScope && enter(unsafe node.pointee)
    defer { if isEntering { scope.removeLast() } }
    let combination = unsafe node.pointee.combination
    guard unsafe node.pointee.trackedKinds & entry.kindBit != 0 else {
      return unsafe checkOwn(node, entry, index, outer)
        && (combination < 0 || checkCombination(combination, entry, index, outer))
    }
    let own = pushMarks(Int(entry.length))
    defer { popMarks(own) }
    guard unsafe checkOwn(node, entry, index, own),
      combination < 0 || checkCombination(combination, entry, index, own),
      checkUnevaluated(unsafe node.pointee, entry, index, own)
    else { return false }
    if outer >= 0 { mergeMarks(own, into: outer) }
    return true
  }

  /// Whether a pattern was given up since that was last taken.
  var hasGivenUp: Bool { scratch.hasGivenUp }

  /// Whether a pattern was given up, and forgets it.
  func takeGivenUp() -> Bool { scratch.takeGivenUp() }

  /// Notes the resource of `node` when a dynamic reference may ask for it.
  @inline(__always)
  mutating func enter(_ node: SchemaNode) -> Bool {
    guard tracksScope, scope.last != node.resource else { return false }
    scope.append(node.resource)
    return true
  }

  // MARK: Marks

  /// Makes space for `count` bits, all clear, and gives where they begin.
  mutating func pushMarks(_ count: Int) -> Int {
    let start = marks.count
    marks.append(0)
    if count >= 64 { marks.append(contentsOf: repeatElement(0, count: count / 64)) }
    return start
  }

  mutating func popMarks(_ start: Int) {
    marks.removeLast(marks.count - start)
  }

  @inline(__always)
  mutating func mark(_ start: Int, _ ordinal: Int) {
    marks[start + ordinal / 64] |= 1 << UInt64(ordinal % 64)
  }

  @inline(__always)
  func isMarked(_ start: Int, _ ordinal: Int) -> Bool {
    marks[start + ordinal / 64] & 1 << UInt64(ordinal % 64) != 0
  }

  /// Adds the marks that begin at `inner`, the last on the stack, to those at `outer`.
  mutating func mergeMarks(_ inner: Int, into outer: Int) {
    for offset in 0..<marks.count - inner {
      marks[outer + offset] |= marks[inner + offset]
    }
  }
}

/// Space for text that has to be unescaped, lent to one reader at a time.
@safe
final class TextScratch {
  private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 16)

  deinit {
    unsafe bytes.deallocate()
  }

  /// Unescapes `raw`; the answer is good until the next call.
  func unescaped(_ raw: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    if unsafe bytes.count < raw.count {
      unsafe bytes.deallocate()
      unsafe bytes = .allocate(byteCount: raw.count * 2, alignment: 16)
    }
    guard let base = unsafe bytes.baseAddress else { return unsafe raw }
    let count = unsafe JSONEscapes.unescape(raw, to: base)
    return unsafe UnsafeRawBufferPointer(start: base, count: count)
  }
}
