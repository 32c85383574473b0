package import ExportPackage
package import JSONText
package import LongTexts
package import Profiles
package import Reconciliation
package import RecordMapping
package import Records
import RequestBodies
package import UploadPlanning

/// Why a record, or a file, cannot be sent or compared.
package struct MappingError: Error, Hashable, Sendable {
  package let code: String
  package let reason: String
  /// Whether the same attempt may succeed later.
  package var isPassing = false
  /// Whether another device changed the record at the destination, which is the reason.
  package private(set) var isConflict = false
  /// What is the matter with the package, where that is the reason: it says nothing of a record.
  package var package: PackageError?

  package init(code: String, reason: String, isPassing: Bool = false) {
    self.code = code
    self.reason = reason
    self.isPassing = isPassing
  }

  /// A record that another device changed at the destination.
  package init(conflict reason: String) {
    self.init(code: "upload.conflict", reason: reason)
    isConflict = true
  }

  package init(_ fault: MappingFault) {
    let finding = fault.finding
    code = finding.code
    reason = "\(finding.cause); \(finding.cure)"
    if case .unanswered = fault { isPassing = true }
  }

  /// What becomes of an operation whose request cannot be written for it.
  package var outcome: ItemOutcome {
    if isPassing { return .deferred(reason: reason) }
    return isConflict ? .conflicted(reason: reason) : .rejected(code: code, reason: reason)
  }
}

/// A record as the destination takes it.
package struct RequestFieldSet: Hashable, Sendable {
  /// The members of the request that makes it.
  package let create: [RequestField]
  /// The members that are only taken once it is there.
  package let complete: [RequestField]
  /// All that the record itself says and an update can change.
  package let update: [RequestField]
  /// The same, with what no update can change: what is compared.
  package let whole: [RequestField]
  /// The members that are in none of these, because what they name is not at the destination yet.
  let open: [String]
  /// The digest of all of it, and of what is known once it was made and not completed.
  package let digest: Digest
  package let createDigest: Digest
}

/// The request fields of all entities of a profile.
package struct RequestMappings: Sendable {
  private let api: CompiledApi
  private let mappings: [EntityName: EntityMapping]
  /// What waited for the server in the package.
  package let queue: QueuedChanges

  /// `nil` where the profile names no destination; `account` is that of the session, where one is known.
  package init?(
    profile: Profile,
    references: [EntityName: [RecordReference]],
    keyMembers: [EntityName: String],
    queue: QueuedChanges,
    account: String? = nil,
    texts: LongTexts? = nil
  ) {
    let compiled = CompiledApi(
      profile: profile,
      references: references,
      account: account.flatMap { profile.api?.name(ofAccount: $0) },
      texts: texts
    )
    guard let api = compiled else { return nil }
    self.api = api
    self.queue = queue
    var mappings: [EntityName: EntityMapping] = [:]
    for program in api.programs {
      let name = program.api.entity
      mappings[name] = EntityMapping(
        program: program,
        keyMember: keyMembers[name] ?? EntityProfile.addressMember,
        queued: queue.changes(of: name),
        former: queue.formerChanges(of: name),
        view: (queue.makers[name] ?? program.profile.waitsIn.flatMap { profile.entity($0)?.queue })
          .map { QueuedView(rule: $0, keyMember: keyMembers[name] ?? EntityProfile.addressMember) }
      )
    }
    self.mappings = mappings
  }

  /// The request fields of an entity that is sent.
  package subscript(entity: EntityName) -> EntityMapping {
    guard let mapping = mappings[entity] else {
      preconditionFailure("\(entity) is not sent, so nothing asks for its request fields")
    }
    return mapping
  }

  /// The request fields of all entities that are sent, in no order.
  package var all: some Sequence<EntityMapping> { mappings.values }

  /// The request fields of an entity, or `nil` when it is not sent.
  package func mapping(for entity: EntityName) -> EntityMapping? { mappings[entity] }

  /// The entities whose records name those of `parent`, or files of its category, with the member of theirs
  /// that does.
  package func links(to parent: EntityName) -> [(child: EntityName, member: String)] {
    mappings.values.flatMap { mapping in
      let program = mapping.program
      let members =
        parent.mediaCategory.map(program.links(toFilesOf:))
        ?? program.links.filter { $0.target == parent }.map(\.member)
      return members.map { (program.api.entity, $0) }
    }
  }

  /// Whether the destination gives each of an entity's records a version, so that a change of
  /// another device's is reported by it; else its content alone shows that.
  ///
  /// A version in a header comes with one record alone: no row of a list has it.
  package func listsRevisions(of entity: EntityName) -> Bool {
    // What travels in changesets, or to CloudKit, has no route of its own.
    guard api.api.kind.hasRoutes || mappings[entity]?.program.api.create != nil else { return true }
    return if case .member? = mappings[entity]?.program.api.version { true } else { false }
  }

  package func clientID(of record: RecordID) -> String { api.clientID(for: record) }
}

