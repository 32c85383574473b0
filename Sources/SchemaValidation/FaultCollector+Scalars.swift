import JSONText
import StringFormats

extension FaultCollector {
  mutating func collectValue(_ rule: Int32, _ number: Int32, _ index: Int) {
    let rule = unsafe evaluator.program.valueRules[Int(rule)]
    let start = Int(rule.values.start)
    let values = evaluator.program.values[start..<start + Int(rule.values.count)]
    if rule.isConstant {
      let expected = values.first.map(FaultWords.value) ?? "nothing: const and enum disagree"
      add("const", number, expected: expected, found: found(index))
      return
    }
    let shown = values.prefix(8).map(FaultWords.value).joined(separator: ", ")
    let expected = "one of \(shown)\(values.count > 8 ? ", …" : "")"
    add("enum", number, expected: expected, found: found(index))
  }

  mutating func collectString(_ node: SchemaNode, _ number: Int32, _ index: Int) {
    guard node.string >= 0 else { return }
    let rule = unsafe evaluator.program.strings[Int(node.string)]
    let entry = unsafe evaluator.tape[index]
    let count = Int64(evaluator.characterCount(entry, index))
    let length = found(index).behind(FaultWords.count(count, "character") + ": ")
    if count < rule.minimumLength {
      let least = FaultWords.count(rule.minimumLength, "character")
      add("minLength", number, expected: "at least \(least)", found: length)
    }
    if count > rule.maximumLength {
      let most = FaultWords.count(rule.maximumLength, "character")
      add("maxLength", number, expected: "at most \(most)", found: length)
    }
    if rule.pattern >= 0, unsafe !evaluator.finds(rule.pattern, evaluator.textBytes(entry, index)) {
      if evaluator.takeGivenUp() {
        addUndecided("pattern", pattern: rule.pattern, number, index)
      } else {
        let source = FaultWords.shortened(evaluator.program.patternSource(rule.pattern))
        add("pattern", number, expected: "a text that matches \(source)", found: found(index))
      }
    }
    if rule.content != .anything,
      let fault = unsafe rule.content.fault(in: evaluator.textBytes(entry, index))
    {
      add(fault.keyword, number, expected: fault.expected, found: found(index))
    }
    guard rule.format >= 0 else { return }
    let format = unsafe evaluator.program.formats[Int(rule.format)]
    guard unsafe !format.accepts(evaluator.textBytes(entry, index)) else { return }
    add("format", number, expected: format.words, found: found(index))
  }

  mutating func collectNumber(_ node: SchemaNode, _ number: Int32, _ index: Int) {
    guard node.number >= 0 else { return }
    let rule = unsafe evaluator.program.numbers[Int(node.number)]
    if rule.minimum >= 0, evaluator.compare(index, rule.minimum) < 0 {
      add("minimum", number, expected: "at least \(bound(rule.minimum))", found: found(index))
    }
    if rule.maximum >= 0, evaluator.compare(index, rule.maximum) > 0 {
      add("maximum", number, expected: "at most \(bound(rule.maximum))", found: found(index))
    }
    if rule.exclusiveMinimum >= 0, evaluator.compare(index, rule.exclusiveMinimum) <= 0 {
      let expected = "more than \(bound(rule.exclusiveMinimum))"
      add("exclusiveMinimum", number, expected: expected, found: found(index))
    }
    if rule.exclusiveMaximum >= 0, evaluator.compare(index, rule.exclusiveMaximum) >= 0 {
      let expected = "less than \(bound(rule.exclusiveMaximum))"
      add("exclusiveMaximum", number, expected: expected, found: found(index))
    }
    if rule.multipleOf >= 0, !evaluator.isMultiple(index, rule.multipleOf) {
      let expected = "a multiple of \(bound(rule.multipleOf))"
      add("multipleOf", number, expected: expected, found: found(index))
    }
  }

  private func bound(_ number: Int32) -> String {
    let bound = unsafe evaluator.program.bounds[Int(number)]
    return evaluator.program.literals[Int(bound.literal)].literal
  }
}
