package import JSONText
import LongTexts
package import Profiles
import RecordMapping
package import Records
import RequestBodies
import TextCodecs

/// An entity of the `api` section, made ready: from records to requests, and back to compare.
package final class RequestProgram: Sendable {
  package let api: EntityApi
  package let profile: EntityProfile
  /// The rules of a request's body, made ready.
  private let rules: [PreparedRule]
  /// The rules of members that are cut to what the destination takes.
  let cutting: [RequestFieldRule]
  /// The members that name other records.
  private let namedBy: [(member: JSONName, targets: [EntityName])]
  /// Where each reference member leads.
  let memberReferences: [String: RecordReference]
  /// The entities whose keys are the destination's own numbers, once it gave them.
  let numbered: Set<EntityName>
  /// The entities whose identity several members are together.
  let compound: Set<EntityName>
  let sendsMedia: Bool
  /// The members of the record that have no place at the destination.
  private let unmapped: [(member: String, name: JSONName)]
  /// The member that has the key, where no field has it as it is; see `Api.lostKey(of:_:)`.
  package let lostKey: String?
  /// Whether a key that is a UUID is the identity at the destination.
  private let keepsUUIDs: Bool
  /// Whether a file belongs to the one field of the one record it is sent for.
  let sendsAssets: Bool
  /// The members of requests that link records to their files; none where no files are sent.
  let linkedFiles: [FileLink]
  /// The fields that are files with a route of their own, or have the addresses of files.
  let fileFields: Set<String>
  /// The members by which a record is reported and that nothing changes once it is made.
  package let lastingKey: [String]
  /// The member under which a request that makes records carries our own identity of each, so that the
  /// record itself has no say in it.
  private let identityName: String?
  /// Where the long texts lie that records have stand-ins for; `nil` where all are whole.
  let texts: LongTexts?
  /// The members of requests whose texts are looked into, so that no stand-in does for them.
  let examined: Set<String>
  /// The member that says which identity the destination is to give the record, where that is not
  /// the record's own key as it is; see `EntityApi/identityMember`.
  private let chosen: (name: String, identity: MadeIdentity)?
  /// The names of the fields of a request.
  let fieldNames: Set<String>

  init(
    api: EntityApi,
    profile: EntityProfile,
    references: [RecordReference],
    numbered: Set<EntityName>,
    compound: Set<EntityName>,
    identity: MadeIdentity,
    unmapped: [String],
    lostKey: String? = nil,
    sendsMedia: Bool,
    sendsAssets: Bool,
    texts: LongTexts? = nil
  ) {
    self.texts = texts
    examined = Set(api.body.filter { api.examinesText(of: $0) }.map(\.name))
    self.unmapped = unmapped.map { ($0, JSONName($0)) }
    self.lostKey = lostKey
    keepsUUIDs = identity.form == .uuid
    self.api = api
    self.profile = profile
    self.numbered = numbered
    self.compound = compound
    self.sendsMedia = sendsMedia
    self.sendsAssets = sendsAssets
    chosen = identity.form == .asIs ? nil : api.identityMember.map { ($0, identity) }
    let linkedFiles: [FileLink] = api.body.compactMap { rule in
      guard sendsMedia, case .media(let member) = rule.source else { return nil }
      return FileLink(name: rule.name, member: member, stage: rule.stage)
    }
    self.linkedFiles = linkedFiles
    fileFields = Set(
      api.body.compactMap { rule in
        switch rule.source {
        case .file: rule.stage == .complete ? rule.name : nil
        case .media: sendsMedia ? rule.name : nil
        case .field, .list, .reference, .record, .constant: nil
        }
      }
    )
    lastingKey = api.naturalKey.filter { name in
      api.body.contains { $0.name == name && $0.stage == .once }
        && !linkedFiles.contains { $0.name == name }
    }
    var links: [String: RecordReference] = [:]
    for reference in references { links[reference.member] = reference }
    memberReferences = links
    rules = api.body.map { PreparedRule($0) }
    fieldNames = Set(api.body.map(\.name))
    cutting = api.body.filter { rule in
      guard case .field(let field) = rule.source else { return false }
      return field.longest?.answer == .cut
    }
    namedBy = api.body.compactMap { rule in
      guard case .reference(let member) = rule.source else { return nil }
      return links[member].map { (JSONName(member), $0.targets) }
    }
    if case .batch(let create) = api.create {
      identityName = create.localID
    } else {
      identityName = nil
    }
  }

  /// Whether the destination takes some members only once the record is there.
  package var needsCompletion: Bool {
    api.body.contains { $0.stage == .complete }
  }

  /// The members of a request that name records which may be made later than their own.
  package var deferredReferences: [String] { api.deferredReferences }

  /// The fields that a record may be given once it is there: references to records that are made later, and
  /// files.
  package var deferredFields: Set<String> { fileFields.union(deferredReferences) }

  /// The members of a request that come from none of these members of the record.
  package func members(notFrom members: Set<String>) -> [String] {
    api.body.filter { rule in
      !rule.uses.contains { $0.path.names.first.map(members.contains) ?? false }
    }
    .map(\.name)
  }

  /// The members of a request that name records of other entities, with each entity they can name.
  package var links: [(member: String, target: EntityName)] {
    api.body.flatMap { rule -> [(member: String, target: EntityName)] in
      guard case .reference(let member) = rule.source else { return [] }
      return (memberReferences[member]?.targets ?? []).map { (rule.name, $0) }
    }
  }

  /// The members of a request that name files of a category.
  package func links(toFilesOf category: String) -> [String] {
    linkedFiles.filter { link in
      profile.media.contains { $0.member == link.member && $0.category == category }
    }.map(\.name)
  }

  /// The records that a record names, about which its requests ask.
  package func references(in record: JSONNode, of document: JSONDocument) -> [RecordID] {
    var named: [RecordID] = []
    func add(_ node: JSONNode, _ targets: [EntityName]) {
      guard document.kind(of: node) == .string else { return }
      let key = document.text(of: node)
      for target in targets { named.append(RecordID(entity: target, key: key)) }
    }
    for (member, targets) in namedBy {
      guard let node = document.member(of: record, member) else { continue }
      if document.kind(of: node) == .array {
        document.forEachElement(of: node) { add($0, targets) }
      } else {
        add(node, targets)
      }
    }
    return named
  }

  /// The members of a request, in the order of their names.
  package func members(
    for stage: RequestStage,
    of record: JSONNode,
    in document: JSONDocument,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> [RequestField] {
    var members: [RequestField] = []
    members.reserveCapacity(rules.count)
    for prepared in rules where stage.takes(prepared.rule.stage) {
      if stage == .create, prepared.rule.name == identityName { continue }
      if let member = try member(prepared, stage, record, document, resolver) {
        members.append(member)
      }
    }
    return members
  }

  /// The members of every kind of request, each worked out once.
  package func forms(
    of record: JSONNode,
    in document: JSONDocument,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> RequestFields {
    var members = RequestFields()
    members.reserveCapacity(rules.count)
    for prepared in rules {
      let rule = prepared.rule
      let statement: RequestField?
      do throws(MappingFault) {
        statement = try member(prepared, .whole, record, document, resolver)
      } catch {
        guard resolver.openReferences.contain(rule), case .missingReference = error else {
          throw error
        }
        members.open.append(rule.name)
        continue
      }
      if let statement {
        members.whole.append(statement)
        if RequestStage.update.takes(rule.stage) { members.update.append(statement) }
      }
      // What is plainly said is sent as it is said, regardless of the request.
      let stage: RequestStage = rule.stage == .complete ? .complete : .create
      let sent =
        if let statement, prepared.path != nil, statement.value != Self.null { statement } else {
          try member(prepared, stage, record, document, resolver)
        }
      guard let sent else { continue }
      if stage == .complete {
        members.complete.append(sent)
      } else if rule.name != identityName {
        members.create.append(sent)
      }
    }
    return members
  }

  static let null = Array("null".utf8)

  private func member(
    _ prepared: PreparedRule,
    _ stage: RequestStage,
    _ record: JSONNode,
    _ document: JSONDocument,
    _ resolver: ReferenceResolver
  ) throws(MappingFault) -> RequestField? {
    let rule = prepared.rule
    if let chosen, chosen.name == rule.name, let id = resolver.record {
      let value = JSONValue.string(chosen.identity.text(for: id))
      return RequestField(name: rule.name, value: value.canonicalBytes)
    }
    if let path = prepared.path, let bytes = verbatim(path, record, document) {
      return RequestField(name: rule.name, value: try standingIn(bytes, in: rule.name))
    }
    guard let value = try value(rule, stage, record, document, resolver) else { return nil }
    if stage == .create || stage == .complete {
      if value.isNull { return nil }
      if let unless = rule.unless, unless == value { return nil }
    }
    return RequestField(name: rule.name, value: try standingIn(value.canonicalBytes, in: rule.name))
  }

  /// A JSON object of the members, in canonical form.
  package func body(of members: [RequestField]) -> [UInt8] {
    Self.object(of: members)
  }

  static func object(of members: [RequestField]) -> [UInt8] {
    let buffer = members.reduce(2) { $0 + $1.name.utf8.count + $1.value.count + 4 }
    var writer = JSONWriter(reservingCapacity: buffer)
    writer.beginObject()
    for member in members {
      writer.name(member.name)
      writer.raw(member.value)
    }
    writer.endObject()
    return writer.finished()
  }

  /// The digest of the members as they would be sent.
  package func digest(of members: [RequestField]) -> Digest {
    var parts: [[UInt8]] = []
    var writer = JSONWriter()
    writer.beginObject()
    for member in members {
      writer.name(member.name)
      if member.value.count > LargeValue.mostHeld {
        parts += [writer.handOver(), member.value]
      } else {
        writer.raw(member.value)
      }
    }
    writer.endObject()
    return Digest(sha256: parts + [writer.finished()])
  }

  /// The members of the record that have no place at the destination and hold something.
  package func unmapped(in record: JSONNode, of document: JSONDocument) -> [String] {
    unmapped.compactMap { member, name in
      guard let node = document.member(of: record, name) else { return nil }
      return document.kind(of: node) == .null ? nil : member
    }
  }

  /// The member that has a key, where the destination is sent no field with it.
  package func lostMember(of key: String) -> String? {
    keepsUUIDs && UUIDText.isUUID(key.utf8) ? nil : lostKey
  }

  /// The members that the destination needs and that hold nothing: without them it has no place
  /// for the record.
  package func missingNeeds(in record: JSONNode, of document: JSONDocument) -> [String] {
    api.needs.filter { need in
      guard let node = document.member(of: record, named: need.member) else { return true }
      guard let values = need.values else { return document.kind(of: node) == .null }
      return !values.contains(document.text(ofScalar: node))
    }
    .map(\.member)
  }

  /// Whether a record's key is the destination's own identity of it, by its form.
  package func namesByNumber(_ key: String) -> Bool {
    numbered.contains(api.entity) && key.isPlainNumber
  }

  /// The destination's identity that the app itself had kept in the record, if it did.
  package func serverID(in record: JSONNode, of document: JSONDocument) -> String? {
    for name in api.serverIDs {
      if let found = serverID(named: name, in: record, of: document) { return found }
    }
    return nil
  }

  private func serverID(
    named name: String,
    in record: JSONNode,
    of document: JSONDocument
  ) -> String? {
    guard let node = document.member(of: record, named: name) else { return nil }
    let text: String?
    switch document.kind(of: node) {
    case .string: text = document.text(of: node)
    case .number: text = document.int64(of: node).map(String.init)
    case .null, .boolean, .array, .object: text = nil
    }
    guard let text, !text.isEmpty else { return nil }
    return api.serverIDForm == .any || text.isPlainNumber ? text : nil
  }
}

/// A rule of a body with what can be worked out beforehand.
///
/// An object, so that nothing of the rule is copied for each record.
private final class PreparedRule: Sendable {
  let rule: RequestFieldRule
  /// Where the record has what is sent as it is; `nil` where it is worked out.
  let path: [JSONName]?

  init(_ rule: RequestFieldRule) {
    self.rule = rule
    guard rule.isVerbatim, case .field(let field) = rule.source else {
      path = nil
      return
    }
    path = field.member.names.map { JSONName($0) }
  }
}

extension String {
  /// Whether the text is a whole number above zero in its one spelling.
  package var isPlainNumber: Bool {
    utf8.first.map { $0 != UInt8(ascii: "0") } ?? false && Int64(self) != nil
      && utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }
}

extension RequestStage {
  func takes(_ stage: RequestFieldRule.Stage) -> Bool {
    switch self {
    case .create: stage != .complete
    case .complete: stage == .complete
    case .update: stage != .once
    case .whole: true
    }
  }

  /// Whether only what the record itself says counts.
  var isStatement: Bool { self == .update || self == .whole }
}
