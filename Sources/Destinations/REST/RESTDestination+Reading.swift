package import DestinationModel
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
package import Records
package import UploadPlanning

// MARK: - Reading

extension RESTDestination {
  package func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    guard let api = api.entity(entity), let list = api.list else {
      throw .misconfigured(
        reason: "the profile has no route that lists \(entity)",
        cure: "add a list route to it"
      )
    }
    if let parent = list.each {
      let parents = try await page(of: parent, after: mark, since: nil)
      let records = try await records(of: entity, below: parents.records.map(\.serverID))
      return RemotePage(records: records, rowCount: parents.rowCount, next: parents.next)
    }
    var place = try PageCursor(mark)
    var (exchange, isFromTheStart) = try await ask(list, place, since)
    var rows = try self.rows(list, exchange)
    func rowID(_ row: JSONView) -> String? {
      list.inside.map { row.value(at: $0.id)?.shortText } ?? api.serverID(of: row)
    }
    while !(try await goesOn(list, place, rows, isFromTheStart ? nil : since, id: rowID)) {
      // Something before this page came or went, and counting would pass by a row.
      guard let start = place.restarted else {
        throw list.unsteady(place, repeats: place.repeats(rows.compactMap(rowID)))
      }
      place = start
      (exchange, isFromTheStart) = try await ask(list, place, since)
      rows = try self.rows(list, exchange)
    }
    let rowCount = rows.count
    let lastID = rows.last.flatMap(rowID)
    if place.last != nil, list.overlaps { rows.removeFirst() }
    rows.removeAll { api.isExcepted($0, list) }
    let ownRowCount = list.inside.map { _ in rows.count }
    let outerIDs = list.inside.map { inside in
      rows.compactMap { $0.value(at: inside.id)?.shortText }
    }
    if let inside = list.inside { rows = rows.flatMap { $0.records(at: inside.member) } }
    var seen = place
    var ids: [String] = []
    var records: [RemoteRecord] = []
    records.reserveCapacity(rows.count)
    var removed: [String] = []
    for row in rows {
      if list.reportsRemoval(row) {
        guard let id = api.serverID(of: row) else {
          throw .unexpected(
            request: "\(list.route)",
            reason: "a row has no identity at \(api.idPlaces)"
          )
        }
        ids.append(id)
        removed.append(id)
        seen.note([api.version(of: row, headers: [:])])
      } else {
        let record = try await remote(row, api, list.route, [:])
        ids.append(record.serverID)
        records.append(record)
      }
    }
    seen.note(records.map(\.version))
    let next = try next(
      list,
      exchange,
      outerIDs ?? ids,
      rowCount: rowCount,
      lastID: lastID,
      after: seen
    )
    let ownMark = list.mark.flatMap { mark in
      exchange.answer.flatMap { Self.text(at: mark, $0.view, exchange.headers) }
    }
    return RemotePage(
      records: records,
      rowCount: ownRowCount,
      removed: removed,
      next: next,
      mark: list.mark == nil ? seen.greatest : ownMark,
      hasMarkOfItsOwn: list.mark != nil && !list.isFeed,
      isFromTheStart: isFromTheStart
    )
  }

  /// The records of an entity below each of some others; one that is gone has none.
  package func records(
    of entity: EntityName,
    below parents: [String]
  ) async throws(DestinationError) -> [RemoteRecord] {
    guard let api = api.entity(entity), let list = api.list else { return [] }
    var records: [RemoteRecord] = []
    for parent in parents {
      let call = Call(route: list.route, values: [ListRoute.parent: parent])
      let exchange = await exchange(call).heeding(Envelope())
      switch exchange.meaning {
      case .faulty(status: 404, _, _), .faulty(status: 410, _, _): continue
      case .done, .unfit, .faulty, .refused, .neverSent, .later, .unknown: break
      }
      for row in try rows(list, exchange) where !list.reportsRemoval(row) {
        records.append(try await remote(row, api, list.route, exchange.headers))
      }
    }
    return records
  }

  /// Whether a page goes on where the one before ended.
  ///
  /// Where pages have numbers, none begins with the last row of the one before. That one is then asked for
  /// once more: what came or went before has moved its end. At the beginning it is the page that is given
  /// unasked, which is the first, regardless of its number.
  private func goesOn(
    _ list: ListRoute,
    _ place: PageCursor,
    _ rows: [JSONView],
    _ since: String?,
    id: (JSONView) -> String?
  ) async throws(DestinationError) -> Bool {
    guard case .page = list.paging else {
      return place.last == nil || place.continues(with: rows.first.flatMap(id))
    }
    let exchange = await exchange(try call(list, place, since, isOfPageBefore: true))
      .heeding(Envelope())
    let end = try self.rows(list, exchange).last.flatMap(id)
    guard place.position == nil else { return place.continues(with: end) }
    return end.map { JSONName($0) } == rows.last.flatMap(id).map { JSONName($0) }
  }

  /// Asks for the page at a place; says as well whether it is one of everything instead of changes.
  private func ask(
    _ list: ListRoute,
    _ place: PageCursor,
    _ since: String?
  ) async throws(DestinationError) -> (Exchange, isFromTheStart: Bool) {
    let exchange = await exchange(try call(list, place, since))
    guard place.position == nil, since != nil, case .faulty(status: 410, _, _) = exchange.meaning
    else { return (exchange.heeding(Envelope()), false) }
    // The destination has forgotten what changed since then, so it is asked for everything.
    let whole = await self.exchange(try call(list, place, nil))
    return (whole.heeding(Envelope()), true)
  }

  func rows(
    _ list: ListRoute,
    _ exchange: Exchange
  ) throws(DestinationError) -> [JSONView] {
    guard let answer = exchange.answer?.view else {
      throw exchange.error(request: list.route, origin: origin)
    }
    if let rows = answer.value(at: list.items)?.elements { return rows }
    guard EmptyList.isShown(by: answer, at: list.items) else {
      throw exchange.error(request: list.route, origin: origin)
    }
    return []
  }

  package func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    guard let api = api.entity(entity), let read = api.read else {
      return try await listedRecord(of: entity, serverID: serverID)
    }
    let exchange = await exchange(Call(route: read.route, values: api.values(ofIdentity: serverID)))
      .heeding(Envelope(of: api, at: read.item))
    switch exchange.meaning {
    case .faulty(status: 404, _, _), .faulty(status: 410, _, _): return nil
    case .done(let answer):
      let found = answer?.view.value(at: read.item)
      if read.mayLackItem, answer?.view.kind == .object, found == nil || found?.kind == .null {
        return nil
      }
      guard let row = found else {
        if answer?.view.hasNone(at: read.item) == true { return nil }
        throw exchange.error(request: read.route, origin: origin)
      }
      if let there = read.there {
        guard let isThere = row.value(at: there)?.boolean else {
          throw .unexpected(request: "\(read.route)", reason: "no “\(there)” says if it is there")
        }
        if !isThere { return nil }
      }
      if api.list?.reportsRemoval(row) == true || read.reportsRemoval(row) { return nil }
      let record = try await remote(row, api, read.route, exchange.headers)
      guard record.serverID.isSpelled(as: serverID) else {
        throw .unexpected(
          request: "\(read.route)",
          reason: "the answer is about another record than asked for"
        )
      }
      if read.presence == .list, try await listedRecord(of: entity, serverID: serverID) == nil {
        return nil
      }
      return record
    case .unfit, .faulty, .refused, .neverSent, .later, .unknown:
      throw exchange.error(request: read.route, origin: origin)
    }
  }

  /// One record out of the list, where the destination has no route that reads one.
  ///
  /// What a change would replace has `null` in what its row lacks and others show, up to its own page. A row
  /// with another spelling of the identity counts where none has the very same.
  private func listedRecord(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    guard let api = api.entity(entity), api.list != nil else {
      throw .misconfigured(
        reason: "the profile has no route that reads one \(entity)",
        cure: "add a read route to it"
      )
    }
    var shown = ShownMembers(of: api)
    var spelled: RemoteRecord?
    let spelling = serverID.identitySpelling
    var mark: String?
    repeat {
      let page = try await page(of: entity, after: mark, since: nil)
      shown.note(page.records)
      if let record = page.records.first(where: { $0.serverID.hasSameScalars(as: serverID) }) {
        return shown.filled(record)
      }
      spelled = spelled ?? page.records.first { $0.serverID.identitySpelling == spelling }
      mark = page.next
    } while mark != nil
    return spelled.map { shown.filled($0) }
  }

  func remote(
    _ row: JSONView,
    _ api: EntityApi,
    _ route: Route,
    _ headers: HTTPHeaders
  ) async throws(DestinationError) -> RemoteRecord {
    guard row.kind == .object, let id = api.serverID(of: row) else {
      throw .unexpected(request: "\(route)", reason: "a row has no identity at \(api.idPlaces)")
    }
    if let values = try await values(of: api) {
      // A row that has no field has no member for them either.
      let fields = row.value(at: api.content).map { api.fields(of: $0.value) } ?? JSONObject()
      return RemoteRecord(
        serverID: id,
        version: api.version(of: row, headers: headers),
        body: JSONValue.object(values.decoded(fields)).canonicalBytes
      )
    }
    guard let content = row.value(at: api.content), content.kind == .object else {
      throw .unexpected(request: "\(route)", reason: "a row has no content at “\(api.content)”")
    }
    let shaped = api.shape.map { JSONValue.object($0.content(of: content.value)).canonicalBytes }
    return RemoteRecord(
      serverID: id,
      version: api.version(of: row, headers: headers),
      body: shaped ?? content.canonicalBytes
    )
  }

  /// What the answer has at a place, in its body or among its headers.
  private static func text(
    at place: VersionPlace,
    _ answer: JSONView,
    _ headers: HTTPHeaders
  ) -> String? {
    switch place {
    case .member(let path): answer.value(at: path)?.shortText
    case .header(let name): headers.first(name: name)
    }
  }

  /// The address that the answer has at a place; an array of links, or the header `Link`, names it by its relation.
  private static func address(
    at place: VersionPlace,
    _ answer: JSONView,
    _ headers: HTTPHeaders
  ) -> String? {
    switch place {
    case .header(let name) where name.lowercased() == "link": return WebLink.next(in: headers)
    case .member(let path):
      if let links = answer.value(at: path)?.elements { return WebLink.next(in: links) }
    case .header: break
    }
    return text(at: place, answer, headers).flatMap { $0.isEmpty ? nil : $0 }
  }

  private func call(
    _ list: ListRoute,
    _ mark: PageCursor,
    _ since: String?,
    isOfPageBefore: Bool = false
  ) throws(DestinationError) -> Call {
    if case .address = list.paging, let address = mark.position {
      return Call(route: list.route.at(address))
    }
    var call = Call(route: list.route)
    if let limit = list.limit { call.query.append((limit.name, "\(limit.value)")) }
    switch list.paging {
    case .whole, .address: break
    case .offset(let parameter, let first):
      // The last row comes again, and shows that none went missing before it.
      let passed = mark.last == nil ? mark.passed : mark.passed - 1
      call.query.append((parameter, "\(passed + first)"))
    case .page(let parameter, let first):
      let number = mark.position.flatMap { Int($0) }
      let asked = isOfPageBefore ? number.map { $0 - 1 } : number ?? first
      if let asked { call.query.append((parameter, "\(asked)")) }
    case .cursor(let parameter, _):
      if let position = mark.position { call.query.append((parameter, position)) }
    case .after(let parameter):
      if let value = mark.position.flatMap({ parameter.value(of: $0) }) {
        call.query.append((parameter.name, value))
      }
    }
    // A feed's pages go on from the mark of the one before.
    if let parameter = list.since, let value = since.flatMap({ parameter.value(of: $0) }),
      mark.position == nil || !list.isFeed
    {
      call.query.append((parameter.name, value))
    }
    return call
  }

  /// The path and the query of the next page, which must be at the same place: a token never goes elsewhere.
  ///
  /// What an answer calls its next page is at the address that was asked for, and may be as short as
  /// `?page=2`.
  private func next(
    _ list: ListRoute,
    at reference: String,
    after mark: PageCursor
  ) throws(DestinationError) -> String {
    let asked = mark.position ?? list.route.template
    let next: HTTPAddress
    do throws(HTTPAddress.Fault) {
      next = try HTTPAddress(origin.text + origin.path + asked).resolving(reference)
    } catch {
      throw .unexpected(
        request: "\(list.route)",
        reason: "the address of the next page \(error)"
      )
    }
    guard origin.isSame(as: next) else {
      throw .unexpected(
        request: "\(list.route)",
        reason:
          "the answer names a next page at another server, \(next.origin), which Ferry does not ask: "
          + "give the address of that server, or “page”, “offset” or “cursor” instead of “next”"
      )
    }
    guard next.target.hasPrefix(origin.path + "/") else { return next.target }
    return String(next.target.dropFirst(origin.path.count))
  }

  /// The mark of the next page, or `nil` after the last.
  ///
  /// `ids` are those of the page's new rows, `rowCount` counts them all. Where nothing else shows
  /// that a page is the last, only one without a new row is: a destination may give fewer rows than
  /// it was asked for.
  private func next(
    _ list: ListRoute,
    _ exchange: Exchange,
    _ ids: [String],
    rowCount: Int,
    lastID: String?,
    after mark: PageCursor
  ) throws(DestinationError) -> String? {
    guard let answer = exchange.answer?.view else { return nil }
    let moreFlag = list.more.flatMap { answer.value(at: $0) }
    let hasMore = list.more.map { _ in moreFlag.map { !Envelope.isNothing($0) } ?? false }
    let sign = PageSigns.ofMore(
      in: answer,
      items: list.items,
      headers: exchange.headers,
      status: exchange.status,
      rowCount: rowCount,
      hearsHints: list.paging == .whole
    )
    // Where the first page is the last one because nothing says that more follows, nothing else may say so.
    func end() throws(DestinationError) -> String? {
      guard mark.position == nil, moreFlag == nil, let sign else { return nil }
      throw list.unread(sign)
    }
    let position: String?
    var overlaps = false
    switch list.paging {
    case .whole:
      if hasMore == true { throw list.unread("“\(list.more?.description ?? "")” says so") }
      if let limit = list.limit, rowCount >= limit.value {
        throw list.unread("\(rowCount) rows came, and \(limit.value) are the most of a page")
      }
      if !list.isWhole, let sign { throw list.unread(sign) }
      return nil
    case .offset:
      // A destination that gave two rows once can give the last one and a further one.
      overlaps = rowCount > 1 && list.limit?.value != 1
      guard hasMore ?? !ids.isEmpty else { return try end() }
      position = ids.isEmpty ? nil : "\(mark.passed + ids.count)"
    case .page(_, let first):
      overlaps = true
      guard hasMore ?? !ids.isEmpty else { return try end() }
      let number = mark.position.flatMap { Int($0) } ?? first
      position = ids.isEmpty ? nil : "\(number + 1)"
    case .address(let place):
      let address = Self.address(at: place, answer, exchange.headers)
      guard hasMore ?? (address != nil) else { return try end() }
      position = try address.map { address throws(DestinationError) in
        try self.next(list, at: address, after: mark)
      }
    case .after:
      guard hasMore ?? (rowCount > 0) else { return try end() }
      position = lastID
    case .cursor(_, let path):
      position = answer.value(at: path)?.shortText
      guard hasMore ?? (position != nil) else { return try end() }
    }
    guard let position, position != mark.position else {
      throw .unexpected(
        request: "\(list.route)",
        reason: "the answer says that more follows, and not where"
      )
    }
    guard let text = mark.text(at: position, after: ids, overlaps: overlaps) else {
      throw .unexpected(
        request: "\(list.route)",
        reason: "the pages repeat, so that the list would never end"
      )
    }
    return text
  }
}

