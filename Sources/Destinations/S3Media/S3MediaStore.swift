package import DestinationModel
import Files
import Foundation
package import HTTPTransport
import NIOHTTP1
package import Profiles
import Records
import Synchronization
import UploadPlanning

/// Media files in a bucket of an S3 service.
///
/// An object's key holds the digest of its content, so that a repeat changes nothing. Each object
/// carries the key of the operation that made it: that is how a lost answer is distinguished from a file
/// that existed before, and how a rollback knows what is its own. A large file goes in parts;
/// the service itself remembers those that arrived, and the next attempt, in this process or in a
/// later one, sends the rest.
package struct S3MediaStore: Sendable {
  let store: ObjectStore
  private let account: AccountName

  /// The member of an object's metadata that names the operation that made it.
  static let operationHeader = "x-amz-meta-ferry-operation"
  static let digestHeader = "x-amz-meta-ferry-sha256"

  /// - Throws: `DestinationError.misconfigured(reason:cure:)` for an address that cannot be used.
  package init(
    _ api: BucketApi,
    transport: HTTPTransport,
    credentials: any CredentialSource,
    timeout: Duration,
    now: @escaping @Sendable () -> Double,
    account: @escaping @Sendable () async throws(DestinationError) -> String
  ) throws(DestinationError) {
    store = ObjectStore(
      api: api,
      origin: try Origin(api.endpoint),
      transport: transport,
      credentials: credentials,
      timeout: timeout,
      now: now
    )
    self.account = AccountName(account)
  }

  /// Puts a file where its content belongs, unless it is there.
  package func upload(_ item: OutgoingBatch.Item) async -> ItemResult {
    guard let media = item.media else {
      return .outcome(.rejected(code: "media.missing", reason: "no file is given"))
    }
    let whole = FileSlice(source: media.source, offset: 0, size: media.size)
    let sums: FileSlice.Sums
    let key: String
    do {
      sums = try whole.sums()
      key = try await self.key(item.record.entity, media.digest.description)
    } catch let error as DestinationError {
      return ItemResult(unsent: error)
    } catch let error as FileError {
      return .outcome(ItemOutcome(unreadable: error))
    } catch {
      return .outcome(.deferred(reason: "\(error)"))
    }
    guard sums.sha256 == media.digest.bytes else { return .outcome(.changedFile) }
    let object = Object(key: key, media: media, operation: item.key)
    if media.size > store.api.partSize { return await sendParts(of: object) }
    if !store.api.isCreateOnly {
      // The service would overwrite what is there, and with it whose it is.
      if let result = await obstacle(to: object) { return result }
    }
    let answer = await store.send(
      ObjectStore.Request(
        method: "PUT",
        key: key,
        headers: object.headers + object.condition(store.api),
        body: .slice(whole, sums)
      )
    )
    return await conclude(answer, object)
  }

  /// Removes an object that the operation `item.key` made; another one stays.
  package func remove(_ item: OutgoingBatch.Item) async -> ItemResult {
    let key: String
    do throws(DestinationError) {
      key =
        if let serverID = item.serverID { serverID } else {
          try await self.key(item.record.entity, item.record.key)
        }
    } catch {
      return ItemResult(unsent: error)
    }
    // What becomes of the file where it is not there.
    let missing: ItemOutcome
    switch await abortParts(of: key, since: item.since) {
    case .gone: missing = .missing
    case .kept:
      missing = .conflicted(
        reason:
          "the bucket may have parts of it, and its key names no account, so that they may be "
          + "another account's"
      )
    case .doubted:
      missing = .conflicted(
        reason:
          "the bucket has parts of it that were begun about when the run began, and that another "
          + "device may have sent"
      )
    case .unclear(let reason):
      // Parts of it may be there, at the cost of anyone who owns the bucket: that is not nothing.
      missing = .rejected(
        code: "media.parts-unlisted",
        reason: "the file is not there, and the service does not say whether parts of it are: "
          + reason
      )
    case .failed(let result): return result
    }
    let found = await store.send(ObjectStore.Request(method: "HEAD", key: key))
    guard case .done = found.meaning else {
      return ItemResult(found.meaning) { status, _ in status == 404 ? missing : nil }
    }
    // No one was informed that it is there, and what is there is another's: there is nothing to remove.
    if item.serverID == nil, !isSent(by: item.key, found) { return .outcome(.missing) }
    guard store.api.namesAccount else {
      return .outcome(
        .conflicted(
          reason: "its key names no account, and records of other accounts may name the file"
        )
      )
    }
    guard isSent(by: item.key, found) else {
      return .outcome(.conflicted(reason: "the file at its address does not belong to this run"))
    }
    let answer = await store.send(ObjectStore.Request(method: "DELETE", key: key))
    guard case .done = answer.meaning else {
      return ItemResult(answer.meaning) { status, _ in status == 404 ? .missing : nil }
    }
    return .outcome(.removed)
  }

  /// What the bucket has of a file.
  package func state(of file: MediaReference) async throws(DestinationError) -> MediaState {
    let key =
      if let serverID = file.serverID { serverID } else {
        try await self.key(file.record.entity, file.record.key)
      }
    let found = await store.send(ObjectStore.Request(method: "HEAD", key: key))
    switch found.meaning {
    case .done:
      let digest = found.headers.first(name: Self.digestHeader)
      guard digest == nil || digest == file.record.key else { return .other }
      let size = found.headers.first(name: "Content-Length").flatMap(Int64.init)
      let isReplaced = file.operation.map { !isSent(by: $0, found) } ?? false
      if file.comparing == .all || file.comparing == .replaced && isReplaced {
        switch await likeness(of: key, found, to: file.record.key, file.source) {
        case .same: break
        case .different: return .other
        case .unclear(let answer):
          if answer.isMissing { return .absent }
          throw fault(of: answer.meaning)
        case .unreadable(let error):
          throw .misconfigured(
            reason: "a file of the package cannot be read: \(error)",
            cure: "check that the package may be read"
          )
        }
      }
      return .present(
        serverID: key,
        version: address(of: key),
        size: size,
        isReplaced: isReplaced
      )
    case .faulty(status: 404, _, _): return .absent
    case .refused, .neverSent, .unknown, .unfit, .faulty, .later: throw fault(of: found.meaning)
    }
  }

  /// Whether an operation sent an object, as the object itself says.
  func isSent(by operation: String, _ found: ObjectAnswer) -> Bool {
    found.headers.first(name: Self.operationHeader) == operation
  }

  /// Why something about an object cannot be determined.
  private func fault(of meaning: Meaning) -> DestinationError {
    switch meaning {
    case .refused(let error): error
    case .neverSent(let reason), .unknown(_, let reason), .unfit(let reason),
      .faulty(_, _, let reason):
      .unreachable(origin: store.origin.text, reason: reason)
    case .later(let pause, let reason): .busy(retryAfter: pause, reason: reason)
    case .done: .unreachable(origin: store.origin.text, reason: "the answer does not mention it")
    }
  }

  // MARK: - Names

  /// The account's name, as keys have it.
  func accountName() async throws(DestinationError) -> String { try await account.get() }

  /// The key of the object that holds a content.
  func key(
    _ entity: EntityName,
    _ digest: String
  ) async throws(DestinationError) -> String {
    let category = entity.text.split(separator: ":").last.map(String.init) ?? entity.text
    let account = store.api.namesAccount ? try await self.account.get() : ""
    guard let key = store.api.key(category: category, account: account, sha256: digest) else {
      throw .misconfigured(reason: "the bucket's key cannot be filled", cure: "correct the profile")
    }
    return key
  }

  /// What a record refers to an object by.
  private func address(of key: String) -> String {
    store.api.address(ofKey: key) ?? store.origin.text + store.path(of: key)
  }
}

