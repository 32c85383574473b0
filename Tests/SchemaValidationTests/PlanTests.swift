import JSONText
import SchemaValidation
import Testing

/// Holds values against a schema twice: by the quick walk, and by the one that collects faults.
private func isValid(_ value: String, under source: String) throws -> Bool {
  try isValid(value, under: schema(source), source)
}

private func schema(_ source: String) throws -> Schema {
  let set = try SchemaSet(schemas: [("https://example.com/schema", Array(source.utf8))])
  return try set.schema(at: "https://example.com/schema")
}

private func isValid(_ value: String, under schema: Schema, _ source: String) throws -> Bool {
  let document = JSONDocument()
  try document.parse(copying: Array(value.utf8))
  let isValid = schema.isValid(document, document.root)
  #expect(schema.faults(document, document.root).isEmpty == isValid, "\(value) under \(source)")
  return isValid
}

struct PlanTests {
  @Test(arguments: [
    (#"{"kind":"a","n":1}"#, true), (#"{"kind":"b","s":"x"}"#, true), (#"{"kind":"a"}"#, false),
    (#"{"kind":"c"}"#, false), (#"{"n":1}"#, false), (#"{"kind":1,"n":1}"#, false),
    (#"{"\u006bind":"\u0061","n":1}"#, true), (#"{"kind":"both","n":1}"#, true),
    (#"{"kind":"both","n":1,"s":"x"}"#, false), ("3", true), (#""x""#, false),
  ])
  func `alternatives are distinguished by the text that each fixes`(
    value: String,
    isIn: Bool
  ) throws {
    let schema = #"""
      {"oneOf":[{"$ref":"#/$defs/a"},
        {"type":"object","required":["kind","s"],"properties":{"kind":{"enum":["b","both"]}}},
        {"type":"integer"}],
       "$defs":{"a":{"type":"object","$ref":"#/$defs/n",
         "properties":{"kind":{"enum":["a","both"]}}},
        "n":{"required":["kind","n"],"properties":{"n":{"type":"integer"}}}}}
      """#
    #expect(try isValid(value, under: schema) == isIn)
  }

  @Test(arguments: [
    (#"{"on":true,"at":"x"}"#, true), (#"{"on":true}"#, false), (#"{"on":false}"#, true),
    (#"{"on":false,"at":"x"}"#, false), (#"{}"#, true), (#"{"at":"x"}"#, false),
  ])
  func `a schema condition is decided by the members read so far`(value: String, isIn: Bool) throws
  {
    let schema = #"""
      {"if":{"properties":{"on":{"const":true}},"required":["on"]},"then":{"required":["at"]},
       "else":{"properties":{"at":false}}}
      """#
    #expect(try isValid(value, under: schema) == isIn)
  }

  @Test(arguments: [
    (#"{"a":1}"#, true), (#"{"b":1}"#, false), (#"{"a":1,"b":1}"#, false), (#"{"a":"x"}"#, false),
  ])
  func `names in another schema are unknown to additionalProperties`(
    value: String,
    isIn: Bool
  ) throws {
    let schema = #"""
      {"allOf":[{"properties":{"a":{"type":"integer"},"b":true}}],"properties":{"a":true},
       "additionalProperties":false}
      """#
    #expect(try isValid(value, under: schema) == isIn)
  }

  @Test(arguments: [
    (#"{"a":5}"#, true), (#"{"a":15}"#, false), (#"{"a":-1}"#, false), ("{}", false),
  ])
  func `all rules for one field are applied`(value: String, isIn: Bool) throws {
    let schema = #"""
      {"properties":{"a":{"minimum":0}},
       "allOf":[{"properties":{"a":{"maximum":10}}},{"required":["a"]},{"minProperties":1}]}
      """#
    #expect(try isValid(value, under: schema) == isIn)
  }

  @Test(arguments: 0..<60)
  func `a compiled schema plan gives the same verdict as single schemas`(seed: Int) throws {
    var maker = SchemaMaker(state: UInt64(seed) &* 104_729 &+ 7)
    var verdicts: Set<Bool> = []
    for _ in 0..<30 {
      let source = maker.root()
      let schema = try schema(source)
      for _ in 0..<20 { verdicts.insert(try isValid(maker.value(2), under: schema, source)) }
    }
    #expect(verdicts == [true, false])
  }
}

/// Random schemas and values of few names, so that they meet.
private struct SchemaMaker {
  var state: UInt64
  private var mayRefer = true
  private static let names = ["a", "b", "kind", "on"]

  init(state: UInt64) { self.state = state }

  mutating func number(_ below: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(below))
  }

  private mutating func name() -> String { Self.names[number(Self.names.count)] }

  mutating func root() -> String {
    // What others refer to refers to nothing itself, or it might have no end.
    mayRefer = false
    let (x, y) = (object(1), object(1))
    mayRefer = true
    let rest = object(3).dropFirst()
    return #"{"$defs":{"x":\#(x),"y":\#(y)}\#(rest == "}" ? "" : ",")\#(rest)"#
  }

  private mutating func schema(_ depth: Int) -> String {
    let leaves = [
      "true", "false", #"{"type":"integer"}"#, #"{"type":["string","null"]}"#, #"{"const":"x"}"#,
      #"{"enum":["x","y"]}"#, #"{"enum":["y",1]}"#, #"{"const":1}"#, #"{"minimum":2}"#, "{}",
      #"{"maxLength":1,"pattern":"^[xy]"}"#, #"{"type":"number"}"#,
    ]
    guard depth > 0, number(3) == 0 else { return leaves[number(leaves.count)] }
    return object(depth - 1)
  }

  private mutating func object(_ depth: Int) -> String {
    var parts: [String] = []
    if number(3) > 0 { parts.append(#""type":"object""#) }
    if number(4) > 0 { parts.append(#""properties":\#(properties(depth))"#) }
    if number(3) == 0 { parts.append(#""required":["\#(name())"]"#) }
    if number(6) == 0 { parts.append(#""additionalProperties":\#(schema(0))"#) }
    if number(7) == 0 { parts.append(#""patternProperties":{"^[ab]":\#(schema(0))}"#) }
    if number(8) == 0 { parts.append(#""minProperties":\#(number(3))"#) }
    if number(8) == 0 { parts.append(#""dependentRequired":{"a":["b"]}"#) }
    guard depth > 0 else { return "{\(parts.joined(separator: ","))}" }
    if mayRefer, number(3) == 0 {
      parts.append(##""$ref":"#/$defs/\##(number(2) == 0 ? "x" : "y")""##)
    }
    if number(3) == 0 { parts.append(#""allOf":\#(list(depth))"#) }
    if number(3) == 0 { parts.append(#""oneOf":\#(alternatives(depth))"#) }
    if number(4) == 0 { parts.append(#""anyOf":\#(alternatives(depth))"#) }
    if number(3) == 0 {
      parts.append(
        #""if":\#(object(0)),"then":\#(object(depth - 1)),"else":\#(object(depth - 1))"#
      )
    }
    if number(6) == 0 { parts.append(#""not":\#(object(0))"#) }
    if number(4) == 0 { parts.append(#""unevaluatedProperties":\#(schema(0))"#) }
    return "{\(parts.joined(separator: ","))}"
  }

  private mutating func properties(_ depth: Int) -> String {
    let names = Self.names.filter { _ in number(2) == 0 }
    return "{\(names.map { #""\#($0)":\#(schema(depth))"# }.joined(separator: ","))}"
  }

  private mutating func list(_ depth: Int) -> String {
    "[\((0...number(2)).map { _ in object(depth - 1) }.joined(separator: ","))]"
  }

  private mutating func alternatives(_ depth: Int) -> String {
    guard number(2) == 0 else { return list(depth) }
    let branches = (0...number(3)).map { _ in
      let kind = [#"{"const":"x"}"#, #"{"const":"y"}"#, #"{"enum":["x","z"]}"#][number(3)]
      return #"{"required":["kind"],"properties":{"kind":\#(kind),"a":\#(schema(0))},"#
        + #""unevaluatedProperties":\#(number(2) == 0)}"#
    }
    return "[\(branches.joined(separator: ","))]"
  }

  mutating func value(_ depth: Int) -> String {
    let leaves = ["1", "2", "3.5", #""x""#, #""y""#, #""zz""#, "null", "true", "[]", #""\u0078""#]
    guard depth > 0, number(3) > 0 else { return leaves[number(leaves.count)] }
    let names = Self.names.filter { _ in number(2) == 0 } + (number(5) == 0 ? ["other"] : [])
    return "{\(names.map { #""\#($0)":\#(value(depth - 1))"# }.joined(separator: ","))}"
  }
}
