import DestinationModel
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
import Records
import TextCodecs
import UploadPlanning

// MARK: - Files by routes of the destination's own

extension RESTDestination {
  /// Sends a file, as it is or in a form, by the names that its digest gives it.
  ///
  /// A file that is there already has the same content, and is no one's of this run.
  func upload(_ item: OutgoingBatch.Item, _ files: FileRoutes) async -> ItemResult {
    guard let media = item.media else {
      return .outcome(.rejected(code: "media.missing", reason: "no file is given"))
    }
    if let refusal = media.refusal { return .outcome(refusal) }
    // Where the destination names its files, the same request again makes a second one: the answer to the first may
    // be lost.
    if files.id != nil, let known = await found(item.record, files) { return known }
    let values: [String: String]
    do throws(DestinationError) {
      values = try await self.values(of: item.record)
    } catch {
      return ItemResult(unsent: error)
    }
    var call = Call(route: files.upload, values: values, body: Self.body(media, files, values))
    // A file may take longer than other requests: as if the line carried 64 KiB a second.
    call.extraTime = .seconds(media.size >> 16)
    let exchange = await exchange(call).heeding(Envelope())
    switch exchange.meaning {
    case .done(let answer):
      guard let place = place(of: answer?.value.value(at: files.item), files, values) else {
        return .outcome(.unknown(reason: "the answer does not say what the file is called"))
      }
      return .outcome(.stored(serverID: place.name, version: place.address))
    case .faulty(let status, _, let reason)
    where isThere(status, reason, files.exists, else: { status == 409 }):
      if let place = place(of: nil, files, values) {
        return .outcome(.adopted(serverID: place.name, version: place.address))
      }
      let refusal = ItemOutcome.rejected(
        code: "media.refused",
        reason: "the destination answered that it has the file, and does not show it"
      )
      return await found(item.record, files) ?? .outcome(refusal)
    case .unfit, .faulty, .refused, .neverSent, .later, .unknown:
      return ItemResult(exchange.meaning)
    }
  }

  private static func body(
    _ media: OutgoingMedia,
    _ files: FileRoutes,
    _ values: [String: String]
  ) -> HTTPRequest.Body {
    guard let form = files.form else {
      return .file(media.source, size: media.size, mediaType: media.mediaType)
    }
    let values = values.merging(["name": media.name]) { $1 }
    return .form(
      FormBody(
        fields: form.fields.map { field in
          (field.name, Template(prose: field.text).filled { values[$0] } ?? "")
        },
        part: form.file,
        fileName: media.name,
        mediaType: media.mediaType,
        content: .file(media.source),
        size: media.size,
        boundary: "ferry-\(media.digest)"
      )
    )
  }

  /// What a file is called that is there; `nil` where none is.
  private func found(_ record: RecordID, _ files: FileRoutes) async -> ItemResult? {
    do throws(DestinationError) {
      let state = try await state(of: MediaReference(record: record, serverID: nil), files)
      guard case .present(let serverID, let address, _, _) = state else { return nil }
      return .outcome(.adopted(serverID: serverID, version: address))
    } catch {
      return ItemResult(unsent: error)
    }
  }

  /// Removes a file that a run sent.
  func removeMedia(_ item: OutgoingBatch.Item, _ files: FileRoutes) async -> ItemResult {
    guard let route = files.remove else {
      return .whole(.refused(reason: "the destination cannot remove a file"), pause: nil)
    }
    var values: [String: String]
    do throws(DestinationError) {
      values = try await self.values(of: item.record)
    } catch {
      return ItemResult(unsent: error)
    }
    values["id"] = item.serverID
    let exchange = await exchange(Call(route: route, values: values)).heeding(Envelope())
    switch exchange.meaning {
    case .done: return .outcome(.removed)
    case .faulty, .refused:
      // What is answered of a file that is gone may be what is answered of another account's: a look tells.
      let file = MediaReference(record: item.record, serverID: nil)
      if case .absent? = try? await state(of: file, files) { return .outcome(.missing) }
    case .unfit, .neverSent, .later, .unknown: break
    }
    return ItemResult(ofRemoval: exchange.meaning)
  }

  /// Asks whether a file is there.
  func state(
    of file: MediaReference,
    _ files: FileRoutes
  ) async throws(DestinationError) -> MediaState {
    let values = try await values(of: file.record)
    let exchange = await exchange(Call(route: files.read, values: values))
      .heeding(Envelope())
    switch exchange.meaning {
    case .done(let answer):
      let found = answer?.value.value(at: files.found ?? MemberPath(""))
      if files.found != nil, found?.isNull ?? true { return .absent }
      guard let place = place(of: found, files, values) else {
        throw .unexpected(
          request: "\(files.read)",
          reason: "the answer does not say what the file is called"
        )
      }
      return .present(serverID: place.name, version: place.address, size: nil)
    case .faulty(status: 404, _, _), .faulty(status: 410, _, _): return .absent
    case .unfit, .faulty, .refused, .neverSent, .later, .unknown:
      throw exchange.error(request: files.read, origin: origin)
    }
  }

  /// What the names in routes represent for a file.
  private func values(of record: RecordID) async throws(DestinationError) -> [String: String] {
    let category =
      record.entity.text.split(separator: ":").last.map(String.init) ?? record.entity.text
    return [
      "account": try await heldAccount(), "category": category, "sha256": record.key,
      "uuid": FileRoutes.uuid(of: record.key),
    ]
  }

  /// What the destination calls a file, and what a record refers to it by; `nil` where the profile has that from
  /// an answer that does not say it.
  private func place(
    of answer: JSONValue?,
    _ files: FileRoutes,
    _ values: [String: String]
  ) -> (name: String, address: String)? {
    let made = "\(values["category"] ?? "")/\(values["sha256"] ?? "")"
    let name = files.id.map { answer?.value(at: $0)?.shortText } ?? made
    let address: String? =
      switch files.address {
      case .made(let template):
        Template(template).filled { name in values[name].map { PercentCoding.encoded($0) } }
          .map { $0.hasPrefix("/") ? origin.text + origin.path + $0 : $0 }
      case .member(let path): answer?.value(at: path)?.shortText
      }
    guard let name, let address else { return nil }
    return (name, address)
  }
}

extension ItemResult {
  /// What becomes of a file that was not sent, because something about it is not known.
  fileprivate init(unsent error: DestinationError) {
    let whole: BatchAnswer.Whole =
      error.isPassing ? .deferred(reason: "\(error)") : .refused(reason: "\(error)")
    self = .whole(whole, pause: error.requestedPause)
  }
}
