import JSONText
import ProfileSettings
import Records
import RequestBodies

/// Holds the parts of a profile against each other.
struct ProfileCheck {
  let entities: [EntityProfile]
  let stores: [NamedStore]
  let api: Api?
  let root: Section
  /// The names that the profile itself fills in.
  let variables: [String]
  let log: FaultLog

  func run() {
    var counts: [EntityName: Int] = [:]
    for entity in entities { counts[entity.name, default: 0] += 1 }
    for entity in entities { check(entity, isDoubled: counts[entity.name, default: 0] > 1) }
    guard let api else { return }
    checkOwners(api)
    for entity in api.entities { check(entity, of: api) }
    checkOrder(api)
    checkCredentials(api)
    checkBraces(api)
    checkForbidden(api)
    checkBucket(api)
    checkHeaders(api)
  }

  func fault(_ pointer: String, _ cause: String, cure: String) {
    log.add(at: root.node.nearest(to: pointer), cause, cure: cure)
  }

  private func check(_ entity: EntityProfile, isDoubled: Bool) {
    let place = "/entities/\(entity.name)"
    var seen: Set<String> = []
    for member in entity.fields.map(\.member) + entity.media.map(\.member) {
      if !seen.insert(member).inserted {
        fault(place, "“\(member)” is a field and a media file", cure: "rename one of the two")
      }
      if member.hasPrefix("$") || member.isEmpty {
        fault(
          place,
          "“\(member)” cannot name a member",
          cure: "choose a name that does not begin with $"
        )
      }
    }
    if let label = entity.storeLabel, !stores.contains(where: { $0.name == label }) {
      fault(
        "\(place)/in",
        "“\(label)” is not a store of this profile",
        cure: "list it under “stores”"
      )
    }
    let members = RecordMembers(entity)
    for use in entity.uses { check(use, members, place) }
    checkIdentity(entity, place)
    checkQueue(entity, place)
    if isDoubled {
      fault(place, "the entity is described twice", cure: "keep one description")
    }
  }

  private func check(_ use: MemberUse, _ members: RecordMembers, _ place: String) {
    guard let found = members.fault(of: use) else { return }
    fault("\(place)/\(use.setting)", found.cause, cure: found.cure)
  }

  /// The attribute that is the identity has to be in the record.
  private func checkIdentity(_ entity: EntityProfile, _ place: String) {
    guard case .attribute(let name) = entity.identity else { return }
    let isCarried = entity.carry == .all && !entity.omitted.contains(name)
    let attributes = entity.fields.compactMap { field -> String? in
      if case .attribute(let path, _) = field.source { path.joined(separator: ".") } else { nil }
    }
    guard !isCarried, !attributes.contains(name) else { return }
    fault(
      "\(place)/identity",
      "no field holds the identity “\(name)”",
      cure: RecordMembers.cure(name, attributes, "give a field the attribute “\(name)”")
    )
  }

  private func check(_ entity: EntityApi, of api: Api) {
    let place = "/api/entities/\(entity.entity)"
    guard !entities.isEmpty else { return }
    guard let profile = entities.first(where: { $0.name == entity.entity }) else {
      fault(place, "the profile describes no such entity", cure: "describe it under “entities”")
      return
    }
    if profile.role != .own {
      fault(
        place,
        "the entity has the role “\(profile.role.rawValue)” and is never sent",
        cure: "give it the role “own”, or remove this"
      )
    }
    checkRoutes(entity, of: api, place)
    checkNames(entity, place)
    checkMembers(entity, profile, place)
  }

  private func checkRoutes(_ entity: EntityApi, of api: Api, _ place: String) {
    var routes: [(String, Route)] = []
    if let create = entity.create { routes.append(("create", create.route)) }
    if let list = entity.list { routes.append(("list", list.route)) }
    if let read = entity.read { routes.append(("read", read.route)) }
    if let update = entity.update { routes.append(("update", update.route)) }
    if let many = entity.update?.many { routes.append(("update/many", many.route)) }
    if let delete = entity.delete { routes.append(("delete", delete.route)) }
    routes += entity.ofKind.settings?.routes ?? []
    for (name, file) in entity.files.sorted(by: { $0.key < $1.key }) {
      routes += [file.upload, file.remove].compactMap(\.self).map { ("files/\(name)", $0) }
    }
    for (name, route) in routes {
      if api.forbidden.contains(where: route.isSamePlace) {
        fault(
          "\(place)/\(name)",
          "\(route) must never be called",
          cure: "use the route for imports"
        )
      }
      // A server may take what names no record for all of them.
      let hasWrite =
        name == "update" && entity.update?.write != nil
        || name == "delete" && entity.delete?.write != nil
      checkHeaders(of: route, "\(place)/\(name)")
      let isOfOne =
        ["read", "update", "delete", "links"].contains(name) || name.hasPrefix("files/")
      if isOfOne, !hasWrite, !entity.isNamed(by: route) {
        fault(
          "\(place)/\(name)",
          "\(route) names no record, and would be about all of them",
          cure: entity.isCompound
            ? "write \(entity.bracedIDNames) into its address"
            : "write {id} into its address: …/{id}, or …?id={id}"
        )
      }
    }
    if entity.read?.presence == .list, entity.list == nil {
      fault("\(place)/read/presence", "no “list” shows the records", cure: "add “list”")
    }
    checkFiles(entity, of: api, place)
    checkCompound(entity, of: api.kind, place)
    if entity.create != nil {
      checkReplay(entity, place)
      checkTransaction(entity, place)
      checkBatches(entity, place)
      checkForms(entity, of: api, place)
    }
  }

