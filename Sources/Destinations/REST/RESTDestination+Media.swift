import DestinationModel
import Files
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
import Records
import Synchronization
import UploadPlanning

// MARK: - Media files

extension RESTDestination {
  /// Asks for a ticket; puts the file where the ticket says; and confirms.
  ///
  /// The file goes to the ticket's address without the account's token: it is often another host. Each
  /// step is a request of its own, before which the caller writes down the key that the file will have:
  /// a second ticket for a file that was confirmed, or put where nothing is confirmed, makes a second
  /// file. So what has a key is gone on with; a ticket that no one has any more is rolled back first.
  func upload(_ item: OutgoingBatch.Item, _ api: TicketApi) async -> ItemResult {
    guard let media = item.media else {
      return .outcome(.rejected(code: "media.missing", reason: "no file is given"))
    }
    if let key = item.serverID {
      if let confirm = api.confirm, let url = item.version {
        let fault = await self.confirm(confirm, media, key, of: item)
        guard let fault else {
          tickets.forget(item.record)
          return .outcome(.stored(serverID: key, version: url))
        }
        // Only where an earlier request may have confirmed it, or its ticket is an earlier process's,
        // all of it begins anew.
        guard case .outcome(.rejected) = fault, !tickets.isSpent(item.record) else { return fault }
      } else if let ticket = tickets.open(for: item.record), ticket.key == key {
        return await put(media, to: ticket, of: item, isConfirmed: api.confirm != nil)
      }
      if let fault = await withdraw(key, api) { return fault }
    }
    return await takeTicket(for: media, of: item, api)
  }

  private func takeTicket(
    for media: OutgoingMedia,
    of item: OutgoingBatch.Item,
    _ api: TicketApi
  ) async -> ItemResult {
    if let refusal = media.refusal { return .outcome(refusal) }
    let exchange = await exchange(
      Call(route: api.ticket.route, body: .json(Self.body(api.ticket.body, media, key: nil)))
    ).heeding(Envelope())
    guard case .done(let answer) = exchange.meaning else {
      if let fault = api.ticket.absence(exchange.meaning) {
        return .whole(.refused(reason: fault.description), pause: nil)
      }
      return ItemResult(exchange.meaning).beforeAnythingCounted
    }
    guard let ticket = Ticket(answer?.value, api.ticket, origin, exchange.redaction) else {
      let reason = "\(api.ticket.route) gave no ticket that can be used"
      return .whole(.refused(reason: reason), pause: nil)
    }
    tickets.keep(ticket, for: item.record)
    return .outcome(.staged(serverID: ticket.key, version: nil))
  }

  /// Removes a file by the key it was stored under.
  func removeMedia(_ item: OutgoingBatch.Item, _ api: TicketApi) async -> ItemResult {
    guard let key = item.serverID else { return .withoutIdentity }
    guard let route = api.remove else {
      return .whole(.refused(reason: "the destination cannot remove a file"), pause: nil)
    }
    let exchange = await exchange(Call(route: route, values: ["key": key])).heeding(Envelope())
    guard case .done = exchange.meaning else {
      return ItemResult(ofRemoval: exchange.meaning)
    }
    return .outcome(.removed)
  }

  /// Rolls back what a ticket may have made, of which only the key is known; `nil` when it is gone, or
  /// no one can do more about it.
  private func withdraw(_ key: String, _ api: TicketApi) async -> ItemResult? {
    guard let route = api.remove else { return nil }
    let exchange = await exchange(Call(route: route, values: ["key": key])).heeding(Envelope())
    switch exchange.meaning {
    case .done, .unfit, .faulty: return nil
    case .unknown, .later, .neverSent, .refused:
      return ItemResult(exchange.meaning).beforeAnythingCounted
    }
  }

