import Files
import JSONText
import NIOHTTP1
import Profiles
import Records
import Synchronization
import UploadPlanning

// MARK: - Media files

extension RESTDestination {
  /// Asks for a ticket, puts the file where the ticket says, and confirms.
  ///
  /// The file goes to the ticket's address without the account's token: it is often another host.
  /// Until the confirmation was sent nothing counts, so that everything lost before it is merely
  /// deferred; the next attempt takes a new ticket. Where the confirmation is lost, the next attempt
  /// confirms the same file once more: under a new ticket it would be there twice.
  func upload(_ item: OutgoingBatch.Item, _ api: TicketApi) async -> ItemResult {
    guard let media = item.media else {
      return .outcome(.rejected(code: "media.missing", reason: "no file is given"))
    }
    if let refusal = media.refusal { return .outcome(refusal) }
    if let confirm = api.confirm, let ticket = unconfirmed.take(of: item) {
      guard let fault = await self.confirm(confirm, media, ticket, of: item) else {
        return .outcome(.stored(serverID: ticket.key, version: ticket.url))
      }
      // Only where the destination does not know the file any more, all of it begins anew.
      guard case .outcome(.rejected) = fault else { return fault }
    }
    let exchange = await exchange(
      Call(route: api.ticket.route, body: .json(Self.body(api.ticket.body, media, key: nil)))
    ).heeding(Envelope())
    guard case .done(let answer) = exchange.meaning else {
      return ItemResult(exchange.meaning).beforeAnythingCounted
    }
    guard let ticket = Ticket(answer?.value, api.ticket, origin) else {
      let reason = "\(api.ticket.route) gave no ticket that can be used"
      return .whole(.refused(reason: reason), pause: nil)
    }
    let put = await put(media, to: ticket, exchange.redaction)
    guard case .done = put.meaning else {
      return Self.afterPutting(put.meaning, isConfirmed: api.confirm != nil)
    }
    if let confirm = api.confirm,
      let fault = await self.confirm(confirm, media, ticket, of: item)
    {
      return fault
    }
    return .outcome(.stored(serverID: ticket.key, version: ticket.url))
  }

  /// Removes a file by the key it was stored under.
  func removeMedia(_ item: OutgoingBatch.Item, _ api: TicketApi) async -> ItemResult {
    guard let key = item.serverID else { return .withoutIdentity }
    guard let route = api.remove else {
      return .whole(.refused(reason: "the destination cannot remove a file"), pause: nil)
    }
    let exchange = await exchange(Call(route: route, values: ["key": key])).heeding(Envelope())
    guard case .done = exchange.meaning else {
      return ItemResult(exchange.meaning) { status, _ in
        status == 404 || status == 410 ? .missing : nil
      }
    }
    return .outcome(.removed)
  }

  private func put(_ media: OutgoingMedia, to ticket: Ticket, _ redaction: Redaction) async
    -> Exchange
  {
    // A file may take longer than other requests: as if the line carried 64 KiB a second.
    let seconds = media.size >> 16
    let request = HTTPRequest(
      method: "PUT",
      url: ticket.upload,
      body: .file(media.source, size: media.size, mediaType: media.mediaType),
      timeout: api.timeout + .seconds(seconds)
    )
    let exchange = await wire.perform(request, named: "PUT of the file", redaction: redaction)
    // What a store of files answers is its own affair: its status says all.
    guard let status = exchange.status, [200, 201, 204].contains(status) else { return exchange }
    return Exchange(meaning: .done(nil))
  }

  private func confirm(
    _ confirm: TicketApi.Confirmation,
    _ media: OutgoingMedia,
    _ ticket: Ticket,
    of item: OutgoingBatch.Item
  ) async -> ItemResult? {
    let body = Self.body(confirm.body, media, key: ticket.key)
    let exchange = await exchange(Call(route: confirm.route, body: .json(body)))
      .heeding(Envelope())
    switch exchange.meaning {
    case .done: return nil
    case .unknown, .later, .neverSent: unconfirmed.keep(ticket, of: item)
    case .unfit, .faulty, .refused: break
    }
    return ItemResult(exchange.meaning)
  }

  private static func afterPutting(_ meaning: Meaning, isConfirmed: Bool) -> ItemResult {
    switch meaning {
    case .faulty(status: 403, _, let reason), .faulty(status: 404, _, let reason):
      .outcome(.deferred(reason: "the ticket was not taken: \(reason)"))
    case .refused(.unauthorized(let reason)), .refused(.forbidden(let reason)):
      // Nobody was asked to sign in here: the ticket is what was not good.
      .outcome(.deferred(reason: "the ticket was not taken: \(reason)"))
    case .unknown where !isConfirmed: ItemResult(meaning)
    case .done, .unfit, .faulty, .refused, .neverSent, .later, .unknown:
      ItemResult(meaning).beforeAnythingCounted
    }
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

  /// Takes an address on the destination itself, or anywhere the way there is as safe.
  init?(_ answer: JSONValue?, _ ticket: TicketApi.Ticket, _ origin: Origin) {
    guard let answer, let upload = answer.value(at: ticket.upload)?.text,
      let key = answer.value(at: ticket.key)?.shortText,
      let url = answer.value(at: ticket.url)?.text
    else { return nil }
    let address = upload.hasPrefix("/") && !upload.hasPrefix("//") ? origin.text + upload : upload
    let isEncrypted = address.lowercased().hasPrefix("https://")
    let isPlain = address.lowercased().hasPrefix("http://")
    guard isEncrypted || isPlain && origin.text.hasPrefix("http://") else { return nil }
    self.upload = address
    self.key = key
    self.url = url
  }
}

/// The tickets whose files are there, and of which nobody knows whether they are confirmed.
final class UnconfirmedTickets: Sendable {
  private let tickets = Mutex<[RecordID: Ticket]>([:])

  func keep(_ ticket: Ticket, of item: OutgoingBatch.Item) {
    tickets.withLock { $0[item.record] = ticket }
  }

  func take(of item: OutgoingBatch.Item) -> Ticket? {
    tickets.withLock { $0.removeValue(forKey: item.record) }
  }
}

extension OutgoingMedia {
  /// What comes of the file where it cannot be sent; `nil` when it is the one that was planned.
  var refusal: ItemOutcome? {
    do throws(FileError) {
      let (found, length) = try source.sha256(followsLinks: false)
      return length == size && found == digest.bytes ? nil : .changedFile
    } catch {
      return ItemOutcome(unreadable: error)
    }
  }
}

extension ItemOutcome {
  /// The file is not the one that was planned.
  static var changedFile: ItemOutcome {
    .rejected(code: "media.changed", reason: "the file changed since the package was made")
  }

  /// The file cannot be read; where that is the system's fault, it may be read later.
  init(unreadable error: FileError) {
    self =
      error.isForWantOfMeans
      ? .deferred(reason: "\(error)") : .rejected(code: "media.unreadable", reason: "\(error)")
  }
}

extension ItemResult {
  /// The same, where an unknown fate cannot have changed anything.
  fileprivate var beforeAnythingCounted: ItemResult {
    switch self {
    case .outcome(.unknown(let reason)): .outcome(.deferred(reason: reason))
    case .whole(.unknown(let reason), let pause): .whole(.deferred(reason: reason), pause: pause)
    case .outcome, .whole, .own: self
    }
  }
}
