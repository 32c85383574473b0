package import DestinationModel
import Foundation
package import HTTPTransport
import JSONText
package import LongTexts
import NIOHTTP1
package import Profiles
package import Records
import RequestBodies
import RequestMapping
import REST
import TextCodecs
package import UploadPlanning

/// A destination whose rows all travel together: one route gives what changed, one takes what
/// changed here.
///
/// That server may pass over a row without a word. Nothing is therefore called stored because the
/// server said that all is well: after each push the rows are read back, and a row that is not seen
/// there was not stored.
///
/// What the account holds is kept in memory, for the server gives it in one answer only.
package struct ChangesetDestination: Destination {
  package let traits: DestinationTraits
  package let origin: Origin

  let api: Api
  let changeset: ChangesetApi
  let rest: RESTDestination
  let mirror: ChangesetMirror

  /// - Parameters:
  ///   - api: What the profile says.
  ///   - address: The destination's address, from the profile or the command line.
  ///   - credentials: Asked when the first request needs them, and again when the token expired.
  ///   - transport: Stays the caller's to shut down.
  ///   - now: The seconds since 1970.
  /// - Throws: `DestinationError.misconfigured(reason:cure:)` for an address or a profile that
  ///   cannot be used.
  package init(
    api: Api,
    address: String,
    credentials: any CredentialSource,
    transport: HTTPTransport,
    now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
  ) throws(DestinationError) {
    guard let changeset = api.kind.settings as? ChangesetApi else {
      throw .misconfigured(
        reason: "the profile's api is not of the kind changeset",
        cure: "name the routes under “sync” in it"
      )
    }
    let rest = try RESTDestination(
      api: api,
      address: address,
      credentials: credentials,
      transport: transport,
      now: now
    )
    self.api = api
    self.changeset = changeset
    self.rest = rest
    origin = rest.origin
    mirror = ChangesetMirror(api: api, changeset: changeset, rest: rest)
    let names = api.entities.map(\.entity)
    func all<Value>(_ value: Value) -> [EntityName: Value] {
      Dictionary(names.map { ($0, value) }, uniquingKeysWith: { first, _ in first })
    }
    let routed = api.entities.filter { $0.rows == nil }
    let ownRoutes = Set(routed.map(\.entity))
    var missing: [EntityName: Set<OutgoingBatch.Verb>] = [:]
    for entity in routed {
      missing[entity.entity] = Set(
        (entity.update == nil ? [.update] : []) + (entity.delete == nil ? [.delete] : [])
      )
    }
    traits = DestinationTraits(
      origin: origin.address,
      replay: all(.id).merging(rest.traits.replay.filter { ownRoutes.contains($0.key) }) { $1 },
      batchLimit: all(changeset.batchLimit)
        .merging(rest.traits.batchLimit.filter { ownRoutes.contains($0.key) }) { $1 },
      concurrency: 1,
      listsChangesSince: Dictionary(
        api.entities.map { ($0.entity, $0.rows?.changed == nil) },
        uniquingKeysWith: { first, _ in first }
      ),
      takesMedia: api.sendsFiles,
      batchesChanges: true,
      keepsAddresses: api.media?.way.keepsAddresses ?? true,
      missing: missing
    )
  }

  package func fileChecks() async -> [DestinationCheck] { await rest.fileChecks() }

  package func standIn(_ texts: LongTexts) -> Bool { rest.standIn(texts) }

  package func giveUpWaiting() { rest.giveUpWaiting() }

  package func accountFault() async -> DestinationError? { await rest.accountFault() }

  package func account() async throws(DestinationError) -> String {
    try await rest.account()
  }

  package func accountNames() async throws(DestinationError) -> [String] {
    try await rest.accountNames()
  }

  package func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    if let entity = routed(entity) { return try await page(ofRouted: entity, after: mark, since) }
    let table = try table(of: entity)
    let pull = try await mirror.pull(since: since)
    var records: [RemoteRecord] = []
    var removed: [String] = []
    let rows = pull.rows[table.rows.name, default: [:]].sorted {
      $0.key.bytes.lexicographicallyPrecedes($1.key.bytes)
    }
    for (name, row) in rows {
      let id = name.description
      if table.isRemoved(row) {
        removed.append(id)
      } else {
        records.append(table.record(id, row))
      }
    }
    return RemotePage(
      records: records,
      removed: removed,
      next: nil,
      mark: pull.mark,
      isFromTheStart: pull.isFromTheStart
    )
  }

  package func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    try await records(of: entity, serverIDs: [serverID])[serverID]
  }

  /// An entity whose records have routes of their own; `nil` for one of the rows.
  func routed(_ entity: EntityName) -> EntityApi? {
    api.entity(entity).flatMap { $0.rows == nil && $0.create != nil ? $0 : nil }
  }

  /// A page of records that do not travel with the rows; of those below rows, all at once.
  private func page(
    ofRouted entity: EntityApi,
    after mark: String?,
    _ since: String?
  ) async throws(DestinationError) -> RemotePage {
    guard let each = entity.list?.each, routed(each) == nil else {
      return try await rest.page(of: entity.entity, after: mark, since: since)
    }
    let parents = try await page(of: each, after: nil, since: nil)
    let ids = parents.records.map(\.serverID)
    return RemotePage(records: try await rest.records(of: entity.entity, below: ids), next: nil)
  }

  /// Records that do not travel with the rows, by their identities.
  private func records(
    ofRouted entity: EntityApi,
    _ serverIDs: [String]
  ) async throws(DestinationError) -> RemoteRecords {
    var found = RemoteRecords()
    guard entity.read == nil else {
      for id in serverIDs { found[id] = try await rest.record(of: entity.entity, serverID: id) }
      return found
    }
    var mark: String?
    repeat {
      let page = try await page(ofRouted: entity, after: mark, nil)
      for record in page.records where serverIDs.contains(record.serverID) {
        found[record.serverID] = record
      }
      mark = page.next
    } while mark != nil
    return found
  }

  package func records(
    of entity: EntityName,
    serverIDs: [String]
  ) async throws(DestinationError) -> RemoteRecords {
    if let entity = routed(entity) { return try await records(ofRouted: entity, serverIDs) }
    let table = try table(of: entity)
    try await mirror.refresh()
    var found = RemoteRecords()
    for id in serverIDs {
      guard let row = await mirror.row(id, of: table), !table.isRemoved(row) else { continue }
      found[id] = table.record(table.identity(of: row) ?? id, row)
    }
    return found
  }

  package func media(_ file: MediaReference) async throws(DestinationError) -> MediaState {
    try await rest.media(file)
  }

  package func mediaPage(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage? {
    try await rest.mediaPage(of: entity, after: mark)
  }

  private func table(of entity: EntityName) throws(DestinationError) -> ChangesetTable {
    guard let table = ChangesetTable(api.entity(entity), rest.texts) else {
      throw .misconfigured(
        reason: "the profile has no rows for \(entity)",
        cure: "add them under api.entities"
      )
    }
    return table
  }
}

