package import DestinationModel
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
import REST
import Records
import RequestBodies
import TextCodecs
package import UploadPlanning

// MARK: - Pushing rows

extension ChangesetDestination {
  package func send(_ batch: OutgoingBatch) async -> BatchAnswer {
    if batch.verb == .uploadMedia || batch.verb == .removeMedia || routed(batch.entity) != nil {
      return await rest.send(batch)
    }
    guard let table = ChangesetTable(api.entity(batch.entity), rest.texts) else {
      return .refused("the destination has no place for \(batch.entity)")
    }
    if batch.verb == .delete, table.rows.deleted == nil {
      return .refused("the destination cannot remove a \(batch.entity)")
    }
    guard batch.items.count <= changeset.batchLimit else {
      return .tooMany(batch.items, limit: changeset.batchLimit)
    }
    let made = batch.verb == .create ? batch.items.map { $0.clientID } : nil
    do throws(DestinationError) {
      let owner = try await rest.account()
      let time: String?
      if table.rows.changed == nil {
        time = try await mirror.refresh()
      } else {
        time = try await mirror.refresh(forPushMaking: made, of: table)
        guard time != nil else {
          return .refused("the destination does not send its time, by which its rows are dated")
        }
      }
      var push = ChangesetPush(table: table, verb: batch.verb, owner: owner, time: time)
      for item in batch.items {
        let id = batch.verb == .create ? item.clientID : item.serverID
        let before = if let id { await mirror.row(id, of: table) } else { nil as JSONObject? }
        push.add(item, id: id, before: before)
      }
      guard !push.rows.isEmpty else { return BatchAnswer(outcomes: push.outcomes) }
      return await carryOut(push)
    } catch {
      // Nothing was sent yet.
      return error.isPassing
        ? BatchAnswer(whole: .deferred(reason: "\(error)"), pause: error.requestedPause)
        : .refused("\(error)")
    }
  }

  private func carryOut(_ push: ChangesetPush) async -> BatchAnswer {
    let pushed = push.rows.filter(\.isPushed)
    var complaint: String?
    if !pushed.isEmpty {
      let exchange = await self.push(pushed, of: push)
      guard case .done = exchange.meaning else { return answer(exchange, push) }
      complaint = exchange.complaint
    }
    let links = await sendLinks(of: push)
    do throws(DestinationError) {
      let answer = try await readBack(push, complaint: complaint)
      let outcomes = answer.outcomes.merging(links.outcomes) { $1 }
        .filter { links.singles[$0.key] == nil }
      return BatchAnswer(outcomes: outcomes, singles: links.singles)
    } catch {
      return BatchAnswer(
        whole: .unknown(reason: "what was pushed could not be read back: \(error)"),
        outcomes: push.outcomes,
        pause: error.requestedPause
      )
    }
  }

  /// Sends rows in one push.
  private func push(_ rows: [ChangesetPush.Row], of push: ChangesetPush) async -> Exchange {
    var body = JSONObject()
    for table in api.entities.compactMap(\.rows) { body[table.name] = [] }
    body[push.table.rows.name] = .array(rows.map { .object($0.row) })
    let call = Call(route: changeset.push, body: .json(JSONValue.object(body).canonicalBytes))
    return push.verb == .create
      ? await rest.exchange(call, making: push.table.entity) : await rest.exchange(call)
  }

  /// What a push means that did not succeed as a whole.
  private func answer(_ exchange: Exchange, _ push: ChangesetPush) -> BatchAnswer {
    if push.rows.count == 1, case .faulty(status: 409, _, let reason) = exchange.meaning {
      let number = push.rows[0].item.operation
      return BatchAnswer(outcomes: push.outcomes.merging([number: push.conflict(reason)]) { $1 })
    }
    let answer = BatchAnswer.answer(exchange, for: push.rows.map(\.item), route: changeset.push)
    return BatchAnswer(
      whole: answer.whole,
      outcomes: answer.outcomes.merging(push.outcomes) { given, _ in given },
      pause: answer.pause,
      mayLieInOne: answer.mayLieInOne,
      isUnanswered: answer.isUnanswered
    )
  }

