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

  /// Whether what stands at the destination is what it was given, in these members.
  ///
  /// What is linked to a record later, another record or a file, may not have come to it yet. A row of a
  /// list, which may have fewer members than the record, is not `isWhole`: what it lacks says nothing.
  func holds(
    _ given: JSONObject,
    of members: [WireMember],
    _ remote: [UInt8],
    isWhole: Bool
  ) -> Bool {
    guard let there = object(remote) else { return false }
    let linked = Set(program.lateReferences).union(program.fileLinks)
    let expected = members.compactMap { member -> WireMember? in
      let name = member.name
      let isAbsent = there[name]?.isNull ?? true
      if isAbsent, linked.contains(name) || !isWhole && there[name] == nil { return nil }
      return WireMember(name: name, value: (given[name] ?? .null).canonicalBytes)
    }
    return isSame(expected, asRemote: remote)
  }

  /// Whether what stands at the destination is what it was given, where the record itself is gone here;
  /// `serverID` tells where a record of the package is.
  func holds(
    _ image: RecordImage,
    _ remote: [UInt8],
    serverID: (RecordID) throws(WireRefusal) -> String?
  ) throws(WireRefusal) -> Bool {
    guard var given = object(image.base) else { return false }
    for member in image.sent.flatMap({ object($0) })?.members ?? [] {
      given[member.name] = member.value
    }
    let files = Set(program.fileLinks)
    let updated = program.api.body.filter { $0.stage != .once && !files.contains($0.name) }
    let links = Dictionary(grouping: program.links, by: \.member)
    var plain: [WireMember] = []
    for name in updated.map(\.name) {
      guard let link = links[name] else {
        plain.append(WireMember(name: name, value: (given[name] ?? .null).canonicalBytes))
        continue
      }
      let named = (given[name]?.array ?? given[name].map { [$0] } ?? []).compactMap(\.text)
      // What was sent in place of the record's own is named as the destination names it.
      var expected = Set(named)
      for (name, target) in named.flatMap({ name in link.map { (name, $0.target) } }) {
        guard let record = WireResolver.record(of: target, standingIn: name) else { continue }
        if let place = try serverID(record) { expected.insert(place) }
      }
      // Somebody had it name another one.
      if !expected.isSuperset(of: identities(in: name, ofRemote: remote)) { return false }
    }
    return isSame(plain, asRemote: remote)
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
