package import DestinationModel
import HTTPTransport
import JSONText
import Profiles
package import Records
package import UploadPlanning

// MARK: - Changing records

extension CloudKitDestination {
  /// The most bytes of a record without its files.
  ///
  /// CloudKit Web Services Reference, “Data Size Limits”.
  static let largestRecord = 1 << 20

  package func refusal(of entity: EntityName, _ fields: () -> [UInt8]) -> String? {
    guard let type = api.entity(entity)?.recordType, let members = JSONObject(parsing: fields())
    else { return nil }
    let size = CloudFields(type).size(of: members)
    guard size > Self.largestRecord else { return nil }
    return "it has \(size) bytes without its files, and CloudKit takes 1 MB: send what is long as "
      + "a file, or leave it out of “body”"
  }

  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    if batch.verb == .uploadMedia || batch.verb == .removeMedia {
      return await sendFiles(batch)
    }
    guard let type = api.entity(batch.entity)?.recordType else {
      return .refused("the destination has no place for \(batch.entity)")
    }
    guard !batch.items.isEmpty else { return BatchAnswer() }
    guard batch.items.count <= cloudKit.batchLimit else {
      return .tooMany(batch.items, limit: cloudKit.batchLimit)
    }
    var refused: [Int64: ItemOutcome] = [:]
    var sent: [CloudItem] = []
    for item in batch.items {
      let body: [UInt8]
      switch await renewed(item, type) {
      case .body(let renewed): body = renewed
      case .instead(.outcome(let outcome)):
        refused[item.operation] = outcome
        continue
      case .instead(.whole(let whole, let pause)):
        return BatchAnswer(whole: whole, outcomes: refused, pause: pause)
      case .instead(.own(let answer)):
        return BatchAnswer(whole: answer.whole, outcomes: refused, pause: answer.pause)
      }
      do throws(CloudFault) {
        sent.append(try CloudItem(item, body, batch.verb, type))
      } catch {
        refused[item.operation] = .rejected(code: error.code, reason: error.reason)
      }
    }
    guard !sent.isEmpty else { return BatchAnswer(outcomes: refused) }
    let answer = await modify(sent, batch.verb, type.name)
    return BatchAnswer(
      whole: answer.whole,
      outcomes: answer.outcomes.merging(refused) { _, refusal in refusal },
      pause: answer.pause,
      mayLieInOne: answer.mayLieInOne,
      isUnanswered: answer.isUnanswered,
      singles: answer.singles
    )
  }

  private func modify(
    _ items: [CloudItem],
    _ verb: OutgoingBatch.Verb,
    _ type: String
  ) async -> BatchAnswer {
    guard Set(items.map(\.name)).count == items.count else {
      return BatchAnswer(whole: .splittable(reason: "two items have the same identity"))
    }
    let body = request(["operations": .array(items.map(\.json)), "atomic": false])
    let reply = await gate.send(CloudReply.modifying, body)
    switch reply {
    case .answered(let answer): return await self.answer(answer, items, verb, type)
    case .failed(let failure): return await self.answer(failure, items, verb)
    case .other(let meaning):
      let route = Route(method: .post, template: "records/modify")
      return BatchAnswer.answer(Exchange(meaning: meaning), for: items.map(\.item), route: route)
    }
  }

  /// What became of each, by its name.
  private func answer(
    _ answer: JSONValue,
    _ items: [CloudItem],
    _ verb: OutgoingBatch.Verb,
    _ type: String
  ) async -> BatchAnswer {
    var entries: [String: [JSONValue]] = [:]
    for entry in answer["records"]?.array ?? [] {
      guard let name = entry["recordName"]?.text else { continue }
      entries[name, default: []].append(entry)
    }
    var outcomes: [Int64: ItemOutcome] = [:]
    var pause: Duration?
    var obstacle: CloudFailure?
    var denied: [(number: Int64, failure: CloudFailure)] = []
    var isOtherReported = false
    var singles: [Int64: BatchAnswer] = [:]
    for item in items {
      let number = item.item.operation
      // An answer that names a record twice says nothing about it.
      guard let found = entries[item.name], found.count == 1 else {
        outcomes[number] = .unknown(reason: "the answer does not name it, or not once")
        continue
      }
      guard let failure = CloudFailure(found[0], redaction: await gate.redaction) else {
        outcomes[number] = item.outcome(of: found[0], verb)
        isOtherReported = true
        continue
      }
      if failure.isDenied {
        denied.append((number, failure))
        continue
      }
      isOtherReported = true
      switch failure.verdict(on: verb) {
      case .zone, .refused: obstacle = obstacle ?? failure
      case .outcome(let outcome):
        outcomes[number] = await softened(outcome, failure, item.json)
        if case .unknown(let reason) = outcome {
          singles[number] = BatchAnswer(whole: .unknown(reason: reason), mayLieInOne: true)
        }
        if let hint = failure.retryAfter { pause = max(pause ?? hint, hint) }
      }
    }
    let mayOthers = await denials.count(denied.count, of: type, isOtherReported: isOtherReported)
    for (number, failure) in denied {
      if mayOthers {
        outcomes[number] = failure.ofRecordAlone
      } else {
        obstacle = obstacle ?? failure
      }
    }
    if let obstacle {
      // The content of the way of some stops all that follow; what was stored beside them is stored.
      let whole = await self.answer(obstacle, items, verb)
      return BatchAnswer(whole: whole.whole, outcomes: outcomes, pause: whole.pause ?? pause)
    }
    return BatchAnswer(outcomes: outcomes, pause: pause, singles: singles)
  }

  /// What a failure of the whole request means for all of them.
  private func answer(
    _ failure: CloudFailure,
    _ items: [CloudItem],
    _ verb: OutgoingBatch.Verb
  ) async -> BatchAnswer {
    switch failure.verdict(on: verb) {
    case .refused: return .refused("\(failure.error(to: "records/modify", api: cloudKit))")
    case .zone: return await makeZone()
    case .outcome(.deferred(let reason)):
      return BatchAnswer(whole: .deferred(reason: reason), pause: failure.pause)
    case .outcome(.unknown(let reason)):
      return BatchAnswer(whole: .unknown(reason: reason), mayLieInOne: true)
    case .outcome(let outcome):
      // It may lie in one of them only.
      guard items.count == 1 else {
        return BatchAnswer(whole: .splittable(reason: failure.sentence))
      }
      let softened = await softened(outcome, failure, items[0].json)
      return BatchAnswer(outcomes: [items[0].item.operation: softened])
    }
  }

  /// Makes the zone, where the profile allows it; nothing of the batch was carried out.
  func makeZone() async -> BatchAnswer {
    let name = cloudKit.zone
    guard cloudKit.makesZone, let zoneID else {
      return .refused(
        "the zone \(name) is not there; set “create-zone: true” in the profile, or make it"
      )
    }
    let operation: JSONValue = ["operationType": "create", "zone": ["zoneID": zoneID]]
    let reply = await gate.send("zones/modify", ["operations": [operation]])
    guard case .answered(let answer) = reply else {
      let error = error(reply, to: "zones/modify")
      guard error.isPassing else { return .refused("\(error)") }
      return BatchAnswer(whole: .deferred(reason: "\(error)"), pause: error.requestedPause)
    }
    let made = answer["zones"]?.array ?? []
    if let failure = made.lazy.compactMap({ CloudFailure($0, redaction: Redaction()) }).first {
      return .refused("the zone \(name) cannot be made: \(failure.sentence)")
    }
    // To wait for a moment is no fault: what was refused for want of a zone is sent again.
    return BatchAnswer(
      whole: .deferred(reason: "the zone \(name) was made first"),
      pause: .milliseconds(1)
    )
  }
}

