import DestinationModel
import Files
import Foundation
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
import UploadPlanning

/// Receipts of assets that CloudKit did not take, and what came in their place.
///
/// It remembers for the life of the process. A later process finds out again, at the cost of one
/// request.
actor CloudReceipts {
  private var spent: Set<String> = []
  private var renewed: [String: CloudAsset] = [:]

  /// What to put in the place of an asset; itself while nothing speaks against it, `nil` where it has
  /// to be sent anew.
  func asset(for asset: CloudAsset) -> CloudAsset? {
    guard let receipt = asset.receipt, spent.contains(receipt) else { return asset }
    return renewed[receipt]
  }

  func renew(_ asset: CloudAsset, as other: CloudAsset) {
    if let receipt = asset.receipt { renewed[receipt] = other }
  }

  /// Takes a receipt for spent; `false` for one that came in the place of another: what is refused
  /// then is not the receipt.
  func giveUp(_ receipt: String) -> Bool {
    guard !renewed.values.contains(where: { $0.receipt == receipt }) else { return false }
    spent.insert(receipt)
    return true
  }
}

// MARK: - Sending files

/// A file becomes an asset in three steps, each of which a killed run may be the last of:
///
/// | step | what is durable afterwards |
/// |---|---|
/// | `assets/upload` gives an address | nothing; the address is good for minutes |
/// | the bytes go there, without anything that opens the database | the receipt, as the outcome of the file's own operation |
/// | `records/modify` with the receipt | the record |
///
/// A receipt that is not taken any more is redone from the first step. An asset goes with its record; that it
/// is gone is said only when its record is seen to be gone, or to have it no more.
extension CloudKitDestination {
  /// The most bytes of one asset.
  static let largestAsset: Int64 = 50 << 20

  /// Sends files, or sees what became of them with their records.
  func sendFiles(_ batch: OutgoingBatch) async -> BatchAnswer {
    var outcomes: [Int64: ItemOutcome] = [:]
    for item in batch.items {
      switch batch.verb == .removeMedia ? await removal(of: item) : await upload(item.media) {
      case .outcome(let outcome): outcomes[item.operation] = outcome
      case .whole(let whole, let pause):
        return BatchAnswer(whole: whole, outcomes: outcomes, pause: pause)
      case .own(let answer):
        return BatchAnswer(whole: answer.whole, outcomes: outcomes, pause: answer.pause)
      }
    }
    return BatchAnswer(outcomes: outcomes)
  }

  /// Asks for an address and sends the bytes there.
  private func upload(_ media: OutgoingMedia?) async -> ItemResult {
    guard let media, let place = media.place,
      let type = api.entity(place.entity)?.recordType?.name
    else { return .rejected("media.missing", "no file is given") }
    guard CloudFault.isRecordName(place.record) else {
      return .rejected("identity.unfit", "“\(place.record)” cannot be the name of a record")
    }
    guard media.size <= Self.largestAsset else {
      return .rejected(
        "media.too-large",
        "the file has \(media.size) bytes, and \(Self.largestAsset) are the limit of an asset"
      )
    }
    if let refusal = media.refusal { return .outcome(refusal) }
    let token: JSONValue = [
      "recordName": .string(place.record), "recordType": .string(type),
      "fieldName": .string(place.field),
    ]
    let reply = await gate.send("assets/upload", request(["tokens": [token]]))
    guard case .answered(let answer) = reply else {
      return await refusal(reply, to: "assets/upload")
    }
    let tokens = (answer["tokens"]?.array ?? []).filter { token in
      token["recordName"]?.text == place.record && token["fieldName"]?.text == place.field
    }
    guard tokens.count == 1, let url = tokens[0]["url"]?.text, origin.isAsSafe(at: url) else {
      let reason = "assets/upload gave no address that can be used"
      return .whole(.refused(reason: reason), pause: nil)
    }
    return await send(media, to: url, place)
  }

  /// Sends the bytes; nothing counts until a record names what came of it.
  private func send(
    _ media: OutgoingMedia,
    to url: String,
    _ place: OutgoingMedia.Place
  ) async -> ItemResult {
    let request = HTTPRequest(
      method: "POST",
      url: url,
      body: .file(media.source, size: media.size, mediaType: media.mediaType),
      // As if the line carried 64 KiB a second.
      timeout: api.timeout + .seconds(media.size >> 16)
    )
    let answer: HTTPAnswer
    do throws(HTTPFailure) {
      answer = try await transport.perform(request)
    } catch {
      return .outcome(.deferred(reason: "the file did not arrive: \(error)"))
    }
    guard answer.status == 200 else {
      return .outcome(
        .deferred(reason: "the upload of the file was answered with \(answer.status)")
      )
    }
    guard let asset = Self.asset(in: answer.body), asset.receipt != nil, asset.size == media.size
    else { return .outcome(.deferred(reason: "the answer to the file has no receipt for it")) }
    return .outcome(
      .stored(serverID: "\(place.record)/\(place.field)", version: asset.text)
    )
  }

