import JSONText
import Patterns
import StringFormats

/// One schema as plain numbers.
///
/// An index of -1 means that there is no such thing.
struct SchemaNode {
  /// Which kinds of value are let in: a bit for each ``JSONKind``, and the two for integers.
  var types = Self.everyType
  /// The schema takes everything or nothing, whatever else there is.
  var isFixed = false
  var hasCombination = false
  /// `unevaluatedProperties` or `unevaluatedItems` are here.
  var tracks = false
  /// What is asked for, where that is so little that it can be answered at once.
  var shape = SchemaShape.any
  var values: Int32 = -1
  var string: Int32 = -1
  var number: Int32 = -1
  var array: Int32 = -1
  var object: Int32 = -1
  var combination: Int32 = -1
  var resource: Int32 = 0
  /// The node to look at instead, when this one is no more than a reference to it; else -1.
  var classIndex: Int32 = -1
  /// The containers for which the caller must be informed, member by member, what was evaluated.
  var trackedKinds: UInt8 = 0
  /// How to check an object of which no one asks what was evaluated, or -1.
  var plan: Int32 = -1

  static let everyType: UInt8 = 0xFF
  /// Numbers whose value is an integer, however they are written.
  static let integerBit: UInt8 = 0x40
  /// Numbers that are written as an integer, which are all that draft-04 calls so.
  static let plainIntegerBit: UInt8 = 0x80
}

/// How much a schema asks for.
enum SchemaShape: UInt8 {
  case any
  /// Nothing but the type.
  case type
  /// The type, and one of some values.
  case values
  /// The type, and of texts what ``StringRule`` says.
  case text
}

/// A run of a table.
struct SchemaRange {
  var start: Int32 = 0
  var count: Int32 = 0
}

struct StringRule {
  var minimumLength: Int64 = 0
  var maximumLength = Int64.max
  var pattern: Int32 = -1
  var format: Int32 = -1
  /// What the text is to hold, as draft-07 may ask.
  var content = StringContent.anything
}

struct NumberRule {
  var minimum: Int32 = -1
  var maximum: Int32 = -1
  var exclusiveMinimum: Int32 = -1
  var exclusiveMaximum: Int32 = -1
  var multipleOf: Int32 = -1
}

/// A number to compare with: exact when it is a small integer, else by its digits.
struct NumberBound {
  var integer: Int64
  var isInteger: Bool
  var double: Double
  var literal: Int32
  /// The digits as one number without a point, and how many follow the point, where that is a
  /// number below a thousand with at most two decimals; else -1.
  var magnitude: Int64 = 0
  var decimals: Int32 = -1
}

struct ArrayRule {
  var prefix = SchemaRange()
  var items: Int32 = -1
  var contains: Int32 = -1
  /// An element that `contains` fits counts as evaluated, as it does since 2020-12.
  var containsEvaluates = true
  var minimumContains: Int64 = 1
  var maximumContains = Int64.max
  var minimumItems: Int64 = 0
  var maximumItems = Int64.max
  var isUnique = false
  /// The schemas of single elements are in `items`, as draft-07 has it.
  var isTuple = false
  var unevaluated: Int32 = -1
}

struct ObjectRule {
  var slots: Int32 = -1
  var slotMask: UInt32 = 0
  var required = SchemaRange()
  var patterns = SchemaRange()
  var additional: Int32 = -1
  var names: Int32 = -1
  var minimumProperties: Int64 = 0
  var maximumProperties = Int64.max
  var dependents = SchemaRange()
  var unevaluated: Int32 = -1
  /// Something has to be done for each member.
  var looksAtMembers = false
  /// The schema for members that no name and no pattern knows: that of `additionalProperties`, or
  /// that of `unevaluatedProperties` where the names alone say what is left for it.
  var otherwise: Int32 = -1
  /// A member needs more than a look at the table of names.
  var looksBeyondNames = false
}