extension ChangesetDestination: DestinationKind {
  package static let kind: any ApiKind.Type = ChangesetApi.self

  package init(_ place: DestinationPlace) throws(DestinationError) {
    try self.init(
      api: place.api,
      address: place.address,
      credentials: place.credentials,
      transport: place.transport
    )
  }
}

/// Shows its address and nothing else: what lies further inside holds tokens and sent bytes.
extension ChangesetDestination: CustomStringConvertible, CustomReflectable {
  package var description: String { "the destination at \(origin)" }
  package var customMirror: Mirror { Mirror(self, children: ["origin": origin.text]) }
}

/// The rows of one entity.
struct ChangesetTable: Sendable {
  let entity: EntityApi
  let rows: ChangesetRows
  /// Where the long texts are that rows have stand-ins for.
  private let texts: LongTexts?

  init?(_ entity: EntityApi?, _ texts: LongTexts? = nil) {
    guard let entity, let rows = entity.rows else { return nil }
    self.texts = texts
    self.entity = entity
    self.rows = rows
  }

  func isRemoved(_ row: JSONObject) -> Bool {
    guard let name = rows.deleted, let moment = row[name] else { return false }
    return !moment.isNull && moment.boolean != false
  }

  func record(_ id: String, _ row: JSONObject) -> RemoteRecord {
    RemoteRecord(
      serverID: id,
      version: version(of: row),
      body: JSONValue.object(row).canonicalBytes
    )
  }

  /// What the destination calls a row.
  func identity(of row: JSONObject) -> String? {
    JSONValue.object(row).value(at: entity.id)?.shortText
  }

  func version(of row: JSONObject) -> String? {
    entity.version(of: .object(row), headers: [:])
  }

  /// Whether the row has every one of these members, as far as the destination may be held to it.
  func holds(_ members: JSONObject, in row: JSONObject) -> Bool {
    members.members.allSatisfy { member in
      agree(member.value, row[member.name] ?? .null, of: member.name)
    }
  }

  /// Whether two values of a member say the same, or are dates less than a millisecond apart.
  func agree(_ left: JSONValue, _ right: JSONValue, of name: String) -> Bool {
    if entity.agree(left, right, of: name) { return true }
    if let (left, right) = whole(left, right, of: name) {
      return entity.agree(left, right, of: name)
    }
    guard let left = left.text.flatMap({ Timestamp.microseconds($0) }),
      let right = right.text.flatMap({ Timestamp.microseconds($0) })
    else { return false }
    return left.subtractingReportingOverflow(right).partialValue.magnitude < 1_000
  }

  /// Two values with their long texts, where one has any and the comparison looks into them.
  private func whole(
    _ left: JSONValue,
    _ right: JSONValue,
    of name: String
  ) -> (JSONValue, JSONValue)? {
    guard let texts, let rule = entity.body.first(where: { $0.name == name }),
      entity.examinesText(of: rule)
    else { return nil }
    let pair = [left.canonicalBytes, right.canonicalBytes]
    guard pair.contains(where: { LongText.mayBeIn($0) }) else { return nil }
    do {
      let whole = try pair.map { try JSONValue(parsing: texts.whole($0)) }
      return (whole[0], whole[1])
    } catch {
      return nil
    }
  }
}
