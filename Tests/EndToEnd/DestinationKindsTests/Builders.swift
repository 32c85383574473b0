import DestinationModel
import Files
import Foundation
import JSONText
import Records
import Testing
import UploadPlanning

extension OutgoingBatch.Item {
  static func number(
    _ number: Int64,
    id: String? = nil,
    serverID: String? = nil,
    version: String? = nil,
    body: JSONValue = ["name": "Ada"],
    media: OutgoingMedia? = nil,
    since: Int64? = nil
  ) -> OutgoingBatch.Item {
    let key = id ?? "local-\(number)"
    return OutgoingBatch.Item(
      operation: number,
      record: RecordID(entity: "Hero", key: key),
      clientID: key,
      serverID: serverID,
      version: version,
      key: "key-\(number)",
      body: body.canonicalBytes,
      media: media,
      since: since
    )
  }
}

extension OutgoingBatch {
  static func heroes(_ verb: Verb, _ items: [Item]) -> OutgoingBatch {
    OutgoingBatch(entity: "Hero", verb: verb, items: items)
  }

  static func events(_ items: [Item]) -> OutgoingBatch {
    OutgoingBatch(entity: "Event", verb: .create, items: items)
  }

  static func notes(_ verb: Verb, _ items: [Item]) -> OutgoingBatch {
    OutgoingBatch(entity: "Note", verb: verb, items: items)
  }
}

extension Destination {
  /// Sends one item, and goes on with it each time the destination has got a step further, as a run
  /// does once that is on the disk.
  func bring(_ batch: OutgoingBatch) async -> BatchAnswer {
    var batch = batch
    while true {
      let answer = await send(batch)
      guard let item = batch.items.first,
        case .staged(let serverID, let version)? = answer.outcomes[item.operation]
      else { return answer }
      batch = OutgoingBatch(
        entity: batch.entity,
        verb: batch.verb,
        items: [item.staged(serverID, version)]
      )
    }
  }
}

extension OutgoingBatch.Item {
  /// The same, with the place that the destination has for it.
  func staged(_ serverID: String, _ version: String?) -> OutgoingBatch.Item {
    OutgoingBatch.Item(
      operation: operation,
      record: record,
      clientID: clientID,
      serverID: serverID,
      version: version,
      key: key,
      body: body,
      media: media,
      parts: parts
    )
  }
}

extension ItemOutcome {
  /// The case alone, for comparisons in which the words do not matter.
  var word: String {
    switch self {
    case .stored: "stored"
    case .displaced: "displaced"
    case .adopted: "adopted"
    case .staged: "staged"
    case .removed: "removed"
    case .rejected: "rejected"
    case .exists: "exists"
    case .conflicted: "conflicted"
    case .missing: "missing"
    case .deferred: "deferred"
    case .unnamed: "unnamed"
    case .unknown: "unknown"
    }
  }
}

extension BatchAnswer {
  /// One word for the item: its outcome, or what holds for the whole.
  func word(_ operation: Int64) -> String {
    if let outcome = outcomes[operation] { return outcome.word }
    return switch whole {
    case .answered: "unknown"
    case .deferred: "deferred"
    case .splittable: "splittable"
    case .unknown: "unknown"
    case .refused: "refused"
    }
  }

  /// The reason given for the item.
  func reason(_ operation: Int64) -> String {
    switch outcomes[operation] {
    case .rejected(_, let reason), .conflicted(let reason), .deferred(let reason),
      .unnamed(let reason), .unknown(let reason):
      return reason
    case .displaced(_, _, let reason): return reason
    case .stored, .adopted, .staged, .removed, .exists, .missing: return ""
    case nil: break
    }
    return switch whole {
    case .answered: ""
    case .deferred(let reason), .splittable(let reason), .unknown(let reason),
      .refused(let reason):
      reason
    }
  }
}

/// The answer that a batch route gives.
func batchReply(
  created: [(String, String)] = [],
  failed: [(String, String)] = []
) -> ScriptedServer.Reply {
  let made = created.map { local, server -> JSONValue in
    ["localId": .string(local), "serverId": .string(server)]
  }
  let refused = failed.map { local, error -> JSONValue in
    ["localId": .string(local), "error": .string(error)]
  }
  return .json(["results": ["created": .array(made), "failed": .array(refused)]])
}

extension OutgoingMedia {
  /// Writes a file of these bytes and describes it, as a plan would.
  static func avatar(
    _ bytes: [UInt8],
    in folder: String,
    size: Int64? = nil
  ) throws -> OutgoingMedia {
    let path = folder + "/avatar.png"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return OutgoingMedia(
      source: FileSource(path),
      size: size ?? Int64(bytes.count),
      digest: try #require(Digest(bytes: try InputFile.sha256(of: path).digest)),
      category: "avatar",
      name: "avatar.png",
      mediaType: "image/png"
    )
  }
}

/// A folder of its own for `body`, gone afterwards.
func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
  let path = FileManager.default.temporaryDirectory.path + "/ferry-\(UUID().uuidString)"
  try Folder.make(path)
  do {
    try await body(path)
  } catch {
    try Folder.remove(path)
    throw error
  }
  try Folder.remove(path)
}
