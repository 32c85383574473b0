/// How to check an object in one pass over its members.
///
/// A plan takes a schema together with those that always apply to the same object: each name is
/// looked up once, and the members that conditions ask for are noted on the way. It gives the same
/// verdict as the schemas one by one; the faults are collected from those.
struct ObjectPlan {
  /// The types that all the schemas let in.
  var types = SchemaNode.everyType
  var slots: Int32 = -1
  var slotMask: UInt32 = 0
  var requiredCount: Int32 = 0
  var minimumProperties: Int64 = 0
  var maximumProperties = Int64.max
  var patterns = SchemaRange()
  var names: Int32 = -1
  /// The schema for members that no name and no pattern knows, or -1.
  var otherwise: Int32 = -1
  var looksAtMembers = false
  var looksBeyondNames = false
  var dependents = SchemaRange()
  /// How many members are noted on the way.
  var registers: Int32 = 0
  var condition = ObjectTest()
  var then = ObjectTest()
  var elseTest = ObjectTest()
  var hasCondition = false
  /// What the plan does not cover, or -1.
  var combination: Int32 = -1

  /// Other schemas are tried on the same object.
  var looksAgain: Bool { hasCondition || combination >= 0 || dependents.count > 0 }
}

/// A schema tried on the same object: by the members noted, or as any other schema.
struct ObjectTest {
  /// The tests of members noted; they decide alone when there is no schema.
  var tests = SchemaRange()
  var schema: Int32 = -1
}

/// What is asked of one member that was noted.
struct MemberTest {
  var register: Int32
  var schema: Int32 = -1
  var isRequired = false
}

/// A place in the table of the members that a plan knows.
struct MemberSlot {
  var fingerprint: UInt32 = 0
  /// The number of the name, or -1 for an empty place.
  var name: Int32 = -1
  var schema: Int32 = -1
  /// Where the member is noted, or -1.
  var register: Int32 = -1
  /// Further schemas for the same member.
  var more = SchemaRange()
  var isRequired = false
  /// The member is not left for `additionalProperties` or `unevaluatedProperties`.
  var isKnown = false
}

/// A member whose text says which of several schemas alone can fit.
///
/// Each of them requires the member and fixes its text; a place of the table holds the schema, or
/// -2 where several share the text.
struct ChoiceRule {
  var name: Int32
  var slots: Int32
  var slotMask: UInt32
}
