import JSONText

/// The program at work a second time, for a value that has faults: one walk that goes on.
///
/// It decides alternatives with the fast walk and looks closer only where something is wrong.
struct FaultCollector {
  var evaluator: SchemaEvaluator
  let document: JSONDocument
  var faults: [SchemaFault] = []
  var instance: [String] = []
  var keywords: [String] = []
  /// How many schemas may still be looked at for the sake of better words.
  var patience = 20_000

  /// More faults than anybody reads; the walk ends there.
  static let mostFaults = 1_000

  static func faults(
    of node: JSONNode,
    in document: JSONDocument,
    _ evaluator: SchemaEvaluator
  ) -> [SchemaFault] {
    var collector = Self(evaluator: evaluator, document: document)
    collector.evaluator.begin(document)
    collector.collect(0, node.index, -1)
    // The fast walk may have found what this one did not: its verdict is never without a reason.
    if collector.faults.isEmpty, !collector.evaluator.isValid(document, node) {
      if collector.evaluator.hasGivenUp {
        collector.addUndecided("pattern", pattern: nil, 0, node.index)
      } else {
        collector.add(
          "effort",
          0,
          expected: "a value that can be checked in reasonable time",
          found: collector.found(node.index)
        )
      }
    }
    return collector.faults
  }

  private init(evaluator: SchemaEvaluator, document: JSONDocument) {
    self.evaluator = evaluator
    self.document = document
  }

  // MARK: One schema

  /// Adds what is wrong with the value at `index` under schema `number`.
  mutating func collect(_ number: Int32, _ index: Int, _ outer: Int) {
    guard faults.count < Self.mostFaults else { return }
    let node = unsafe evaluator.nodes[Int(number)]
    if node.isFixed {
      guard node.types == 0 else { return }
      add("false", number, expected: "nothing at this place", found: found(index))
      return
    }
    let entry = unsafe evaluator.tape[index]
    guard evaluator.allows(node.types, entry, index) else {
      add("type", number, expected: FaultWords.kinds(node.types), found: found(index))
      return
    }
    if node.values >= 0, !evaluator.hasValue(node.values, entry, index) {
      collectValue(node.values, number, index)
    }
    collectInside(node, number, index, outer)
  }

  private mutating func collectInside(
    _ node: SchemaNode,
    _ number: Int32,
    _ index: Int,
    _ outer: Int
  ) {
    evaluator.depth += 1
    defer { evaluator.depth -= 1 }
    guard evaluator.depth < SchemaEvaluator.maximumDepth, patience > -1_000_000 else {
      add("depth", number, expected: "fewer levels", found: found(index))
      return
    }
    patience -= 1
    let isEntering = evaluator.enter(node)
    defer { if isEntering { evaluator.scope.removeLast() } }
    let entry = unsafe evaluator.tape[index]
    let isContainer = entry.kindBit & KindBit.container != 0
    let own = node.tracks && isContainer ? evaluator.pushMarks(Int(entry.length)) : outer
    switch entry.kind {
    case .string: collectString(node, number, index)
    case .number: collectNumber(node, number, index)
    case .object: collectObject(node, number, index, own)
    case .array: collectArray(node, number, index, own)
    case .null, .boolean: break
    }
    if node.hasCombination { collectCombination(node, number, index, own) }
    guard node.tracks, isContainer else { return }
    collectUnevaluated(node, number, index, own)
    if outer >= 0 { evaluator.mergeMarks(own, into: outer) }
    evaluator.popMarks(own)
  }

  // MARK: Help

  /// Collects one level down, in the value and in the schema.
  mutating func descend(
    to schema: Int32,
    _ index: Int,
    instance token: String?,
    _ path: [String],
    marks: Int = -1
  ) {
    if let token { instance.append(token) }
    keywords += path
    collect(schema, index, marks)
    keywords.removeLast(path.count)
    if token != nil { instance.removeLast() }
  }

  mutating func add(
    _ keyword: String,
    _ number: Int32,
    expected: String,
    found: Found,
    at token: String? = nil,
    path: [String]? = nil,
    isUndecided: Bool = false
  ) {
    guard faults.count < Self.mostFaults else { return }
    let place = token.map { instance + [$0] } ?? instance
    faults.append(
      SchemaFault(
        instanceLocation: JSONPointer(tokens: place).description,
        keywordLocation: JSONPointer(
          tokens: keyword == "false" ? keywords : keywords + (path ?? [keyword])
        ).description,
        schemaLocation: evaluator.program.locations[Int(number)],
        keyword: keyword,
        expected: expected,
        found: found.words,
        quotesValue: found.quotesValue,
        cure: isUndecided ? FaultWords.cureOfUndecided : FaultWords.cure(keyword),
        isUndecided: isUndecided
      )
    )
  }

  /// The faults of a schema that may fail without harm, and what to think of them.
  mutating func trial(
    _ schema: Int32,
    _ index: Int,
    _ path: [String]
  ) -> (faults: [SchemaFault], score: Int) {
    guard patience > 0 else { return ([], .max) }
    let kept = faults
    faults = []
    descend(to: schema, index, instance: nil, path)
    let tried = faults
    faults = kept
    let score = tried.reduce(0) { sum, fault in
      let level = fault.instanceLocation.utf8.count { $0 == UInt8(ascii: "/") } - instance.count
      switch fault.keyword {
      case "type" where level <= 0: return sum + 100
      case "const" where level <= 1, "enum" where level <= 1: return sum + 10
      default: return sum + 1
      }
    }
    return (tried, score)
  }

  /// The value in words, shortened.
  func found(_ index: Int) -> Found {
    let entry = unsafe evaluator.tape[index]
    switch entry.kind {
    case .object: return .kind(FaultWords.count(Int(entry.length), "an object with", "member"))
    case .array: return .kind(FaultWords.count(Int(entry.length), "a list of", "element"))
    case .string: return .value(FaultWords.quoted(text(index)))
    case .null, .boolean, .number:
      var writer = JSONWriter()
      document.write(JSONNode(index: index), to: &writer)
      return .value(FaultWords.shortened(String(decoding: writer.bytes, as: UTF8.self)))
    }
  }

  /// The text of a string or a name.
  func text(_ index: Int) -> String {
    let entry = unsafe evaluator.tape[index]
    return unsafe String(decoding: evaluator.textBytes(entry, index), as: UTF8.self)
  }

  func name(_ member: Int) -> String {
    unsafe String(decoding: evaluator.tape.name(at: member), as: UTF8.self)
  }
}

extension FaultCollector {
  /// What is there instead of what a schema asks for.
  enum Found {
    /// Its kind, or a count: nothing of the value itself.
    case kind(String)
    /// The value, or a part of it.
    case value(String)

    var words: String {
      switch self {
      case .kind(let words), .value(let words): words
      }
    }

    var quotesValue: Bool {
      if case .value = self { true } else { false }
    }

    /// The same, with something said before it.
    func behind(_ start: String) -> Found {
      switch self {
      case .kind(let words): .kind(start + words)
      case .value(let words): .value(start + words)
      }
    }
  }
}