  /// A file goes with one record, in a request of its own.
  private func checkFiles(_ entity: EntityApi, of api: Api, _ place: String) {
    if let list = entity.list, let each = list.each {
      if api.entity(each) == nil {
        fault("\(place)/list/each", "no “\(each)” is sent", cure: "name an entity of “api”")
      }
      if !list.route.names(ListRoute.parent) {
        fault(
          "\(place)/list/request",
          "\(list.route) is the same for each \(each)",
          cure: "write {\(ListRoute.parent)} into its address for the identity of the \(each)"
        )
      }
      if api.entity(each)?.isCompound == true {
        fault(
          "\(place)/list/each",
          "several members identify a \(each), and {\(ListRoute.parent)} is one name",
          cure: "remove “each”"
        )
      }
    }
    let parts = entity.body.filter { if case .file = $0.source { true } else { false } }
    for name in entity.files.keys where !parts.contains(where: { $0.name == name }) {
      fault(
        "\(place)/files/\(name)",
        "“\(name)” is not a file",
        cure: "write “\(name): { file: … }” in “body”"
      )
    }
    if !entity.files.isEmpty, entity.update == nil {
      fault("\(place)/files", "no “update” changes the record", cure: "add “update”")
    }
    // The others go once the record is there, by routes of their own.
    let made = parts.filter { entity.files[$0.name] == nil }
    guard !made.isEmpty else { return }
    guard case .single(let single) = entity.create, single.wrap.names.isEmpty, single.shape == nil,
      single.route.content == nil
    else {
      fault(
        "\(place)/body/\(made[0].name)",
        "a file goes as a part of a form, in the request of one record",
        cure:
          "give it a route in “files”, or remove “batch”, “wrap”, “shape” and “body” from “create”"
      )
      return
    }
    if made.count > 1 {
      fault("\(place)/body", "two files are parts of one request", cure: "keep one of them")
    }
  }

  private func checkNames(_ entity: EntityApi, _ place: String) {
    let mapping = entity.body.map(\.name)
    for name in mapping where entity.reserved.hold(name) {
      fault(
        "\(place)/body/\(name)",
        "the destination keeps the name “\(name)” for itself",
        cure: "give the field another name: “body: { stored_\(name): … }”"
      )
    }
    for (setting, name) in entity.requestUses where !mapping.contains(name) {
      fault(
        "\(place)/\(setting)",
        "“\(name)” is not a member of the body",
        cure: RecordMembers.cure(name, mapping, "name one that is")
      )
    }
    for (setting, cause, cure) in entity.ofKind.settings?.faults(of: entity) ?? [] {
      fault("\(place)/\(setting)", cause, cure: cure)
    }
  }

  /// Every member that the profile gives a record must be sent or be known not to be.
  private func checkMembers(_ entity: EntityApi, _ profile: EntityProfile, _ place: String) {
    let known = RecordMembers(profile)
    for use in entity.uses { check(use, known, place) }
    let members = profile.fields.map(\.member) + profile.media.map(\.member)
    let unlisted = entity.uses.compactMap(\.path.names.first).filter { !members.contains($0) }
    for member in entity.unused(of: members.filter { !profile.bookkeeping.contains($0) }) {
      let meant = NearestWord.to(member, among: unlisted).map { "write it for “\($0)”, or " } ?? ""
      fault(
        place,
        "“\(member)” of the record goes nowhere",
        cure: "\(meant)use it in “body”, or list it under “unmapped”"
      )
    }
  }

  private func checkOrder(_ api: Api) {
    let order = entities.map(\.name)
    let places = api.entities.compactMap { order.firstIndex(of: $0.entity) }
    if places != places.sorted() {
      fault(
        "/api/entities",
        "the entities are in another order than above",
        cure: "keep parents before children in both"
      )
    }
  }

  /// Routes that belong to no entity may be forbidden no more than those that do.
  private func checkForbidden(_ api: Api) {
    var routes = [api.signIn?.route, api.account?.route].compactMap(\.self)
    if case .tickets(let tickets) = api.media?.way { routes += tickets.routes }
    if case .routes(let files) = api.media?.way { routes += files.routes }
    for route in routes where api.forbidden.contains(where: route.isSamePlace) {
      fault("/api", "\(route) must never be called", cure: "use another route")
    }
  }