/// The account's name, asked for once.
private final class AccountName: Sendable {
  private let ask: @Sendable () async throws(DestinationError) -> String
  private let name = Mutex<String?>(nil)

  init(_ ask: @escaping @Sendable () async throws(DestinationError) -> String) {
    self.ask = ask
  }

  func get() async throws(DestinationError) -> String {
    if let known = name.withLock({ $0 }) { return known }
    let asked = try await ask()
    name.withLock { $0 = asked }
    return asked
  }
}

extension S3MediaStore {
  /// A file and what its object is to be.
  struct Object: Sendable {
    let key: String
    let media: OutgoingMedia
    /// The key of the operation that makes it.
    let operation: String

    /// What is said of the object when it is made.
    var headers: [(name: String, value: String)] {
      [
        ("content-type", media.mediaType),
        (S3MediaStore.operationHeader, operation),
        (S3MediaStore.digestHeader, media.digest.description),
      ]
    }

    /// That nothing may be there yet, where the service can check it.
    func condition(_ api: BucketApi) -> [(name: String, value: String)] {
      api.isCreateOnly ? [("if-none-match", "*")] : []
    }
  }

  /// What the last answer about a whole object says.
  func conclude(_ answer: ObjectAnswer, _ object: Object) async -> ItemResult {
    switch answer.meaning {
    case .done where answer.reportsObject: return stored(object)
    case .done, .faulty(status: 412, _, _), .faulty(_, code: "NoSuchUpload", _):
      return await settle(object)
    case .unfit, .faulty, .refused, .neverSent, .later, .unknown:
      // The object's key holds its content: the next attempt finds it there or sends it again.
      return ItemResult(answer.meaning).repeatable
    }
  }

