import JSONText
import SchemaChanges
import SchemaValidation
import TestSupport
import Testing

/// Small schemas and values, made at random so that they often have to do with each other.
struct SchemaMaker {
  var numbers: SeededNumbers

  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int(numbers.next() % UInt64(values.count))]
  }

  mutating func value(_ depth: Int = 2) -> JSONValue {
    switch pick(depth > 0 ? [0, 1, 2, 3, 4, 5, 6] : [0, 1, 2, 3]) {
    case 0: return .null
    case 1: return pick([true, false])
    case 2: return pick([0, 1, 2, 3, 1.5])
    case 3: return pick(["", "a", "ab", "xy", "2020-01-01"])
    case 4: return .array((0..<pick([0, 1, 2, 3])).map { _ in value(depth - 1) })
    default:
      var object = JSONObject()
      for _ in 0..<pick([0, 1, 2]) { object[pick(["a", "b", "x"])] = value(depth - 1) }
      return .object(object)
    }
  }

  mutating func schema(_ depth: Int = 2) -> JSONValue {
    if pick(Array(0..<12)) == 0 { return pick([true, false]) }
    var object = JSONObject()
    for _ in 0..<pick([1, 1, 2, 3]) { add(to: &object, depth) }
    return .object(object)
  }

  private mutating func schemas(_ depth: Int) -> JSONValue {
    .array((0..<pick([1, 2])).map { _ in schema(depth - 1) })
  }

  private mutating func add(to object: inout JSONObject, _ depth: Int) {
    let types: [JSONValue] = [
      "string", "number", "integer", "object", "array", "null", ["string", "null"],
      ["object", "array"],
    ]
    switch pick(Array(0..<(depth > 0 ? 26 : 12))) {
    case 0, 1: object["type"] = pick(types)
    case 2: object["enum"] = .array([value(0), value(0)])
    case 3: object["const"] = value(1)
    case 4: object["minimum"] = pick([0, 1, 2])
    case 5: object["exclusiveMaximum"] = pick([1, 2, 3])
    case 6: object["multipleOf"] = pick([1, 2, 0.5])
    case 7: object["minLength"] = pick([1, 2])
    case 8: object["maxItems"] = pick([0, 1, 2])
    case 9: object["required"] = .array([.string(pick(["a", "b"]))])
    case 10: object["minProperties"] = pick([1, 2])
    case 11: object["pattern"] = pick(["a", "^x"])
    case 12, 13, 14:
      var members = object["properties"]?.object ?? JSONObject()
      members[pick(["a", "b", "x"])] = schema(depth - 1)
      object["properties"] = .object(members)
    case 15: object["additionalProperties"] = pick([false, true, schema(depth - 1)])
    case 16: object["items"] = schema(depth - 1)
    case 17: object["prefixItems"] = schemas(depth)
    case 18: object["anyOf"] = schemas(depth)
    case 19: object["oneOf"] = schemas(depth)
    case 20: object["allOf"] = schemas(depth)
    case 21: object["not"] = schema(depth - 1)
    case 22:
      object["patternProperties"] = .object([pick(["^a", "x"]): schema(depth - 1)])
    case 23:
      object["if"] = schema(depth - 1)
      object[pick(["then", "else"])] = schema(depth - 1)
    case 24:
      object[pick(["unevaluatedProperties", "unevaluatedItems"])] = pick([false, schema(0)])
    default:
      object["contains"] = schema(depth - 1)
      object[pick(["minContains", "maxContains"])] = pick([0, 1, 2])
    }
  }

  /// The schema with one keyword of one place made anew.
  mutating func changed(_ schema: JSONValue, _ depth: Int = 2) -> JSONValue {
    guard var object = schema.object, !object.isEmpty, pick([0, 1, 2, 3]) > 0 else {
      return self.schema(depth)
    }
    let name = pick(object.names)
    switch (name, object[name]) {
    case ("properties", .object(var members)?), ("patternProperties", .object(var members)?):
      let inner = pick(members.names)
      members[inner] = changed(members[inner] ?? true, depth - 1)
      object[name] = .object(members)
    case ("anyOf", .array(var list)?), ("oneOf", .array(var list)?), ("allOf", .array(var list)?):
      let index = Int(numbers.next() % UInt64(list.count))
      list[index] = changed(list[index], depth - 1)
      if pick([0, 1, 2]) == 0 { list.append(self.schema(depth - 1)) }
      object[name] = .array(list)
    case ("items", let inner?), ("not", let inner?), ("contains", let inner?), ("if", let inner?),
      ("additionalProperties", let inner?):
      object[name] = changed(inner, depth - 1)
    default:
      object[name] = nil
      if pick([0, 1]) == 0 { add(to: &object, depth) }
    }
    return .object(object)
  }
}

/// The promise of a comparison, held against the validator.
struct RandomComparisonTests {
  private func validator(_ schema: JSONValue) throws -> SchemaValidator {
    let set = try SchemaSet(schemas: [("urn:s", schema.canonicalBytes)])
    return SchemaValidator(try set.schema(at: "urn:s"))
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `a compatible change rejects no valid value`(seed: UInt64) throws {
    var maker = SchemaMaker(numbers: SeededNumbers(seed: seed))
    var (compatible, breaking, shown) = (0, 0, 0)
    let document = JSONDocument()
    for _ in 0..<300 {
      let old = maker.schema(3)
      let new = maker.changed(old, 3)
      let comparison = SchemaComparison(old: ("s", old), new: ("s", new))
      let (before, after) = (try validator(old), try validator(new))
      var refused: JSONValue?
      for _ in 0..<60 where refused == nil {
        let value = maker.value(3)
        try document.parse(copying: value.canonicalBytes)
        if before.isValid(document, document.root), !after.isValid(document, document.root) {
          refused = value
        }
      }
      if comparison.isBreaking {
        breaking += 1
        shown += refused == nil ? 0 : 1
      } else {
        compatible += 1
        #expect(
          refused == nil,
          "seed \(seed): \(old.canonicalText) → \(new.canonicalText) refuses \(refused?.canonicalText ?? "")"
        )
      }
      #expect(SchemaComparison(old: ("s", old), new: ("s", old)).changes.isEmpty)
    }
    #expect(compatible > 30 && breaking > 30 && shown > 30)
  }
}
