package import DestinationModel
import JSONText
import Profiles
package import Records
package import UploadPlanning

// MARK: - Reading

extension CloudKitDestination {
  /// A custom zone is read by its changes, whole without a token; a default one by a query.
  package func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    let type = try recordType(of: entity)
    let place = try CloudPageCursor(mark)
    guard cloudKit.listsChanges else { return try await query(type, at: place) }
    return try await changes(of: type, at: place, since: since)
  }

  package func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    try await records(of: entity, serverIDs: [serverID])[serverID]
  }

  package func records(
    of entity: EntityName,
    serverIDs: [String]
  ) async throws(DestinationError) -> RemoteRecords {
    let type = try recordType(of: entity)
    // What cannot be a name is surely not there.
    let names = Set(serverIDs.filter(CloudFault.isRecordName)).sorted()
    var found = RemoteRecords()
    for start in stride(from: 0, to: names.count, by: CloudKitApi.largestBatch) {
      let part = names[start..<min(start + CloudKitApi.largestBatch, names.count)]
      try await lookUp(Array(part), type, into: &found)
    }
    return found
  }

  /// Looks some names up, each of which has to be in the answer once.
  ///
  /// A record that this account may not read is there all the same, and says so.
  private func lookUp(
    _ names: [String],
    _ type: CloudRecordType,
    into found: inout RemoteRecords
  ) async throws(DestinationError) {
    let request = "records/lookup"
    let requests = names.map { JSONValue.object(["recordName": .string($0)]) }
    let reply = await gate.send(request, self.request(["records": .array(requests)]))
    if case .failed(let failure) = reply, failure.isZoneMissing { return }
    guard case .answered(let answer) = reply, let entries = answer["records"]?.array else {
      throw error(reply, to: request)
    }
    guard entries.compactMap({ $0["recordName"]?.text }).sorted() == names else {
      throw .unexpected(
        request: request,
        reason: "the answer is about other records than asked for"
      )
    }
    var denied: [(name: String, failure: CloudFailure)] = []
    for entry in entries {
      if let failure = CloudFailure(entry, redaction: await gate.redaction) {
        if failure.isDenied, let name = entry["recordName"]?.text {
          denied.append((name, failure))
        } else if !failure.isMissing {
          throw failure.error(to: request, api: cloudKit)
        }
      } else {
        let record = try remote(entry, type, request)
        found[record.serverID] = record
      }
    }
    let mayOthers = await unreadable.count(
      denied.count,
      of: type.name,
      isOtherReported: denied.count < entries.count
    )
    for (name, failure) in denied {
      guard mayOthers else { throw failure.error(to: request, api: cloudKit) }
      let nothing = JSONValue.object([:]).canonicalBytes
      found[name] = RemoteRecord(
        serverID: name,
        version: nil,
        body: nothing,
        denial: failure.sentence
      )
    }
  }

  private func recordType(of entity: EntityName) throws(DestinationError) -> CloudRecordType {
    guard let type = api.entity(entity)?.recordType else {
      throw .misconfigured(
        reason: "the profile has no record type for \(entity)",
        cure: "add it under api.entities"
      )
    }
    return type
  }

  /// One page of a zone's changes.
  ///
  /// A token that expired begins again with the first change, which gives every record; the page
  /// says so.
  private func changes(
    of type: CloudRecordType,
    at place: CloudPageCursor,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    let name = "changes/zone"
    let token = place.token ?? since
    var request: JSONObject = ["resultsLimit": 200]
    request["zoneID"] = zoneID
    request["syncToken"] = token.map { .string($0) }
    let body: JSONValue = ["zones": [.object(request)], "numbersAsStrings": true]
    let reply = await gate.send(name, body)
    if let failure = await failure(of: reply) {
      // Whatever existed once went with the zone.
      if failure.isZoneMissing {
        return RemotePage(records: [], next: nil, isFromTheStart: token != nil)
      }
      guard failure.isTokenExpired, token != nil, let start = place.restarted else {
        throw failure.error(to: name, api: cloudKit)
      }
      let first = try await changes(of: type, at: start, since: nil)
      return RemotePage(
        records: first.records,
        removed: first.removed,
        next: first.next,
        mark: first.mark,
        isFromTheStart: true
      )
    }
    guard case .answered(let answer) = reply, let zone = answer["zones"]?[0],
      let entries = zone["records"]?.array, let next = zone["syncToken"]?.text
    else { throw error(reply, to: name) }
    let hasMore = zone["moreComing"]?.boolean == true
    guard !hasMore || next != token else {
      throw .unexpected(request: name, reason: "more records follow, and the token stays the same")
    }
    var removed: [String] = []
    for entry in entries where entry["deleted"]?.boolean == true {
      if let gone = entry["recordName"]?.text { removed.append(gone) }
    }
    return RemotePage(
      records: try records(entries, type, name),
      removed: removed,
      next: hasMore ? try place.text(at: next, after: entries, to: name) : nil,
      mark: next
    )
  }

  /// What a reply about one zone says went wrong, in whichever place.
  private func failure(of reply: CloudReply) async -> CloudFailure? {
    switch reply {
    case .failed(let failure): failure
    case .answered(let answer):
      if let zone = answer["zones"]?[0] {
        CloudFailure(zone, redaction: await gate.redaction)
      } else {
        nil
      }
    case .other: nil
    }
  }

  private func query(
    _ type: CloudRecordType,
    at place: CloudPageCursor
  ) async throws(DestinationError) -> RemotePage {
    let name = "records/query"
    var members: JSONObject = [
      "query": ["recordType": .string(type.name)], "resultsLimit": 200,
    ]
    members["continuationMarker"] = place.token.map { .string($0) }
    let reply = await gate.send(name, request(members))
    // A type that no record had yet is unknown to the schema, and there is nothing to read.
    if case .failed(let failure) = reply, failure.isTypeUnknown {
      return RemotePage(records: [], next: nil)
    }
    if case .failed(let failure) = reply, failure.isIndexMissing {
      throw .misconfigured(
        reason: "\(type.name) cannot be asked for: \(failure.sentence)",
        cure: CloudFailure.indexCure
      )
    }
    guard case .answered(let answer) = reply, let entries = answer["records"]?.array else {
      throw error(reply, to: name)
    }
    let found = try records(entries, type, name)
    guard let next = answer["continuationMarker"]?.text else {
      return RemotePage(records: found, next: nil)
    }
    guard next != place.token else {
      throw .unexpected(request: name, reason: "the next page is the same page")
    }
    return RemotePage(records: found, next: try place.text(at: next, after: entries, to: name))
  }

  private func records(
    _ entries: [JSONValue],
    _ type: CloudRecordType,
    _ request: String
  ) throws(DestinationError) -> [RemoteRecord] {
    var records: [RemoteRecord] = []
    for entry in entries where entry["recordType"]?.text == type.name {
      guard entry["deleted"]?.boolean != true else { continue }
      records.append(try remote(entry, type, request))
    }
    return records
  }

  private func remote(
    _ entry: JSONValue,
    _ type: CloudRecordType,
    _ request: String
  ) throws(DestinationError) -> RemoteRecord {
    guard let name = entry["recordName"]?.text, let tag = entry["recordChangeTag"]?.text else {
      throw .unexpected(request: request, reason: "a record has no name or no change tag")
    }
    // A record of another type under this name has nothing that ours would have.
    let isOfType = entry["recordType"]?.text == type.name
    let fields = isOfType ? entry["fields"]?.object ?? [:] : [:]
    return RemoteRecord(
      serverID: name,
      version: tag,
      body: JSONValue.object(CloudFields(type).decoded(fields)).canonicalBytes
    )
  }
}
