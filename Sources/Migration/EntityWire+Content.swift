import Checkpoint
import JSONText
import Profiles
import Records

// What stands at a destination that tells no versions, held against what it was given.

extension EntityWire {
  /// What the destination was given last, with references as it has them.
  ///
  /// Of that, `image` is what was kept, in plain text. `plain` and `here` are what an update brings, with
  /// references as the package and as the destination have them.
  func given(
    _ image: RecordImage,
    plain: [WireMember],
    here: [WireMember]
  ) -> JSONObject {
    let began = object(image.base)
    var given = began ?? JSONObject()
    let named = program.image(of: plain)
    for (name, value) in program.image(of: here).members.map({ ($0.name, $0.value) })
    where began?[name] == named[name] {
      given[name] = value
    }
    for member in image.sent.flatMap({ object($0) })?.members ?? [] {
      given[member.name] = member.value
    }
    return given
  }

  /// What the destination was given last, with references as the package has them.
  func given(_ image: RecordImage) -> JSONObject {
    var given = object(image.base) ?? JSONObject()
    for member in image.sent.flatMap({ object($0) })?.members ?? [] {
      given[member.name] = member.value
    }
    return given
  }

  /// The members that an update brings.
  var updated: [String] { program.api.body.filter { $0.stage != .once }.map(\.name) }

  /// Whether what stands at the destination is what it was given, in these members.
  ///
  /// What is linked to a record later, another record or a file, may not have come to it yet; and where
  /// nobody knows the address of what was linked, nobody can tell. A row of a list, which may have fewer
  /// members than the record, is not `isWhole`: what it lacks says nothing.
  func holds(
    _ given: JSONObject,
    of names: [String],
    _ remote: [UInt8],
    isWhole: Bool,
    _ resolver: WireResolver
  ) throws(WireFault) -> Bool {
    guard let there = object(remote) else { return false }
    let later = Set(program.lateReferences).union(program.fileLinks)
    var expected: [WireMember] = []
    for name in names {
      let isAbsent = there[name]?.isNull ?? true
      if isAbsent, later.contains(name) || !isWhole && there[name] == nil { continue }
      guard let value = try resolved(given[name] ?? .null, of: name, resolver) else { continue }
      expected.append(WireMember(name: name, value: value.canonicalBytes))
    }
    return isSame(expected, asRemote: remote)
  }

  /// A value of a member as the destination has it: what stands in for a record or a file is replaced by its
  /// address; `nil` where that is not known.
  private func resolved(
    _ value: JSONValue,
    of name: String,
    _ resolver: WireResolver
  ) throws(WireFault) -> JSONValue? {
    guard let elements = value.array else { return try resolvedOne(value, of: name, resolver) }
    var all: [JSONValue] = []
    for element in elements {
      guard let one = try resolvedOne(element, of: name, resolver) else { return nil }
      all.append(one)
    }
    return .array(all)
  }

  private func resolvedOne(
    _ value: JSONValue,
    of name: String,
    _ resolver: WireResolver
  ) throws(WireFault) -> JSONValue? {
    guard let text = value.text else { return value }
    for link in program.links where link.member == name {
      guard let record = WireResolver.record(of: link.target, standingIn: text) else { continue }
      return try resolver.reference(record.entity, record.key).map { .string($0) }
    }
    guard program.fileLinks.contains(name) else { return value }
    for media in program.profile.media {
      guard let key = WireResolver.file(of: media.category, standingIn: text) else { continue }
      return try resolver.media(media.category, key).map { .string($0) }
    }
    return value
  }

  /// What tells the content of a record at the destination from any other, by the members that a change
  /// brings; never a version of the destination's.
  func contentMark(of remote: [UInt8]) -> String {
    let there = object(remote) ?? JSONObject()
    let members = program.api.body.filter { $0.stage != .once }.map { rule in
      WireMember(name: rule.name, value: (there[rule.name] ?? .null).canonicalBytes)
    }
    return "content:\(program.digest(of: members))"
  }
}
