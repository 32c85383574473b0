import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import REST
import TextCodecs
import UploadPlanning

/// What the account holds, as the last answers stated it.
actor ChangesetMirror {
  private let api: Api
  private let changeset: ChangesetApi
  private let rest: RESTDestination
  /// By the name of their array and their identity, which is distinguished by its code points.
  private var rows: [String: [JSONName: JSONObject]]?
  /// The destination's own time, as it said it last; where rows keep their dates, as it said it before the
  /// last reading for a push, for that reading's own time may hide what came while it was answered.
  private var mark: String?
  /// Whether a row existed that the destination did not mention: then only all of it will do.
  private var hidesRows = false
  /// Whether all rows were read since the last push: until the next one, which reads them again by itself
  /// before it changes any, what changed since is enough to look at them.
  private var isWholeSincePush = false
  /// Whether rows keep the date that they are pushed with.
  ///
  /// A client that was away then pushes rows that are dated before marks that others have; and Noted's
  /// server leaves a notebook and a tag their dates when it removes them (`DeleteNotebook` and `DeleteTag`
  /// in `server/internal/store/postgres.go` of <https://github.com/kaitwalla/noted>), while a note gets the
  /// moment of its removal (`DeleteNote`). What changed since a mark is therefore not all that is new:
  /// what is there already is changed and removed only upon all of it.
  private let keepsDates: Bool

  /// One answer: rows by the array's name and their identity.
  struct Pull: Sendable {
    let rows: [String: [JSONName: JSONObject]]
    let mark: String?
    /// Whether the mark to read changes from was no longer good, so that everything was read.
    var isFromTheStart = false
  }

  init(api: Api, changeset: ChangesetApi, rest: RESTDestination) {
    self.api = api
    self.changeset = changeset
    self.rest = rest
    keepsDates = api.entities.contains { $0.rows?.changed != nil }
  }

  /// Asks for everything, or for what changed since a mark, and remembers it.
  ///
  /// A mark that the destination has forgotten (410) makes it ask for everything.
  @discardableResult
  func pull(since: String?) async throws(DestinationError) -> Pull {
    var call = Call(route: changeset.pull)
    if let since { call.query.append((changeset.since, since)) }
    let exchange = await rest.exchange(call)
    if since != nil, case .faulty(status: 410, _, _) = exchange.meaning {
      var pull = try await pull(since: nil)
      pull.isFromTheStart = true
      return pull
    }
    guard case .done(let body?) = exchange.meaning, case let answer = body.value,
      answer.object != nil
    else {
      throw exchange.error(request: changeset.pull, origin: rest.origin)
    }
    if let complaint = exchange.complaint {
      throw .unexpected(request: "\(changeset.pull)", reason: complaint)
    }
    var found: [String: [JSONName: JSONObject]] = [:]
    for table in api.entities.compactMap({ ChangesetTable($0) }) {
      // An array that is empty may be null, as some servers write it; one that is not there at all says
      // nothing of the account, least of all that it is empty.
      guard let list = answer[table.rows.name], list.isNull || list.array != nil else {
        throw .unexpected(
          request: "\(changeset.pull)",
          reason: "the answer has no rows at “\(table.rows.name)”"
        )
      }
      for row in list.array ?? [] {
        guard let id = row.value(at: table.entity.id)?.shortText, let object = row.object else {
          throw .unexpected(
            request: "\(changeset.pull)",
            reason: "a row of “\(table.rows.name)” has no identity at “\(table.entity.id)”"
          )
        }
        found[table.rows.name, default: [:]][JSONName(id)] = object
      }
    }
    let newCursor = answer.value(at: changeset.mark)?.shortText
    if since == nil {
      rows = found
    } else {
      for (name, part) in found {
        rows?[name, default: [:]].merge(part) { _, new in new }
      }
    }
    if rows != nil, mark == nil || !keepsDates { mark = newCursor ?? mark }
    return Pull(rows: found, mark: newCursor)
  }

  /// Brings the mirror up to date; gives the destination's own time.
  @discardableResult
  func refresh() async throws(DestinationError) -> String? {
    let asksForAll = rows == nil || hidesRows || (keepsDates && !isWholeSincePush)
    let answer = try await pull(since: asksForAll ? nil : mark)
    isWholeSincePush = true
    return answer.mark ?? mark
  }

  /// Brings the mirror up to date with everything, because something expected was not reported.
  func refreshWhole() async throws(DestinationError) {
    try await pull(since: nil)
  }

  /// Brings the mirror up to date for a push of rows that keep their dates, and gives the destination's own
  /// time from before that reading; `nil` where it gives none.
  ///
  /// The time is asked for with what changed. The reading's own will not do: a server may take it when it has
  /// read the rows, as Noted's does (`handleSyncGet` in `server/internal/api/sync.go` of
  /// <https://github.com/kaitwalla/noted>).
  ///
  /// Where the push only makes rows, and of identities (`made`) that nothing here has, what changed since the
  /// reading before is enough, for there is nothing to overwrite. The bound: a row of the same identity that
  /// another client makes meanwhile, under a date before that reading or while the first one is answered,
  /// is not seen. Noted's server keeps that note, by its version, and takes ours over that notebook or
  /// tag; only a reading of everything for each push would state. All other pushes have that.
  func refresh(
    forPushMaking made: [String]?,
    of table: ChangesetTable
  ) async throws(DestinationError) -> String? {
    let start = mark
    guard let time = try await pull(since: start).mark else { return nil }
    var since: String?
    if let made, !hidesRows, made.allSatisfy({ row($0, of: table) == nil }) {
      // What an unanswered push wrote bears the mark itself for its date.
      since = RowDate.before(start ?? time)
    }
    try await pull(since: since)
    mark = time
    isWholeSincePush = false
    return time
  }

  /// Reads what a push of this date wrote: rows of the date, or of a later one.
  ///
  /// A removal that leaves a row its date is not among them, nor is a row of another user's that stayed.
  func readBack(since date: String) async throws(DestinationError) {
    try await pull(since: hidesRows ? nil : RowDate.before(date))
  }

  /// From now on changes alone are no longer trusted.
  func distrustChanges() { hidesRows = true }

  /// The row of an identity; of a UUID in whichever case, as databases keep it in one.
  func row(_ id: String, of table: ChangesetTable) -> JSONObject? {
    let rows = rows?[table.rows.name]
    if let row = rows?[JSONName(id)] { return row }
    guard UUIDText.isUUID(id.utf8) else { return nil }
    return rows?[JSONName(id.lowercased())] ?? rows?[JSONName(id.uppercased())]
  }
}
