import JSONText
package import ProfileSettings
package import Records
import RequestBodies

extension RequestFieldRule {
  /// Whether the field is a file.
  fileprivate var isFile: Bool { if case .file = source { true } else { false } }
}

extension EntityApi {
  /// Every setting that names a member of the record, but for the list of those that go nowhere.
  ///
  /// Bytes of a file may be in the payload of a queued change alone.
  var uses: [MemberUse] {
    body.filter { !$0.isFile }.flatMap(\.uses) + needs.map { MemberUse("needs", $0.member) }
      + serverIDs.map { MemberUse("server-id", $0) }
      + [conflict.newest.map { MemberUse("conflict/newest/local", $0.local) }].compactMap(\.self)
  }

  /// Every setting that names a member of the request.
  var requestUses: [(setting: String, name: String)] {
    naturalKey.map { ("natural-key", $0) } + conflict.fields.keys.sorted().map { ("conflict", $0) }
      + compare.keys.sorted().map { ("compare", $0) }
      + (ofKind.settings?.uses ?? [])
      + files.keys.sorted().map { ("files", $0) }
      + (ofKind.settings?.typedFields ?? types.keys.sorted()).map { ("types", $0) }
  }
}

extension EntityProfile {
  /// Every setting that names a member of the record.
  var uses: [MemberUse] {
    (sync?.members ?? []).map { MemberUse("sync", $0) }
      + [owner.map { MemberUse("owner", $0.member) }].compactMap(\.self)
      + Set(queue?.members ?? []).sorted().map { MemberUse("queue", $0) }
  }
}

/// Which parts of a member a setting may name.
package indirect enum MemberParts {
  /// These, in their order.
  case named([(name: String, parts: MemberParts)])
  /// The member has no parts.
  case whole
  /// Only the value itself shows that.
  case any
}

/// The members that the records of an entity have: as the profile alone has them, or with the store's model.
package struct RecordMembers {
  /// The members that the profile lists, which a store may lack.
  private let listed: [String]
  private let media: [String]
  private let omitted: [String]
  /// What each member is made of; `nil` where only the profile is known.
  private let contents: [String: MemberParts]?
  /// Whether the store's model may give the records any other member.
  private let isOpen: Bool

  init(_ profile: EntityProfile) {
    let address = profile.identity == .objectURI ? [EntityProfile.addressMember] : []
    media = profile.media.map(\.member)
    listed = profile.fields.map(\.member) + media + address
    omitted = profile.omitted
    contents = nil
    // The members of what waits in a queue are those of the queue's payloads.
    isOpen = profile.carry == .all || profile.waitsIn != nil
  }

  /// The members of records that are made of these, by their names.
  package init(_ profile: EntityProfile, contents: [String: MemberParts]) {
    media = profile.media.map(\.member)
    listed = profile.fields.map(\.member) + media
    omitted = []
    self.contents = contents
    isOpen = false
  }

  /// The members of records that a package has.
  init(_ profile: EntityProfile, in members: Set<String>) {
    media = profile.media.map(\.member)
    listed = profile.fields.map(\.member) + media + members.sorted()
    omitted = []
    contents = nil
    isOpen = false
  }

  /// What is wrong with a setting that names a member; `nil` where records have it, or may have it.
  func fault(of use: MemberUse) -> (cause: String, cure: String)? {
    guard let name = use.path.names.first else { return nil }
    if use.isMedia {
      guard !media.contains(name) else { return nil }
      return (
        "“\(name)” is not a media file of the entity", Self.cure(name, media, "add it to “media”")
      )
    }
    let rest = use.path.names.dropFirst()
    if let content = contents?[name] {
      guard let (part, known) = Self.missing(rest, in: content) else { return nil }
      return (
        "“\(part)” of “\(use.path)” is not a part of the member",
        Self.cure(part, known, "name the whole of the member, or one of its parts")
      )
    }
    if listed.contains(name) || isOpen && !omitted.contains(name) { return nil }
    let known = listed + (contents?.keys.sorted() ?? [])
    let cure =
      contents == nil
      ? "add it to “fields”, or carry it"
      : "give it a field with “absent: omit”, where other stores of the app have it"
    return ("“\(name)” is not a member of the record", Self.cure(name, known, cure))
  }

  /// The first name of a path that leads nowhere, and what there is in its place.
  private static func missing(
    _ path: ArraySlice<String>,
    in content: MemberParts
  ) -> (name: String, known: [String])? {
    guard let name = path.first else { return nil }
    switch content {
    case .named(let parts):
      let names = parts.map(\.name)
      guard let place = names.firstIndex(of: name) else { return (name, names) }
      return missing(path.dropFirst(), in: parts[place].parts)
    case .whole: return (name, [])
    case .any: return nil
    }
  }

  /// What to do about a name that is not among those that are known.
  package static func cure(_ name: String, _ known: [String], _ other: String) -> String {
    NearestWord.to(name, among: known).map { "write “\($0)”, or \(other)" } ?? other
  }
}

extension Profile {
  /// What is wrong with settings that name members of an entity's records, where these are all that a package
  /// of them has.
  package func faults(of entity: EntityName, having members: Set<String>) -> [ProfileFault] {
    guard let description = self.entity(entity) else { return [] }
    let log = FaultLog(of: settings)
    checkNames(of: description, RecordMembers(description, in: members), log: log)
    return log.faults
  }

  /// Every setting that names a member of a record must name one that records have.
  package func checkNames(of entity: EntityProfile, _ members: RecordMembers, log: FaultLog) {
    var places = entity.uses.map { ("/entities/\(entity.name)/\($0.setting)", $0) }
    for use in api?.entity(entity.name)?.uses ?? [] {
      places.append(("/api/entities/\(entity.name)/\(use.setting)", use))
    }
    if let account, account.entity == entity.name {
      places.append(("/account/member", MemberUse("member", account.member)))
    }
    for (place, use) in places {
      guard let found = members.fault(of: use) else { continue }
      log.add(at: place, found.cause, cure: found.cure)
    }
  }
}