  /// Looks the current content there: in what changed, and where a row is not seen in everything.
  ///
  /// `complaint` is what the answer to the push said went wrong, although its status informed of a success.
  private func readBack(
    _ push: ChangesetPush,
    complaint: String?
  ) async throws(DestinationError) -> BatchAnswer {
    if push.table.rows.changed != nil, let date = push.time {
      try await mirror.readBack(since: date)
    } else {
      try await mirror.refresh()
    }
    var outcomes = push.outcomes
    var pending: [ChangesetPush.Row] = []
    for row in push.rows {
      let outcome = push.outcome(of: row, after: await mirror.row(row.id, of: push.table))
      if let outcome { outcomes[row.item.operation] = outcome } else { pending.append(row) }
    }
    guard !pending.isEmpty else { return BatchAnswer(outcomes: outcomes) }
    try await mirror.refreshWhole()
    for row in pending {
      let now = await mirror.row(row.id, of: push.table)
      let outcome = push.outcome(of: row, after: now)
      if push.wasHidden(outcome) { await mirror.distrustChanges() }
      outcomes[row.item.operation] = outcome ?? push.dropped(row, now, complaint)
    }
    return BatchAnswer(outcomes: outcomes)
  }
}

extension ItemOutcome {
  /// A record whose links are not there after the request that the destination took.
  fileprivate static let linksDropped = ItemOutcome.rejected(
    code: "sync.dropped",
    reason: "the destination took the request and left the links of the record out silently"
  )

  /// A record whose identity a removed row of the destination has for good.
  fileprivate static let removedForGood = ItemOutcome.rejected(
    code: "sync.removed-for-good",
    reason: "the destination removed a row of this identity, and never takes one again: restore "
      + "that row in its database, or delete it there, and run again"
  )
}

/// The rows of one push, and what is known of them without it.
struct ChangesetPush: Sendable {
  let table: ChangesetTable
  let verb: OutgoingBatch.Verb
  let owner: String
  /// The destination's own time.
  let time: String?
  private(set) var rows: [Row] = []
  private(set) var outcomes: [Int64: ItemOutcome] = [:]

  struct Row: Sendable {
    let item: OutgoingBatch.Item
    let id: String
    let row: JSONObject
    /// The members that the record itself brings.
    let members: JSONObject
    /// Those of them that no push takes, as their own request has them.
    let links: JSONObject
    /// Whether a push has anything of the row.
    let isPushed: Bool
    /// The content there before the push.
    let before: JSONObject?
  }

  init(table: ChangesetTable, verb: OutgoingBatch.Verb, owner: String, time: String?) {
    self.table = table
    self.verb = verb
    self.owner = owner
    self.time = time
  }

  /// Adds an item as a row: a new one, or the one that is there with the changes in it.
  mutating func add(_ item: OutgoingBatch.Item, id: String?, before: JSONObject?) {
    guard let id, let idName = table.entity.id.names.last else {
      return settle(
        item,
        .rejected(
          code: "identity.unknown",
          reason: "the record's identity at the destination is not known"
        )
      )
    }
    let isThere = before.map { !table.isRemoved($0) } ?? false
    if verb == .create, isThere { return settle(item, .exists) }
    if verb != .create, !isThere { return settle(item, .missing) }
    if verb == .create, before != nil, table.entity.isRemovedForGood {
      return settle(item, .removedForGood)
    }
    if verb != .create, let before, let version = item.version,
      let now = table.version(of: before), version != now
    {
      return settle(item, .conflicted(reason: "it was changed at the destination: version \(now)"))
    }
    let members = verb == .delete ? [:] : JSONObject(parsing: item.body)
    guard var members else {
      return settle(
        item,
        .rejected(code: "body.form", reason: "the record is not a JSON object")
      )
    }
    // Pushed all the same, it would be there as removed, and the next push would bring it back.
    if verb == .create, table.isRemoved(members) {
      return settle(
        item,
        .rejected(
          code: "sync.removed",
          reason: "it is marked as removed, and the destination has no such row to remove"
        )
      )
    }
    var row = before ?? [:]
    if verb == .create {
      // What a removed row of this identity held does not come back with it.
      for rule in table.entity.body where members[rule.name] == nil {
        guard let old = row[rule.name], !old.isNull else { continue }
        members[rule.name] = rule.unless ?? .null
      }
    }
    for member in members.members { row[member.name] = member.value }
    let links = table.links(in: members)
    row = table.pushed(row)
    row[idName] = .string(id)
    if let name = table.rows.owner { row[name] = .string(owner) }
    if let name = table.rows.deleted {
      if verb == .delete {
        row[name] = time.map { .string($0) } ?? true
      } else if before != nil {
        row[name] = .null
      }
    }
    if let name = table.rows.changed, let time {
      row[name] = .string(Self.date(time, after: before?[name]?.text))
    }
    rows.append(
      Row(
        item: item,
        id: id,
        row: row,
        members: members,
        links: links,
        isPushed: verb != .update || links.count < members.count,
        before: before
      )
    )
  }