/// A place in the table of an object's known names.
struct PropertySlot {
  var fingerprint: UInt32 = 0
  /// The number of the name, or -1 for an empty place.
  var name: Int32 = -1
  var schema: Int32 = -1
  var isProperty = false
  var isRequired = false
  /// A schema that always applies beside this one evaluates the member.
  var isEvaluatedBeside = false
}

struct PatternProperty {
  var pattern: Int32
  var schema: Int32
}

/// What the presence of a member asks for: another member, or a schema.
struct DependentRule {
  var name: Int32
  var required: Int32 = -1
  var schema: Int32 = -1
  /// It is in `dependencies`, as draft-07 has it.
  var isOlder = false
}

struct CombinationRule {
  var reference: Int32 = -1
  var dynamicName: Int32 = -1
  var dynamicFallback: Int32 = -1
  /// The dynamic reference is one of 2019-09.
  var isRecursive = false
  var all = SchemaRange()
  var any = SchemaRange()
  var one = SchemaRange()
  var not: Int32 = -1
  var condition: Int32 = -1
  var then: Int32 = -1
  var otherwise: Int32 = -1
  /// What distinguishes the alternatives of `anyOf` and of `oneOf`, or -1.
  var anyChoice: Int32 = -1
  var oneChoice: Int32 = -1
}

/// `const` or `enum`: a table of texts, and every value for the rest.
struct ValueRule {
  var slots: Int32 = -1
  var slotMask: UInt32 = 0
  var values = SchemaRange()
  var hasOnlyTexts = false
  var isConstant = false
  var hasNull = false
  var hasTrue = false
  var hasFalse = false
}

/// A compiled schema: tables of plain structs, and the few values that are not plain.
struct SchemaTables {
  var nodes: [SchemaNode] = []
  var strings: [StringRule] = []
  var numbers: [NumberRule] = []
  var bounds: [NumberBound] = []
  var arrays: [ArrayRule] = []
  var objects: [ObjectRule] = []
  var slots: [PropertySlot] = []
  var patternProperties: [PatternProperty] = []
  var dependents: [DependentRule] = []
  var combinations: [CombinationRule] = []
  var children: [Int32] = []
  var valueRules: [ValueRule] = []
  var plans: [ObjectPlan] = []
  var memberSlots: [MemberSlot] = []
  var memberTests: [MemberTest] = []
  var choices: [ChoiceRule] = []

  var names: [JSONName] = []
  var patterns: [Pattern] = []
  var formats: [SchemaFormat] = []
  var literals: [JSONNumber] = []
  var values: [JSONValue] = []
  /// For each dynamic name, the schema of each resource that has it.
  var dynamicTargets: [[Int32: Int32]] = []
  /// The address and pointer of each node.
  var locations: [String] = []
  /// What a node has to say beside validity.
  var annotations: [Int32: [(keyword: String, value: JSONValue)]] = [:]
}

