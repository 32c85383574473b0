import DestinationModel
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
import Records
import UploadPlanning

// MARK: - Files by routes of the destination's own

extension RESTDestination {
  /// Sends a file as it is to the address that its digest gives it.
  ///
  /// A file that is there already has the same content, and is no one's of this run.
  func upload(_ item: OutgoingBatch.Item, _ files: FileRoutes) async -> ItemResult {
    guard let media = item.media else {
      return .outcome(.rejected(code: "media.missing", reason: "no file is given"))
    }
    if let refusal = media.refusal { return .outcome(refusal) }
    let place: FilePlace
    do throws(DestinationError) {
      place = try await self.place(of: item.record, files)
    } catch {
      return ItemResult(unsent: error)
    }
    var call = Call(
      route: files.upload,
      values: place.values,
      body: .file(media.source, size: media.size, mediaType: media.mediaType)
    )
    // A file may take longer than other requests: as if the line carried 64 KiB a second.
    call.extraTime = .seconds(media.size >> 16)
    let exchange = await exchange(call).heeding(Envelope())
    guard case .done = exchange.meaning else {
      return ItemResult(exchange) { status, reason in
        isThere(status, reason, files.exists) { status == 409 }
          ? .adopted(serverID: place.name, version: place.address) : nil
      }
    }
    return .outcome(.stored(serverID: place.name, version: place.address))
  }

  /// Removes a file that a run sent.
  func removeMedia(_ item: OutgoingBatch.Item, _ files: FileRoutes) async -> ItemResult {
    guard let route = files.remove else {
      return .whole(.refused(reason: "the destination cannot remove a file"), pause: nil)
    }
    let place: FilePlace
    do throws(DestinationError) {
      place = try await self.place(of: item.record, files)
    } catch {
      return ItemResult(unsent: error)
    }
    let exchange = await exchange(Call(route: route, values: place.values)).heeding(Envelope())
    guard case .done = exchange.meaning else {
      return ItemResult(exchange.meaning) { status, _ in
        status == 404 || status == 410 ? .missing : nil
      }
    }
    return .outcome(.removed)
  }

  /// Asks whether a file is there.
  func state(
    of file: MediaReference,
    _ files: FileRoutes
  ) async throws(DestinationError) -> MediaState {
    let place = try await place(of: file.record, files)
    let exchange = await exchange(Call(route: files.read, values: place.values))
      .heeding(Envelope())
    switch exchange.meaning {
    case .done:
      return .present(serverID: place.name, version: place.address, size: nil)
    case .faulty(status: 404, _, _), .faulty(status: 410, _, _): return .absent
    case .unfit, .faulty, .refused, .neverSent, .later, .unknown:
      throw exchange.error(request: files.read, origin: origin)
    }
  }

  /// Where a file is at the destination.
  private struct FilePlace {
    /// The values of the names in routes.
    let values: [String: String]
    /// What the destination calls it, within the account.
    let name: String
    /// What a record refers to it by.
    let address: String
  }

  private func place(
    of record: RecordID,
    _ files: FileRoutes
  ) async throws(DestinationError) -> FilePlace {
    let account = try await heldAccount()
    let category =
      record.entity.text.split(separator: ":").last.map(String.init) ?? record.entity.text
    let values = ["account": account, "category": category, "sha256": record.key]
    guard let address = files.address(values) else {
      throw .misconfigured(
        reason: "the address of a file has a name that has no value",
        cure: "use {account}, {category} and {sha256} in “address” of api.media.upload"
      )
    }
    return FilePlace(
      values: values,
      name: "\(category)/\(record.key)",
      address: address.hasPrefix("/") ? origin.text + origin.path + address : address
    )
  }
}

extension ItemResult {
  /// What becomes of a file that was not sent, because the account is not known.
  fileprivate init(unsent error: DestinationError) {
    let whole: BatchAnswer.Whole =
      error.isPassing ? .deferred(reason: "\(error)") : .refused(reason: "\(error)")
    self = .whole(whole, pause: error.requestedPause)
  }
}