/// One entity's records, between the package and the destination.
package struct EntityMapping: Sendable {
  package let program: RequestProgram
  let keyMember: String
  /// What waited for the server, by the records it changes.
  let queued: [RecordID: QueuedChange]
  /// The same with what the app has done or given up since, where there is such.
  private let former: [RecordID: QueuedChange]
  /// How changes become records, where the store has no rows of the entity.
  package let view: QueuedView?
  /// The priorities of what waited, the most urgent first.
  package let turns: [Int64]

  /// How many priorities are distinguished; all others come last, together.
  private static let mostTurns = 8

  init(
    program: RequestProgram,
    keyMember: String,
    queued: [RecordID: QueuedChange],
    former: [RecordID: QueuedChange] = [:],
    view: QueuedView? = nil
  ) {
    self.view = view
    self.former = former
    self.program = program
    self.keyMember = keyMember
    self.queued = queued
    let priorities = Set(queued.values.map(\.priority)).sorted(by: >)
    turns = priorities.prefix(Self.mostTurns) + [.min]
  }

  /// In which turn a record is planned.
  package func turn(of record: MappedRecord) -> Int64 {
    guard let priority = record.queued?.priority, turns.contains(priority) else { return .min }
    return priority
  }

  package var conflictPolicy: ConflictPolicy {
    switch program.api.conflict.policy {
    case .fail: .fail
    case .remote: .remote
    case .local: .local
    case .newest: .newest
    case .merge: .merge
    case .ask: .ask
    }
  }

  /// Reads a record's line once, for all that is asked of it.
  package func record(_ line: [UInt8]) throws(MappingError) -> MappedRecord {
    let record = try plainRecord(line)
    guard !queued.isEmpty, let id = record.id, let change = queued[id] else { return record }
    return try record.changed(by: change, hasRow: view == nil)
  }

  /// A record as a run has carried it, with changes that the app has done or given up since; `nil` if
  /// there are no such values, or the record is not known as they made it.
  ///
  /// Without them the row alone, which never had them, would roll back what was sent. What was made and
  /// deleted before the server ever heard of it stays deleted, anyone who gave up reporting.
  package func record(
    _ line: [UInt8],
    carriedAs known: SyncState?
  ) throws(MappingError) -> MappedRecord? {
    guard !former.isEmpty else { return nil }
    let record = try plainRecord(line)
    guard let id = record.id, let change = former[id] else { return nil }
    let carried = try record.changed(by: change, hasRow: view == nil)
    guard let known else { return change.isDeleted && record.serverID == nil ? carried : nil }
    if change.isDeleted { return known.serverID == nil ? carried : nil }
    return try carried.form(.planning).digest == known.requestDigest ? carried : nil
  }

  /// A record as its line has it.
  private func plainRecord(_ line: [UInt8]) throws(MappingError) -> MappedRecord {
    var line = line
    if LongText.mayBeIn(line), program.needsTexts(of: line, all: view != nil) {
      line = try whole(line)
    }
    let document = JSONDocument()
    do throws(JSONError) {
      try document.parse(keeping: view?.line(of: line) ?? line)
    } catch {
      throw MappingError(code: "record.unreadable", reason: "its line is not JSON: \(error)")
    }
    return MappedRecord(program: program, keyMember: keyMember, document: document)
  }

  /// JSON with its long texts.
  private func whole(_ json: [UInt8]) throws(MappingError) -> [UInt8] {
    do throws(MappingFault) { return try program.whole(json) } catch { throw MappingError(error) }
  }

  /// A request's body.
  ///
  /// A field that is emptied goes as the value that a new record is not sent with, where the profile names one
  /// and says that the two compare as the same: not every route takes `null`.
  package func body(of members: [RequestField]) -> [UInt8] {
    program.body(
      of: members.map { member in
        guard member.value == RequestProgram.null,
          let unless = program.api.body.first(where: { $0.name == member.name })?.unless,
          program.api.compare[member.name] != .ignored,
          program.api.agree(unless, .null, of: member.name)
        else { return member }
        return RequestField(name: member.name, value: unless.canonicalBytes)
      }
    )
  }

  /// The members that differ from what the destination holds.
  package func changes(from remote: [UInt8], to members: [RequestField]) throws(MappingError)
    -> [RequestField]
  {
    let names = reading(remote) { document, root in
      Set(program.difference(of: members, from: root, in: document))
    }
    guard let names else {
      throw MappingError(
        code: "destination.unreadable",
        reason: "what the destination holds is not JSON"
      )
    }
    return members.filter { names.contains($0.name) }
  }

  package func isSame(_ members: [RequestField], asRemote remote: [UInt8]) -> Bool {
    reading(remote) { document, root in program.isSame(members, root, in: document) } ?? false
  }

  /// What is restored of the content before an operation.
  package enum Restoration {
    /// All that an update may send.
    case whole
    /// What brings late references alone, of a record that is itself removed next.
    case links
  }

  /// The members that are restored, as they were in `before`.
  func restorable(_ before: [UInt8], _ restoration: Restoration) -> [RequestField] {
    reading(before) { document, root in
      let rules = program.api.body.filter { rule in
        restoration == .links ? rule.isDeferredReference : rule.stage != .once
      }
      return rules.map { rule in
        let value = document.member(of: root, named: rule.name).map { document.value(of: $0) }
        return RequestField(name: rule.name, value: (value ?? .null).canonicalBytes)
      }
    } ?? []
  }

  /// The identities that a member of the destination's record names: one, or an array of them.
  package func identities(in member: String, ofRemote remote: [UInt8]) -> [String] {
    reading(remote) { document, root in
      guard let node = document.member(of: root, named: member) else { return [] }
      let value = document.value(of: node)
      return (value.array ?? [value]).compactMap { element in
        let plain = element["id"] ?? element
        return plain.text ?? plain.integer.map(String.init)
      }
    } ?? []
  }

  /// An object in JSON; `nil` when the bytes are not.
  package func object(_ bytes: [UInt8]) -> JSONObject? {
    reading(bytes) { document, root in document.value(of: root).object } ?? nil
  }

  /// Whether the profile says by which members a person distinguishes the records.
  package var hasNaturalKey: Bool { !program.api.naturalKey.isEmpty }

  package func naturalKey(of members: [RequestField]) -> Digest? { program.naturalKey(of: members) }

  package func naturalKey(ofRemote remote: [UInt8]) -> Digest? {
    reading(remote) { document, root in program.naturalKey(of: root, in: document) } ?? nil
  }

  /// Lends a parsed document; `nil` when the bytes are not JSON.
  func reading<Value>(
    _ bytes: [UInt8],
    _ body: (JSONDocument, JSONNode) -> Value
  ) -> Value? {
    guard let bytes = program.withComparedTexts(bytes) else { return nil }
    let document = JSONDocument()
    return bytes.withUnsafeBytes { buffer in
      do throws(JSONError) {
        try document.parse(buffer)
      } catch {
        return nil
      }
      return body(document, document.root)
    }
  }
}