  private static func asset(in body: [UInt8]) -> CloudAsset? {
    AnswerBody(body)?.value["singleFile"].flatMap { CloudAsset($0) }
  }

  /// What became of an asset that is to go.
  ///
  /// Nothing removes one by itself: it goes with its record, or when another takes its place there.
  ///
  /// | its record | the asset |
  /// |---|---|
  /// | is not there, or has another one or none in that field | is gone |
  /// | has it | stays |
  /// | cannot be read now | is looked for later |
  private func removal(of item: OutgoingBatch.Item) async -> ItemResult {
    guard let serverID = item.serverID, let slash = serverID.lastIndex(of: "/") else {
      return .withoutIdentity
    }
    let name = String(serverID[..<slash])
    let field = String(serverID[serverID.index(after: slash)...])
    let lookup = "records/lookup"
    let reply = await gate.send(
      lookup,
      request(["records": [["recordName": .string(name)]]])
    )
    if case .failed(let failure) = reply, failure.isZoneMissing { return .outcome(.removed) }
    guard case .answered(let answer) = reply, let entries = answer["records"]?.array,
      entries.count == 1, let entry = entries.first, entry["recordName"]?.text == name
    else { return await refusal(reply, to: lookup) }
    if let failure = CloudFailure(entry, redaction: await gate.redaction) {
      return failure.isMissing
        ? .outcome(.removed) : await refusal(.failed(failure.ofRequest), to: lookup)
    }
    let there = entry["fields"]?[field]?["value"].flatMap { CloudAsset($0) }
    let ours = item.version.flatMap { CloudAsset(text: $0) }
    guard entry["deleted"]?.boolean != true, let there,
      ours.map({ $0.mention == there.mention }) ?? true
    else { return .outcome(.removed) }
    return .outcome(.conflicted(reason: "it goes with its record, which is there and has it"))
  }

  /// What a request came to that gave no address, or did not mention a record.
  private func refusal(_ reply: CloudReply, to request: String) async -> ItemResult {
    switch reply {
    case .answered: .outcome(.deferred(reason: "\(request) was answered in another form"))
    case .other(let meaning): ItemResult(meaning).repeatable
    case .failed(let failure):
      switch failure.verdict(on: .uploadMedia) {
      case .refused:
        .whole(.refused(reason: "\(failure.error(to: request, api: cloudKit))"), pause: nil)
      case .zone: await madeZone()
      case .outcome(.deferred(let reason)):
        .whole(.deferred(reason: reason), pause: failure.pause)
      case .outcome(let outcome): ItemResult.outcome(outcome).repeatable
      }
    }
  }

  private func madeZone() async -> ItemResult {
    let answer = await makeZone()
    return .whole(answer.whole, pause: answer.pause)
  }
}

// MARK: - Receipts

extension CloudKitDestination {
  /// A record's body that can be sent, or what came of it instead.
  enum Renewal {
    case body([UInt8])
    case instead(ItemResult)
  }

  /// The body of a record in which no receipt is known to be spent: such files are sent anew.
  func renewed(_ item: OutgoingBatch.Item, _ type: CloudRecordType) async -> Renewal {
    guard type.fields.values.contains(.asset), var members = JSONObject(parsing: item.body)
    else { return .body(item.body) }
    for (name, kind) in type.fields where kind == .asset {
      guard let old = members[name]?.text.flatMap({ CloudAsset(text: $0) }), old.receipt != nil
      else { continue }
      if let asset = await receipts.asset(for: old) {
        members[name] = .string(asset.text)
        continue
      }
      switch await upload(item.parts.first { $0.place?.field == name }) {
      case .outcome(.stored(_, let text?)):
        guard let asset = CloudAsset(text: text) else { continue }
        await receipts.renew(old, as: asset)
        members[name] = .string(text)
      case let result: return .instead(result)
      }
    }
    return .body(JSONValue.object(members).canonicalBytes)
  }

  /// What a refusal means for a record with assets: the receipt of one may be what was refused, and is
  /// then renewed by the next attempt.
  func softened(
    _ outcome: ItemOutcome,
    _ failure: CloudFailure,
    _ operation: JSONValue
  ) async -> ItemOutcome {
    guard case .rejected = outcome, failure.mayLieInReceipt else { return outcome }
    var isGivenUp = false
    for field in operation["record"]?["fields"]?.object?.members ?? [] {
      guard field.value["type"]?.text == "ASSETID", let value = field.value["value"],
        let receipt = CloudAsset(value)?.receipt
      else { continue }
      if await receipts.giveUp(receipt) { isGivenUp = true }
    }
    return isGivenUp
      ? .deferred(reason: "its file may have to be sent again: \(failure.sentence)") : outcome
  }
}

extension ItemResult {
  fileprivate static func rejected(_ code: String, _ reason: String) -> ItemResult {
    .outcome(.rejected(code: code, reason: reason))
  }
}
