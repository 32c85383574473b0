import GRDB
import HTTPTypes
import JSONText

extension Routes {
  /// `records/modify`: up to 200 operations, in order, all of them or each by itself.
  @Sendable
  func modifyCloudRecords(
    _ body: JSONObject,
    _ place: CloudPlace,
    _ transaction: Transaction
  ) throws -> Answer {
    let operations = body["operations"]?.array ?? []
    guard !operations.isEmpty else { throw CloudRefusal.badRequest("operations are required") }
    let limit = configuration.cloudKit.operationLimit
    guard operations.count <= limit else {
      throw CloudRefusal.badRequest("The request has more than \(limit) operations")
    }
    let names = operations.compactMap(CloudModification.name(of:))
    guard Set(names).count == names.count else {
      throw CloudRefusal.badRequest("A record may be part of one operation of a request only")
    }
    let zone = try place.zone(body["zoneID"])
    guard try transaction.hasCloudZone(zone, place) else { throw CloudRefusal.zoneNotFound }
    let isAtomic = body["atomic"]?.boolean != false && zone != CloudPlace.defaultZone
    let shown = CloudAnswering(
      zone: zone,
      place: place,
      numbersAsStrings: body["numbersAsStrings"]?.boolean == true,
      named: Set(names)
    )
    var results: [Result<JSONValue, CloudRefusal>] = []
    try transaction.database.inSavepoint {
      for operation in operations {
        results.append(try carryOut(operation, shown, transaction))
      }
      return isAtomic && results.contains(where: \.isFailure) ? .rollback : .commit
    }
    return answer(to: operations, results, isAtomic: isAtomic)
  }

  private func answer(
    to operations: [JSONValue],
    _ results: [Result<JSONValue, CloudRefusal>],
    isAtomic: Bool
  ) -> Answer {
    let isFailure = isAtomic && results.contains(where: \.isFailure)
    let neighbour = CloudRefusal(.badRequest, "ATOMIC_ERROR", "Another record failed")
    let records = zip(operations, results).map { operation, result -> JSONValue in
      let name = CloudModification.name(of: operation)
      switch result {
      case .success(let record): return isFailure ? neighbour.dictionary(about: name) : record
      case .failure(let refusal): return refusal.dictionary(about: name)
      }
    }
    return .json(["records": .array(records)], status: isFailure ? .badRequest : .ok)
  }

  private func carryOut(
    _ operation: JSONValue,
    _ answering: CloudAnswering,
    _ transaction: Transaction
  ) throws -> Result<JSONValue, CloudRefusal> {
    do {
      let modification = try CloudModification(operation)
      return .success(try carryOut(modification, answering, transaction))
    } catch let refusal as CloudRefusal {
      return .failure(refusal)
    }
  }

  private func carryOut(
    _ modification: CloudModification,
    _ answering: CloudAnswering,
    _ transaction: Transaction
  ) throws -> JSONValue {
    let (zone, place) = (answering.zone, answering.place)
    let found = try transaction.cloudRecord(modification.name, in: zone, place)
    let before = found?.fields == nil ? nil : found
    try check(modification, against: before)
    if modification.kind.removes {
      if let before {
        _ = try transaction.storeCloud(
          before.name,
          type: before.type,
          fields: nil,
          before: before,
          in: zone,
          place
        )
      }
      return ["recordName": .string(modification.name), "deleted": true]
    }
    let type = before?.type ?? modification.type ?? ""
    guard modification.type == type else {
      throw CloudRefusal.badRequest("recordType is not that of the record")
    }
    if before == nil, let quota = configuration.cloudKit.recordQuota,
      try transaction.cloudRecordCount(place) >= quota
    {
      throw CloudRefusal(.contentTooLarge, "QUOTA_EXCEEDED", "Quota exceeded")
    }
    try transaction.checkCloudSchema(type, modification.fields, place)
    try checkReferences(of: modification, answering, transaction)
    try transaction.useCloudAssets(of: modification, in: zone, place)
    let record = try transaction.storeCloud(
      modification.name,
      type: type,
      fields: modification.merged(into: before?.fields),
      before: before,
      in: zone,
      place
    )
    return try record.shown(in: zone, place, numbersAsStrings: answering.numbersAsStrings)
  }

