// Whether a request whose answer was lost can be repeated as the profile says, held against its routes.
//
// That a repeat by identity overwrites nothing is the request's own condition, see
// `SingleCreate.ifNoneMatch`.

import JSONText
import Records
import RequestBodies

extension ProfileCheck {
  /// Refuses what would make a second copy of a record whenever an answer is lost.
  func checkReplay(_ entity: EntityApi, _ place: String) {
    switch entity.replay {
    case .key:
      guard let create = entity.create, create.key == nil else { return }
      fault(
        "\(place)/create",
        "no header carries the idempotency key, so a repeat makes a second record",
        cure: "add “key-header”, or declare another “replay”"
      )
    case .id:
      checkIdentity(entity, place)
      guard let create = entity.create, !create.carriesIdentity(entity) else { return }
      fault(
        "\(place)/create",
        "the request has no place for an identity chosen here, so a repeat makes a second record",
        cure:
          "write {id} into its address or “\(entity.id)” into “body”, or declare another “replay”"
      )
    case .lookUp:
      if entity.list == nil {
        fault(place, "a look-up needs a list", cure: "add “list”, or declare another “replay”")
      }
      if entity.naturalKey.isEmpty {
        fault(
          place,
          "a look-up needs to distinguish records",
          cure: "add “natural-key”, or declare another “replay”"
        )
      }
    }
  }

  /// Refuses a body with another identity than the record's own, by which alone it would be
  /// looked for.
  private func checkIdentity(_ entity: EntityApi, _ place: String) {
    guard let name = entity.identityMember,
      let profile = entities.first(where: { $0.name == entity.entity }),
      let rule = entity.body.first(where: { $0.name == name })
    else { return }
    let own = profile.keyMember
    if case .field(let field) = rule.source, field.member.names == [own] { return }
    fault(
      "\(place)/body/\(name)",
      "“\(name)” sets the record's identity at the destination, and is not the record's own identity",
      cure: "write “\(name): \(own)”, or declare another “replay”"
    )
  }

  /// Whether a batch was rolled back as a whole is reported by looking at what it is said to have made.
  func checkTransaction(_ entity: EntityApi, _ place: String) {
    guard case .batch(let batch)? = entity.create, batch.isOneTransaction, entity.read == nil,
      entity.list == nil
    else { return }
    fault(
      "\(place)/create/batch/transaction",
      "nothing shows whether a batch was rolled back",
      cure: "add “read” or “list”"
    )
  }
}

extension ProfileCheck {
  /// Changes and removals go many in one request only in the form in which records are made.
  func checkBatches(_ entity: EntityApi, _ place: String) {
    let batched = [
      ("update", entity.update?.isBatched), ("delete", entity.delete?.isBatched),
    ]
    for (name, isBatched) in batched where isBatched == true {
      guard entity.create?.requestBatch == nil else { continue }
      fault(
        "\(place)/\(name)/batch",
        "“create” has no “batch” of requests, in whose form these would go",
        cure: "write “batch: { request: …, requests: … }” in “create”, or remove this"
      )
    }
    if let removal = entity.delete?.many {
      checkFilter(removal.filter, entity, "\(place)/delete/many")
    }
    checkWrites(entity, place)
    if let lookup = entity.read?.lookup, !lookup.each.names.contains("id") {
      fault(
        "\(place)/read/many",
        "“each” names no record",
        cure: "write {id} into it: “each: notes/{id}”"
      )
    }
    guard let filter = entity.read?.filter else { return }
    if entity.list == nil {
      fault(
        "\(place)/read/many",
        "“many” asks the list for records, and there is no “list”",
        cure: "add “list”, or remove “many”"
      )
    }
    checkFilter(filter, entity, "\(place)/read/many")
  }

  private func checkFilter(_ filter: RecordFilter, _ entity: EntityApi, _ place: String) {
    let part = "an-identity"
    let id = entity.identity { _ in part } ?? part
    let names = filter.values(of: [id], entity.values(ofIdentity:))?.first?.contains(part) == true
    let isWhole = entity.idNames.allSatisfy { filter.each.contains("{\($0)}") }
    guard !names || !isWhole else { return }
    fault(
      place,
      "“each” passes a record by \(entity.bracedIDNames), and “value” holds all of those as {ids}",
      cure: "write “each: id='{id}'”, and “value: in.({ids})” where something is around them"
    )
  }

