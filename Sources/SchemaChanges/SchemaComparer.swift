import JSONText

/// Holds one schema against another, keyword by keyword.
final class SchemaComparer {
  let old: SchemaLibrary
  let new: SchemaLibrary
  let name: String
  /// Pairs that are being compared: what leads back to one adds nothing.
  private var open: Set<Pair> = []
  private let limits: Limits
  /// How deep the comparison was that asked for this one.
  private let depth: Int

  /// What is left to spend, for a comparison and all that it asks for.
  private final class Limits {
    var comparisons = 20_000
    static let depth = 300
  }

  private struct Pair: Hashable {
    let old: SchemaNode.Place
    let new: SchemaNode.Place
  }

  init(old: SchemaLibrary, new: SchemaLibrary, name: String) {
    self.old = old
    self.new = new
    self.name = name
    limits = Limits()
    depth = 0
  }

  /// The comparison the other way round.
  private init(turned other: SchemaComparer) {
    old = other.new
    new = other.old
    name = other.name
    limits = other.limits
    depth = other.depth + other.open.count
  }

  /// The same comparison the other way round, said to no one.
  func compareBack(_ newNode: SchemaNode, _ oldNode: SchemaNode) -> [SchemaChange] {
    SchemaComparer(turned: self).compare(newNode, oldNode)
  }

  /// The changes between two files, each once.
  func changes(oldFile: Int, newFile: Int) -> [SchemaChange] {
    guard !old.isSame(as: new) || oldFile != newFile else { return [] }
    let (oldRoot, newRoot) = (old.root(oldFile), new.root(newFile))
    var all: [SchemaChange] = []
    if let before = oldRoot.value["$schema"], let after = newRoot.value["$schema"], before != after
    {
      all.append(
        SchemaChange(
          schema: name,
          pointer: "/$schema",
          keyword: "$schema",
          effect: .unclear,
          old: before,
          new: after,
          cause: "the schema is written in another version of JSON Schema",
          reason: "keywords may mean something else there"
        )
      )
    }
    var known: Set<SchemaChange> = []
    all += compare(oldRoot, newRoot)
    return all.filter { known.insert($0).inserted }
  }

  /// What values of the old schema may meet in the new one.
  func compare(_ oldNode: SchemaNode, _ newNode: SchemaNode) -> [SchemaChange] {
    let before = SchemaView(oldNode, in: old)
    let after = SchemaView(newNode, in: new)
    if before.isAnything, after.isAnything { return [] }
    let pair = Pair(old: before.node.place, new: after.node.place)
    guard !open.contains(pair) else { return [] }
    limits.comparisons -= 1
    guard limits.comparisons > 0, open.count + depth < Limits.depth else {
      return [tooLarge(after)]
    }
    if let lost = lost(before, after) { return [lost] }
    open.insert(pair)
    defer { open.remove(pair) }
    if before.isNever {
      return after.isNever
        ? []
        : [change(after, "", .compatible, "values are allowed that were not", "nothing was before")]
    }
    if after.isNever {
      return [
        change(
          after,
          "",
          before.kinds(in: old).isEmpty ? .compatible : .breaking,
          "no value is allowed any more",
          "values that were allowed are refused"
        )
      ]
    }
    if let branches = distributed(before, after) { return branches }
    return scalars(before, after) + containers(before, after) + combinations(before, after)
      + unknown(before, after)
  }

  /// Whether everything that obeys the old schema obeys the new one, said to no one.
  func isCovered(_ oldNode: SchemaNode, by newNode: SchemaNode) -> Bool {
    !compare(oldNode, newNode).contains(where: \.isBreaking)
  }

  private func lost(_ before: SchemaView, _ after: SchemaView) -> SchemaChange? {
    guard let reference = after.lostReference ?? before.lostReference else { return nil }
    if before.node.value == after.node.value, before.conditions.isEmpty { return nil }
    return change(
      after,
      "$ref",
      .unclear,
      "the reference “\(reference)” leads to no schema of the folder",
      "its meaning is not known; put the schema into the folder"
    )
  }

  private func tooLarge(_ after: SchemaView) -> SchemaChange {
    change(
      after,
      "",
      .unclear,
      "the schemas are too entangled to be compared further",
      "the comparison ended here"
    )
  }

  private static let known: Set<String> = [
    "type", "const", "enum", "multipleOf", "maximum", "exclusiveMaximum", "minimum",
    "exclusiveMinimum", "maxLength", "minLength", "pattern", "format", "maxItems", "minItems",
    "uniqueItems", "contains", "maxContains", "minContains", "prefixItems", "items",
    "additionalItems", "unevaluatedItems", "maxProperties", "minProperties", "required",
    "dependentRequired", "properties", "patternProperties", "additionalProperties",
    "propertyNames", "unevaluatedProperties", "dependentSchemas", "anyOf", "oneOf", "not", "if",
    "then", "else",
  ]

  /// Keywords that is unknown here.
  private func unknown(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    let names = before.keywords.names + after.keywords.names.filter { before[$0] == nil }
    return names.filter { !Self.known.contains($0) && before[$0] != after[$0] }.map { name in
      keyword(before, after, name, .unclear, "what “\(name)” means to data is not known")
    }
  }
}

// MARK: - Saying it

extension SchemaComparer {
  /// A change of a keyword, whose values are put into the words.
  func keyword(
    _ before: SchemaView,
    _ after: SchemaView,
    _ keyword: String,
    _ effect: SchemaChange.Effect,
    _ reason: String
  ) -> SchemaChange {
    let (was, now) = (before[keyword], after[keyword])
    let cause =
      switch (was, now) {
      case (let was?, let now?): "“\(keyword)” was \(short(was)) and is \(short(now))"
      case (nil, let now?): "“\(keyword)” is new: \(short(now))"
      case (let was?, nil): "“\(keyword)” is gone: it was \(short(was))"
      case (nil, nil): "“\(keyword)” has changed"
      }
    return change(
      now == nil ? before : after,
      keyword,
      effect,
      cause,
      reason,
      old: was,
      new: now
    )
  }

  func change(
    _ view: SchemaView,
    _ keyword: String,
    _ effect: SchemaChange.Effect,
    _ cause: String,
    _ reason: String,
    at tokens: [String] = [],
    old: JSONValue? = nil,
    new: JSONValue? = nil
  ) -> SchemaChange {
    let end = keyword.isEmpty ? [] : [keyword]
    return SchemaChange(
      schema: name,
      pointer: JSONPointer(tokens: view.node.pointer + end + tokens).description,
      keyword: keyword,
      effect: effect,
      old: old,
      new: new,
      cause: cause,
      reason: reason
    )
  }

  /// A value in few words.
  func short(_ value: JSONValue) -> String {
    let text = value.canonicalText
    return text.count <= 80 ? text : "\(text.prefix(77))…"
  }
}
