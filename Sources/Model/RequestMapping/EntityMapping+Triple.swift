package import JSONText
package import Profiles
package import Reconciliation
package import Records
import RequestBodies
import TextCodecs
package import UploadPlanning

// The copies of one record as they are compared: its fields in the destination's form.

extension EntityMapping {
  /// How the fields of the entity are compared; `answer` is what a person decided about those that
  /// are to be asked about, `nil` for nothing.
  package func comparisonRules(
    judgesIdentity: Bool,
    answer: ConflictRules.FieldRule? = nil
  ) -> ComparisonRules {
    let program = program
    let compared = program.api.body.filter { program.api.compare[$0.name] != .ignored }
    var rules = ComparisonRules(fields: Set(compared.map(\.name))) { values in
      var object = JSONObject()
      for (name, value) in values { object[name] = value.json }
      return program.contentDigest(of: values.keys.sorted(), in: object)
    }
    if judgesIdentity { rules.naturalKey = Set(program.lastingKey) }
    rules.createOnly = Set(compared.filter { $0.stage == .once }.map(\.name))
    rules.isEqual = { name, left, right in
      guard let left = left.json, let right = right.json else { return false }
      return program.api.agree(left, right, of: name)
    }
    rules.identifies = { name, left, right in
      let member = RequestField(name: name, value: (left.json ?? .null).canonicalBytes)
      var there = JSONObject()
      there[name] = right.json
      return program.disagreement(of: [member], with: there).differing == 0
    }
    rules.merge = { name, sides in program.merge(name, sides, answer: answer) }
    return rules
  }

  /// The store's record as it is wanted at the destination.
  ///
  /// A field that names what is not at the destination yet, as the addresses of files in `links`
  /// do, is known by what it names in the package.
  package func copy(
    of statement: FieldStatement,
    _ plain: RequestFieldSet,
    naming links: [String],
    changedAt: Int64?
  ) -> RecordCopy {
    var copy = copy(of: statement.whole + statement.update)
    let named = statement.open.union(links)
    let names =
      named.isEmpty
      ? JSONObject()
      : program.image(of: (plain.whole + plain.update).filter { named.contains($0.name) })
    for name in statement.open { copy.show(.pending(names[name]), in: name) }
    for name in links where !copy.shows(name) {
      copy.show(.pending(names[name]), in: name)
    }
    copy.modifiedAt = changedAt
    return copy
  }

  /// A record of the destination's; what a row of a list leaves out is not shown.
  package func copy(of remote: RemoteRecord, isAlone: Bool) -> RecordCopy {
    let read = reading(remote.body) { document, root in
      var there = copy(of: root, in: document, isWhole: isAlone)
      there.modifiedAt = program.api.conflict.newest
        .flatMap { document.value(of: root).value(along: $0.remote)?.text }
        .flatMap { Timestamp.microseconds($0) }
      return there
    }
    var there = read ?? copy(of: JSONObject(), isWhole: isAlone)
    there.revision = remote.version
    return there
  }

  /// The destination's answer about a record that was asked for; `isWhole` says whether it shows all of it.
  package func copy(
    of remote: RemoteRecord?,
    isWhole: Bool,
    _ source: RemoteCopy.Source
  ) -> RemoteCopy {
    guard let remote else { return .absent }
    if let denial = remote.denial { return .unreadable(reason: denial) }
    return .present(copy(of: remote, isAlone: isWhole), source)
  }

  /// What both sides last agreed on, as it was kept; of a record that was not completed, with what the
  /// destination filled in meanwhile, as the `read` copy shows it.
  package func base(
    _ image: RecordImage,
    of known: SyncState,
    _ resolver: ReferenceResolver,
    read: RemoteCopy
  ) throws(MappingFault) -> RecordTriple.Base {
    let began = try began(image, resolver)
    var local = copy(of: began)
    var remote = local
    if image.sent != nil || image.requestDigest != known.requestDigest {
      remote = copy(of: given(began, image, of: known))
    }
    let names = began.unknown.isEmpty ? nil : object(image.base)
    for name in began.unknown { local.show(.pending(names?[name]), in: name) }
    remote.revision = known.version
    if image.requestDigest != known.requestDigest { fill(&remote, from: read) }
    return RecordTriple.Base(
      local: .record(local),
      remote: remote,
      isKeptRemote: image.sent != nil
    )
  }

  /// A record that named no file for a field has none there, until a request brings one.
  private func copy(of given: GivenRecord) -> RecordCopy {
    var copy = copy(of: given.members, isWhole: false, besides: given.unknown)
    for name in program.fileFields where !copy.shows(name) && !given.unknown.contains(name) {
      copy.show(.null, in: name)
    }
    return copy
  }

