import JSONText
import ProfileSettings
import RequestBodies

/// Reads the routes of an `api` section.
package struct RouteReader {
  let log: FaultLog

  /// `GET /api/v1/heroes/{id}`, or `nil` after saying what is wrong with it.
  func route(_ text: String, at node: SettingNode) -> Route? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let method = Route.Method(rawValue: parts[0]), parts[1].hasPrefix("/")
    else {
      log.add(
        at: node,
        "“\(text)” is not a route",
        cure: "write a method and a path: GET /api/v1/things"
      )
      return nil
    }
    return Route(method: method, template: parts[1])
  }

  /// The route called `request`; a placeholder after a fault, which is never used.
  func route(_ section: Section) -> Route {
    let placeholder = Route(method: .get, template: "/")
    guard let node = section.requiredNode("request"), let text = section.text(of: node) else {
      return placeholder
    }
    return route(text, at: node) ?? placeholder
  }

  func routes(_ section: Section, _ name: String) -> [Route] {
    guard let node = section.node(name) else { return [] }
    return section.texts(name).compactMap { route($0, at: node) }
  }

  func templates(_ section: Section, _ name: String) -> [TemplateMember] {
    section.members(name).compactMap { member in
      section.text(of: member.value).map { TemplateMember(name: member.name, text: $0) }
    }
  }

  /// A path to a member; the answer itself when it is not given.
  func path(_ section: Section, _ name: String) -> MemberPath {
    MemberPath(section.text(name) ?? "")
  }
}

// MARK: - Signing in

extension RouteReader {
  func signIn(_ section: Section) -> SignIn {
    defer { section.close() }
    return SignIn(
      route: route(section),
      body: texts(section, "body"),
      token: token(section),
      authorization: authorization(section),
      query: templates(section, "query"),
      expires: answerPlace(section, "expires"),
      renew: section.duration("renew", else: .seconds(300)),
      server: section.text("server"),
      flags: flags(section, "body"),
      account: answerPlace(section, "account"),
      isForm: section.flag("form", else: false),
      assertion: section.section("assertion").map { AssertionRule.read($0) },
      rotation: section.section("rotates").map { rotation($0) }
    )
  }

  /// `{ credential: refresh, member: refresh_token }`.
  private func rotation(_ section: Section) -> SignIn.Rotation {
    defer { section.close() }
    return SignIn.Rotation(
      credential: section.requiredText("credential"),
      next: MemberPath(section.requiredText("member"))
    )
  }

  /// The members of a section that are texts.
  private func texts(_ section: Section, _ name: String) -> [TemplateMember] {
    section.members(name).compactMap { member in
      guard member.value.json.boolean == nil else { return nil }
      return section.text(of: member.value).map { TemplateMember(name: member.name, text: $0) }
    }
  }

  /// The members of a section that are true or false.
  private func flags(_ section: Section, _ name: String) -> [String: Bool] {
    let flags = section.members(name).compactMap { member in
      member.value.json.boolean.map { (member.name, $0) }
    }
    return Dictionary(flags, uniquingKeysWith: { first, _ in first })
  }

  /// A bearer token, unless the section says otherwise or has it in the query.
  private func authorization(_ section: Section) -> TemplateMember? {
    if let given = templates(section, "authorization").first { return given }
    return section.has("query")
      ? nil : TemplateMember(name: "Authorization", text: "Bearer {token}")
  }

  /// `session.expiresAt`, or `{ claim: exp }`.
  private func answerPlace(_ section: Section, _ name: String) -> SignIn.AnswerPlace? {
    guard let node = section.node(name) else { return nil }
    guard case .section = node.value else {
      return section.text(name).map { .member(MemberPath($0)) }
    }
    let inner = Section(node, log: log)
    let claim = inner.requiredText("claim")
    inner.close()
    return .claim(claim)
  }