/// One item as an operation of `records/modify`.
private struct CloudItem {
  let item: OutgoingBatch.Item
  let name: String
  let json: JSONValue

  init(
    _ item: OutgoingBatch.Item,
    _ body: [UInt8],
    _ verb: OutgoingBatch.Verb,
    _ type: CloudRecordType
  ) throws(CloudFault) {
    self.item = item
    guard let name = verb == .create ? item.clientID : item.serverID else {
      throw CloudFault("identity.unknown", "the record's identity at the destination is not known")
    }
    guard CloudFault.isRecordName(name) else {
      throw CloudFault("identity.unfit", "“\(name)” cannot be the name of a record")
    }
    self.name = name
    var record: JSONObject = ["recordName": .string(name), "recordType": .string(type.name)]
    if verb != .create {
      guard let version = item.version else {
        throw CloudFault("version.unknown", "the record's change tag is not known")
      }
      record["recordChangeTag"] = .string(version)
    }
    if verb != .delete {
      record["fields"] = .object(try CloudFields(type).encoded(body))
    }
    let kind = verb == .create ? "create" : verb == .update ? "update" : "delete"
    json = ["operationType": .string(kind), "record": .object(record)]
  }

  /// What an entry without an error says.
  func outcome(of entry: JSONValue, _ verb: OutgoingBatch.Verb) -> ItemOutcome {
    let isDeleted = entry["deleted"]?.boolean == true
    if verb == .delete {
      return isDeleted ? .removed : .unknown(reason: "the answer does not confirm the deletion")
    }
    guard !isDeleted, let tag = entry["recordChangeTag"]?.text else {
      return .unknown(reason: "the answer has no change tag")
    }
    return .stored(serverID: name, version: tag)
  }
}
