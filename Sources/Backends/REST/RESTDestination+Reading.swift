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
    let place = try PageMark(mark)
    var isFromTheStart = false
    var exchange = await exchange(try call(list, place, since))
    if mark == nil, since != nil, case .faulty(status: 410, _, _) = exchange.meaning {
      // The destination has forgotten what changed since then, so it is asked for everything.
      exchange = await self.exchange(try call(list, place, nil))
      isFromTheStart = true
    }
    exchange = exchange.heeding(Envelope())
    guard case .done(let body?) = exchange.meaning, case let answer = body.view,
      let rows = answer.value(at: list.items)?.elements
    else { throw exchange.error(request: list.route, origin: origin) }
    var records: [RemoteRecord] = []
    records.reserveCapacity(rows.count)
    var removed: [String] = []
    var seen = place
    for row in rows {
      if let deleted = list.deleted, row.value(at: deleted)?.boolean == true {
        guard let id = row.value(at: api.id)?.shortText else {
          throw .unexpected(
            request: "\(list.route)",
            reason: "a row has no identity at “\(api.id)”"
          )
        }
        removed.append(id)
        seen.note([api.version(of: row, headers: [:])])
      } else {
        records.append(try remote(row, api, list.route, [:]))
      }
    }
    seen.note(records.map(\.version))
    let next = try Self.next(list, answer, exchange.headers, rowCount: rows.count, after: place)
    let ownMark = list.mark.flatMap { Self.text(at: $0, answer, exchange.headers) }
    return RemotePage(
      records: records,
      removed: removed,
      next: next.map { seen.text(at: $0) },
      mark: list.mark == nil ? seen.greatest : ownMark,
      isFromTheStart: isFromTheStart
    )
  }

  package func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    guard let api = api.entity(entity), let read = api.read else {
      return try await listedRecord(of: entity, serverID: serverID)
    }
    let exchange = await exchange(Call(route: read.route, values: ["id": serverID]))
      .heeding(Envelope(of: api, at: read.item))
    switch exchange.meaning {
    case .faulty(status: 404, _, _), .faulty(status: 410, _, _): return nil
    case .done(let answer):
      guard let row = answer?.view.value(at: read.item) else {
        throw exchange.error(request: read.route, origin: origin)
      }
      if let there = read.there {
        guard let isThere = row.value(at: there)?.boolean else {
          throw .unexpected(request: "\(read.route)", reason: "no “\(there)” tells if it is there")
        }
        if !isThere { return nil }
      }
      let record = try remote(row, api, read.route, exchange.headers)
      guard record.serverID == serverID else {
        throw .unexpected(
          request: "\(read.route)",
          reason: "the answer is about another record than asked for"
        )
      }
      return record
    case .unfit, .faulty, .refused, .neverSent, .later, .unknown:
      throw exchange.error(request: read.route, origin: origin)
    }
  }

  /// One record out of the list, where the destination has no route that reads one.
  private func listedRecord(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    guard api.entity(entity)?.list != nil else {
      throw .misconfigured(
        reason: "the profile has no route that reads one \(entity)",
        cure: "add a read route to it"
      )
    }
    var mark: String?
    repeat {
      let page = try await page(of: entity, after: mark, since: nil)
      if let record = page.records.first(where: { $0.serverID == serverID }) { return record }
      mark = page.next
    } while mark != nil
    return nil
  }

  private func remote(
    _ row: JSONView,
    _ api: EntityApi,
    _ route: Route,
    _ headers: HTTPHeaders
  ) throws(DestinationError) -> RemoteRecord {
    guard row.kind == .object, let id = row.value(at: api.id)?.shortText else {
      throw .unexpected(request: "\(route)", reason: "a row has no identity at “\(api.id)”")
    }
    guard let content = row.value(at: api.content), content.kind == .object else {
      throw .unexpected(request: "\(route)", reason: "a row has no content at “\(api.content)”")
    }
    return RemoteRecord(
      serverID: id,
      version: api.version(of: row, headers: headers),
      body: content.canonicalBytes
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

  private func call(
    _ list: ListRoute,
    _ mark: PageMark,
    _ since: String?
  ) throws(DestinationError) -> Call {
    if case .address = list.paging, let address = mark.position {
      return Call(route: try next(list.route, at: address))
    }
    var call = Call(route: list.route)
    if let limit = list.limit { call.query.append((limit.name, "\(limit.value)")) }
    switch list.paging {
    case .whole, .address: break
    case .offset(let parameter): call.query.append((parameter, mark.position ?? "0"))
    case .cursor(let parameter, _):
      if let position = mark.position { call.query.append((parameter, position)) }
    }
    if let parameter = list.since, let since { call.query.append((parameter, since)) }
    return call
  }

  /// The route of the next page, which must be at the same place: a token never goes elsewhere.
  private func next(_ route: Route, at address: String) throws(DestinationError) -> Route {
    let root = origin.text + origin.path
    var path = address
    if path.hasPrefix(root) {
      path.removeFirst(root.count)
    } else if !path.hasPrefix("/") || path.hasPrefix("//") {
      throw .unexpected(
        request: "\(route)",
        reason: "the next page is said to be at another server"
      )
    } else if path.hasPrefix(origin.path) {
      path.removeFirst(origin.path.count)
    }
    guard path.hasPrefix("/"), !path.contains(where: { "{}#".contains($0) }) else {
      throw .unexpected(request: "\(route)", reason: "the next page has no usable address")
    }
    return Route(method: route.method, template: path)
  }

  /// Where the next page begins, or `nil` after the last.
  private static func next(
    _ list: ListRoute,
    _ answer: JSONView,
    _ headers: HTTPHeaders,
    rowCount: Int,
    after mark: PageMark
  ) throws(DestinationError) -> String? {
    let hasMore = list.more.map { answer.value(at: $0)?.boolean == true }
    let next: String?
    switch list.paging {
    case .whole: return nil
    case .offset:
      let isFull = rowCount > 0 && rowCount >= list.limit?.value ?? 1
      guard hasMore ?? isFull else { return nil }
      next = rowCount > 0 ? mark.position(plus: rowCount) : nil
    case .address(let place):
      let address = text(at: place, answer, headers)
      guard hasMore ?? (address != nil) else { return nil }
      next = address == mark.position ? nil : address
    case .cursor(_, let path):
      let cursor = answer.value(at: path)?.shortText
      guard hasMore ?? (cursor != nil) else { return nil }
      next = cursor == mark.position ? nil : cursor
    }
    guard let next else {
      throw .unexpected(
        request: "\(list.route)",
        reason: "the answer says that more follows, and not where"
      )
    }
    return next
  }
}

/// Where in a list reading stands, and the greatest version met so far.
///
/// Its text is the mark that callers hand back; to them it means nothing.
private struct PageMark {
  /// The count of rows passed over, or the destination's cursor; `nil` at the beginning.
  let position: String?
  private(set) var greatest: String?

  init(_ mark: String?) throws(DestinationError) {
    guard let mark else {
      position = nil
      return
    }
    do throws(JSONError) {
      let parts = try JSONValue(parsing: mark)
      position = parts[0]?.text
      greatest = parts[1]?.text
    } catch {
      throw .misconfigured(
        reason: "the place to read on from is damaged",
        cure: "read from the beginning"
      )
    }
  }

  func text(at position: String) -> String {
    JSONValue.array([.string(position), greatest.map { .string($0) } ?? .null]).canonicalText
  }

  func position(plus count: Int) -> String {
    String((position.flatMap { Int($0) } ?? 0) + count)
  }

  mutating func note(_ versions: [String?]) {
    for case let version? in versions {
      if greatest.map({ Self.isLess($0, version) }) ?? true { greatest = version }
    }
  }

  /// Numbers by their value, all else by its bytes: instants of one form are in order that way.
  private static func isLess(_ left: String, _ right: String) -> Bool {
    if let left = Int64(left), let right = Int64(right) { return left < right }
    return left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}