/// Tables as addresses, for the life of a schema.
///
/// Never changed once made, which is what lets any number of tasks read them.
@safe
final class SchemaProgram: Sendable {
  nonisolated(unsafe) let nodes: UnsafePointer<SchemaNode>
  nonisolated(unsafe) let strings: UnsafePointer<StringRule>
  nonisolated(unsafe) let numbers: UnsafePointer<NumberRule>
  nonisolated(unsafe) let bounds: UnsafePointer<NumberBound>
  nonisolated(unsafe) let arrays: UnsafePointer<ArrayRule>
  nonisolated(unsafe) let objects: UnsafePointer<ObjectRule>
  nonisolated(unsafe) let slots: UnsafePointer<PropertySlot>
  nonisolated(unsafe) let patternProperties: UnsafePointer<PatternProperty>
  nonisolated(unsafe) let dependents: UnsafePointer<DependentRule>
  nonisolated(unsafe) let combinations: UnsafePointer<CombinationRule>
  nonisolated(unsafe) let children: UnsafePointer<Int32>
  nonisolated(unsafe) let valueRules: UnsafePointer<ValueRule>
  nonisolated(unsafe) let plans: UnsafePointer<ObjectPlan>
  nonisolated(unsafe) let memberSlots: UnsafePointer<MemberSlot>
  nonisolated(unsafe) let memberTests: UnsafePointer<MemberTest>
  nonisolated(unsafe) let choices: UnsafePointer<ChoiceRule>
  /// The bytes of each name.
  nonisolated(unsafe) let names: UnsafePointer<UnsafeRawBufferPointer>
  nonisolated(unsafe) let fingerprints: UnsafePointer<UInt32>
  nonisolated(unsafe) let patterns: UnsafePointer<Unmanaged<Pattern>>
  nonisolated(unsafe) let formats: UnsafePointer<SchemaFormat>
  private let keptPatterns: [Pattern]
  let nameTexts: [JSONName]
  let literals: [JSONNumber]
  let values: [JSONValue]
  let dynamicTargets: [[Int32: Int32]]
  let locations: [String]
  let annotations: [Int32: [(keyword: String, value: JSONValue)]]

  init(_ tables: SchemaTables) {
    unsafe nodes = Self.keep(tables.nodes)
    unsafe strings = Self.keep(tables.strings)
    unsafe numbers = Self.keep(tables.numbers)
    unsafe bounds = Self.keep(tables.bounds)
    unsafe arrays = Self.keep(tables.arrays)
    unsafe objects = Self.keep(tables.objects)
    unsafe slots = Self.keep(tables.slots)
    unsafe patternProperties = Self.keep(tables.patternProperties)
    unsafe dependents = Self.keep(tables.dependents)
    unsafe combinations = Self.keep(tables.combinations)
    unsafe children = Self.keep(tables.children)
    unsafe valueRules = Self.keep(tables.valueRules)
    unsafe plans = Self.keep(tables.plans)
    unsafe memberSlots = Self.keep(tables.memberSlots)
    unsafe memberTests = Self.keep(tables.memberTests)
    unsafe choices = Self.keep(tables.choices)
    unsafe fingerprints = Self.keep(tables.names.map(\.fingerprint))
    unsafe names = Self.keep(
      tables.names.map { name in
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: name.bytes.count, alignment: 8)
        unsafe copy.copyBytes(from: name.bytes)
        return UnsafeRawBufferPointer(copy)
      }
    )
    unsafe patterns = Self.keep(tables.patterns.map { unsafe Unmanaged.passUnretained($0) })
    unsafe formats = Self.keep(tables.formats)
    keptPatterns = tables.patterns
    nameTexts = tables.names
    literals = tables.literals
    values = tables.values
    dynamicTargets = tables.dynamicTargets
    locations = tables.locations
    annotations = tables.annotations
  }

  deinit {
    for index in nameTexts.indices {
      unsafe names[index].deallocate()
    }
    unsafe nodes.deallocate()
    unsafe strings.deallocate()
    unsafe numbers.deallocate()
    unsafe bounds.deallocate()
    unsafe arrays.deallocate()
    unsafe objects.deallocate()
    unsafe slots.deallocate()
    unsafe patternProperties.deallocate()
    unsafe dependents.deallocate()
    unsafe combinations.deallocate()
    unsafe children.deallocate()
    unsafe valueRules.deallocate()
    unsafe plans.deallocate()
    unsafe memberSlots.deallocate()
    unsafe memberTests.deallocate()
    unsafe choices.deallocate()
    unsafe fingerprints.deallocate()
    unsafe names.deallocate()
    unsafe patterns.deallocate()
    unsafe formats.deallocate()
  }

  /// The pattern as it was written.
  func patternSource(_ number: Int32) -> String {
    keptPatterns[Int(number)].source
  }

  private static func keep<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
    let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
    unsafe copy.initialize(from: elements, count: elements.count)
    return unsafe UnsafePointer(copy)
  }
}