extension JSONView {
  /// The records that a row of another kind has at a place: none, one, or a list.
  fileprivate func records(at path: MemberPath) -> [JSONView] {
    guard let found = value(at: path), found.kind != .null else { return [] }
    return found.elements ?? [found]
  }
}

extension EntityApi {
  /// Whether a row of the list is no record, but what the destination keeps for itself.
  fileprivate func isExcepted(_ row: JSONView, _ list: ListRoute) -> Bool {
    guard !list.excepted.isEmpty, let id = serverID(of: row) else { return false }
    return list.excepted.contains { id.hasPrefix($0) }
  }
}

extension ReadRoute {
  /// Whether a record that is read says of itself that it is gone.
  func reportsRemoval(_ row: JSONView) -> Bool {
    guard let gone, let sign = row.value(at: gone) else { return false }
    return !Envelope.isNothing(sign)
  }
}

extension ListRoute {
  /// Whether a page begins with the last row of the one before.
  fileprivate var overlaps: Bool {
    if case .page = paging { false } else { true }
  }

  /// That more follows than was read.
  fileprivate func unread(_ sign: String) -> DestinationError {
    let cure =
      paging == .whole
      ? "say in its list how the next page is asked for: “offset”, “page”, “cursor”, “next” or “after”; or "
        + "“whole: true” where one answer has all rows"
      : "correct where its list finds the next page, or name under “more” the member that says whether "
        + "more follows"
    return .unexpected(
      request: "\(route)",
      reason:
        "more rows follow, or may, than were asked for (\(sign)), and those not read would be "
        + "made a second time; \(cure)"
    )
  }

  /// That a list was begun again too often; `repeats` where a further page had the rows of the first one to the end.
  fileprivate func unsteady(_ place: PageCursor, repeats: Bool) -> DestinationError {
    let reason: String
    switch paging {
    case .page(_, let first) where place.last == nil:
      reason =
        "the page that the server gives without a page number is not page \(first), or is in another order each "
        + "time: check “first” of “page” in its list, and whether its request asks for an order"
    case .offset(let parameter, _) where repeats:
      reason =
        "each page has the rows of the first one, as if the server did not know “\(parameter)”: check “offset” in "
        + "its list"
    default: return .busy(retryAfter: nil, reason: "\(route) changes while it is read")
    }
    return .unexpected(request: "\(route)", reason: reason)
  }

  /// Whether a row says that its record is gone: by a flag, or by the moment of its removal.
  func reportsRemoval(_ row: JSONView) -> Bool {
    guard let deleted, let sign = row.value(at: deleted) else { return false }
    return !Envelope.isNothing(sign)
  }
}
