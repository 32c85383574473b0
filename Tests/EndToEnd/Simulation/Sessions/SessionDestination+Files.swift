import DestinationModel
import Records
import Synchronization
import UploadPlanning

/// Files on their way, request by request, as a destination that hands out tickets, or a bucket, takes them.
extension SessionDestination {
  /// How far a process is with a ticket that it took.
  enum Ticket {
    case open(key: String)
    /// The file is there, and no request that confirms it was lost so far.
    case spent
  }

  /// What came of one request.
  private enum Reply<Value> {
    case answered(Value)
    case lost
    case putOff
    case killed

    /// What the file's operation comes to where no answer came, and nothing counts that may have happened.
    var failure: ItemOutcome? {
      switch self {
      case .answered: nil
      case .lost: .deferred(reason: "no answer")
      case .putOff: .deferred(reason: "503")
      case .killed: .rejected(code: "killed", reason: "the process was killed")
      }
    }
  }

  private var files: SessionFiles { server.files }

  func sendFiles(_ batch: OutgoingBatch) -> BatchAnswer {
    var outcomes: [Int64: ItemOutcome] = [:]
    for item in batch.items {
      guard arrives() else { return Self.killed }
      let outcome = batch.verb == .removeMedia ? removal(of: item) : upload(item)
      guard way.deathNote == nil else { return Self.killed }
      outcomes[item.operation] = outcome
    }
    return BatchAnswer(outcomes: outcomes)
  }

  private func request<Value>(
    _ name: String,
    _ body: @escaping @Sendable () -> Value
  ) -> Reply<Value> {
    guard arrives() else { return .killed }
    let (fate, delay) = way.fate(of: name, isRepeatable: false)
    way.log("\(name) \(fate)")
    switch fate {
    case .arrives: return .answered(body())
    case .isLost: return .lost
    case .answerIsLost:
      _ = body()
      return .lost
    case .comesLate, .comesTwice:
      server.send(due: time.now + delay) { _ = body() }
      return .lost
    case .isPutOff: return .putOff
    case .killsBefore:
      way.die()
      return .killed
    case .killsAfter:
      _ = body()
      way.die()
      return .killed
    }
  }

  private func upload(_ item: OutgoingBatch.Item) -> ItemOutcome {
    guard let media = item.media else {
      return .rejected(code: "media.missing", reason: "no file is given")
    }
    let (digest, maker) = ("\(media.digest)", item.key)
    switch server.scenario.files {
    case nil, .parts: return .rejected(code: "media", reason: "it takes no files")
    case .bucket:
      let reply = request("put \(item.record)") { [files] in files.put(digest, by: maker) }
      let key = SessionFiles.key(of: digest)
      if let failure = reply.failure { return failure }
      let address = SessionFiles.address(of: key)
      return files[key]?.maker == maker
        ? .stored(serverID: key, version: address) : .adopted(serverID: key, version: address)
    case .tickets: return uploadByTicket(item, digest)
    }
  }

  private func uploadByTicket(_ item: OutgoingBatch.Item, _ digest: String) -> ItemOutcome {
    let record = item.record
    if let key = item.serverID {
      if let address = item.version {
        switch request("confirm \(key)", { [files] in files.confirm(key) }) {
        case .answered(true):
          tickets.withLock { $0[record] = nil }
          return .stored(serverID: key, version: address)
        case .answered(false):
          if case .spent = tickets.withLock({ $0[record] }) {
            return .rejected(code: "media.gone", reason: "it is not there")
          }
        case .lost:
          tickets.withLock { $0[record] = nil }
          return .unknown(reason: "no answer")
        case let reply: return reply.failure ?? .unknown(reason: "no answer")
        }
      } else if case .open(key) = tickets.withLock({ $0[record] }) {
        let reply = request("put \(key)") { [files] in files.put(digest, at: key) }
        guard case .answered(let isThere) = reply else {
          return reply.failure ?? .unknown(reason: "no answer")
        }
        tickets.withLock { $0[record] = isThere ? .spent : nil }
        return isThere
          ? .staged(serverID: key, version: SessionFiles.address(of: key))
          : .deferred(reason: "the ticket was not taken")
      }
      let reply = request("withdraw \(key)") { [files] in files.remove(key) }
      if let failure = reply.failure { return failure }
    }
    let maker = item.key
    let reply = request("ticket for \(record)") { [files] in files.takeTicket(by: maker) }
    guard case .answered(let key) = reply else {
      return reply.failure ?? .unknown(reason: "no answer")
    }
    tickets.withLock { $0[record] = .open(key: key) }
    return .staged(serverID: key, version: nil)
  }

  private func removal(of item: OutgoingBatch.Item) -> ItemOutcome {
    guard let key = item.serverID else {
      return .rejected(code: "media.unknown", reason: "its place at the destination is unknown")
    }
    if server.scenario.files == .bucket, let there = files[key], there.maker != item.key {
      return .conflicted(reason: "the file at its address does not belong to this run")
    }
    let reply = request("remove \(key)") { [files] in files.remove(key) }
    return switch reply {
    case .answered(let alreadyExisted): alreadyExisted ? .removed : .missing
    case .lost: .unknown(reason: "no answer")
    default: reply.failure ?? .unknown(reason: "no answer")
    }
  }

  func media(_ file: MediaReference) async throws(DestinationError) -> MediaState {
    guard server.scenario.files == .bucket else { return .unknowable }
    try reading("state of \(file.record)")
    let key = file.serverID ?? SessionFiles.key(of: file.record.key)
    guard let there = files[key] else { return .absent }
    return .present(
      serverID: key,
      version: SessionFiles.address(of: key),
      size: nil,
      isReplaced: file.operation.map { $0 != there.maker } ?? false
    )
  }

  func mediaPage(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage? {
    guard server.scenario.files == .bucket else { return nil }
    try reading("files")
    let all = files.all.map { MediaPage.File(serverID: $0.key, size: nil) }
    return MediaPage(files: all, next: nil)
  }
}