  private func put(
    _ media: OutgoingMedia,
    to ticket: Ticket,
    of item: OutgoingBatch.Item,
    isConfirmed: Bool
  ) async -> ItemResult {
    if let refusal = media.refusal { return .outcome(refusal) }
    // A file may take longer than other requests: as if the line carried 64 KiB a second.
    let seconds = media.size >> 16
    let request = HTTPRequest(
      method: "PUT",
      url: ticket.upload,
      body: .file(media.source, size: media.size, mediaType: media.mediaType),
      timeout: api.timeout + .seconds(seconds)
    )
    let exchange = await http.perform(
      request,
      named: "PUT of the file",
      redaction: ticket.redaction
    )
    // What a store of files answers is its own affair: its status says all.
    if let status = exchange.status, [200, 201, 204].contains(status) {
      guard isConfirmed else {
        tickets.forget(item.record)
        return .outcome(.stored(serverID: ticket.key, version: ticket.url))
      }
      tickets.spend(item.record)
      return .outcome(.staged(serverID: ticket.key, version: ticket.url))
    }
    switch exchange.meaning {
    case .unknown where !isConfirmed: return ItemResult(exchange.meaning)
    case .faulty(status: 403, _, let reason), .faulty(status: 404, _, let reason),
      .refused(.unauthorized(let reason)), .refused(.forbidden(let reason)):
      // No one was asked to sign in here: the ticket is what was not good.
      tickets.forget(item.record)
      return .outcome(.deferred(reason: "the ticket was not taken: \(reason)"))
    case .done, .unfit, .faulty, .refused, .neverSent, .later, .unknown:
      return ItemResult(exchange.meaning).beforeAnythingCounted
    }
  }

  private func confirm(
    _ confirm: TicketApi.Confirmation,
    _ media: OutgoingMedia,
    _ key: String,
    of item: OutgoingBatch.Item
  ) async -> ItemResult? {
    let body = Self.body(confirm.body, media, key: key)
    let exchange = await exchange(Call(route: confirm.route, body: .json(body)))
      .heeding(Envelope())
    switch exchange.meaning {
    case .done: return nil
    case .unknown: tickets.forget(item.record)
    case .later where isUnexplained(exchange): tickets.forget(item.record)
    case .later, .neverSent, .unfit, .faulty, .refused: break
    }
    return ItemResult(exchange.meaning)
  }

  private static func body(
    _ members: [MediaApi.Member],
    _ media: OutgoingMedia,
    key: String?
  ) -> [UInt8] {
    var body = JSONObject()
    for member in members {
      switch member.fact {
      case .name: body[member.name] = .string(media.name)
      case .size: body[member.name] = .number(JSONNumber(media.size))
      case .category: body[member.name] = .string(media.category)
      case .key: body[member.name] = key.map { .string($0) }
      case .sha256: body[member.name] = .string(media.digest.description)
      case .mediaType: body[member.name] = .string(media.mediaType)
      }
    }
    return JSONValue.object(body).canonicalBytes
  }
}

/// Where a file may be put, and what it will be called.
struct Ticket: Sendable {
  let upload: String
  let key: String
  let url: String
  let redaction: Redaction

  /// Takes an address on the destination itself, or anywhere the way there is as safe.
  init?(
    _ answer: JSONValue?,
    _ ticket: TicketApi.Ticket,
    _ origin: Origin,
    _ redaction: Redaction
  ) {
    guard let answer, let upload = answer.value(at: ticket.upload)?.text,
      let key = answer.value(at: ticket.key)?.shortText,
      let url = answer.value(at: ticket.url)?.text
    else { return nil }
    let address = upload.hasPrefix("/") && !upload.hasPrefix("//") ? origin.text + upload : upload
    guard origin.isAsSafe(at: address) else { return nil }
    self.upload = address
    self.key = key
    self.url = url
    self.redaction = redaction
  }
}

/// The tickets that this process took, by the records of their files.
///
/// Their addresses are kept in memory only: anyone who knows one may write there.
final class Tickets: Sendable {
  private enum State {
    case open(Ticket)
    /// The file is there, and no request that confirms it was lost so far.
    case spent
  }

  private let states = Mutex<[RecordID: State]>([:])

  func keep(_ ticket: Ticket, for record: RecordID) {
    states.withLock { $0[record] = .open(ticket) }
  }

  func spend(_ record: RecordID) { states.withLock { $0[record] = .spent } }

  func forget(_ record: RecordID) { states.withLock { $0[record] = nil } }

  func open(for record: RecordID) -> Ticket? {
    if case .open(let ticket) = states.withLock({ $0[record] }) { ticket } else { nil }
  }

  /// Whether the file is where this process put it, and the destination has to know it.
  func isSpent(_ record: RecordID) -> Bool {
    if case .spent = states.withLock({ $0[record] }) { true } else { false }
  }
}

extension ItemResult {
  /// What became of a file that was to be removed.
  init(ofRemoval meaning: Meaning) {
    self.init(meaning) { status, _ in status == 404 || status == 410 ? .missing : nil }
  }

  /// The same, where an unknown fate cannot have changed anything.
  var beforeAnythingCounted: ItemResult {
    switch self {
    case .outcome(.unknown(let reason)): .outcome(.deferred(reason: reason))
    case .whole(.unknown(let reason), let pause): .whole(.deferred(reason: reason), pause: pause)
    case .outcome, .whole, .own: self
    }
  }
}
