package import JSONText
package import Records
package import RequestBodies
package import Retrying

/// How a destination is spoken to, as the `api` section of a profile says: facts only.
package struct Api: Hashable, Sendable {
  package let kind: Kind
  /// The names of the credentials that `{name}` represents in sign-in bodies and headers.
  package let credentials: [String]
  /// How a token is got; `nil` where the headers alone authorise.
  package let signIn: SignIn?
  /// Where the destination says who the account is; `nil` where it cannot.
  package let account: AccountRoute?
  /// The account that the profile itself names; `nil` where it leaves that to the destination.
  package let statedAccount: String?
  /// The user and password of every request (HTTP Basic), or `nil`.
  package let basic: BasicLogin?
  /// Headers of every request; a value may hold `{credential}`.
  package let headers: [TemplateMember]
  /// The same of query parameters.
  package let query: [TemplateMember]
  /// What signs every request; `nil` for nothing.
  package let signing: SigningRule?
  /// How long a lost request may still arrive: what a look-up waits before it believes.
  package let settle: Duration
  /// How long the destination remembers an idempotency key.
  package let keyLife: Duration
  /// How long one request may take.
  package var timeout: Duration
  package let concurrency: Int
  /// The most requests a second; `nil` for no limit.
  package let rate: Double?
  /// How patiently a passing fault is tried again; `nil` leaves that to the run.
  package let retry: RetryPolicy?
  /// What refusals mean at this destination.
  package let meanings: [AnswerRule]
  /// Routes that must never be called.
  package let forbidden: [Route]
  package let media: MediaApi?
  /// Where the destination says what its collections are; `nil` where it does not.
  package let schemaRoute: SchemaRoute?
  /// How values are written that say themselves what they are; `nil` where values are plain.
  package let values: ValueForms?
  /// One entry for each entity that is sent, parents before children.
  package let entities: [EntityApi]
  package let clientID: ClientID
  /// What the removal of a record means, for each entity that says nothing else.
  package let removal: EntityApi.Removal

  /// The most requests a second where a person chose `chosen`, or nothing; a kind of destination may
  /// have a limit of its own.
  package func rate(chosen: Double?) -> Double? { kind.settings.rate(chosen ?? rate) }

  /// The names of the credentials that each session needs; none for a kind that chooses among them.
  package var neededCredentials: [String] { kind.choosesCredentials ? [] : credentials }

  /// What the profile says that a refusal means, or `nil`.
  package func means(status: Int, reason: String) -> AnswerRule.Means? {
    meanings.first { $0.matches(status: status, reason: reason) }?.means
  }

  /// Whether anything says whose data the destination serves.
  package var saysAccount: Bool {
    account != nil || statedAccount != nil || signIn?.account != nil || signIn?.assertion != nil
      || kind.saysAccount
  }

  /// What `{account}` represents, where a session is that of an account.
  package func name(ofAccount account: String) -> String {
    statedAccount ?? kind.settings.user(inAccount: account)
  }

  /// Whether a record belongs to the account that sends it, and something says which one that is.
  ///
  /// A digest of the credential does not: with a renewed one, every record would be another.
  package var hasAccounts: Bool { saysAccount && kind.hasAccounts }

  /// Whether media files are sent.
  package var sendsFiles: Bool { media?.isEnabled == true }

  /// The members of an entity's records that have no place at the destination: those that the profile lists,
  /// and media files that no request sends.
  package func unmapped(of entity: EntityApi, _ profile: EntityProfile) -> [String] {
    let sent = (sendsFiles ? entity.mediaMembers : []) + entity.fileMembers
    let files = profile.media.map(\.member).filter { !sent.contains($0) }
    return entity.unmapped + files.filter { !entity.unmapped.contains($0) }
  }

  /// The member that has a record's key, where the destination's identity is made of it and no other field has it.
  ///
  /// By ``ClientID/uuid`` only keys that are no UUIDs are lost.
  package func lostKey(of entity: EntityApi, _ profile: EntityProfile) -> String? {
    guard case .attribute = profile.identity, entity.replay == .id else { return nil }
    switch clientID {
    case .asIs, .lower: return nil
    case .uuid, .uuid5, .digest: break
    }
    let key = profile.keyMember
    let replaced = entity.replacedFields
    let isKept = entity.body.contains { rule in
      if case .record = rule.source { return !replaced.contains(key) }
      return !replaced.contains(rule.name) && rule.uses.contains { $0.path.names == [key] }
    }
    return isKept || entity.unmapped.contains(key) ? nil : key
  }

  /// The entry of an entity, or `nil` when the destination has no place for it.
  package func entity(_ name: EntityName) -> EntityApi? {
    entities.first { $0.entity == name }
  }
}

