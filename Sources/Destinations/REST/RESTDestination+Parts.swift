import DestinationModel
import HTTPTransport
import JSONText
import LongTexts
import NIOHTTP1
import Profiles
import UploadPlanning

// MARK: - Files as parts of forms

extension RESTDestination {
  /// The request that makes a record, as a form if a file is a part of it.
  ///
  /// - Returns: What becomes of the record instead if its file cannot be sent.
  func call(
    _ item: OutgoingBatch.Item,
    _ create: SingleCreate,
    of entity: EntityApi
  ) -> Result<Call, Refused> {
    let call = Self.call(item, create)
    let part = item.parts.first { part in
      part.place.map { entity.files[$0.field] == nil } ?? false
    }
    guard let part, let field = part.place?.field, !entity.fileMembers.isEmpty else {
      return .success(call)
    }
    return form(call, of: item.body, without: [field], part, as: field)
  }

  /// A request as a form: the fields of a body as texts, and behind them a file.
  private func form(
    _ call: Call,
    of body: [UInt8],
    without names: Set<String>,
    _ part: OutgoingMedia,
    as name: String
  ) -> Result<Call, Refused> {
    if let refusal = part.refusal { return .failure(Refused(outcome: refusal)) }
    var fields: [(name: String, text: String)] = []
    var whole = body
    do throws(LongTextFault) {
      if let texts = http.texts.value { whole = try texts.whole(body) }
    } catch {
      // A stand-in is never sent in place of its text.
      return .failure(Refused(outcome: .deferred(reason: error.description)))
    }
    for member in JSONObject(parsing: whole)?.members ?? []
    where !names.contains(member.name) && !member.value.isNull {
      guard let text = member.value.formText else {
        let reason = "“\(member.name)” is a list or an object, which no form has"
        return .failure(Refused(outcome: .rejected(code: "body.form", reason: reason)))
      }
      fields.append((member.name, text))
    }
    var call = call
    call.body = .form(
      FormBody(
        fields: fields,
        part: name,
        fileName: part.name,
        mediaType: part.mediaType,
        content: part.held.map { .bytes($0) } ?? .file(part.source),
        size: part.size,
        boundary: "ferry-\(part.digest)"
      )
    )
    // A file may take longer than other requests: as if the line carried 64 KiB a second.
    call.extraTime = .seconds(part.size >> 16)
    return .success(call)
  }

  /// Changes a record, and then its files by routes of their own.
  func updateWithFiles(
    _ item: OutgoingBatch.Item,
    _ route: UpdateRoute,
    _ entity: EntityApi
  ) async -> ItemResult {
    guard let serverID = item.serverID else { return .withoutIdentity }
    guard let body = JSONObject(parsing: item.body) else {
      return await change(item, route, entity)
    }
    var rest = body
    var files: [(name: String, route: FileRoute, value: JSONValue)] = []
    for (name, file) in entity.files.sorted(by: { $0.key < $1.key }) {
      guard let value = body[name] else { continue }
      // The route that changes the record takes the file away as well, where it also brings it.
      if value.isNoFile, file.remove == nil, file.upload.isSamePlace(as: route.route) { continue }
      rest[name] = nil as JSONValue?
      files.append((name, file, value))
    }
    var result = ItemResult.outcome(.stored(serverID: serverID, version: nil))
    if !rest.members.isEmpty || files.isEmpty {
      result = await change(item.holding(rest), route, entity)
      guard case .outcome(.stored) = result else { return result }
    }
    for file in files {
      let sent =
        file.value.isNoFile
        ? await remove(file.route, of: serverID, entity)
        : await send(file.name, file.route, of: item, serverID, entity)
      guard case .outcome(.stored) = sent else { return sent }
    }
    return result
  }

  private func send(
    _ name: String,
    _ route: FileRoute,
    of item: OutgoingBatch.Item,
    _ serverID: String,
    _ entity: EntityApi
  ) async -> ItemResult {
    guard let part = item.parts.first(where: { $0.place?.field == name }) else {
      return .outcome(.conflicted(reason: "the file that was there is not at hand"))
    }
    let bare = Call(route: route.upload, values: entity.values(ofIdentity: serverID))
    switch form(bare, of: [], without: [], part, as: route.part) {
    case .failure(let refused): return .outcome(refused.outcome)
    case .success(let call): return await stored(call, serverID)
    }
  }

  private func remove(
    _ route: FileRoute,
    of serverID: String,
    _ entity: EntityApi
  ) async -> ItemResult {
    guard let remove = route.remove else {
      return .outcome(.conflicted(reason: "the destination has no route that removes the file"))
    }
    return await stored(Call(route: remove, values: entity.values(ofIdentity: serverID)), serverID)
  }

  private func stored(_ call: Call, _ serverID: String) async -> ItemResult {
    let exchange = await exchange(call).heeding(Envelope())
    guard case .done = exchange.meaning else { return ItemResult(exchange, faulty: change) }
    return .outcome(.stored(serverID: serverID, version: nil))
  }

  /// Why a request cannot be written.
  struct Refused: Error {
    let outcome: ItemOutcome
  }
}

extension JSONValue {
  /// Whether a field with this value has no file; some backends keep an empty text or list for that.
  fileprivate var isNoFile: Bool {
    isNull || text?.isEmpty == true || array?.isEmpty == true
  }
}
