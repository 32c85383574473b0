import Crypto
import DestinationModel
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
import TextCodecs
import UploadPlanning

// MARK: - Many items in one request

extension RESTDestination {
  /// Sends all items in one request and reads what became of each.
  func create(
    _ items: [OutgoingBatch.Item],
    _ create: BatchCreate,
    _ entity: EntityApi
  ) async -> BatchAnswer {
    guard !items.isEmpty else { return BatchAnswer() }
    guard items.count <= max(create.limit, 1) else {
      return .tooMany(items, limit: create.limit)
    }
    guard Set(items.map { JSONName($0.clientID) }).count == items.count else {
      return BatchAnswer(whole: .splittable(reason: "two items have the same identity"))
    }
    guard let body = Self.body(of: items, create) else {
      return BatchAnswer.faulty(items, code: "body.form", reason: "an item is not a JSON object")
    }
    var call = Call(route: create.route, body: .json(body))
    create.key?.add(Self.key(of: items), to: &call.headers)
    let exchange = await exchange(call, making: entity)
    guard case .done(let answer) = exchange.meaning else {
      return BatchAnswer.answer(exchange, for: items, route: create.route)
    }
    let report = BatchReport(answer?.view, create, entity, exchange.redaction)
    var outcomes = report.outcomes(of: items, entity, exchange.headers)
    for item in items {
      guard let outcome = outcomes[item.operation] else { continue }
      outcomes[item.operation] = await found(outcome, item, entity)
    }
    guard create.isOneTransaction, report.hasFailures, items.count > 1 else {
      return BatchAnswer(outcomes: outcomes)
    }
    return await proven(outcomes, of: items, entity)
  }

  /// The request's body: each item with our identity of it before its own members, none of which has
  /// that name.
  private static func body(of items: [OutgoingBatch.Item], _ create: BatchCreate) -> [UInt8]? {
    let unusedBytes = items.reduce(create.items.utf8.count) {
      $0 + $1.body.count + create.localID.utf8.count + $1.clientID.utf8.count + 8
    }
    var body = JSONWriter(reservingCapacity: unusedBytes + 16)
    body.beginObject()
    body.name(create.items)
    body.beginArray()
    for item in items {
      guard item.body.first == UInt8(ascii: "{"), item.body.last == UInt8(ascii: "}") else {
        return nil
      }
      body.beginObject()
      body.name(create.localID)
      body.string(item.clientID)
      body.members(item.body.dropFirst().dropLast())
      body.endObject()
    }
    body.endArray()
    body.endObject()
    return body.finished()
  }

  /// The idempotency key of the request: the same for the same items in the same order.
  static func key(of items: [OutgoingBatch.Item]) -> String {
    if items.count == 1 { return items[0].key }
    return SHA256.hash(data: Array(items.map(\.key).joined(separator: "\n").utf8)).hexadecimal
  }
}

/// The answer to a batch, sorted by our own identities of the items, which are distinguished by
/// their code points.
private struct BatchReport {
  private struct Made {
    let serverID: String
    let row: JSONView
  }

  private var made: [JSONName: [Made]] = [:]
  private var refused: [JSONName: [String]] = [:]
  /// How often each identity at the destination was given out.
  private var uses: [JSONName: Int] = [:]
  /// Identities of ours that came with an entry that could not be read.
  private var unreadable: Set<JSONName> = []
  /// Whether anything failed, be it named or not.
  let hasFailures: Bool

  init(
    _ answer: JSONView?,
    _ create: BatchCreate,
    _ entity: EntityApi,
    _ redaction: Redaction
  ) {
    let failures = answer?.value(at: create.failed)?.elements ?? []
    hasFailures = !failures.isEmpty
    let envelope = Envelope(of: entity, at: MemberPath(""))
    for row in answer?.value(at: create.created)?.elements ?? [] {
      guard let localID = Self.localID(of: row, create) else { continue }
      guard let serverID = row.value(at: create.id)?.shortText, envelope.fault(in: row) == nil
      else {
        unreadable.insert(localID)
        continue
      }
      made[localID, default: []].append(Made(serverID: serverID, row: row))
      uses[JSONName(serverID), default: 0] += 1
    }
    for row in failures {
      guard let localID = Self.localID(of: row, create) else { continue }
      let error = row.value(at: create.error)
      let words = error?.shortText ?? ServerMessage(body: error?.value).text
      let reason = words.isEmpty ? "no reason given" : redaction.printable(words)
      refused[localID, default: []].append(reason)
    }
  }

  private static func localID(of row: JSONView, _ create: BatchCreate) -> JSONName? {
    row[create.answeredAs]?.shortText.map { JSONName($0) }
  }

  /// One outcome for each item that the answer names once; the others stay unknown.
  func outcomes(
    of items: [OutgoingBatch.Item],
    _ entity: EntityApi,
    _ headers: HTTPHeaders
  ) -> [Int64: ItemOutcome] {
    var outcomes: [Int64: ItemOutcome] = [:]
    for item in items {
      outcomes[item.operation] = outcome(of: item, entity, headers)
    }
    return outcomes
  }

  private func outcome(
    of item: OutgoingBatch.Item,
    _ entity: EntityApi,
    _ headers: HTTPHeaders
  ) -> ItemOutcome {
    let localID = JSONName(item.clientID)
    let made = made[localID] ?? []
    let refused = refused[localID] ?? []
    guard made.count + refused.count == 1, !unreadable.contains(localID) else {
      let isNamed = !made.isEmpty || !refused.isEmpty || unreadable.contains(localID)
      return .unknown(
        reason: isNamed
          ? "the answer is at odds with itself about this item"
          : "the answer does not mention this item"
      )
    }
    guard let only = made.first else {
      return .rejected(code: "batch.failed", reason: refused[0])
    }
    guard uses[JSONName(only.serverID)] == 1 else {
      return .unknown(reason: "the answer gives two items the same identity")
    }
    let version = entity.version(of: only.row, headers: [:])
    guard entity.replay != .id || only.serverID.isSpelled(as: item.clientID) else {
      return .displaced(
        serverID: only.serverID,
        version: version,
        reason: entity.displacement(of: item.clientID, to: only.serverID)
      )
    }
    return .stored(serverID: only.serverID, version: version)
  }
}