/// One record of a package, parsed.
package struct MappedRecord {
  package let program: RequestProgram
  let keyMember: String
  package let document: JSONDocument
  /// What waited for the server; `nil` where nothing did.
  package var queued: QueuedChange?
  /// The members that these changes gave another value than the store's row has.
  private var queuedMembers = JSONObject()

  fileprivate init(
    program: RequestProgram,
    keyMember: String,
    document: JSONDocument,
    queued: QueuedChange? = nil,
    queuedMembers: JSONObject = JSONObject()
  ) {
    self.program = program
    self.keyMember = keyMember
    self.document = document
    self.queued = queued
    self.queuedMembers = queuedMembers
  }

  /// The values of the store's attributes that the changes gave and the row does not have.
  package var queuedValues: JSONObject {
    var values = JSONObject()
    for member in queuedMembers.members {
      let path = MemberPath(names: [member.name])
      if let attribute = program.profile.attribute(of: path) { values[attribute] = member.value }
    }
    return values
  }

  private var root: JSONNode { document.root }

  /// The record with the changes that waited for the server, which the store keeps beside it.
  ///
  /// A row says which members the record has. Without one, it has those of all changes.
  fileprivate func changed(
    by change: QueuedChange,
    hasRow: Bool
  ) throws(MappingError) -> MappedRecord {
    let changed = JSONDocument()
    var object = document.value(of: root).object ?? JSONObject()
    var members = JSONObject()
    for member in change.updates.members
    where member.name != keyMember && (!hasRow || object[member.name] != nil) {
      if hasRow, object[member.name] != member.value { members[member.name] = member.value }
      object[member.name] = member.value
    }
    // The store's row has no place for the bytes of a file: the changes alone have them.
    for name in program.heldFiles where object[name] == nil {
      object[name] = change.updates[name] ?? change.made[name]
    }
    do throws(JSONError) {
      try changed.parse(keeping: JSONValue.object(object).canonicalBytes)
    } catch {
      throw MappingError(code: "record.unreadable", reason: "its line is not JSON: \(error)")
    }
    return MappedRecord(
      program: program,
      keyMember: keyMember,
      document: changed,
      queued: change,
      queuedMembers: members
    )
  }

  /// The record's key, or `nil` when it has none.
  package var key: String? {
    guard document.kind(of: root) == .object,
      let node = document.member(of: root, named: keyMember)
    else { return nil }
    return document.text(ofScalar: node)
  }

  /// The record's identity, where it has a key.
  package var id: RecordID? { key.map { RecordID(entity: program.api.entity, key: $0) } }

  /// The record as the destination takes it.
  package func form(_ resolver: ReferenceResolver) throws(MappingError) -> RequestFieldSet {
    var resolver = resolver
    resolver.record = id
    do throws(MappingFault) {
      let members = try program.forms(of: root, in: document, resolver)
      let digest = program.digest(of: members.whole)
      return RequestFieldSet(
        create: members.create,
        complete: members.complete,
        update: members.update,
        whole: members.whole,
        open: members.open,
        digest: digest,
        createDigest: members.complete.isEmpty ? digest : program.digest(of: members.create)
      )
    } catch {
      throw MappingError(error)
    }
  }

  /// Whether the fields of the record are those that a run sent: others may have been sent to the
  /// destination by another writer, whose version no run may take for its own.
  package func isAsSent(_ known: SyncState?) -> Bool {
    do throws(MappingError) {
      let form = try form(.planning)
      return form.digest == known?.requestDigest || form.createDigest == known?.requestDigest
    } catch {
      return false
    }
  }

  /// The fields of one kind of request alone.
  package func members(
    _ stage: RequestStage,
    _ resolver: ReferenceResolver
  ) throws(MappingError) -> [RequestField] {
    var resolver = resolver
    resolver.record = id
    do throws(MappingFault) {
      return try program.members(for: stage, of: root, in: document, resolver)
    } catch {
      throw MappingError(error)
    }
  }

  /// Makes sure that a request of this kind leaves out no link to a file that none could bring later.
  package func expectFiles(for stage: RequestStage, _ resolver: ReferenceResolver)
    throws(MappingError)
  {
    guard program.namesFiles else { return }
    var resolver = resolver
    resolver.record = id
    do throws(MappingFault) {
      try program.expectFiles(for: stage, of: root, in: document, resolver)
    } catch {
      throw MappingError(error)
    }
  }

  /// The members of a request that lack their file, and that a change can bring once it is there.
  package func unlinkedMembers(_ resolver: ReferenceResolver) throws(MappingError) -> [String] {
    guard program.namesFiles else { return [] }
    var resolver = resolver
    resolver.record = id
    do throws(MappingFault) {
      return try program.unlinkedMembers(of: root, in: document, resolver)
    } catch {
      throw MappingError(error)
    }
  }

  /// Why the request that makes the record cannot be written; `nil` when it can.
  package func refusal(at stage: RequestStage, _ resolver: ReferenceResolver) -> MappingError? {
    do throws(MappingError) {
      _ = try members(stage, resolver)
      return nil
    } catch {
      return error
    }
  }

  /// The destination's identity that the app had kept of the record itself.
  package var serverID: String? { program.serverID(in: root, of: document) }

  /// What the app's own store says of where the record is kept.
  package var claim: SourceClaim {
    let claim = program.claim(in: root, of: document)
    guard let queued else { return claim }
    return claim.with(meaning: queued.isDeleted ? .delete : queued.isNew ? .create : .update)
  }

  /// The members of a request that the changes that waited for the server do not speak of.
  package var unqueuedMembers: Set<String> {
    guard let updates = queued?.updates else { return [] }
    return Set(program.members(notFrom: Set(updates.members.map(\.name))))
  }

  /// Whom the record names as its owner.
  package var owner: String? { program.owner(in: root, of: document) }

  /// The text of one of the record's members; `nil` when it holds nothing.
  package func text(of member: String) -> String? {
    program.text(of: member, in: root, of: document)
  }

  /// The files of the package that are sent for the record.
  package var media: [RecordMedia] { program.media(in: root, of: document) }

  /// The files of the package that requests link the record to.
  package var fileLinks: [LinkedFile] { program.links(in: root, of: document) }

  /// The files that the requests of the record carry as parts of forms.
  package var carriedParts: [CarriedPart] {
    get throws(MappingError) {
      do throws(MappingFault) {
        return try program.carriedParts(of: root, in: document)
      } catch {
        throw MappingError(error)
      }
    }
  }

  /// The records and files that the record names, about which its requests ask.
  package var named: [RecordID] {
    program.references(in: root, of: document)
      + media.map { RecordID(entity: .media($0.rule.category), key: $0.key(of: id)) }
  }

  /// The members that hold something and have no place at the destination.
  package var unmapped: [String] {
    var members = program.unmapped(in: root, of: document)
    if let key, let member = program.lostMember(of: key) { members.append(member) }
    return members
  }

  /// The members of requests that have less of a text than the record.
  package var shortened: [String] { program.shortened(in: root, of: document) }

  /// The members that the destination needs and that hold nothing.
  package var missingNeeds: [String] { program.missingNeeds(in: root, of: document) }
}