  private func token(_ section: Section) -> SignIn.TokenPlace {
    guard let inner = section.requiredSection("token") else { return .member(MemberPath("token")) }
    let header = inner.text("header")
    let member = inner.text("member")
    inner.close()
    if (header == nil) == (member == nil) {
      log.add(
        at: inner.node,
        "a token comes from exactly one place",
        cure: "give “header” or “member”"
      )
    }
    return header.map { .header($0) } ?? .member(MemberPath(member ?? "token"))
  }

  func basic(_ section: Section) -> BasicLogin {
    defer { section.close() }
    return BasicLogin(
      user: TemplateMember(name: "user", text: section.requiredText("user")),
      password: TemplateMember(name: "password", text: section.requiredText("password"))
    )
  }

  func account(_ section: Section) -> AccountRoute {
    defer { section.close() }
    return AccountRoute(
      route: fullRoute(section),
      member: MemberPath(section.requiredText("member")),
      names: section.texts("names").map { MemberPath($0) }
    )
  }

  /// Where the destination says what its collections are.
  func schemaRoute(_ section: Section) -> SchemaRoute {
    defer { section.close() }
    return SchemaRoute(
      form: schemaForm(section),
      route: route(section),
      credential: section.text("credential"),
      headers: templates(section, "headers")
    )
  }

  /// `parse-schemas`, the types of a GraphQL schema, or the places of what the answer lists.
  private func schemaForm(_ section: Section) -> SchemaRoute.AnswerForm {
    guard let node = section.requiredNode("form"), case .section = node.value else {
      return .named(section.choice("form", else: .openAPI))
    }
    let inner = Section(node, log: log)
    return inner.has("inputs") ? .inputs(inputTypes(inner)) : .listing(listing(inner))
  }

  /// `{ inputs: "*_insert_input", kinds: { timestamptz: moment } }`.
  private func inputTypes(_ section: Section) -> InputTypes {
    let types = InputTypes(pattern: section.requiredText("inputs"), kinds: kinds(section))
    section.close()
    return types
  }

  private func listing(_ section: Section) -> SchemaListing {
    defer { section.close() }
    return SchemaListing(
      collections: path(section, "collections"),
      name: MemberPath(section.requiredText("name")),
      key: optionalPath(section, "key"),
      fields: optionalPath(section, "fields"),
      field: MemberPath(section.text("field", else: "name")),
      type: MemberPath(section.text("type", else: "type")),
      kinds: kinds(section),
      target: optionalPath(section, "target"),
      many: section.section("many").map { sign($0) },
      required: optionalPath(section, "required"),
      preset: optionalPath(section, "default"),
      identity: optionalPath(section, "identity"),
      more: optionalPath(section, "more"),
      filled: section.texts("filled"),
      accounts: section.text("accounts")
    )
  }

  private func optionalPath(_ section: Section, _ name: String) -> MemberPath? {
    section.text(name).map { MemberPath($0) }
  }

  /// `{ boolean: boolean, datetime: moment }`.
  private func kinds(_ section: Section) -> [String: SchemaListing.Kind] {
    guard let inner = section.section("kinds") else { return [:] }
    var kinds: [String: SchemaListing.Kind] = [:]
    for member in inner.all() { kinds[member.name] = inner.choice(member.name, else: .boolean) }
    return kinds
  }

  /// `{ member: relation, values: [oneToMany, manyToMany] }`.
  private func sign(_ section: Section) -> SchemaListing.Sign {
    defer { section.close() }
    return SchemaListing.Sign(
      member: MemberPath(section.requiredText("member")),
      values: section.texts("values")
    )
  }

  func version(_ section: Section) -> VersionPlace? { place(section, "version") }

  /// A member of the answer by its path, or a header: `{ header: ETag }`.
  private func place(_ section: Section, _ name: String) -> VersionPlace? {
    guard let node = section.node(name) else { return nil }
    if case .scalar = node.value {
      return section.text(of: node).map { .member(MemberPath($0)) }
    }
    let inner = Section(node, log: log)
    let header = inner.requiredText("header")
    inner.close()
    return .header(header)
  }
}