/// How one entity lives at the destination.
package struct EntityApi: Hashable, Sendable {
  package let entity: EntityName
  package let replay: Replay
  package let list: ListRoute?
  package let read: ReadRoute?
  /// How records are made; always there where entities have routes of their own.
  package let create: CreateRoute?
  package let update: UpdateRoute?
  package let delete: DeleteRoute?
  /// Where a row of the destination has the members by which it is known: one, or several together.
  package let ids: [MemberPath]
  /// Which part of what a row has there is its identity, where one member is it.
  package let idPart: IdentityPart
  /// Where the fields of a record are in requests and rows; `nil` for side by side.
  package let shape: RecordShape?
  /// Where a row has the members that a body sends; empty for the row itself.
  package let content: MemberPath
  /// Where a row or an answer has its version; `nil` where the destination has none.
  package let version: VersionPlace?
  /// The record members in which the app itself kept the destination's identity, if it did: the first that
  /// holds one counts.
  package let serverIDs: [String]
  /// Which values of those members are the destination's.
  package let serverIDForm: ServerIDForm
  /// What a request's body holds, in the order of the members' names by their bytes.
  package private(set) var body: [RequestFieldRule]
  /// How members that are not compared exactly are compared, by request field.
  package private(set) var compare: [String: Comparison]
  /// The request fields that together identify a record at the account; empty if there are no such values.
  package let naturalKey: [String]
  /// The record members that have no place at the destination.
  package let unmapped: [String]
  /// What a record must say for the destination to have a place for it as a whole.
  package let needs: [Need]
  package let conflict: ConflictRules
  let ofKind: OfKind
  /// What fields hold whose values do not say that, by request field; see ``Api/values``.
  package let types: [String: FieldForm]
  /// What the destination's own schema calls the collection of these records; `nil` where the profile does
  /// not say.
  package let schemaName: String?
  /// The field of a record that Ferry fills with the account, which ``body`` has then; `nil` for none.
  package let owner: String?
  /// What the removal of a record means for its identity.
  package let removal: Removal
  /// Whether all records of one request have the same fields.
  package let hasEqualKeys: Bool
  package let reserved: ReservedNames
  /// The routes that take a file once its record is there, by request field.
  package let files: [String: FileRoute]

  /// Whether a condition can name a version.
  ///
  /// A weak entity tag of a header never matches, [RFC 9110, 13.1.1](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1).
  /// One that a row has is there for conditions:
  /// <https://docs.oasis-open.org/odata/odata/v4.01/odata-v4.01-part1-protocol.html#sec_HeaderIfMatch>.
  package func isCondition(_ version: String) -> Bool {
    if case .header = self.version { !version.hasPrefix("W/") } else { true }
  }

  /// The same, with the account in each constant that names it; without one, these are not sent.
  package func owned(by account: String?) -> EntityApi {
    var entity = self
    entity.body = body.compactMap { rule in
      guard case .constant(let value) = rule.source, value.mentions("account") else { return rule }
      return account.map { rule.holding(.constant(value.replacing("account", with: $0))) }
    }
    return entity
  }

  /// The same, where each spelling that the destination gives back of an identity that a body
  /// stated is the same.
  func comparingIdentity() -> EntityApi {
    guard let name = identityMember, compare[name] == nil else { return self }
    var entity = self
    entity.compare[name] = Comparison([.spelling])
    return entity
  }

  /// The same, where moments are the same that differ by less than a database keeps, and spellings of the
  /// identity; the profile's own rules stay.
  ///
  /// Of an identity of several columns only UUIDs have spellings: a request does not choose its other texts.
  func comparingInstants() -> EntityApi {
    var entity = self
    let identities = Set(ids.map(\.names.last))
    let ofIdentity: Comparison.Rule = isCompound ? .uuid : .spelling
    for rule in body where compare[rule.name] == nil {
      let isIdentity = identities.contains(rule.name)
      entity.compare[rule.name] = Comparison([isIdentity ? ofIdentity : .instant])
    }
    return entity
  }

  /// The member of a body with the identity that the destination is to give the record, which a
  /// row then has as its own; `nil` where the address or the request around the body has it, and
  /// where nothing does.
  package var identityMember: String? {
    guard replay == .id, let name = id.names.last, body.contains(where: { $0.name == name }) else {
      return nil
    }
    switch create {
    case .single(let single), .requests(let single, _):
      return !single.choosesID || content.names + [name] == id.names ? name : nil
    case .rows, .writes: return content.names + [name] == id.names ? name : nil
    case .batch, nil: return nil
    }
  }

  /// The fields of ``body`` that a create sends with another value: the identity that Ferry makes, and what the
  /// request itself has under the name.
  var replacedFields: Set<String> {
    let batched: String? = if case .batch(let batch) = create { batch.localID } else { nil }
    let template = create?.writeBatch?.write ?? create?.route.content?.body
    let isOfRow = if case .rows = create { true } else { ofKind.settings?.isRow == true }
    return Set([identityMember, batched, isOfRow ? id.names.last : nil].compactMap(\.self))
      .union(template?.members(beside: "body") ?? [])
  }

  /// Where a row has its identity, or the first member of several.
  package var id: MemberPath { ids[0] }

  /// Whether several members together are a record's identity.
  package var isCompound: Bool { ids.count > 1 }

  /// The names in braces that represent a record's identity in a request: `{id}`, or one for each member.
  package var idNames: [String] { isCompound ? ids.map { "id.\($0)" } : ["id"] }

  /// The request fields that are part of an identity of several members.
  package var identityFields: [String] {
    guard isCompound else { return [] }
    return content.fields(at: ids).filter { name in body.contains { $0.name == name } }
  }

  /// The one text of an identity: what the member says, or a ``CompoundIdentity``; `nil` where one of the members
  /// says nothing.
  package func identity(_ text: (MemberPath) -> String?) -> String? {
    guard isCompound else { return text(id).flatMap { idPart.identity(in: $0) } }
    let parts = ids.compactMap { text($0) }
    guard parts.count == ids.count, !parts.contains("") else { return nil }
    return CompoundIdentity.text(of: parts)
  }

  /// What the names in braces of an identity represent; none where the text is not of this form.
  package func values(ofIdentity text: String) -> [String: String] {
    guard isCompound else { return ["id": text] }
    guard let parts = CompoundIdentity.parts(of: text, count: ids.count) else { return [:] }
    return Dictionary(zip(idNames, parts), uniquingKeysWith: { first, _ in first })
  }

  /// Whether a request names one record.
  package func isNamed(by route: Route) -> Bool { idNames.allSatisfy { route.names($0) } }

  /// Whether a row has its identity among the members that a body sends.
  package var hasIdentityInContent: Bool { id.names.starts(with: content.names) }

  /// Whether a request names the account.
  package var namesAccount: Bool {
    types.values.contains { $0.name?.contains("{account}") == true }
      || create?.writeBatch?.write.names.contains("account") == true
  }

  /// Whether a record is there when its own address answers of it; `false` where no route reads one record.
  package var isAskedAlone: Bool { read?.presence == .item }

  /// Whether records can be read from the list alone, or are there when the list has them.
  package var isReadByList: Bool { list != nil && !isAskedAlone }

  /// The members of a request that name records which may be made later than their own.
  package var deferredReferences: [String] { body.filter(\.isDeferredReference).map(\.name) }

  /// Whether the destination refuses to create a record that it once removed.
  package var isRemovedForGood: Bool { removal == .final }

  /// What the removal of a record means for its identity.
  package enum Removal: String, Sendable, CaseIterable {
    /// A record of the same identity can be created again.
    case repeatable
    /// The destination keeps a removed record, hides it, and never takes one of its identity again.
    case final
  }

  /// Which values are identities of the destination's, where the app kept its own in the same place
  /// until it had one.
  package enum ServerIDForm: String, Sendable, CaseIterable {
    /// Whatever is there.
    case any
    /// Whole numbers above zero, also as text.
    case number
  }

  /// How a request whose answer was lost is made safe to repeat.
  package enum Replay: String, Sendable, CaseIterable {
    case key, id
    case lookUp = "look-up"
  }

  /// What a record must say for the destination to have a place for it.
  package struct Need: Hashable, Sendable {
    package let member: String
    /// The values that have a place, as text; `nil` if every value has.
    package let values: [String]?
  }

  /// When a value read back counts as the same: by one rule, or by several one after the other.
  package struct Comparison: Hashable, Sendable {
    /// In the order in which they are applied.
    package let rules: [Rule]

    package init(_ rules: [Rule]) {
      self.rules = Rule.allCases.filter(rules.contains)
    }

    /// The destination may change it as it likes.
    package static let ignored = Comparison([.ignored])

    /// One rule.
    package enum Rule: String, Sendable, CaseIterable {
      /// Texts are equal when they differ only in white space around them.
      case trimmed = "trim"
      /// Texts are equal when they differ only in upper and lower case.
      case caseless = "case"
      /// Texts are equal when they are spellings of one identity: whatever their case, how letters
      /// are composed, and the white space around them.
      case spelling
      /// UUIDs are equal in any case, and all other texts as they are.
      case uuid
      /// An object is identified by its `id` alone, and a number is the same as its digits.
      case identity = "id"
      /// Addresses are equal up to their query, which a signature may fill anew each time.
      case address
      /// Addresses are equal when their paths are: a storage may sign them for a host of its own.
      case path
      /// RFC 3339 texts are equal when they are less than a millisecond apart.
      case instant
      /// RFC 3339 texts are equal when they are less than a second apart.
      case second
      /// Two mentions of a file in CloudKit are of the same when checksum and size are.
      case asset
      /// Arrays of texts are equal as sets, regardless of the case.
      case caselessSet = "set-case"
      /// Arrays are equal when they hold the same values in any order.
      case set
      /// Texts are equal when the JSON in them is.
      case json
      /// Text that is absent, null or empty is all the same, and so is a list.
      case blank
      /// Whatever is there is the same as anything else, and nothing is the same as nothing.
      case present
      /// The destination may change it as it likes.
      case ignored
    }
  }
}

extension MemberPath {
  /// The members at this path that other paths lead to or through.
  func fields(at paths: [MemberPath]) -> [String] {
    paths.compactMap { path in
      path.names.count > names.count && path.names.starts(with: names)
        ? path.names[names.count] : nil
    }
  }
}