  /// What both sides last agreed on as one copy: as the destination was given it, else as the store had it.
  ///
  /// In fields of these names about which the record said nothing, it is what the request said that made it.
  package func agreed(_ base: RecordTriple.Base, stating names: Set<String>) -> RecordCopy {
    var copy = base.remote
    for (name, value) in base.local.record?.fields ?? [:] where !copy.shows(name) {
      copy.show(value, in: name)
    }
    for name in names where !copy.shows(name) {
      if let fallback = program.fallback(of: name) { copy.show(FieldValue(fallback), in: name) }
    }
    return copy
  }

  /// What both sides last agreed on, of which only the digest was kept: nothing is known of it, but
  /// where it is the record as it is `wanted` now, or the same before it was completed.
  package func base(
    of known: SyncState,
    _ plain: RequestFieldSet,
    wanted: LocalCopy,
    read: RemoteCopy
  ) -> RecordTriple.Base {
    let nothing = RecordCopy([:], coverage: .partial([]))
    var local = LocalCopy.record(nothing)
    var remote = nothing
    remote.revision = known.version
    if case .record(var copy) = wanted {
      if known.requestDigest == plain.digest {
        local = wanted
      } else if known.requestDigest == plain.createDigest {
        for rule in program.api.body where rule.stage == .complete {
          copy.show(FieldValue(rule.unless ?? .null), in: rule.name)
        }
        local = .record(copy)
        fill(&remote, from: read)
      }
    }
    return RecordTriple.Base(local: local, remote: remote)
  }

  /// Takes for agreed what the destination has in the fields that no request gave a record so far:
  /// that is its own default.
  private func fill(_ agreed: inout RecordCopy, from read: RemoteCopy) {
    guard case .present(let there, _) = read else { return }
    for name in fillable {
      if let value = there[name] { agreed.show(value, in: name) }
    }
  }

  /// A record of the destination's, as it was read.
  package func remoteCopy(of remote: RemoteRecord, isAlone: Bool) -> RemoteCopy {
    if let denial = remote.denial { return .unreadable(reason: denial) }
    return .present(copy(of: remote, isAlone: isAlone), isAlone ? .single : .list)
  }

  /// Whether a record of the destination's is what a request made that sent these fields; `nil`
  /// where a row of a list leaves some out that the record alone would show.
  ///
  /// What nothing shows counts as sent only where the record `isIdentified`.
  package func hasArrived(
    _ made: RecordCopy,
    as remote: RemoteCopy,
    _ rules: ComparisonRules,
    isIdentified: Bool = true
  ) -> Bool? {
    switch arrival(made, as: remote, rules, .unknown, isIdentified: isIdentified) {
    case .arrived: true
    case .notArrived, .madeByOther: false
    case .hidden: nil
    }
  }

  /// What a record of the destination's says about a lost request that made one.
  package enum Arrival: Hashable, Sendable {
    case arrived
    case notArrived
    /// The record is as sent, and another client made it.
    case madeByOther
    /// A row of a list leaves out what the record alone would show.
    case hidden
  }

  package func arrival(
    _ made: RecordCopy,
    as remote: RemoteCopy,
    _ rules: ComparisonRules,
    _ receipt: RecordTriple.Receipt,
    isIdentified: Bool = true
  ) -> Arrival {
    let triple = RecordTriple(
      base: nil,
      wanted: .record(made),
      remote: remote,
      receipt: receipt
    )
    let difference = triple.difference(rules)
    let capabilities: Capabilities = program.api.read == nil ? [] : .readOne
    switch triple.decide(.lookUp, on: difference, rules, capabilities) {
    case .adopt: return isIdentified || difference.unlisted.isEmpty ? .arrived : .notArrived
    case .unchanged: return .madeByOther
    case .readFirst: return .hidden
    case .create, .update, .delete, .remoteNewer, .keptRemote, .skip, .ask, .conflict:
      return .notArrived
    }
  }

  /// What was at the destination before an operation of ours; the addresses of files say nothing, as what a
  /// server signs them with comes and goes.
  package func copy(ofBefore bytes: [UInt8]) -> RecordCopy {
    copy(of: object(bytes) ?? JSONObject(), isWhole: false, besides: program.fileLinks)
  }

  /// The fields of a request; of several with one name, the last one counts.
  package func copy(of members: [RequestField]) -> RecordCopy {
    var fields: [String: FieldValue] = [:]
    fields.reserveCapacity(members.count)
    for member in members where program.fieldNames.contains(member.name) {
      fields[member.name] = FieldValue(canonical: member.value)
    }
    return RecordCopy(fields, coverage: .partial(Set(fields.keys)))
  }

  /// A record of the destination's, read from its document.
  private func copy(of root: JSONNode, in document: JSONDocument, isWhole: Bool) -> RecordCopy {
    guard document.kind(of: root) == .object else {
      return copy(of: JSONObject(), isWhole: isWhole)
    }
    var fields: [String: FieldValue] = [:]
    fields.reserveCapacity(program.fieldNames.count)
    for name in program.fieldNames {
      guard let node = document.member(of: root, named: name) else { continue }
      fields[name] =
        document.kind(of: node) == .null ? .null : .value(document.canonicalBytes(of: node))
    }
    let coverage = isWhole ? RecordCopy.Coverage.complete : .partial(Set(fields.keys))
    return RecordCopy(fields, coverage: coverage)
  }