// MARK: - Records

extension RouteReader {
  func list(_ section: Section) -> ListRoute {
    let limit = section.section("limit").map { self.limit($0) }
    let paging = paging(section)
    let since = mark(section, "since")
    let list = ListRoute(
      route: fullRoute(section).having(
        parameters: [paging.cursorParameter, since?.name],
        counts: [limit?.name, paging.countingParameter]
      ),
      items: path(section, "items"),
      limit: limit,
      paging: paging,
      more: section.text("more").map { MemberPath($0) },
      since: since,
      mark: place(section, "changes-cursor"),
      deleted: section.text("deleted").map { MemberPath($0) },
      isWhole: section.flag("whole", else: false),
      inside: section.node("inside").map { inside($0) },
      excepted: section.texts("except"),
      each: section.node("each").flatMap { node in
        section.text(of: node).flatMap { section.entityName($0, at: node) }
      }
    )
    if list.each != nil, list.paging != .whole || list.inside != nil || list.since != nil {
      log.add(
        at: section.node,
        "a list below each record of another entity has one page, and all rows",
        cure: "remove what asks for further pages or for changes, or “each”"
      )
    }
    if list.isWhole, list.paging != .whole {
      log.add(
        at: section.node,
        "the list is whole, and has pages",
        cure: "remove “whole”, or what asks for the next page"
      )
    }
    section.close()
    return list
  }

  /// `visualProfile`, or `{ member: visualProfile, id: heroId }`.
  private func inside(_ node: SettingNode) -> ListRoute.Inside {
    let inner = Section(node.expanded(as: "member"), log: log)
    defer { inner.close() }
    return ListRoute.Inside(
      member: MemberPath(inner.requiredText("member")),
      id: MemberPath(inner.text("id", else: "id"))
    )
  }

  /// `updatedSince`, or `{ name: updated_at, value: "gte.{since}" }`.
  private func mark(_ section: Section, _ mark: String) -> ListRoute.MarkParameter? {
    guard let node = section.node(mark) else { return nil }
    let inner = Section(node.expanded(as: "name"), log: log)
    let parameter = ListRoute.MarkParameter(
      name: inner.requiredText("name"),
      value: inner.text("value", else: "{\(mark)}"),
      mark: mark
    )
    inner.close()
    if !parameter.value.contains("{\(mark)}") {
      log.add(
        at: node,
        "“value” has no {\(mark)}, so that each request would ask for the same",
        cure: "write “value: gt.{\(mark)}”, or remove “value”"
      )
    }
    return parameter
  }

  private func limit(_ section: Section) -> ListRoute.PageLimit {
    defer { section.close() }
    return ListRoute.PageLimit(
      name: section.requiredText("name"),
      value: section.count("value", within: 1...10_000, else: 100)
    )
  }

  private func paging(_ section: Section) -> ListRoute.Paging {
    let offset = counted(section, "offset", else: 0)
    let page = counted(section, "page", else: 1)
    let cursor = section.section("cursor")
    let next = place(section, "next")
    let after = mark(section, "after")
    let ways = [offset != nil, page != nil, cursor != nil, next != nil, after != nil]
    if ways.count(where: { $0 }) > 1 {
      log.add(
        at: section.node,
        "the next page is found in several ways",
        cure: "give one of: offset, page, cursor, next, after"
      )
    }
    if let after { return .after(after) }
    if let next { return .address(next) }
    if let page { return .page(parameter: page.name, first: page.first) }
    if let cursor {
      let paging = ListRoute.Paging.cursor(
        parameter: cursor.requiredText("name"),
        next: MemberPath(cursor.requiredText("member"))
      )
      cursor.close()
      return paging
    }
    return offset.map { .offset(parameter: $0.name, first: $0.first) } ?? .whole
  }

