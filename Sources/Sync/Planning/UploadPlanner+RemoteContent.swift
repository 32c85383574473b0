import Checkpoint
import ExportPackage
import JSONText
import LongTexts
import Reconciliation
import Records
import RequestMapping
import SyncReading
import UploadPlanning
import ScratchFiles

// What the destination has and the app does not: what a write-back later gives to the app.

extension UploadPlanner {
  /// Notes what the destination has of a record that was decided about and the app does not, or that the app
  /// has all of it.
  ///
  /// A record that the plan did not read says nothing new: what an earlier plan noted stays.
  func noteRemoteContent(
    of question: Question,
    _ settled: SettledDecision,
    _ decision: PlanDecision,
    in pass: inout EntityPass
  ) throws {
    let record = question.record
    if case .delete = decision, named.reason(for: record.id) != nil {
      pass.step.contents.append(removal(of: record.id, content: record.content))
      return
    }
    let isUnread: Bool =
      switch question.triple.remote {
      case .notRead, .notListed, .unreadable: true
      case .absent, .present: false
      }
    let isWhole = record.claim.isDeleted
    let queued = isWhole ? JSONObject() : record.read.queuedValues
    let fixed = decision.isUpdate ? question.fixedNames : []
    if let status = question.status(settled, decision), let place = question.place {
      let fields = question.remoteFields(
        besides: decision.isUpdate ? settled.sent : nil,
        fixed,
        isWhole: isWhole
      )
      if isWhole || !fields.isEmpty {
        let isKept = decision.isKnownContent || isWhole
        let content = isKept ? record.known?.content : record.content
        // Where both sides changed a record, or the destination won, that is the reason.
        let untaken =
          isWhole || decision.conflictReason != nil
          ? [] : question.untakenNames(besides: decision.isUpdate ? question.rules.createOnly : [])
        let reason =
          untaken.isEmpty
          ? decision.conflictReason
          : "the destination did not keep \(untaken.inWords) as it was sent"
        pass.step.contents.append(
          try remoteContent(
            RemoteSighting(
              record: record.id,
              serverID: place.serverID,
              version: question.remoteVersion ?? place.version,
              content: content,
              fields: fields,
              queued: queued
            ),
            fixed.isEmpty && untaken.isEmpty ? status : .conflicted,
            reason: fixed.isEmpty ? reason : Conflict.createOnly(fixed).words
          )
        )
        return
      }
    }
    if !queued.isEmpty, decision.carriesQueue {
      pass.step.contents.append(
        try remoteContent(
          RemoteSighting(
            record: record.id,
            serverID: question.serverID ?? "",
            version: nil,
            content: decision.isKnownContent ? record.known?.content : record.content,
            fields: JSONObject(),
            queued: queued
          ),
          .replace,
          reason: nil
        )
      )
      return
    }
    if pass.hasRemoteContent, !isUnread { pass.step.settled.append(record.id) }
  }

  /// Notes that the app may remove the row of a record that its user deleted, and that the destination does
  /// not have.
  func noteRemoval(of record: LocalRecord, _ reason: SkipReason, in pass: inout EntityPass) {
    guard record.claim.isDeleted, reason == .neverSent || reason == .alreadyGone else { return }
    if let known = record.known, known.serverID != nil {
      pass.step.adoptions.append(.gone(record.id, known))
    }
    pass.step.contents.append(removal(of: record.id, content: record.known?.content))
  }

  /// What the app does with the row of a record that is deleted at both ends.
  private func removal(of record: RecordID, content: Digest?) -> RemoteContent {
    let reason = named.reason(for: record)
    return RemoteContent(
      record: record,
      status: reason == nil ? .deleted : .skipped,
      serverID: "",
      version: nil,
      content: content,
      values: package.kept(Array("{}".utf8)),
      reason: reason
    )
  }

  /// What the destination has in a place, with what the app knows of it.
  struct RemoteSighting {
    let record: RecordID
    let serverID: String
    let version: String?
    let content: Digest?
    /// Fields of the request, with the destination's values.
    let fields: JSONObject
    /// What the app's queue gave the destination and the row does not have, as values of attributes.
    var queued = JSONObject()
  }

  /// The destination's content as values of the app's attributes.
  ///
  /// Where a field has no way back, the app cannot take the content over: the record is conflicted.
  func remoteContent(
    _ sighting: RemoteSighting,
    _ status: RemoteContent.Status,
    reason: String?
  ) throws -> RemoteContent {
    let mapping = reader.mappings[sighting.record.entity]
    let values = try mapping.storeValues(of: try whole(sighting.fields)) { entity, serverID in
      try localKey(of: serverID, entity)
    }
    var attributes = sighting.queued
    for member in values.attributes.members { attributes[member.name] = member.value }
    let kept: JSONValue = [
      "attributes": .object(attributes),
      "unmapped": .array(values.unmapped.map { .string($0) }),
    ]
    let isWhole = values.unmapped.isEmpty
    return RemoteContent(
      record: sighting.record,
      status: isWhole ? status : .conflicted,
      serverID: sighting.serverID,
      version: sighting.version,
      content: sighting.content,
      values: package.kept(kept.canonicalBytes),
      reason: isWhole ? reason : reason ?? values.unmappedWords
    )
  }

  /// Fields with their long texts, which the app gets.
  private func whole(_ fields: JSONObject) throws -> JSONObject {
    let bytes = JSONValue.object(fields).canonicalBytes
    guard LongText.mayBeIn(bytes) else { return fields }
    do throws(LongTextFault) {
      let whole = try reader.texts.whole(bytes)
      return (try? JSONValue(parsing: whole).object) ?? fields
    } catch {
      throw PackageError.damaged(path: package.path, reason: error.description)
    }
  }

