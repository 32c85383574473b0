import JSONText
import Profiles
import UploadPlanning

/// What the account holds, as the last answers told it.
actor ChangesetMirror {
  private let api: Api
  private let changeset: ChangesetApi
  private let rest: RESTDestination
  private var rows: [String: [String: JSONObject]]?
  private var mark: String?
  /// Whether a row may be there that the destination does not tell of: then only all of it will do.
  ///
  /// Where rows keep the date that they are pushed with, a client that was away pushes rows that are
  /// dated before marks that others have; and Noted's server leaves a notebook and a tag their dates when
  /// it removes them (`DeleteNotebook` and `DeleteTag` in `server/internal/store/postgres.go` of
  /// <https://github.com/kaitwalla/noted>). The price is two readings of the whole account for each push.
  private var hidesRows: Bool

  /// One answer: rows by the array's name and their identity.
  struct Pull: Sendable {
    let rows: [String: [String: JSONObject]]
    let mark: String?
    /// Whether the mark to read changes from was no longer good, so that everything was read.
    var isFromTheStart = false
  }

  init(api: Api, changeset: ChangesetApi, rest: RESTDestination) {
    self.api = api
    self.changeset = changeset
    self.rest = rest
    hidesRows = api.entities.contains { $0.rows?.changed != nil }
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
    var found: [String: [String: JSONObject]] = [:]
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
        found[table.rows.name, default: [:]][id] = object
      }
    }
    let newMark = answer.value(at: changeset.mark)?.shortText
    if since == nil {
      rows = found
    } else {
      for (name, part) in found {
        rows?[name, default: [:]].merge(part) { _, new in new }
      }
    }
    if rows != nil { mark = newMark ?? mark }
    return Pull(rows: found, mark: newMark)
  }

  /// Brings the mirror up to date.
  func refresh() async throws(DestinationError) {
    try await pull(since: rows == nil || hidesRows ? nil : mark)
  }

  /// Brings the mirror up to date with everything, because something expected was not told.
  func refreshWhole() async throws(DestinationError) {
    try await pull(since: nil)
  }

  /// The destination's own time, asked for with what changed, and so from before the next reading of
  /// everything.
  ///
  /// That reading's own time will not do: a server may take it when it has read the rows, as Noted's does
  /// (`handleSyncGet` in `server/internal/api/sync.go` of <https://github.com/kaitwalla/noted>).
  func timeBeforeReading() async throws(DestinationError) -> String? {
    try await pull(since: mark)
    return mark
  }

  /// From now on changes alone are no longer trusted.
  func distrustChanges() { hidesRows = true }

  func row(_ id: String, of table: ChangesetTable) -> JSONObject? {
    rows?[table.rows.name]?[id]
  }

  /// The destination's own time, as it said it last.
  var serverTime: String? { mark }
}