  private func checkBucket(_ api: Api) {
    if case .routes(let files) = api.media?.way, let found = files.fault {
      fault(
        "/api/media/upload/\(found.place)",
        found.cause,
        cure: "write the address like /files/{account}/{category}/{sha256}"
      )
    }
    guard case .bucket(let bucket) = api.media?.way, let found = bucket.fault else { return }
    fault(
      "/api/media/bucket/\(found.place)",
      found.cause,
      cure: "write the key like {category}/{account}/{sha256}, the address like https://HOST/{key}"
    )
  }

  /// Headers that say how a request is sent are Ferry's own, and would be replaced.
  private static let ownHeaders: Set = [
    "accept-encoding", "connection", "content-encoding", "content-length", "expect", "host",
    "if-match", "if-none-match", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  private func checkHeaders(_ api: Api) {
    for header in api.headers {
      check(header, at: "/api/headers")
      guard api.signing != nil, header.name.lowercased() == "authorization" else { continue }
      fault(
        "/api/headers/\(header.name)",
        "the signature has the “Authorization” of each request, and this one would not be sent",
        cure: "leave it out, or remove “signature”"
      )
    }
    if let account = api.account { checkHeaders(of: account.route, "/api/account") }
  }

  /// The headers and the body of one route's requests.
  private func checkHeaders(of route: Route, _ place: String) {
    guard let content = route.content else { return }
    for header in content.headers {
      check(header, at: "\(place)/headers")
      if content.isForm, header.name.lowercased() == "content-type" {
        fault(
          "\(place)/headers/\(header.name)",
          "a form has a “Content-Type” of its own, and this one would not be sent",
          cure: "leave it out, or remove “form”"
        )
      }
    }
    if route.method == .get, content.body != nil || content.isForm {
      fault(
        "\(place)/request",
        "a GET request has no body",
        cure: "write POST, or remove “body” and “form”"
      )
    }
  }

  /// PostgREST makes one of a new record and of the one that is there, where it is asked to.
  private func check(_ header: TemplateMember, at place: String) {
    let place = "\(place)/\(JSONPointer.escaped(header.name))"
    let name = header.name.lowercased()
    if Self.ownHeaders.contains(name) {
      fault(
        place,
        "Ferry itself gives each request its “\(header.name)”",
        cure: "leave it out"
      )
    }
    if !header.text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
      fault(
        place,
        "“\(header.name)” has a line break or another control character",
        cure: "write it in one line"
      )
    }
    if name == "prefer", !place.contains("/update/many/"),
      header.text.lowercased().contains("resolution=merge-duplicates")
    {
      fault(
        place,
        "“resolution=merge-duplicates” overwrites the record that is there",
        cure: "leave it out: one that is there is found, and changed where it has to be"
      )
    }
  }

  private func checkCredentials(_ api: Api) {
    if let name = api.signIn?.rotation?.credential, !api.credentials.contains(name) {
      fault(
        "/api/sign-in/rotates",
        "“\(name)” is not a credential",
        cure: RecordMembers.cure(name, api.credentials, "add it to “credentials”")
      )
    }
    for name in api.signing?.credentials ?? [] where !api.credentials.contains(name) {
      fault(
        "/api/signature",
        "“\(name)” is not a credential",
        cure: RecordMembers.cure(name, api.credentials, "add it to “credentials”")
      )
    }
    guard case .bucket(let bucket) = api.media?.way else { return }
    for name in [bucket.accessKey, bucket.secretKey] where !api.credentials.contains(name) {
      fault(
        "/api/media/bucket",
        "“\(name)” is not a credential",
        cure: RecordMembers.cure(name, api.credentials, "add it to “credentials”")
      )
    }
  }
}

extension EntityApi {
  /// The media members that the body sends the addresses of.
  package var mediaMembers: [String] {
    body.compactMap { rule in
      guard case .media(let member) = rule.source else { return nil }
      return member
    }
  }

  /// The members of the record whose files go as parts of forms.
  package var fileMembers: [String] {
    body.compactMap { rule in
      guard case .file(let file) = rule.source else { return nil }
      return file.member.names.first
    }
  }

  /// The members of a request that its address may name: those that it has when it makes one record.
  var addressMembers: Set<String> {
    switch create {
    case .single, .requests: Set(body.filter { $0.stage != .complete }.map(\.name))
    case .batch, .rows, .writes, nil: []
    }
  }

  /// The record members that the body takes; `nil` when it takes the whole record.
  var usedMembers: Set<String>? {
    var used = Set(unmapped + serverIDs)
    used.formUnion(needs.filter { $0.values != nil }.map(\.member))
    for rule in body {
      if case .record = rule.source { return nil }
      used.formUnion(rule.uses.compactMap(\.path.names.first))
    }
    return used
  }

  /// Those of `members` that go nowhere and are not listed as unmapped.
  package func unused(of members: [String]) -> [String] {
    guard let used = usedMembers else { return [] }
    return members.filter { !used.contains($0) && !$0.hasPrefix("$") }
  }
}