  /// The key of the record that an identity of the destination means; `nil` for a record that is not here.
  private func localKey(
    of serverID: String,
    _ entity: EntityName
  ) throws -> String? {
    if let key = try checkpoint.keys(at: serverID, of: entity).first { return key }
    return try snapshot.taker(of: serverID, entity: entity)
  }
}

extension StoreValues {
  /// Why the app cannot take the content over.
  fileprivate var unmappedWords: String {
    "the destination has newer content, and \(unmapped.joined(separator: ", ")) has no exact way back "
      + "into the store"
  }
}

extension UploadPlanner.Question {
  /// What the app does with the destination's content; `nil` where it has all of it, or nothing is kept.
  fileprivate func status(
    _ settled: SettledDecision,
    _ decision: PlanDecision
  ) -> RemoteContent.Status? {
    guard case .present = triple.remote else { return nil }
    let isDeleted = record.claim.isDeleted
    switch decision {
    case .conflict(let reason):
      // Another record in its place says nothing of this one.
      return reason == .wasReplaced ? nil : .conflicted
    case .keptRemote: return isDeleted ? .restore : .replace
    case .remoteNewer: return .replace
    case .adopt, .unchanged:
      if isDeleted { return settled.isDecided ? .restore : nil }
      return .replace
    case .update: return .replace
    case .create, .delete, .skip: return nil
    }
  }

  /// The fields in which the destination stays different because it did not take what it was given, but for those
  /// that the run could not give it.
  ///
  /// Of an address of a file, whose signature differs in each answer, only that there is none.
  fileprivate func untakenNames(besides unsent: Set<String>) -> Set<String> {
    guard case .present(let copy, _) = triple.remote else { return [] }
    return triple.fieldsNotSentAgain(rules).subtracting(unsent)
      .intersection(difference.outstanding)
      .filter { !links.contains($0) || copy[$0] == .null }
  }

  /// The fields in which the destination has, or gets, something else than the record says; all that it shows
  /// where `isWhole`.
  ///
  /// An address of a file counts only where the destination changed it, or has none: servers sign addresses
  /// anew. A field that is taken only with a create counts only where the destination changed it, unless the
  /// store changed it, too: it is one of `fixed`.
  fileprivate func remoteFields(
    besides sent: JSONObject?,
    _ fixed: Set<String>,
    isWhole: Bool
  ) -> JSONObject {
    guard case .present(let remote, _) = triple.remote else { return JSONObject() }
    if isWhole { return withOwnBlanks(remote.json(rules.fields.subtracting(links))) }
    var fields = sent ?? overrides(keepsPending: false)
    var changed: Set<String> = []
    if case .fields(let names) = difference.remote { changed = names }
    if sent != nil {
      let there = overrides(keepsPending: false)
      for name in triple.untakenFields(rules).subtracting(difference.changedHere) {
        fields[name] = there[name]
      }
      for name in rules.createOnly.subtracting(fixed) where !changed.contains(name) {
        fields[name] = nil
      }
    }
    for name in links where !changed.contains(name) { fields[name] = nil }
    return withOwnBlanks(fields)
  }

  /// Fields that the destination shows as null, with the empty value of the store's kind where it takes the two
  /// for the same: an attribute with a text may not be able to have none.
  private func withOwnBlanks(_ fields: JSONObject) -> JSONObject {
    var fields = fields
    guard let own = triple.wanted.record ?? triple.base?.local.record else { return fields }
    for name in fields.members.filter(\.value.isNull).map(\.name) {
      guard record.read.program.api.isKeptAsItIs(name), let blank = own[name]?.json?.blank,
        rules.isEqual(name, FieldValue(blank), .null)
      else { continue }
      fields[name] = blank
    }
    return fields
  }

  /// The fields that the store changed and that a change does not bring to the destination, which has others.
  fileprivate var fixedNames: Set<String> {
    difference.changedHere.intersection(rules.createOnly).intersection(difference.outstanding)
      .subtracting(links)
  }

  /// The fields that have addresses of files.
  private var links: Set<String> { record.read.program.fileLinks }

  fileprivate var remoteVersion: String? {
    if case .present(let copy, _) = triple.remote { copy.revision } else { nil }
  }
}

extension JSONValue {
  /// The value of the same kind that says no more than that nothing is there; `nil` where its kind has none.
  fileprivate var blank: JSONValue? {
    if text != nil { return "" }
    if array != nil { return [] }
    return boolean == nil ? nil : false
  }
}

extension RecordCopy {
  /// The values of the fields that it shows.
  func json(_ names: Set<String>) -> JSONObject {
    var object = JSONObject()
    for name in names.sorted() {
      if let value = self[name]?.json { object[name] = value }
    }
    return object
  }
}

extension PlanDecision {
  fileprivate var isUpdate: Bool {
    if case .update = self { true } else { false }
  }

  /// Whether what is known of the record stays as it is.
  fileprivate var isKnownContent: Bool {
    switch self {
    case .unchanged, .conflict: true
    case .keptRemote, .remoteNewer, .adopt, .update, .create, .delete, .skip: false
    }
  }

  /// Whether the destination has, or gets, what the app's queue says of the record.
  fileprivate var carriesQueue: Bool {
    switch self {
    case .create, .update, .adopt, .unchanged: true
    case .conflict, .keptRemote, .remoteNewer, .delete, .skip: false
    }
  }

  fileprivate var conflictReason: String? {
    switch self {
    case .conflict(let reason), .keptRemote(_, _, let reason): reason
    case .remoteNewer, .adopt, .unchanged, .update, .create, .delete, .skip: nil
    }
  }
}
