import Reconciliation
import Records

extension FieldValue: ExpressibleByStringLiteral {
  /// The value of a field as text.
  public init(stringLiteral text: String) { self = .value(Array(text.utf8)) }
}

extension RecordCopy {
  /// A note as both sides last agreed on it.
  static let note = RecordCopy(
    ["made": "monday", "author": "ann", "title": "A", "text": "X", "memo": "M"],
    revision: "2"
  )

  func with(_ name: String, _ value: FieldValue) -> RecordCopy {
    var copy = self
    copy.fields[name] = value
    return copy
  }

  func at(revision: String?) -> RecordCopy {
    var copy = self
    copy.revision = revision
    return copy
  }

  func modified(at time: Int64) -> RecordCopy {
    var copy = self
    copy.modifiedAt = time
    return copy
  }

  static func digest(ofTitle title: FieldValue) -> Digest {
    ComparisonRules.notes.digest(["title": title])
  }

  /// A row of a list that leaves `memo` out.
  var row: RecordCopy { showing(["made", "author", "title", "text", "owner"]) }
}

extension ComparisonRules {
  /// The rules for notes, with a look-alike of a digest.
  static let notes: ComparisonRules = {
    var rules = ComparisonRules(fields: ["made", "author", "title", "text", "memo", "owner"]) {
      fields in
      let text = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      var bytes = [UInt8](repeating: 0, count: 32)
      for (place, byte) in text.joined(separator: ";").utf8.enumerated() {
        bytes[place % 32] = bytes[place % 32] &* 31 &+ byte
      }
      guard let digest = Digest(bytes: bytes) else { preconditionFailure("32 bytes") }
      return digest
    }
    rules.naturalKey = ["made", "author"]
    rules.isOlder = { left, right in
      guard let left = Int(left), let right = Int(right) else { return false }
      return left < right
    }
    return rules
  }()
}

extension Capabilities {
  /// A destination with every route, which changes records by PATCH.
  static let usual: Capabilities = [.update, .delete, .readOne]
  /// The same without a route that reads one record.
  static let listOnly: Capabilities = [.update, .delete]
}

/// Decides about a note.
func decide(
  _ intent: Intent = .plan(.fail),
  base: RecordTriple.Base? = .init(.note),
  isOlderCopy: Bool = false,
  wanted: LocalCopy,
  remote: RemoteCopy,
  before: [RecordCopy] = [],
  claim: SyncClaim? = nil,
  receipt: RecordTriple.Receipt = .unknown,
  refused: RecordCopy? = nil,
  sending sent: [RecordCopy]? = nil,
  _ capabilities: Capabilities = .usual,
  rules: ComparisonRules = .notes
) -> Decision {
  RecordTriple(
    base: base,
    isOlderCopy: isOlderCopy,
    wanted: wanted,
    remote: remote,
    beforeImages: before,
    claim: claim,
    receipt: receipt,
    refused: refused.map {
      RecordTriple.RefusedChanges(before: $0, sent: sent ?? [wanted.record].compactMap(\.self))
    }
  ).decide(intent, rules, capabilities)
}

extension LocalCopy {
  static let deleted = LocalCopy.absent(deletedAt: nil)
}

extension RemoteCopy {
  static func listed(_ copy: RecordCopy) -> RemoteCopy { .present(copy, .list) }
  static func read(_ copy: RecordCopy) -> RemoteCopy { .present(copy, .single) }
}

extension Decision {
  /// The values that an update sends.
  var sent: [String: FieldValue]? {
    if case .update(let update) = self { update.fields } else { nil }
  }

  /// What an update or a deletion is conditional on.
  var precondition: Precondition? {
    switch self {
    case .update(let update): update.precondition
    case .delete(let precondition): precondition
    case .create, .adopt, .unchanged, .readFirst, .remoteNewer, .keptRemote, .skip, .ask, .conflict:
      nil
    }
  }
}