  private func check(
    _ modification: CloudModification,
    against before: CloudRecord?
  ) throws(CloudRefusal) {
    let kind = modification.kind
    if kind == .create, before != nil {
      throw CloudRefusal(.conflict, "EXISTS", "record to insert already exists")
    }
    if kind.needsTag, modification.tag == nil {
      throw .badRequest("recordChangeTag is required for \(kind.rawValue)")
    }
    guard let before else {
      if kind.makes || kind == .forceDelete { return }
      throw .notFound("Record not found")
    }
    let isForced = kind == .forceUpdate || kind == .forceReplace || kind == .forceDelete
    if !isForced, let tag = modification.tag, tag != before.tag {
      throw CloudRefusal(
        .conflict,
        "CONFLICT",
        "client oplock error updating record '\(modification.name)'"
      )
    }
  }

  private func checkReferences(
    of modification: CloudModification,
    _ answering: CloudAnswering,
    _ transaction: Transaction
  ) throws {
    for name in modification.fields.flatMap(\.field.references)
    where !answering.named.contains(name) {
      let target = try transaction.cloudRecord(name, in: answering.zone, answering.place)
      guard target?.fields != nil else {
        throw CloudRefusal(
          .preconditionFailed,
          "VALIDATING_REFERENCE_ERROR",
          "The referenced record '\(name)' does not exist"
        )
      }
    }
  }

  /// `records/lookup`: records by their names, each with its own answer.
  @Sendable
  func lookUpCloudRecords(
    _ body: JSONObject,
    _ place: CloudPlace,
    _ transaction: Transaction
  ) throws -> Answer {
    let wanted = body["records"]?.array ?? []
    guard wanted.count <= configuration.cloudKit.operationLimit else {
      throw CloudRefusal.badRequest("The request has too many records")
    }
    let zone = try place.zone(body["zoneID"])
    guard try transaction.hasCloudZone(zone, place) else { throw CloudRefusal.zoneNotFound }
    let asStrings = body["numbersAsStrings"]?.boolean == true
    let records = try wanted.map { request -> JSONValue in
      guard let name = request["recordName"]?.text else {
        throw CloudRefusal.badRequest("recordName is required")
      }
      let record = try transaction.cloudRecord(name, in: zone, place)
      guard let record, record.fields != nil else {
        return CloudRefusal.notFound("Record not found").dictionary(about: name)
      }
      return try record.shown(in: zone, place, numbersAsStrings: asStrings)
    }
    return .json(["records": .array(records)])
  }

  /// `records/query`: the records of a type, a page at a time.
  @Sendable
  func queryCloudRecords(
    _ body: JSONObject,
    _ place: CloudPlace,
    _ transaction: Transaction
  ) throws -> Answer {
    let zone = try place.zone(body["zoneID"])
    guard try transaction.hasCloudZone(zone, place) else { throw CloudRefusal.zoneNotFound }
    guard let type = body["query"]?["recordType"]?.text else {
      throw CloudRefusal.badRequest("query: recordType is required")
    }
    guard try transaction.knowsCloudType(type, place) else {
      throw CloudRefusal.badRequest("did not find record type: \(type)")
    }
    guard configuration.cloudKit.isIndexed else {
      throw CloudRefusal.badRequest("Field 'recordName' is not marked queryable")
    }
    let limit = configuration.cloudKit.pageLimit(body["resultsLimit"])
    let after = body["continuationMarker"]?.text ?? ""
    let found = try transaction.cloudRecords(
      ofType: type,
      in: zone,
      place,
      after: after,
      limit: limit + 1
    )
    let asStrings = body["numbersAsStrings"]?.boolean == true
    let page = found.prefix(limit)
    var answer: JSONObject = [
      "records": .array(
        try page.map { try $0.shown(in: zone, place, numbersAsStrings: asStrings) }
      )
    ]
    if found.count > limit, let last = page.last {
      answer["continuationMarker"] = .string(last.name)
    }
    return .json(.object(answer))
  }
}

/// What the operations of one request have in common.
private struct CloudAnswering {
  let zone: String
  let place: CloudPlace
  let numbersAsStrings: Bool
  /// The records that the request itself is about.
  let named: Set<String>
}

extension Result {
  fileprivate var isFailure: Bool {
    if case .failure = self { true } else { false }
  }
}