  /// A query parameter that counts: `page`, or `{ name: page, first: 0 }`.
  private func counted(
    _ section: Section,
    _ setting: String,
    else first: Int
  ) -> (name: String, first: Int)? {
    guard let node = section.node(setting) else { return nil }
    let inner = Section(node.expanded(as: "name"), log: log)
    let counted = (inner.requiredText("name"), inner.count("first", within: 0...1, else: first))
    inner.close()
    return counted
  }

  func read(_ section: Section) -> ReadRoute {
    let many = section.section("many")
    let isLookup = many?.has("request") == true
    defer { section.close() }
    return ReadRoute(
      route: fullRoute(section),
      item: path(section, "item"),
      there: section.text("there").map { MemberPath($0) },
      gone: section.text("gone").map { MemberPath($0) },
      mayLackItem: section.has("absent") && section.flag("absent", else: false),
      presence: section.choice("presence", else: .item),
      filter: isLookup ? nil : many.map { filter($0) },
      lookup: isLookup ? many.map { lookup($0) } : nil
    )
  }

  /// `{ name: filter, each: "id='{id}'", between: "||" }`.
  private func filter(_ section: Section) -> RecordFilter {
    let filter = openFilter(section)
    section.close()
    return filter
  }

  private func openFilter(_ section: Section) -> RecordFilter {
    RecordFilter(
      parameter: section.requiredText("name"),
      each: section.text("each", else: "{id}"),
      separator: section.text("between", else: ","),
      value: section.text("value", else: "{ids}"),
      isRepeated: section.flag("repeated", else: false),
      limit: section.count("limit", within: 1...1_000, else: 50)
    )
  }

  /// `{ request: DELETE /notes, name: id, value: "in.({ids})" }`.
  private func removal(_ section: Section) -> FilteredRemoval {
    let filter = openFilter(section)
    defer { section.close() }
    return FilteredRemoval(
      route: fullRoute(section).having(
        parameters: [filter.parameter],
        lists: filter.isRepeated ? [filter.parameter] : []
      ),
      filter: filter,
      removed: path(section, "removed")
    )
  }

  /// `isGuarded` says whether a record that is made by PUT, under an identity chosen here, must not
  /// overwrite another one where the section does not say, be it alone or with others in one request.
  func create(_ section: Section, isGuarded: Bool, _ shape: RecordShape?) -> CreateRoute {
    let route = fullRoute(section)
    let key = keyHeader(section)
    defer { section.close() }
    let exists = section.section("exists").map { self.exists($0) }
    let batch = section.section("batch")
    if let batch, batch.has("writes") {
      return .writes(writes(batch, route: route, exists: exists))
    }
    if let batch, batch.has("rows") {
      let keepsExisting = batch.flag("keeps-existing", else: false)
      return .rows(
        rows(batch, route: route, key: key, exists: exists, keepsExisting: keepsExisting)
      )
    }
    if let batch, !batch.has("requests") {
      return .batch(self.batch(batch, route: route, key: key))
    }
    let overwrites = [.put, .patch].contains(route.method) && route.names("id")
    let single = SingleCreate(
      route: route,
      item: path(section, "item"),
      wrap: path(section, "wrap"),
      shape: shape,
      ifNoneMatch: section.flag("if-none-match", else: isGuarded && overwrites),
      key: key,
      exists: exists,
      isSilent: section.flag("silent", else: false)
    )
    if single.isSilent, !single.choosesID {
      log.add(
        at: section.node,
        "an answer that names no record leaves its identity unknown",
        cure: "“silent” is for routes with {id}"
      )
    }
    return batch.map { .requests(single, requests($0)) } ?? .single(single)
  }

  /// `Idempotency-Key`, or `{ name: Idempotency-Key, quoted: true }`.
  private func keyHeader(_ section: Section) -> KeyHeader? {
    guard let node = section.node("key-header") else { return nil }
    let inner = Section(node.expanded(as: "name"), log: log)
    defer { inner.close() }
    return KeyHeader(
      name: inner.requiredText("name"),
      isQuoted: inner.flag("quoted", else: false)
    )
  }

  func exists(_ section: Section) -> ExistsSign {
    let sign = sign(section, within: 400...499)
    section.close()
    return sign
  }