  /// Refuses what knows a record by one member, where several together are its identity.
  func checkCompound(_ entity: EntityApi, of kind: Api.Kind, _ place: String) {
    guard entity.isCompound else { return }
    let isSingle: Bool =
      switch entity.create {
      case .single, .requests, nil: true
      case .batch, .rows, .writes: false
      }
    let isByKeyset = if case .after? = entity.list?.paging { true } else { false }
    let settings: [(setting: String, isThere: Bool)] = [
      ("replay", entity.replay == .id),
      ("server-id", !entity.serverIDs.isEmpty),
      ("shape", entity.shape != nil),
      ("create/batch", !isSingle),
      ("list/after", isByKeyset),
      ("list/inside", entity.list?.inside != nil),
      ("read/many", entity.read?.lookup != nil),
      ("update/many", entity.update?.many != nil),
      ("update/write", entity.update?.write != nil),
      ("delete/write", entity.delete?.write != nil),
    ]
    guard kind.knowsSeveralMembers else {
      fault(
        "\(place)/id",
        "this kind of destination knows a record by one member",
        cure: "name one member"
      )
      return
    }
    if Set(entity.ids).count < entity.ids.count {
      fault("\(place)/id", "a member is named twice", cure: "name each member once")
    }
    for (setting, isThere) in settings where isThere {
      fault(
        "\(place)/\(setting)",
        "“\(setting)” is for records known by one member, and “id” names \(entity.ids.count)",
        cure: setting == "replay" ? "write “replay: look-up”" : "remove “\(setting)”"
      )
    }
    // A request says the members, where no answer does.
    for name in entity.ids.map(\.description)
    where !kind.hasRoutes && !entity.body.contains(where: { $0.name == name }) {
      fault(
        "\(place)/body",
        "“\(name)” is part of the identity, and “body” does not have it",
        cure: "add it to “body”"
      )
    }
    for rule in entity.body where entity.identityFields.contains(rule.name) && rule.stage != .once {
      fault(
        "\(place)/body/\(rule.name)",
        "“\(rule.name)” is part of the identity, and a change would send it",
        cure: "add “on: once” to it"
      )
    }
  }
}

extension ProfileCheck {
  /// Refuses writes that name no record, and those that have no request to go in.
  private func checkWrites(_ entity: EntityApi, _ place: String) {
    let writes = [
      ("create/batch/write", entity.create?.writeBatch?.write),
      ("update/write", entity.update?.write), ("delete/write", entity.delete?.write),
    ]
    for (setting, write) in writes {
      guard let write else { continue }
      if !write.names.contains("id") {
        fault("\(place)/\(setting)", "the write names no record", cure: "write {id} into it")
      }
      guard entity.create?.writeBatch == nil else { continue }
      fault(
        "\(place)/\(setting)",
        "“create” has no “batch” of writes, in whose form this would go",
        cure: "write “batch: { writes: …, write: … }” in “create”, or remove this"
      )
    }
  }

  /// Refuses types of fields where values say nothing of theirs, and values that a change would carry
  /// without their types.
  func checkForms(_ entity: EntityApi, of api: Api, _ place: String) {
    if api.values != nil, entity.update?.sends == .row {
      fault(
        "\(place)/update/sends",
        "the fields of others would lose their types, which no “types” name",
        cure: "write “sends: body”, or “sends: changed”"
      )
    }
    guard api.values == nil, !entity.types.isEmpty else { return }
    fault(
      "\(place)/types",
      "values are plain at this destination, and have no types",
      cure: "add “values” to “api”, or remove this"
    )
  }
}

extension CreateRoute {
  /// The header that carries the idempotency key, if there is one.
  fileprivate var key: KeyHeader? {
    switch self {
    case .single(let single), .requests(let single, _): single.key
    case .batch(let batch): batch.key
    case .rows(let rows): rows.key
    case .writes: nil
    }
  }

  /// Whether the request has the identity that the destination is to give the record: in its
  /// address, or under the name that a row has it by.
  fileprivate func carriesIdentity(_ entity: EntityApi) -> Bool {
    let name = entity.id.names.last
    let isInBody = entity.body.contains { $0.name == name }
    return switch self {
    case _ where route.names("id"): true
    case .single, .requests: isInBody
    case .batch(let batch): isInBody || batch.localID == name
    case .rows: true
    case .writes(let batch): batch.write.names.contains("id")
    }
  }
}

extension EntityProfile {
  /// The member of a record that has its key.
  var keyMember: String {
    guard case .attribute(let name) = identity else { return EntityProfile.addressMember }
    let path = name.split(separator: ".").map(String.init)
    let field = fields.first { field in
      if case .attribute(let found, _) = field.source { found == path } else { false }
    }
    return field?.member ?? name
  }
}

extension EntityApi {
  /// The names that represent a record's identity, as a request has them: `{id}`.
  var bracedIDNames: String { idNames.map { "{\($0)}" }.joined(separator: " and ") }
}