  /// The date of a row's change: the destination's own time, as it stated it before the reading that the push
  /// is on, or a millisecond after the date of the row that is there, where that is not earlier.
  ///
  /// Noted's server holds the date of a push against that of its own row, and keeps the later one
  /// (`handleSyncPost` in `server/internal/api/sync.go` of <https://github.com/kaitwalla/noted>).
  /// Nothing else keeps a notebook or a tag that another device changes between the reading and the
  /// push, so the date may not lie behind the reading's begin. The price: a client that reads
  /// changes in that time has a mark behind the date, and is given the row with its next change, or
  /// when it reads everything. The bound: a client that was away and pushes in just that time dates
  /// its change earlier, and ours goes over it; so it does over a row of a clock that is fast,
  /// until that clock's time has come. A note has its version besides.
  private static func date(_ time: String, after text: String?) -> String {
    guard let text, let there = Timestamp.microseconds(text),
      let now = Timestamp.microseconds(time), there >= now
    else { return time }
    return RowDate.after(there) ?? time
  }

  private mutating func settle(_ item: OutgoingBatch.Item, _ outcome: ItemOutcome) {
    outcomes[item.operation] = outcome
  }

  /// What a row that was read back says, or `nil` when nothing shows that anything was done.
  func outcome(of row: Row, after now: JSONObject?) -> ItemOutcome? {
    let isRemoved = now.map { table.isRemoved($0) } ?? true
    if verb == .delete { return isRemoved ? .removed : nil }
    guard let now, !isRemoved else { return nil }
    let id = table.identity(of: now) ?? row.id
    let stored = ItemOutcome.stored(serverID: id, version: table.version(of: now))
    if table.holds(row.members, in: now) { return stored }
    if !row.links.isEmpty, table.holds(table.pushed(row.members), in: now) { return .linksDropped }
    guard verb == .create else {
      if now == row.before { return nil }
      return isOurs(now, after: row) ? stored : conflict("the destination kept its own row")
    }
    // Nothing of this identity existed: the row is this one as the server writes it, or one that
    // another device made meanwhile. Looking it up says which.
    return .unknown(reason: "the destination has a row of this identity, and not as it was sent")
  }

  /// Whether a row that does not hold all of a change is what the destination made of that change.
  ///
  /// It has the date that it was pushed with, or each member is as it was or as it was sent, and at least
  /// one is new. Verifying names what is not as it was sent.
  private func isOurs(_ now: JSONObject, after row: Row) -> Bool {
    guard let before = row.before else { return false }
    if let ours = moment(of: row.row), let there = moment(of: now) {
      let earlier = moment(of: before)
      if ours == there, ours != earlier { return true }
      // Another device dated it.
      if there != ours, there != earlier { return false }
    }
    var hasOurs = false
    for member in row.members.members {
      let old = before[member.name] ?? .null
      let new = now[member.name] ?? .null
      if table.agree(member.value, new, of: member.name) {
        if !table.agree(member.value, old, of: member.name) { hasOurs = true }
      } else if !table.agree(old, new, of: member.name) {
        return false
      }
    }
    return hasOurs
  }

  /// The moment of a row's last change, in microseconds: no database here keeps more.
  private func moment(of row: JSONObject) -> Int64? {
    guard let name = table.rows.changed, let text = row[name]?.text else { return nil }
    return Timestamp.microseconds(text)
  }

  /// Whether an answer of what changed kept back what everything shows of a row, and ought not to have.
  ///
  /// Where rows keep their dates, it need to mention no removal, and of no row of another user's that stayed.
  func wasHidden(_ outcome: ItemOutcome?) -> Bool {
    guard let outcome else { return false }
    guard table.rows.changed != nil else { return true }
    if case .stored = outcome { return true }
    return false
  }

  /// What becomes of a row that everything read back does not show.
  func dropped(_ row: Row, _ now: JSONObject?, _ complaint: String?) -> ItemOutcome {
    if let complaint { return .rejected(code: "sync.refused", reason: complaint) }
    if verb == .create {
      return .rejected(
        code: "sync.dropped",
        reason: "the destination took the request and left the row out silently"
      )
    }
    return now == nil ? .missing : conflict("the destination kept its own row")
  }

  func conflict(_ reason: String) -> ItemOutcome {
    verb == .create ? .exists : .conflicted(reason: reason)
  }
}