  private func sign(_ section: Section, within statuses: ClosedRange<Int>) -> ExistsSign {
    ExistsSign(
      status: section.count("status", within: statuses, else: 409),
      words: section.text("words")
    )
  }

  /// What refusals mean; the first that fits counts.
  func meanings(_ section: Section) -> [AnswerRule] {
    guard let node = section.node("meanings") else { return [] }
    guard case .list(let elements) = node.value else {
      log.add(
        at: node,
        "the meanings of answers are a list",
        cure: "write [{ status: 409, words: in progress, means: later }]"
      )
      return []
    }
    return elements.map { element in
      let inner = Section(element, log: log)
      _ = inner.requiredNode("means")
      let rule = AnswerRule(
        sign: sign(inner, within: 400...599),
        means: inner.choice("means", else: .rejected)
      )
      inner.close()
      return rule
    }
  }

  private func rows(
    _ section: Section,
    route: Route,
    key: KeyHeader?,
    exists: ExistsSign?,
    keepsExisting: Bool
  ) -> RowBatch {
    let batch = RowBatch(
      route: route,
      rows: section.requiredText("rows"),
      limit: section.count("limit", within: 1...10_000, else: 100),
      key: key,
      exists: exists,
      made: section.text("made").map { MemberPath($0) },
      keepsExisting: keepsExisting,
      columns: section.text("columns")
    )
    section.close()
    if batch.keepsExisting, batch.made == nil {
      log.add(
        at: section.node,
        "nothing says which rows were there already",
        cure: "say under “made” where the answer has the rows that were made"
      )
    }
    return batch
  }

  private func batch(_ section: Section, route: Route, key: KeyHeader?) -> BatchCreate {
    let localID = section.requiredText("local-id")
    defer { section.close() }
    return BatchCreate(
      route: route,
      items: section.requiredText("items"),
      limit: section.count("limit", within: 1...10_000, else: 100),
      localID: localID,
      answeredAs: section.text("answered-as", else: localID),
      created: MemberPath(section.requiredText("created")),
      failed: MemberPath(section.requiredText("failed")),
      id: MemberPath(section.text("id", else: "id")),
      error: MemberPath(section.text("error", else: "error")),
      isOneTransaction: section.flag("transaction", else: false),
      key: key
    )
  }

  func update(_ section: Section, _ shape: RecordShape?) -> UpdateRoute {
    let route = fullRoute(section)
    defer { section.close() }
    return UpdateRoute(
      route: route,
      item: path(section, "item"),
      wrap: path(section, "wrap"),
      ifMatch: section.flag("if-match", else: false),
      version: section.text("version"),
      isBatched: section.flag("batch", else: false),
      write: template(section, "write"),
      expression: section.section("expression").map { FieldExpression.read($0) },
      match: section.section("match").map { match($0) },
      shape: shape,
      sends: section.choice("sends", else: route.method == .put ? .body : .changed),
      isSilent: section.flag("silent", else: false),
      many: section.section("many").map {
        rows($0, route: fullRoute($0), key: nil, exists: nil, keepsExisting: false)
      }
    )
  }

  /// `{ name: updated_at, value: "eq.{version}" }`.
  private func match(_ section: Section) -> VersionMatch {
    let match = VersionMatch(
      name: section.requiredText("name"),
      value: section.text("value", else: "{version}")
    )
    if !match.value.contains("{version}") {
      log.add(
        at: section.node,
        "“value” has no {version}, so that any revision would pass",
        cure: "write “value: eq.{version}”, or remove “value”"
      )
    }
    section.close()
    return match
  }

  func delete(_ section: Section) -> DeleteRoute {
    defer { section.close() }
    return DeleteRoute(
      route: fullRoute(section),
      ifMatch: section.flag("if-match", else: false),
      isBatched: section.flag("batch", else: false),
      write: template(section, "write"),
      many: section.section("many").map { removal($0) }
    )
  }
}