  /// What comes of a file at whose key something lies already, or where the outcome is unknown just
  /// now; `nil` where nothing does.
  ///
  /// A service that gives no right to read says 403 of what is not there, too.
  func obstacle(to object: Object) async -> ItemResult? {
    let found = await store.send(ObjectStore.Request(method: "HEAD", key: object.key))
    switch found.meaning {
    case .done: return await settle(object)
    // An answer to HEAD does not say what was wrong with it: the next request shows that.
    case .faulty(status: 404, _, _), .faulty(status: 400, code: nil, _), .refused: return nil
    case .unfit, .faulty, .neverSent, .later, .unknown:
      return ItemResult(found.meaning).repeatable
    }
  }

  /// Looks at what lies at the object's key.
  func settle(_ object: Object) async -> ItemResult {
    let found = await store.send(ObjectStore.Request(method: "HEAD", key: object.key))
    switch found.meaning {
    case .done:
      let size = found.headers.first(name: "Content-Length").flatMap(Int64.init)
      let digest = found.headers.first(name: Self.digestHeader)
      let occupied = ItemResult.outcome(
        .rejected(code: "media.occupied", reason: "another file lies at “\(object.key)”")
      )
      guard size == object.media.size, digest == nil || digest == object.media.digest.description
      else { return occupied }
      // What an earlier attempt sent was checked by the service.
      if isSent(by: object.operation, found) { return stored(object) }
      let wanted = object.media.digest.description
      switch await likeness(of: object.key, found, to: wanted, object.media.source) {
      case .same: return adopted(object)
      case .different: return occupied
      case .unclear(let answer): return ItemResult(answer.meaning).repeatable
      case .unreadable(let error): return .outcome(ItemOutcome(unreadable: error))
      }
    case .faulty(status: 404, _, _):
      return .outcome(.deferred(reason: "the bucket has neither the file nor its parts"))
    case .unfit, .faulty, .refused, .neverSent, .later, .unknown:
      return ItemResult(found.meaning).repeatable
    }
  }

  func stored(_ object: Object) -> ItemResult {
    .outcome(.stored(serverID: object.key, version: address(of: object.key)))
  }

  /// What comes of a file that lies there by another's doing.
  func adopted(_ object: Object) -> ItemResult {
    .outcome(.adopted(serverID: object.key, version: address(of: object.key)))
  }
}

extension ItemResult {
  /// What becomes of an item for which nothing was sent, because the account is unknown that its key
  /// names.
  fileprivate init(unsent error: DestinationError) {
    self =
      error.isPassing
      ? .whole(.deferred(reason: "\(error)"), pause: error.requestedPause)
      : .whole(.refused(reason: "\(error)"), pause: nil)
  }
}