  /// What was put back of the content at the destination before an operation; what a row of a list
  /// left out of that, which is not `isWhole`, is not shown.
  package func copy(
    restored before: [UInt8],
    _ restoration: Restoration,
    isWhole: Bool
  ) -> RecordCopy {
    let row = object(before) ?? JSONObject()
    let members = restorable(before, restoration).filter { isWhole || row[$0.name] != nil }
    return copy(of: program.image(of: members), isWhole: false)
  }

  package func copy(
    of object: JSONObject,
    isWhole: Bool,
    besides unknown: Set<String> = []
  ) -> RecordCopy {
    var fields: [String: FieldValue] = [:]
    var shown: Set<String> = []
    for rule in program.api.body {
      guard let value = object[rule.name], !unknown.contains(rule.name) else { continue }
      shown.insert(rule.name)
      fields[rule.name] = FieldValue(value)
    }
    return RecordCopy(fields, coverage: isWhole ? .complete : .partial(shown))
  }
}

extension RecordCopy {
  /// The same copy, which does not show some fields.
  mutating func hide(_ names: Set<String>) {
    for name in names { fields[name] = nil }
    if case .partial(let shown) = coverage { coverage = .partial(shown.subtracting(names)) }
  }

  /// The same copy, of which a field that names something is to come.
  package mutating func makePending(_ name: String) {
    guard case .value(let bytes) = self[name] else { return }
    show(.pending(JSONValue(checked: bytes)), in: name)
  }
}

extension RecordTriple {
  /// Has the fields not compared that are empty, as they were when both sides last agreed, and that
  /// the remote does not show; gives their names.
  @discardableResult
  package mutating func leaveOutEmpty(_ rules: ComparisonRules) -> Set<String> {
    guard case .record(var copy) = wanted, case .present(let there, _) = remote else { return [] }
    let before = base?.local.record
    let names = rules.fields.filter { name in
      guard !there.shows(name), let value = copy[name], let then = before?[name] else {
        return false
      }
      return rules.isEqual(name, value, .null) && rules.isEqual(name, then, .null)
    }
    copy.hide(names)
    wanted = .record(copy)
    return names
  }
}

extension FieldValue {
  /// What names something that is not at the destination yet, as the package names it.
  static func pending(_ name: JSONValue?) -> FieldValue {
    .pending(.record(key: name?.canonicalText ?? ""))
  }

  /// A value in its one canonical spelling.
  init(canonical bytes: [UInt8]) {
    self = bytes == Self.nullBytes ? .null : .value(bytes)
  }

  private static let nullBytes = Array("null".utf8)

  package init(_ value: JSONValue) {
    self = value.isNull ? .null : .value(value.canonicalBytes)
  }

  /// The value in JSON; `nil` of what refers to something that the destination does not have.
  package var json: JSONValue? {
    switch self {
    case .null: .null
    case .pending: nil
    case .value(let bytes): JSONValue(checked: bytes)
    }
  }
}

extension SyncClaim {
  /// What the app's store says of a record; it knows its ID only where that counts, as `isKnown` says.
  package init(_ claim: SourceClaim, isKnown: Bool) {
    self.init(
      state: State(claim),
      lastSeen: claim.base.map { base in
        switch base {
        case .version(let version): .revision(version)
        case .asOf(let moment): .modifiedAt(moment)
        }
      },
      hasRemoteID: isKnown && claim.serverID != nil
    )
  }
}

extension SyncClaim.State {
  fileprivate init?(_ claim: SourceClaim) {
    if claim.isNeverSynced {
      self = .neverSynced
      return
    }
    switch claim.meaning {
    case .synced: self = .synced
    case .create, .update, .changed, .delete: self = .changed
    case .conflict: self = .conflicted
    case .ignore, nil: return nil
    }
  }
}

extension RequestProgram {
  /// What becomes of a field that both sides changed, or whose agreed values differ.
  fileprivate func merge(
    _ name: String,
    _ sides: FieldSides,
    answer: ConflictRules.FieldRule?
  ) -> FieldMerge {
    let rule = api.conflict.fields[name]
    if let joined = rule.flatMap({ joined($0, sides) }) { return .joined(FieldValue(joined)) }
    switch rule == .ask ? answer ?? .ask : rule {
    case .ask: return .ask
    case .local: return .local
    case .remote, .sum, .union, .or, .average, nil: return .remote
    }
  }

  private func joined(_ rule: ConflictRules.FieldRule, _ sides: FieldSides) -> JSONValue? {
    guard let here = sides.wanted.json, let there = sides.remote.json else { return nil }
    return joined(
      rule,
      here: here,
      there: there,
      before: (here: sides.baseLocal?.json, there: sides.baseRemote?.json),
      isUnmoved: !sides.isRemotelyChanged
    )
  }
}
